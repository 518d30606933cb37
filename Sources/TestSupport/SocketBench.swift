import SocketCore

/// A machine on a bench: its transport and its clock are in the test's hands, and what it tells is recorded.
package struct SocketBench<Transport: StreamTransport> {
  package let machine = SocketMachine()
  package var transport: Transport
  package var clock = ManualClock()
  package var canAskDelegate = true

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
    repeat { passOnce() } while machine.needsAnotherPass
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
