import SocketValues

extension SocketMachine {
  /// Queues a read; ignored unless started (RDQ-03) and after any disconnectAfter… (DIS-13). An open connection needs a
  /// pass afterwards.
  package func read(_ request: ReadRequest) { stream?.enqueue(request) }

  /// Queues a write; ignored like a read.
  package func write(_ request: WriteRequest) { stream?.enqueue(request) }

  /// Queues the TLS upgrade behind everything queued so far (TLS-01, TLS-07, TLS-08, TLS-10). The session is made when
  /// its turn comes; if that fails the connection ends with the failure. An open connection needs a pass afterwards.
  package func startTLS(_ makeSession: @escaping StreamMachine.SessionMaker) {
    stream?.enqueueUpgrade(makeSession)
  }

  /// Whether the handshake is done and the connection still there (TLS-38).
  package var isSecure: Bool {
    guard let stream = openStream else { return false }
    return stream.secure?.phase == .established
  }

  /// The session of the connection, from the moment the upgrade began.
  package var session: (any SecureSession)? {
    guard let stream = openStream else { return nil }
    return stream.secure?.session
  }

  /// The delegate's answer to a question about trust; late and repeated ones are ignored (TLS-22). A pass must follow.
  package func answer(_ question: TrustQuestion, _ answer: TrustAnswer) {
    guard question.generation == generation, let stream = openStream else { return }
    stream.answer(question, answer)
    collect(stream)
  }

  /// Records readiness of the connection.
  package func note(_ hints: Readiness) {
    _ = withOpenStream { $0.note(hints) }
  }

  /// One pass over an open connection: everything that can be received, sent, completed, timed out or ended now.
  package func advance<Transport: StreamTransport>(
    _ transport: inout Transport, now: Instant, canAskDelegate: Bool, holdsEnd: Bool = false,
    holdsFailures: Bool = false, hasUndelivered: Bool = false
  ) {
    guard let stream = openStream else { return }
    let policy = StreamMachine.Policy(
      closesOnEndOfStream: configuration.autoDisconnectOnClosedReadStream, canAskDelegate: canAskDelegate,
      holdsEnd: holdsEnd, holdsFailures: holdsFailures, endWaitsForDelivery: configuration.announcesEnds,
      hasUndelivered: hasUndelivered)
    stream.advance(&transport, now: now, policy: policy)
    collect(stream)
  }

  /// Whether the last pass found that the peer has ended its stream, or that a write has failed, and left the end to a
  /// later pass (`Policy.holdsEnd`, `Policy.holdsFailures`).
  package var isEndHeld: Bool { openStream?.isEndHeld ?? false }

  /// Whether a write has failed, and a later pass is to end the connection for it.
  package var hasFailedSend: Bool { openStream?.failedSend != nil }

  /// Whether the last pass found that the peer has ended its stream, and left the end to the pass after the earlier
  /// events are delivered (`Policy.endWaitsForDelivery`).
  package var endAwaitsDelivery: Bool { openStream?.endAwaitsDelivery ?? false }

  /// While an end is announced: the bytes that have arrived and were not delivered, in stream order. Bytes that the
  /// transport still has are added first, once (RL-03, RL-06).
  package func unread<Transport: StreamTransport>(_ transport: inout Transport) -> UnsafeRawBufferPointer? {
    guard announcedEnd != nil, let stream = openStream else { return nil }
    stream.collectUnread(&transport)
    return stream.prebuffer.bytes
  }

  /// While an end is announced: the first of the bytes that `unread` has gathered, at most `limit`, for a read made in
  /// willDisconnect (RL-07); nil if there are none.
  package func takeUnread(atMost limit: Int) -> ByteBlock? {
    guard announcedEnd != nil, let stream = openStream, !stream.prebuffer.isEmpty else { return nil }
    return stream.prebuffer.take(min(stream.prebuffer.count, limit))
  }

  /// Reports a connection that was adopted without an event.
  package func announce(_ event: SocketEvent) {
    if isConnected { events.append(event) }
  }

  /// Whether an open connection has queued writes.
  package var hasUnsentWrites: Bool {
    guard let stream = openStream else { return false }
    return !stream.writes.isEmpty
  }

  /// Offers queued writes to the transport, before `disconnect` drops them, or before the caller writes past the
  /// machine (DIS-23, THR-04). `receives`: queued reads are served as well.
  package func exchangeBeforeEnd<Transport: StreamTransport>(
    _ transport: inout Transport, receives: Bool, now: Instant
  ) {
    guard let stream = openStream else { return }
    stream.exchangeBeforeEnd(&transport, receives: receives, now: now)
    collect(stream)
  }

  /// Whether there are bytes that were received and not yet delivered.
  package var hasBufferedInput: Bool {
    withOpenStream { !$0.prebuffer.isEmpty } ?? false
  }

  // MARK: On the fast path

