import CoreFuzzing
import FuzzHarness
import ReferenceModel
import SocketCore
import Testing

/// Each comparison can fail: a socket that lies is caught, and the promise it broke is named.
@Suite("The comparison catches")
struct LiarTests {
  enum Lie: String, CaseIterable, Sendable {
    case dropsByte, changesByte, dropsRead, doublesRead, mistagsRead, swapsEvents
    case dropsWrite, doublesWrite, mistagsWrite
    case emptyPartial, tooMuchPartial, dropsPartial, partialOfAnother, partialOfAll, tooMuchWritten
    case forgetsQuestion, asksTwice, wrongElapsed, wrongDone
    case forgetsAnnouncement, doublesAnnouncement, announcesAnother
    case forgetsDisconnect, doublesDisconnect, tellsAfterwards, wrongReason, forgetsCloseRead, repeatsCloseRead

    var laws: Set<String> {
      switch self {
      case .dropsByte, .changesByte: ["INV-05"]
      // What is seen first: the next read's progress before this one's end, or the next one's bytes.
      case .dropsRead: ["INV-16", "INV-17", "INV-04"]
      case .dropsWrite: ["INV-17"]
      case .doublesRead, .doublesWrite: ["INV-07", "INV-04"]
      case .mistagsRead, .mistagsWrite: ["INV-04"]
      case .swapsEvents: ["INV-16", "INV-04"]
      case .emptyPartial: ["INV-15"]
      case .tooMuchPartial, .dropsPartial: ["RDQ-10"]
      case .partialOfAnother, .partialOfAll: ["INV-16"]
      case .tooMuchWritten: ["WR-04"]
      case .forgetsQuestion: ["TMO-05"]
      case .asksTwice: ["TMO-03"]
      case .wrongElapsed: ["TMO-06"]
      case .wrongDone: ["TMO-09"]
      case .forgetsAnnouncement: ["RL-01"]
      case .doublesAnnouncement: ["RL-01", "DIS-25", "INV-01"]
      case .forgetsDisconnect, .doublesDisconnect: ["INV-01"]
      case .tellsAfterwards: ["INV-02"]
      case .wrongReason, .announcesAnother: ["TMO-04"]
      case .forgetsCloseRead: ["HALF-02"]
      case .repeatsCloseRead: ["HALF-06"]
      }
    }
  }

  struct Liar: EventFilter {
    var lie: Lie
    private var held: SocketEvent?

    init(_ lie: Lie) { self.lie = lie }

    mutating func pass(_ event: SocketEvent, into events: inout [SocketEvent]) {
      switch (lie, event) {
      case (.dropsByte, .didRead(let block, let tag, _)):
        events.append(.didRead(Self.block(block.array.dropLast()), tag: tag, destination: nil))
      case (.changesByte, .didRead(let block, let tag, _)):
        events.append(.didRead(Self.block(block.array.map { $0 ^ 1 }), tag: tag, destination: nil))
      case (.mistagsRead, .didRead(let block, let tag, _)):
        events.append(.didRead(block, tag: tag + 1, destination: nil))
      case (.mistagsWrite, .didWrite(let tag)): events.append(.didWrite(tag: tag + 1))
      case (.swapsEvents, .didRead):
        if let held { events += [event, held] } else { held = event }
      case (.dropsRead, .didRead), (.dropsWrite, .didWrite), (.dropsPartial, .didReadPartial),
        (.forgetsQuestion, .shouldTimeoutRead), (.forgetsDisconnect, .didDisconnect),
        (.forgetsCloseRead, .didCloseRead), (.forgetsAnnouncement, .willDisconnect):
        break
      case (.doublesRead, .didRead), (.doublesWrite, .didWrite), (.doublesDisconnect, .didDisconnect),
        (.repeatsCloseRead, .didCloseRead), (.asksTwice, .shouldTimeoutRead),
        (.doublesAnnouncement, .willDisconnect):
        events += [event, event]
      case (.emptyPartial, .didReadPartial(_, let tag, _)):
        events += [event, .didReadPartial(count: 0, tag: tag, shown: nil)]
      case (.tooMuchPartial, .didReadPartial(let count, let tag, let shown)):
        events.append(.didReadPartial(count: count + 1, tag: tag, shown: shown))
      case (.partialOfAnother, .didReadPartial(let count, let tag, let shown)):
        events += [event, .didReadPartial(count: count, tag: tag + 1, shown: shown)]
      case (.partialOfAll, .didRead(let block, let tag, _)):
        events += [.didReadPartial(count: block.count, tag: tag, shown: nil), event]
      case (.tooMuchWritten, .didWritePartial(let count, let tag)):
        events.append(.didWritePartial(count: count + 1, tag: tag))
      case (.announcesAnother, .willDisconnect(.readTimeout)): events.append(.willDisconnect(.writeTimeout))
      case (.wrongElapsed, .shouldTimeoutRead(let question, let tag, let elapsed, let done)):
        events.append(.shouldTimeoutRead(question, tag: tag, elapsed: elapsed + 0.001, bytesDone: done))
      case (.wrongDone, .shouldTimeoutRead(let question, let tag, let elapsed, let done)):
        events.append(.shouldTimeoutRead(question, tag: tag, elapsed: elapsed, bytesDone: done + 1))
      case (.tellsAfterwards, .didDisconnect): events += [event, .didWrite(tag: 0)]
      case (.wrongReason, .didDisconnect(.readTimeout?)): events.append(.didDisconnect(.writeTimeout))
      default: events.append(event)
      }
    }

