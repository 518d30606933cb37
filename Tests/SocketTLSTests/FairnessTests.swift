import COpenSSL
import SocketCore
import SocketValues
import Testing

@testable import SocketTLS

/// What a pass does of a flood, so that the loop's other sockets get their turns.
@Suite struct FairnessTests {
  @Test(arguments: [ProtocolVersion.tls12, .tls13]) func aPassTakesSoManyRecords(_ version: ProtocolVersion) throws {
    let stage = try Stage(version)
    let count = 5000
    for _ in 0..<count { stage.peer.say([7]) }
    try stage.read(count)
    stage.arrive(stage.peer.takeOutput())
    while stage.opened.isEmpty {
      let before = stage.done
      stage.pass()
      let taken = (stage.opened.isEmpty ? stage.done : count) - before
      #expect((1...1000).contains(taken), "\(taken) records in a pass")
      try #require(taken > 0)
      #expect(stage.machine.needsAnotherPass == stage.opened.isEmpty)
    }
    #expect(stage.opened == [[UInt8](repeating: 7, count: count)])
  }

  @Test func anotherSocketsEchoDoesNotWaitForAFlood() throws {
    let flooded = try Stage()
    let calm = try Stage()
    // A byte now and then keeps the flood from ending itself.
    for _ in 0..<400 {
      for _ in 0..<50 { FloodTests.flood(.newKeysWished, from: flooded.peer) }
      flooded.peer.say([1])
    }
    try flooded.read(400)
    flooded.arrive(flooded.peer.takeOutput())
    try calm.read(4)
    calm.peer.say(Array("echo".utf8))
    calm.arrive(calm.peer.takeOutput())
    // The loop's turn: each socket that has something to do gets a pass.
    flooded.pass()
    calm.pass()
    #expect(calm.opened == [Array("echo".utf8)])
    #expect((1...20).contains(flooded.done))
    #expect(flooded.machine.needsAnotherPass)
    flooded.settle()
    #expect(flooded.opened == [[UInt8](repeating: 1, count: 400)])
    #expect(flooded.endings.isEmpty)
  }

  @Test("Without a read queued it is no different") func aFloodThatNobodyReads() throws {
    let stage = try Stage()
    for _ in 0..<20_000 { FloodTests.flood(.newKeys, from: stage.peer) }
    let flood = stage.peer.takeOutput()
    stage.arrive(flood)
    stage.settle()
    #expect(stage.endings.count == 1)
    guard case .tls(-9849, _)?? = stage.endings.first else { throw Missing(what: "\(stage.endings)") }
    // It is not taken in to the end.
    #expect(stage.wire.waiting > flood.count / 2)
    // The alert goes to the peer with the close.
    stage.peer.feed(stage.finalBytes)
    #expect(stage.peer.hear().end.failure?.code == -9819)
  }