  /// Completes the active read of an open connection with at most `most` buffered bytes, if a pass would begin with
  /// that and has nothing else to do. Returns the bytes, which stay in place until the next method is called, and the
  /// tag. Its didRead comes before all other events. A pass must follow sooner or later.
  package func completeFromBuffer(atMost most: Int) -> (bytes: UnsafeRawBufferPointer, tag: Int)? {
    guard events.isEmpty else { return nil }
    return withOpenStream { $0.completeFromBuffer(atMost: most) } ?? nil
  }

  /// Whether the driver may receive now into its own memory, and report it by `received`: nothing else is going on, and
  /// the active read can take at most `most` bytes that way.
  package func wantsInput(atMost most: Int) -> Bool {
    events.isEmpty && withOpenStream { $0.wantsInput(atMost: most) } ?? false
  }

  /// Reports the result of that receive. Returns how many bytes from the front of the room complete the active read,
  /// and the read's tag; its didRead comes before all other events, and the other bytes are kept. nil: a pass must
  /// follow now; otherwise a pass must follow later, unless `comesToRest`. `shortMeansEmpty` is the transport's
  /// `shortReceiveMeansEmpty`.
  package func received(
    _ result: TransportResult, in room: UnsafeRawBufferPointer, shortMeansEmpty: Bool, atMost most: Int
  ) -> (count: Int, tag: Int)? {
    withOpenStream { $0.received(result, in: room, shortMeansEmpty: shortMeansEmpty, atMost: most) } ?? nil
  }

  /// The bytes of the only write of an open connection on which nothing else is going on: the driver may send them and
  /// report the result by `sent`. They stay in place until then.
  package var outputOnFastPath: UnsafeRawBufferPointer? {
    events.isEmpty ? withOpenStream { $0.outputOnFastPath } ?? nil : nil
  }

  /// Reports the result of that send. Returns the tag of the write if it is complete; its didWrite comes before all
  /// other events. nil: a pass must follow now; otherwise a pass must follow later, unless `comesToRest`.
  package func sent(_ result: TransportResult) -> Int? { withOpenStream { $0.sent(result) } ?? nil }

  /// Whether a pass over the open connection would do no more than to make the first read the active one; if so, this
  /// does it.
  package func comesToRest() -> Bool { withOpenStream { $0.comesToRest() } ?? true }

  /// Whether a pass could only move bytes: no deadline, TLS, question, pending close or end of stream matters, and no
  /// command or event is waiting.
  package var isPlain: Bool {
    events.isEmpty && commands.isEmpty && withOpenStream { $0.isPlain } ?? false
  }

  /// The delegate's answer to a timeout question: seconds to add, or enforcement. Late answers are ignored (TMO-11). A
  /// pass must follow.
  package func answer(_ question: TimeoutQuestion, extension seconds: Double, now: Instant) {
    guard question.generation == generation, let stream = openStream else { return }
    stream.answer(question, extension: seconds, now: now)
    collect(stream)
  }

  /// Whether the question is open still.
  package func awaits(_ question: TimeoutQuestion) -> Bool {
    question.generation == generation && (openStream?.awaits(question) ?? false)
  }

  // MARK: Progress

  /// The progress of an active operation, in bytes (DIAG-11, DIAG-13).
  package struct Progress: Hashable, Sendable {
    /// The tag that the caller gave the operation.
    package var tag: Int
    /// Bytes received for the read, or taken by the transport of the write.
    package var done: Int
    /// Bytes requested, or to be written; 0 when the length is not known beforehand.
    package var total: Int

    /// Between 0 and 1; 1 when the end is not known (DIAG-11).
    package var fraction: Float { total > 0 ? Float(done) / Float(total) : 1 }
  }

  /// The read whose turn it is; nil when there is none (DIAG-11, DIAG-12). A read that nothing stands before has its
  /// turn from the call that queued it on, whether or not a pass has begun with it: calls take effect in order.
  package var readProgress: Progress? {
    guard let stream = openStream, case .request(let operation)? = stream.reads.first else { return nil }
    let total = if case .exactly(let length) = operation.request.boundary { length } else { 0 }
    return Progress(tag: operation.request.tag, done: stream.bytesDone(of: operation), total: total)
  }

  /// The write whose turn it is, in the same sense (WR-17); nil when there is none.
  package var writeProgress: Progress? {
    guard let stream = openStream, case .request(let operation)? = stream.writes.first else { return nil }
    return Progress(tag: operation.request.tag, done: operation.done, total: operation.request.bytes.count)
  }

  /// The operations that the socket disconnects after, in words for descriptions; nil: no close is pending.
  package var pendingClose: String? {
    switch (stream?.closesAfterReads ?? false, stream?.closesAfterWrites ?? false) {
    case (false, false): nil
    case (true, false): "reading"
    case (false, true): "writing"
    case (true, true): "reading and writing"
    }
  }

  /// The contents of the queues, for descriptions: reads, writes, and bytes that were received and not yet delivered.
  package var backlog: (reads: Int, writes: Int, buffered: Int) {
    guard let stream else { return (0, 0, 0) }
    return (stream.reads.count, stream.writes.count, stream.prebuffer.count)
  }
}
