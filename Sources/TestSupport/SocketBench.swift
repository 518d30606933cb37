import SocketCore
import SocketValues

/// Whether benches begin their passes with what can be had on the fast path, as a driver does it. Everything must
/// come out the same.
package enum OnFastPath {
  @TaskLocal package static var isWanted = false
}

/// A machine on a bench: its transport and its clock are in the test's hands, and what it tells is recorded.
package struct SocketBench<Transport: StreamTransport> {
  package let machine = SocketMachine()
  package var transport: Transport
  package var clock = ManualClock()
  package var canAskDelegate = true

  /// Reads and writes completed like that.
  package private(set) var servedOnFastPath = 0

  /// Everything told so far; `take` hands it out.
  package private(set) var events: [RecordedEvent] = []
  /// The questions about the peer's certificates put to the delegate, in order.
  package private(set) var trustQuestions: [TrustQuestion] = []
  /// The questions put to the delegate, in order.
  package private(set) var questions: [TimeoutQuestion] = []
  package private(set) var passes = 0

  /// A machine with an open connection.
  package init(opened transport: Transport, closesOnEndOfStream: Bool = true) {
    self.transport = transport
    machine.configuration.autoDisconnectOnClosedReadStream = closesOnEndOfStream
    machine.adoptConnection(announcing: nil)
  }

  /// An idle machine.
  package init(idle transport: Transport) { self.transport = transport }

  package var now: Instant { clock.now }

  /// One pass at the current time.
  package mutating func passOnce() {
    machine.advance(&transport, now: clock.now, canAskDelegate: canAskDelegate)
    passes += 1
    record()
  }

  /// Passes until the machine is at rest.
  package mutating func pass() {
    if OnFastPath.isWanted, serveOnFastPath() { return }
    repeat { passOnce() } while machine.needsAnotherPass
  }

  /// Whether that was all there was to do.
  private mutating func serveOnFastPath() -> Bool {
    let most = 2048
    let before = servedOnFastPath
    while machine.isPlain {
      if let bytes = machine.outputOnFastPath {
        let result = withUnsafePointer(to: bytes) { transport.send(UnsafeBufferPointer(start: $0, count: 1)) }
        guard let tag = machine.sent(result) else { return false }
        events.append(.wrote(tag: tag))
      } else if machine.wantsInput(atMost: most) {
        let room = ByteBlock(capacity: 1 << 16)
        let result = transport.receive(into: room.room)
        let short = transport.shortReceiveMeansEmpty
        let whole = UnsafeRawBufferPointer(room.room)
        guard let read = machine.received(result, in: whole, shortMeansEmpty: short, atMost: most) else { return false }
        let block = ByteBlock(copying: UnsafeRawBufferPointer(rebasing: room.room[..<read.count]))
        events.append(RecordedEvent(.didRead(block, tag: read.tag, destination: nil)))
      } else {
        break
      }
      servedOnFastPath += 1
    }
    return servedOnFastPath > before && machine.comesToRest()
  }

  /// Moves the clock, then lets the machine look at it as a driver does when a deadline has come.
  package mutating func wait(milliseconds: Int64) {
    clock.advance(milliseconds: milliseconds)
    _ = machine.tick(now: clock.now)
    record()
    pass()
  }

  /// Records what the machine has to tell.
  package mutating func record() {
    var new: [RecordedEvent] = []
    var asked: [TimeoutQuestion] = []
    machine.drainEvents { event in
      new.append(RecordedEvent(event))
      switch event {
      case .shouldTimeoutRead(let question, _, _, _), .shouldTimeoutWrite(let question, _, _, _):
        asked.append(question)
      case .didReceiveTrust(let question, _): trustQuestions.append(question)
      default: break
      }
    }
    events += new
    questions += asked
  }

  /// Hands out what was told since the last time.
  package mutating func take() -> [RecordedEvent] {
    record()
    defer { events = [] }
    return events
  }

  // MARK: The caller's side

  /// Queues a read (nil: the call was a no-op) and makes a pass, as the driver does.
  package mutating func read(_ request: ReadRequest?) {
    if let request { machine.read(request) }
    pass()
  }

  /// Queues a write and makes a pass.
  package mutating func write(_ bytes: some Collection<UInt8>, timeout: Double = -1, tag: Int = 0) {
    if let request = WriteRequest(bytes, timeout: timeout, tag: tag) { machine.write(request) }
    pass()
  }

  /// Asks to close after operations and makes a pass.
  package mutating func close(afterReads reads: Bool = false, afterWrites writes: Bool = false) {
    machine.disconnect(afterReads: reads, afterWrites: writes)
    pass()
  }

  package mutating func disconnect() {
    machine.disconnect()
    record()
  }

  /// Queues the upgrade and makes a pass.
  package mutating func startTLS(_ session: @autoclosure @escaping @Sendable () -> ClearSession) {
    machine.startTLS { .success(session()) }
    pass()
  }

  /// The delegate's answer about the peer's certificates, followed by the pass that must follow it.
  package mutating func answer(_ question: TrustQuestion, _ answer: TrustAnswer) {
    machine.answer(question, answer)
    record()
    pass()
  }

  /// The delegate's answer, followed by the pass that must follow it.
  package mutating func answer(_ question: TimeoutQuestion, extension seconds: Double) {
    machine.answer(question, extension: seconds, now: clock.now)
    record()
    pass()
  }
}

extension SocketBench<MemoryTransport> {
  /// An open connection in memory.
  package init(sendRoom: Int = .max, closesOnEndOfStream: Bool = true, shortReceiveMeansEmpty: Bool = true) {
    self.init(
      opened: MemoryTransport(sendRoom: sendRoom, shortReceiveMeansEmpty: shortReceiveMeansEmpty),
      closesOnEndOfStream: closesOnEndOfStream)
  }

  // MARK: The peer's side, each followed by the readiness it causes and a pass

  package mutating func arrive(_ bytes: some Sequence<UInt8>) {
    transport.arrive(bytes)
    wake()
  }

  package mutating func arrive(_ text: String) { arrive(text.utf8) }

  package mutating func finish() {
    transport.finish()
    wake()
  }

  package mutating func reset() {
    transport.reset()
    wake()
  }

  package mutating func drain(_ count: Int) {
    transport.drain(count)
    wake()
  }

  /// Passes the transport's readiness on.
  package mutating func wake() {
    machine.note(transport.takeHints())
    pass()
  }
}

extension WriteRequest {
  /// A write of a copy of the bytes; nil if there are none.
  package init?(_ bytes: some Collection<UInt8>, timeout: Double = -1, tag: Int = 0) {
    let block = Array(bytes).withUnsafeBytes { ByteBlock(copying: $0) }
    self.init(bytes: block, timeout: timeout, tag: tag)
  }
}
