import SocketCore
import SocketValues

/// What came of a run.
struct TLSOutcome {
  var clear: [UInt8] = []
  /// Read behind startTLS.
  var opened: [UInt8] = []
  var isSecured = false
  /// Reasons of didDisconnect; nil: the target's own wish.
  var endings: [SocketFailure?] = []
  /// Events behind the first didDisconnect.
  var late = 0
  /// What the target sent, in its order.
  var sent: [UInt8] = []
  /// The write was reported with its record still on its way to the wire.
  var isToldEarly = false
}

/// A machine that reads some bytes in clear, is secured, and reads and writes on.
struct TLSTarget {
  static let secret = Array("what is written behind startTLS travels sealed".utf8)
  private static let clearTag = 0
  private static let openedTag = 1

  private let program: TLSProgram
  private let machine = SocketMachine()
  private var transport: TLSTransport
  private var outcome = TLSOutcome()
  /// A pass made something happen that asks for another.
  private var wasBusy = false

  init(
    _ program: TLSProgram, _ wire: [UInt8], _ make: @escaping @Sendable () -> Result<any SecureSession, SocketFailure>
  ) {
    self.program = program
    transport = TLSTransport(wire, receiveCap: program.receiveCap)
    machine.adoptConnection(announcing: nil)
    if let read = ReadRequest.exactly(program.clear, timeout: -1, tag: Self.clearTag) { machine.read(read) }
    machine.startTLS(make)
    readOn()
    let secret = Self.secret.withUnsafeBytes { ByteBlock(copying: $0) }
    if program.writes, let write = WriteRequest(bytes: secret, timeout: -1, tag: 0) { machine.write(write) }
  }

  private mutating func readOn() {
    machine.read(.available(limit: program.readLimit, timeout: -1, tag: Self.openedTag))
  }

  /// Lets the wire come in pieces of these sizes, then the rest, then its end if there is one.
  mutating func run(in pieces: [Int]) -> TLSOutcome {
    transport.sendRoom = program.sendRoom == 0 ? .max : program.sendRoom
    settle([.writable])
    for (index, piece) in (pieces + [transport.wire.count]).enumerated() {
      if program.wish != .none, index == min(program.wishAfter, pieces.count) { carryOutWish() }
      transport.arrived = min(transport.wire.count, transport.arrived + piece)
      if program.sendRoom > 0 { transport.sendRoom = program.sendRoom }
      settle([.readable, .writable])
    }
    if program.ends {
      // What the peer still reads is not to hold back the end.
      transport.sendRoom = .max
      transport.hasEnded = true
      settle([.readable, .writable, .peerClosed])
    }
    outcome.sent = transport.sent
    return outcome
  }

  private mutating func carryOutWish() {
    switch program.wish {
    case .none: break
    case .now: machine.disconnect()
    case .afterReads: machine.disconnect(afterReads: true, afterWrites: false)
    case .afterWrites: machine.disconnect(afterReads: false, afterWrites: true)
    }
    takeEvents()
  }

  /// What the write's record adds to its bytes: a tag, and the type inside or the number outside.
  private static let overhead = 16...24

  private var hasSentTheRecord: Bool {
    TLSRecords(transport.sent, from: 0).headers.contains { header in
      let isTheWrites = Self.overhead.contains(header.length - Self.secret.count)
      return isTheWrites && header.start + 5 + header.length <= transport.sent.count
    }
  }

  /// Passes until nothing happens any more.
  private mutating func settle(_ hints: Readiness) {
    machine.note(hints)
    repeat {
      wasBusy = false
      machine.advance(&transport, now: Instant(nanoseconds: 0), canAskDelegate: true)
      takeEvents()
    } while wasBusy || machine.needsAnotherPass
  }

  private mutating func takeEvents() {
    for case .close(_, let finalBytes) in machine.takeCommands() {
      finalBytes.withUnsafeBytes { bytes in
        transport.sendRoom = .max
        guard !bytes.isEmpty else { return }
        _ = withUnsafePointer(to: bytes) { transport.send(UnsafeBufferPointer(start: $0, count: 1)) }
      }
    }
    var events: [SocketEvent] = []
    machine.drainEvents { events.append($0) }
    for event in events {
      if !outcome.endings.isEmpty { outcome.late += 1 }
      switch event {
      case .didRead(let block, let tag, _):
        if tag == Self.clearTag { outcome.clear += block.bytes } else { outcome.opened += block.bytes }
        if tag == Self.openedTag {
          readOn()
          wasBusy = true
        }
      case .didWrite: outcome.isToldEarly = !hasSentTheRecord
      case .didSecure: outcome.isSecured = true
      case .didDisconnect(let reason): outcome.endings.append(reason)
      default: break
      }
    }
  }
}
