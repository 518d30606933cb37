import SocketCore
import SocketValues
import TestSupport
import Testing

@Suite("Timeouts")
struct TimeoutTests {
  enum Direction: String, CaseIterable, Sendable {
    case read, write

    var failure: RecordedFailure { self == .read ? .readTimeout : .writeTimeout }

    func question(_ tag: Int, _ elapsed: Double, _ done: Int) -> RecordedEvent {
      self == .read
        ? .readTimeout(tag: tag, elapsed: elapsed, bytesDone: done)
        : .writeTimeout(tag: tag, elapsed: elapsed, bytesDone: done)
    }
  }

  /// An operation of ten bytes of which three can be done, with this timeout.
  static func bench(_ direction: Direction, timeout: Double, canAsk: Bool = true) -> SocketBench<MemoryTransport> {
    var bench = SocketBench(sendRoom: 3)
    bench.canAskDelegate = canAsk
    switch direction {
    case .read:
      bench.read(.exactly(10, timeout: timeout, tag: 7))
      bench.arrive("abc")
      #expect(bench.take() == [.readPartial(3, tag: 7)])
    case .write:
      bench.write([UInt8](repeating: 1, count: 10), timeout: timeout, tag: 7)
      #expect(bench.take().first == .wrotePartial(3, tag: 7))
    }
    return bench
  }