  /// The last look at what came is not held back by a pass that has taken all it may.
  @Test("TLS-35", arguments: [1, 511, 512]) func aWriteThatMeetsTheCloseFindsTheAlert(_ count: Int) throws {
    let stage = try Stage()
    for _ in 0..<count { stage.peer.say([1]) }
    _ = stage.peer.failWithAlert(.other("enough"))
    try stage.read(count)
    stage.arrive(stage.peer.takeOutput())
    stage.wire.isBroken = true
    let bytes = [UInt8]("late".utf8).withUnsafeBytes { ByteBlock(copying: $0) }
    stage.machine.write(try #require(WriteRequest(bytes: bytes, timeout: -1, tag: 0)))
    stage.settle()
    #expect(stage.opened == [[UInt8](repeating: 1, count: count)])
    guard case .tls(-9819, _)?? = stage.endings.first else { throw Missing(what: "\(stage.endings)") }
  }

  /// Nor does it end at data that nobody has asked for.
  @Test("TLS-35", arguments: [1, 600]) func aWriteThatMeetsTheCloseFindsTheAlertBehindUnreadData(_ count: Int) throws {
    let stage = try Stage()
    for _ in 0..<count { stage.peer.say([1]) }
    _ = stage.peer.failWithAlert(.other("enough"))
    stage.arrive(stage.peer.takeOutput())
    stage.wire.isBroken = true
    let bytes = [UInt8]("late".utf8).withUnsafeBytes { ByteBlock(copying: $0) }
    stage.machine.write(try #require(WriteRequest(bytes: bytes, timeout: -1, tag: 0)))
    stage.settle()
    #expect(stage.opened.isEmpty && stage.endings.count == 1)
    guard case .tls(-9819, _)?? = stage.endings.first else { throw Missing(what: "\(stage.endings)") }
  }

  /// Requests to begin a handshake may come at any time during one, and are passed over.
  @Test func aFloodInsteadOfAHandshake() throws {
    var settings = SessionPair.clientSettings()
    settings.maximumVersion = .tls12
    let stage = Stage(session: try TLSSession(settings), peer: try TLSSession(SessionPair.serverSettings()))
    stage.pass()
    let request: [UInt8] = [22, 3, 3, 0, 4, 0, 0, 0, 0]
    stage.arrive((0..<700_000).flatMap { _ in request })
    var passes = 0
    while stage.endings.isEmpty {
      let before = stage.wire.waiting
      stage.pass()
      #expect(before - stage.wire.waiting < 1 << 18)
      passes += 1
      try #require(stage.machine.needsAnotherPass || !stage.endings.isEmpty)
    }
    #expect(passes > 100)
    guard case .tls(-9849, _)?? = stage.endings.first else { throw Missing(what: "\(stage.endings)") }
  }

  /// A message of the peer's in many records holds a write up until the last of them.
  @Test("TLS-30, TLS-41", arguments: [true, false]) func aWriteAmidATicket(_ isReading: Bool) throws {
    let stage = try Stage()
    FloodTests.ticketInPieces(from: stage.peer)
    let records = Records.split(stage.peer.takeOutput())
    if isReading { try stage.read(1) }
    stage.arrive(records[0])
    stage.settle()
    let bytes = [UInt8]("word".utf8).withUnsafeBytes { ByteBlock(copying: $0) }
    stage.machine.write(try #require(WriteRequest(bytes: bytes, timeout: -1, tag: 0)))
    for record in records.dropFirst() {
      stage.settle()
      #expect(stage.written == 0)
      stage.arrive(record)
    }
    stage.settle()
    #expect(stage.written == 1)
    #expect(stage.endings.isEmpty)
    stage.carry()
    #expect(stage.peer.hear().bytes == Array("word".utf8))
  }
}

/// A client's machine, secured unless said otherwise, and the session at the other end.
final class Stage {
  let machine = SocketMachine()
  let peer: TLSSession
  var wire = Wire()
  private(set) var opened: [[UInt8]] = []
  private(set) var written = 0
  private(set) var endings: [SocketFailure?] = []
  private(set) var finalBytes: [UInt8] = []
  private var isSecured = false

  struct Wire: StreamTransport {
    var incoming: [UInt8] = []
    var head = 0
    var sent: [UInt8] = []
    var hints: Readiness = []
    /// Sends fail.
    var isBroken = false
    var waiting: Int { incoming.count - head }
    var shortReceiveMeansEmpty: Bool { true }

    mutating func receive(into buffer: UnsafeMutableRawBufferPointer) -> TransportResult {
      guard waiting > 0 else { return .wouldBlock }
      let count = min(waiting, buffer.count)
      buffer.copyBytes(from: incoming[head..<(head + count)])
      head += count
      return .bytes(count)
    }

    mutating func send(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> TransportResult {
      if isBroken { return .failed(32) }
      for piece in pieces { sent += piece }
      return .bytes(pieces.reduce(0) { $0 + $1.count })
    }

    mutating func peek() -> TransportResult { waiting > 0 ? .bytes(waiting) : .wouldBlock }
    mutating func pendingError() -> Int32 { 0 }
  }

  // Unchecked: confined to the test that made it.
  private struct Box: @unchecked Sendable { let session: TLSSession }

  init(session: TLSSession, peer: TLSSession) {
    self.peer = peer
    let box = Box(session: session)
    machine.adoptConnection(announcing: nil)
    machine.startTLS { .success(box.session) }
  }

  convenience init(_ version: ProtocolVersion = .tls13) throws {
    var settings = SessionPair.clientSettings()
    settings.minimumVersion = version
    settings.maximumVersion = version
    self.init(session: try TLSSession(settings), peer: try TLSSession(SessionPair.serverSettings()))
    settle()
    for _ in 0..<4 { carry() }
    try #require(isSecured)
  }

  /// What the machine sent goes to the peer, and what that says to the machine.
  func carry() {
    peer.feed(wire.sent)
    wire.sent = []
    _ = peer.handshake()
    arrive(peer.takeOutput())
    settle()
  }

  func arrive(_ bytes: [UInt8]) {
    wire.incoming += bytes
    wire.hints.insert(.readable)
  }

  func read(_ count: Int) throws {
    machine.read(try #require(ReadRequest.exactly(count, timeout: -1, tag: 0)))
  }

  /// Bytes the active read has.
  var done: Int { machine.readProgress?.done ?? 0 }

  func pass() {
    machine.note(wire.hints)
    wire.hints = []
    machine.advance(&wire, now: Instant(nanoseconds: 0), canAskDelegate: true)
    for case .close(_, let finalBytes) in machine.takeCommands() { self.finalBytes = finalBytes }
    var events: [SocketEvent] = []
    machine.drainEvents { events.append($0) }
    for event in events {
      switch event {
      case .didRead(let block, _, _): opened.append(block.array)
      case .didWrite: written += 1
      case .didSecure: isSecured = true
      case .didDisconnect(let reason): endings.append(reason)
      default: break
      }
    }
  }

  func settle() {
    repeat { pass() } while machine.needsAnotherPass
  }
}

struct Missing: Error { let what: String }