    private static func block(_ bytes: [UInt8]) -> ByteBlock { bytes.withUnsafeBytes { ByteBlock(copying: $0) } }
  }

  /// Something of everything.
  static let program = SocketProgram(
    staysHalfOpen: true, room: 2, extensions: [100],
    .exactly(3), .through("\r\n"), .arrive("ab"), .arrive("cx"), .arrive("y\r\n"), .exactly(2), .exactly(2),
    .arrive("1234"), .write("abc"), .makeRoom(9), .exactly(4, timeout: 50), .arrive("z"), .wait(60), .wait(200),
    .reconnect, .peerFinishes, .disconnect)

  @Test("lies", arguments: Lie.allCases)
  func lies(lie: Lie) {
    var program = Self.program
    program.livesOnRunLoop = [.forgetsAnnouncement, .doublesAnnouncement, .announcesAnother].contains(lie)
    let violation = #expect(throws: Violation.self) {
      try Lockstep.run(program, conduct: Conduct(), filter: Liar(lie))
    }
    #expect(violation.map { lie.laws.contains($0.invariant) } == true, "\(violation?.description ?? "nothing")")
  }

  @Test("no one who tells the truth")
  func truth() throws {
    try Lockstep.run(Self.program, conduct: Conduct(), filter: PassThrough())
  }

  @Test("what happens behind its back: bytes on the wire, an operation, an end, a clock")
  func behindItsBack() throws {
    func caught(_ law: String, _ deed: (inout Lockstep<PassThrough>) -> Void) throws {
      var lockstep = Lockstep(filter: PassThrough())
      try lockstep.begin()
      try lockstep.perform(.exactly(3, timeout: 500))
      deed(&lockstep)
      let violation = #expect(throws: Violation.self) { try lockstep.perform(.wake) }
      #expect(violation?.invariant == law, "\(violation?.description ?? "nothing")")
    }
    try caught("INV-06") { lockstep in
      [UInt8(1)].withUnsafeBytes { bytes in
        withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: 1) { pieces in
          pieces.initializeElement(at: 0, to: bytes)
          _ = lockstep.transport.send(UnsafeBufferPointer(pieces))
        }
      }
    }
    try caught("INV-07") { lockstep in
      if let read = ReadRequest.exactly(1, timeout: -1, tag: 1) { lockstep.machine.read(read) }
    }
    try caught("INV-01") { $0.machine.disconnect() }
    try caught("RDQ-10") { lockstep in [UInt8(1)].withUnsafeBytes { lockstep.transport.arrive($0) } }
    try caught("TMO-02") { lockstep in
      guard let read = ReadRequest.exactly(3, timeout: 0.4, tag: 0) else { return }
      lockstep.machine.disconnect()
      lockstep.machine.drainEvents { _ in }
      _ = lockstep.machine.takeCommands()
      lockstep.machine.adoptConnection(announcing: nil)
      lockstep.machine.read(read)
    }
  }
}