  // MARK: Which timeouts there are

  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    var timeout: Double
    /// Milliseconds to the deadline; nil: never.
    var deadline: Int64?
    var testDescription: String { name }
  }

  static let timeouts: [Row] = [
    Row(name: "TMO-01 minus one", timeout: -1, deadline: nil),
    Row(name: "TMO-01 a little below zero", timeout: -0.001, deadline: nil),
    Row(name: "TMO-19 NaN", timeout: .nan, deadline: nil),
    Row(name: "TMO-19 infinity", timeout: .infinity, deadline: nil),
    Row(name: "TMO-19 minus infinity", timeout: -.infinity, deadline: nil),
    Row(name: "TMO-19 1e18", timeout: 1e18, deadline: nil),
    Row(name: "300 ms", timeout: 0.3, deadline: 300),
    Row(name: "a day", timeout: 86_400, deadline: 86_400_000),
  ]

  @Test("expire at their deadline, not before, or never", arguments: timeouts, Direction.allCases)
  func table(row: Row, direction: Direction) {
    var bench = Self.bench(direction, timeout: row.timeout, canAsk: false)
    #expect(bench.machine.nextDeadline == row.deadline.map { bench.clock.after(milliseconds: $0) })
    guard let deadline = row.deadline else {
      bench.wait(milliseconds: 1000 * 3600 * 24 * 365)
      return #expect(bench.take() == [])
    }
    bench.wait(milliseconds: deadline - 1)
    #expect(bench.take() == [])
    bench.wait(milliseconds: 1)
    #expect(bench.take() == [.disconnected(direction.failure)])
    #expect(bench.machine.nextDeadline == nil)
  }

  @Test("TMO-13…TMO-15: a zero timeout is enough for what is there, and no more", arguments: [0.0, -0.0])
  func zero(timeout: Double) {
    for (there, isEnough) in [(10, true), (9, false)] {
      var bench = SocketBench()
      bench.canAskDelegate = false
      bench.arrive([UInt8](repeating: 1, count: there))
      bench.read(.exactly(10, timeout: timeout, tag: 1))
      let partial = RecordedEvent.readPartial(9, tag: 1)
      #expect(
        bench.take()
          == (isEnough ? [.read([UInt8](repeating: 1, count: 10), tag: 1)] : [partial, .disconnected(.readTimeout)]))
    }
    for (room, isEnough) in [(10, true), (9, false)] {
      var bench = SocketBench(sendRoom: room)
      bench.canAskDelegate = false
      bench.write([UInt8](repeating: 1, count: 10), timeout: timeout, tag: 1)
      #expect(bench.take() == (isEnough ? [.wrote(tag: 1)] : [.wrotePartial(9, tag: 1), .disconnected(.writeTimeout)]))
    }
  }

  @Test("TMO-14: bytes in the kernel count although readiness was not signalled yet")
  func zeroBeforeReadiness() {
    var bench = SocketBench()
    bench.transport.arrive("0123456789".utf8)
    bench.read(.exactly(10, timeout: 0, tag: 1))
    #expect(bench.take() == [.read("0123456789", tag: 1)])
  }

  @Test("TMO-13: what has come counts although its readiness was not signalled yet", arguments: [0.0, 0.5])
  func beforeReadiness(timeout: Double) {
    var bench = SocketBench()
    // Finds nothing, and remembers that.
    bench.read(.exactly(1, timeout: -1, tag: 1))
    bench.arrive("a")
    #expect(bench.take() == [.read("a", tag: 1)])
    bench.transport.arrive("bc".utf8)
    bench.read(.exactly(2, timeout: timeout, tag: 2))
    if timeout > 0 { bench.wait(milliseconds: 500) }
    #expect(bench.take() == [.read("bc", tag: 2)])
  }

  @Test("TMO-14: a zero timeout waits for a pass that stopped at its budget", arguments: Direction.allCases)
  func zeroOverBudget(direction: Direction) {
    let bytes = [UInt8](repeating: 1, count: 5 << 20)
    var bench = SocketBench()
    bench.canAskDelegate = false
    switch direction {
    case .read:
      bench.transport.arrive(bytes)
      bench.read(.exactly(bytes.count, timeout: 0, tag: 1))
    case .write:
      bench = SocketBench(opened: MemoryTransport())
      bench.canAskDelegate = false
      for tag in 0..<5000 { if let write = WriteRequest([1], timeout: 0, tag: tag) { bench.machine.write(write) } }
      bench.pass()
    }
    #expect(bench.passes > 1)
    #expect(!bench.take().contains { $0.isDisconnect })
  }

  /// Each pass of the machine finds more to do than it may; only the time moves.
  @Test("TMO-03: a peer that fills every pass does not defeat a timeout", arguments: Direction.allCases)
  func busyTimeout(direction: Direction) {
    var bench = SocketBench(opened: BusyTransport())
    bench.canAskDelegate = false
    switch direction {
    case .read:
      if let read = ReadRequest.exactly(.max, timeout: 0.5, tag: 1) { bench.machine.read(read) }
    case .write:
      // The writes go out, the read gets nothing and is due.
      bench.transport.receives = false
      if let read = ReadRequest.exactly(9, timeout: 0.5, tag: 1) { bench.machine.read(read) }
      for tag in 0..<200_000 { if let write = WriteRequest([1], timeout: -1, tag: tag) { bench.machine.write(write) } }
    }
    var waited: Int64 = 0
    while bench.machine.isConnected, waited < 1000 {
      bench.passOnce()
      #expect(bench.machine.needsAnotherPass || !bench.machine.isConnected, "the bench is not busy")
      bench.clock.advance(milliseconds: 50)
      waited += 50
    }
    #expect(bench.take().last == .disconnected(.readTimeout))
    #expect(waited >= 500)
  }

  @Test("INV-17: however late a pass is, it takes nothing from the grace of the busy", arguments: Direction.allCases)
  func lateOverBudget(direction: Direction) {
    var bench = SocketBench(opened: BusyTransport())
    bench.canAskDelegate = false
    let size = 4 << 20
    switch direction {
    case .read: if let read = ReadRequest.exactly(size, timeout: 0.5, tag: 1) { bench.machine.read(read) }
    case .write:
      if let write = WriteRequest([UInt8](repeating: 1, count: size), timeout: 0.5, tag: 1) {
        bench.machine.write(write)
      }
    }
    bench.passOnce()
    bench.clock.advance(milliseconds: 5000)
    bench.passOnce()
    #expect(bench.machine.needsAnotherPass, "one late pass has done it all")
    bench.pass()
    #expect(bench.machine.isConnected)
    #expect(bench.take().filter { !$0.isPartial }.count == 1)
  }

  @Test("INV-17: an extension has a grace of its own")
  func graceAfterExtension() throws {
    var bench = SocketBench(opened: BusyTransport())
    if let read = ReadRequest.exactly(.max, timeout: 0.5, tag: 1) { bench.machine.read(read) }
    // When passes are made, and how many questions were asked by then.
    func passes(_ rows: [(wait: Int64, asked: Int)]) {
      for row in rows {
        bench.clock.advance(milliseconds: row.wait)
        bench.passOnce()
        #expect(bench.questions.count == row.asked, "\(bench.now)")
      }
    }
    passes([(0, 0), (3000, 0), (249, 0), (1, 1)])
    bench.machine.answer(try #require(bench.questions.first), extension: 0.1, now: bench.now)
    passes([(99, 1), (3000, 1), (249, 1), (1, 2)])
  }

  // MARK: When the clock runs

  @Test("TMO-02: the clock starts with the turn, not with the call", arguments: Direction.allCases)
  func startsWhenActive(direction: Direction) {
    var bench = SocketBench(sendRoom: 0)
    bench.canAskDelegate = false
    switch direction {
    case .read:
      bench.read(.exactly(1, timeout: -1, tag: 1))
      bench.read(.exactly(1, timeout: 0.3, tag: 2))
    case .write:
      bench.write([1], timeout: -1, tag: 1)
      bench.write([2], timeout: 0.3, tag: 2)
    }
    #expect(bench.machine.nextDeadline == nil)
    bench.wait(milliseconds: 1000)
    #expect(bench.take() == [])
    if direction == .read { bench.arrive("a") } else { bench.drain(1) }
    #expect(bench.machine.nextDeadline == bench.clock.after(milliseconds: 300))
    bench.wait(milliseconds: 299)
    #expect(bench.take().count == 1)
    bench.wait(milliseconds: 1)
    #expect(bench.take() == [.disconnected(direction.failure)])
  }

  @Test("TMO-02: a write that becomes active in the middle of a gathered send starts then")
  func startsInsideGather() {
    var bench = SocketBench(sendRoom: 0)
    bench.write([1, 2], timeout: -1, tag: 1)
    bench.write([3, 4], timeout: 0.2, tag: 2)
    bench.wait(milliseconds: 500)
    bench.drain(3)
    #expect(bench.take() == [.wrote(tag: 1), .wrotePartial(1, tag: 2)])
    #expect(bench.machine.nextDeadline == bench.clock.after(milliseconds: 200))
  }

  @Test("CON-13: the clock does not run before the connection is open")
  func startsWhenOpen() throws {
    var bench = SocketBench(idle: MemoryTransport(sendRoom: 0))
    let context = StartContext(hasDelegate: true, hasDelegateQueue: true, now: bench.now) { [] }
    try bench.machine.connect(toHost: "127.0.0.1", port: 1, interface: nil, timeout: -1, in: context)
    bench.read(.exactly(1, timeout: 0.3, tag: 1))
    bench.write([1], timeout: 0.4, tag: 2)
    bench.wait(milliseconds: 1000)
    #expect(bench.machine.nextDeadline == nil)
    bench.machine.attemptSucceeded(
      AttemptID(generation: 1, index: 0), announcing: .didConnect(.loopback(.ipv4, port: 1)))
    bench.pass()
    #expect(bench.machine.nextDeadline == bench.clock.after(milliseconds: 300))
    #expect(bench.take() == [.connected(host: "127.0.0.1", port: 1)])
  }

  @Test("TMO-03: progress does not restart the clock")
  func progressDoesNotRestart() {
    var bench = SocketBench()
    bench.read(.exactly(100, timeout: 0.5, tag: 7))
    for _ in 0..<4 {
      bench.wait(milliseconds: 100)
      bench.arrive("x")
    }
    bench.wait(milliseconds: 99)
    #expect(bench.take() == [RecordedEvent](repeating: .readPartial(1, tag: 7), count: 4))
    bench.wait(milliseconds: 1)
    #expect(bench.take() == [.readTimeout(tag: 7, elapsed: 0.5, bytesDone: 4)])
  }

  @Test("TMO-12, TMO-17: a completed operation's clock is gone, the next one's is fresh")
  func freshClocks() {
    var bench = SocketBench()
    for tag in 1...3 { bench.read(.exactly(1, timeout: 0.4, tag: tag)) }
    for tag in 1...3 {
      bench.wait(milliseconds: 300)
      bench.arrive("x")
      #expect(bench.take() == [.read("x", tag: tag)])
    }
    #expect(bench.machine.nextDeadline == nil)
    bench.wait(milliseconds: 5000)
    #expect(bench.take() == [])
  }

  @Test("what arrives at the instant of the deadline still counts")
  func arrivalAtDeadline() {
    var bench = SocketBench()
    bench.read(.exactly(1, timeout: 0.4, tag: 1))
    bench.clock.advance(milliseconds: 400)
    bench.arrive("x")
    #expect(bench.take() == [.read("x", tag: 1)])
  }

  // MARK: Asking the delegate

  @Test("TMO-05, TMO-06, TMO-08: asked once per expiry; elapsed is arithmetic", arguments: Direction.allCases)
  func elapsed(direction: Direction) {
    var bench = Self.bench(direction, timeout: 0.2)
    var elapsed = 0.2
    bench.wait(milliseconds: 200)
    #expect(bench.take() == [direction.question(7, elapsed, 3)])
    for (number, grant) in [0.3, 0.1, 0.25, 1, 0.001].enumerated() {
      // The answer is late; the extension counts from when it is processed (TMO-07).
      bench.wait(milliseconds: 70)
      #expect(bench.take() == [], "asked again while the question is open")
      #expect(bench.machine.nextDeadline == nil)
      bench.answer(bench.questions[number], extension: grant)
      elapsed += grant
      #expect(bench.machine.nextDeadline == bench.now.after(seconds: grant))
      bench.wait(milliseconds: Int64((grant * 1000).rounded()) - 1)
      #expect(bench.take() == [])
      bench.wait(milliseconds: 1)
      #expect(bench.take() == [direction.question(7, elapsed, 3)])
    }
    bench.answer(bench.questions[5], extension: 0)
    #expect(bench.take() == [.disconnected(direction.failure)])
  }

  struct Answer: CustomTestStringConvertible, Sendable {
    var name: String
    var seconds: Double
    /// nil: the timeout is enforced; otherwise the deadline in nanoseconds from now, -1 for none.
    var deadline: Int64?
    var testDescription: String { name }
  }

  static let answers: [Answer] = [
    Answer(name: "zero", seconds: 0, deadline: nil),
    Answer(name: "negative zero", seconds: -0.0, deadline: nil),
    Answer(name: "negative", seconds: -5, deadline: nil),
    Answer(name: "NaN", seconds: .nan, deadline: nil),
    Answer(name: "minus infinity", seconds: -.infinity, deadline: nil),
    Answer(name: "infinity", seconds: .infinity, deadline: -1),
    Answer(name: "1e18", seconds: 1e18, deadline: -1),
    Answer(name: "a nanosecond", seconds: 1e-9, deadline: 1),
    Answer(name: "a minute", seconds: 60, deadline: 60_000_000_000),
  ]

  @Test("TMO-07, TMO-19: answers", arguments: answers, Direction.allCases)
  func answer(row: Answer, direction: Direction) {
    var bench = Self.bench(direction, timeout: 0.2)
    bench.wait(milliseconds: 200)
    _ = bench.take()
    bench.answer(bench.questions[0], extension: row.seconds)
    guard let deadline = row.deadline else {
      return #expect(bench.take() == [.disconnected(direction.failure)])
    }
    #expect(bench.take() == [])
    #expect(bench.machine.isConnected)
    #expect(
      bench.machine.nextDeadline == (deadline < 0 ? nil : Instant(nanoseconds: bench.now.nanoseconds + deadline)))
  }

  @Test("TMO-16: nobody to ask: enforced at once", arguments: Direction.allCases)
  func nobodyToAsk(direction: Direction) {
    var bench = Self.bench(direction, timeout: 0.2, canAsk: false)
    bench.wait(milliseconds: 200)
    #expect(bench.take() == [.disconnected(direction.failure)])
    #expect(bench.questions.isEmpty)
  }

  @Test("TMO-09: bytesDone of a delimiter read counts what it gathered")
  func bytesDone() {
    var bench = SocketBench()
    bench.read(.through([13, 10], limit: 0, timeout: 0.1, tag: 1))
    bench.arrive("abcd")
    bench.wait(milliseconds: 100)
    #expect(bench.take().last == .readTimeout(tag: 1, elapsed: 0.1, bytesDone: 4))
    var other = SocketBench()
    other.read(.available(limit: 0, timeout: 0.1, tag: 2))
    other.wait(milliseconds: 100)
    #expect(other.take() == [.readTimeout(tag: 2, elapsed: 0.1, bytesDone: 0)])
  }

  @Test("INV-18: a question is open until it is answered or its connection is over", arguments: Direction.allCases)
  func openQuestion(direction: Direction) {
    var bench = Self.bench(direction, timeout: 0.2)
    bench.wait(milliseconds: 200)
    _ = bench.take()
    let first = bench.questions[0]
    #expect(bench.machine.awaits(first))
    bench.answer(first, extension: 0.1)
    #expect(!bench.machine.awaits(first))
    bench.wait(milliseconds: 100)
    _ = bench.take()
    let second = bench.questions[1]
    #expect(bench.machine.awaits(second))
    bench.disconnect()
    #expect(!bench.machine.awaits(second))
    bench.machine.adoptConnection(announcing: nil)
    #expect(!bench.machine.awaits(second), "what the next life asks is another question")
  }

  @Test("TMO-10: a read pauses while the question is open; what arrives is used after an extension")
  func readPauses() {
    var bench = Self.bench(.read, timeout: 0.2)
    bench.wait(milliseconds: 200)
    _ = bench.take()
    let calls = bench.transport.receiveCalls
    bench.arrive("defghij")
    #expect(bench.take() == [])
    #expect(bench.transport.receiveCalls == calls)
    bench.answer(bench.questions[0], extension: 1)
    #expect(bench.take() == [.read("abcdefghij", tag: 7)])
  }

  @Test("TMO-10: a write pauses while the question is open")
  func writePauses() {
    var bench = Self.bench(.write, timeout: 0.2)
    bench.wait(milliseconds: 200)
    _ = bench.take()
    bench.drain(99)
    #expect(bench.take() == [])
    #expect(bench.transport.sent.count == 3)
    bench.answer(bench.questions[0], extension: 1)
    #expect(bench.take() == [.wrote(tag: 7)])
  }

  @Test("TMO-10: a peer that ends while the question is open is noticed after the answer")
  func endWhileAsking() {
    var bench = Self.bench(.read, timeout: 0.2)
    bench.wait(milliseconds: 200)
    bench.finish()
    #expect(bench.take() == [.readTimeout(tag: 7, elapsed: 0.2, bytesDone: 3)])
    bench.answer(bench.questions[0], extension: 1)
    #expect(bench.take() == [.disconnected(.closedByPeer)])
  }

  // MARK: Both directions

  @Test("TMO-18: both expire at once: two questions, one end")
  func bothAsk() {
    var bench = SocketBench(sendRoom: 0)
    bench.read(.exactly(1, timeout: 0.3, tag: 1))
    bench.write([1], timeout: 0.3, tag: 2)
    bench.wait(milliseconds: 300)
    #expect(
      bench.take() == [
        .readTimeout(tag: 1, elapsed: 0.3, bytesDone: 0), .writeTimeout(tag: 2, elapsed: 0.3, bytesDone: 0),
      ])
    #expect(bench.machine.nextDeadline == nil)
    bench.answer(bench.questions[1], extension: 0.5)
    #expect(bench.machine.nextDeadline == bench.clock.after(milliseconds: 500))
    bench.answer(bench.questions[0], extension: 0)
    #expect(bench.take() == [.disconnected(.readTimeout)])
    bench.answer(bench.questions[1], extension: 0)
    #expect(bench.take() == [])
  }

  @Test("TMO-18: both expire at once with nobody to ask: one end")
  func bothEnd() {
    var bench = SocketBench(sendRoom: 0)
    bench.canAskDelegate = false
    bench.read(.exactly(1, timeout: 0.3, tag: 1))
    bench.write([1], timeout: 0.3, tag: 2)
    bench.wait(milliseconds: 400)
    #expect(bench.take() == [.disconnected(.readTimeout)])
  }

  @Test("TMO-18: the earlier of both deadlines is the next", arguments: [(0.3, 0.5), (0.5, 0.3)])
  func nextOfBoth(read: Double, write: Double) {
    var bench = SocketBench(sendRoom: 0)
    bench.read(.exactly(1, timeout: read, tag: 1))
    bench.write([1], timeout: write, tag: 2)
    #expect(bench.machine.nextDeadline == bench.clock.after(milliseconds: 300))
    bench.wait(milliseconds: 300)
    // The other direction's clock runs on while the delegate is asked.
    #expect(bench.machine.nextDeadline == bench.clock.after(milliseconds: 200))
  }

  // MARK: Stale answers

  @Test("TMO-07: an answer counts once", arguments: Direction.allCases)
  func answeredTwice(direction: Direction) {
    var bench = Self.bench(direction, timeout: 0.2)
    bench.wait(milliseconds: 200)
    bench.answer(bench.questions[0], extension: 1)
    bench.answer(bench.questions[0], extension: 0)
    #expect(bench.machine.isConnected)
    bench.answer(bench.questions[0], extension: 50)
    #expect(bench.machine.nextDeadline == bench.clock.after(milliseconds: 1000))
    bench.wait(milliseconds: 1000)
    // The first question's answer is none to the second.
    bench.answer(bench.questions[0], extension: 0)
    #expect(bench.machine.isConnected)
    bench.answer(bench.questions[1], extension: 0)
    #expect(!bench.machine.isConnected)
  }

  @Test("TMO-20: a disconnect while the question is open wins over a positive answer", arguments: Direction.allCases)
  func disconnectWins(direction: Direction) {
    var bench = Self.bench(direction, timeout: 0.2)
    bench.wait(milliseconds: 200)
    _ = bench.take()
    bench.disconnect()
    bench.answer(bench.questions[0], extension: 10)
    #expect(bench.take() == [.disconnected(nil)])
  }

  @Test("DIS-12: a close that waits for nothing, asked for while the question is open", arguments: Direction.allCases)
  func dueCloseWins(direction: Direction) {
    for seconds in [0.0, 10] {
      var bench = Self.bench(direction, timeout: 0.2)
      bench.wait(milliseconds: 200)
      _ = bench.take()
      // No pass runs before the answer: on queues of their own, it takes another turn.
      bench.machine.disconnect(afterReads: direction == .write, afterWrites: direction == .read)
      bench.answer(bench.questions[0], extension: seconds)
      #expect(bench.take() == [.disconnected(nil)])
    }
    // One that waits for the operation itself is overtaken by the timeout (DIS-19).
    var bench = Self.bench(direction, timeout: 0.2)
    bench.wait(milliseconds: 200)
    _ = bench.take()
    bench.machine.disconnect(afterReads: true, afterWrites: true)
    bench.answer(bench.questions[0], extension: 0)
    #expect(bench.take() == [.disconnected(direction.failure)])
  }

  @Test("TMO-11: an answer from before a restart does not touch the new connection", arguments: Direction.allCases)
  func answerAfterRestart(direction: Direction) {
    var bench = Self.bench(direction, timeout: 0.2)
    bench.wait(milliseconds: 200)
    bench.disconnect()
    bench.transport = MemoryTransport(sendRoom: 0)
    bench.machine.adoptConnection(announcing: nil)
    bench.read(.exactly(1, timeout: 0.1, tag: 1))
    bench.write([1], timeout: 0.1, tag: 2)
    bench.wait(milliseconds: 100)
    _ = bench.take()
    // The new questions are open and have the old one's number.
    bench.answer(bench.questions[0], extension: 0)
    #expect(bench.machine.isConnected)
    #expect(bench.take() == [])
    bench.answer(bench.questions[0], extension: 9)
    #expect(bench.machine.nextDeadline == nil)
  }

  @Test("TMO-22, HALF-05: a read that a half-close made impossible expires normally")
  func afterHalfClose() {
    var bench = SocketBench(closesOnEndOfStream: false)
    bench.read(.exactly(10, timeout: 0.5, tag: 1))
    bench.arrive("abcd")
    bench.finish()
    #expect(bench.take() == [.readPartial(4, tag: 1), .readClosed])
    bench.wait(milliseconds: 500)
    #expect(bench.take() == [.readTimeout(tag: 1, elapsed: 0.5, bytesDone: 4)])
    bench.answer(bench.questions[0], extension: 0.2)
    bench.wait(milliseconds: 200)
    #expect(bench.take() == [.readTimeout(tag: 1, elapsed: 0.7, bytesDone: 4)])
    bench.answer(bench.questions[1], extension: 0)
    #expect(bench.take() == [.disconnected(.readTimeout)])
  }

  @Test("TMO-21: a read behind the upgrade barrier has no clock")
  func behindUpgrade() {
    var bench = SocketBench(sendRoom: 0)
    bench.write([1], timeout: -1, tag: 1)
    bench.machine.startTLS { .success(ClearSession()) }
    bench.read(.exactly(1, timeout: 0.3, tag: 2))
    #expect(bench.machine.nextDeadline == nil)
    bench.wait(milliseconds: 3000)
    #expect(bench.take() == [])
  }
}

/// A peer that is always faster than a pass.
private struct BusyTransport: StreamTransport {
  var receives = true
  var shortReceiveMeansEmpty: Bool { false }

  mutating func receive(into buffer: UnsafeMutableRawBufferPointer) -> TransportResult {
    receives ? .bytes(min(buffer.count, 1 << 16)) : .wouldBlock
  }

  mutating func send(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> TransportResult {
    .bytes(min(pieces.reduce(0) { $0 + $1.count }, 1 << 16))
  }

  mutating func peek() -> TransportResult { receives ? .bytes(1) : .wouldBlock }
  mutating func pendingError() -> Int32 { 0 }
}
