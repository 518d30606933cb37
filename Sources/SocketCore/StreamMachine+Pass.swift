import SocketValues

extension StreamMachine {
  /// The bytes that one pass may move in each direction, so that a busy connection doesn't starve the others of its
  /// loop.
  private static let byteBudget = 1 << 20
  private static let completionBudget = 4096

  /// Records readiness.
  package func note(_ hints: Readiness) {
    self.hints.formUnion(hints)
    if !hints.isDisjoint(with: .input) {
      mayReceive = true
      secure?.inputIsDrained = false
    }
    if !self.hints.isDisjoint(with: .unusual) { secure?.distrustsShortReceives = true }
    if !hints.isDisjoint(with: .output) { maySend = true }
  }

  /// Does all that can be done now. Reads go first: what has arrived is delivered before a write that fails can end the
  /// connection (WR-10).
  package func advance<Transport: StreamTransport>(_ transport: inout Transport, now: Instant, policy: Policy) {
    guard isOpen, ending == nil else { return }
    readsStoppedEarly = false
    writesStoppedEarly = false
    secure?.beginPass()
    // Behind a graceful disconnect no read is taken any more.
    holdsFailures = policy.holdsFailures && !forbidsOperations
    if secure?.phase != .established {
      exchange(&transport, now: now)
      if ending == nil { upgrade(&transport, policy: policy) }
    }
    if let layer = secure, layer.phase == .established {
      var secured = SecuredTransport(base: transport, layer: layer)
      exchange(&secured, now: now)
      if ending == nil { flushSession(&secured.base, layer) }
      resumeReceiving()
      settle(&secured, now: now, policy: policy)
      // The look for the peer's end may have met a message that the session answers (TLS-41).
      if ending == nil {
        flushSession(&secured.base, layer)
        resumeReceiving()
      }
      transport = secured.base
    } else {
      settle(&transport, now: now, policy: policy)
    }
    trim()
  }

  /// Moves bytes both ways.
  private func exchange<Transport: StreamTransport>(_ transport: inout Transport, now: Instant) {
    receivePass(&transport, now: now)
    if ending == nil, mayHaveMissedInput(at: now) { receiveAnew(&transport, now: now) }
    if mayHaveMissedRoom(at: now) { maySend = true }
    if ending == nil { sendPass(&transport, now: now) }
    if ending == nil, failedSend != nil {
      // What has arrived by now was perhaps not signalled yet, and comes first (WR-10).
      receiveAnew(&transport, now: now)
      if ending == nil { settleFailedSend(&transport) }
    }
    resumeReceiving()
  }

  /// Receives although the transport had nothing the last time.
  private func receiveAnew<Transport: StreamTransport>(_ transport: inout Transport, now: Instant) {
    mayReceive = true
    secure?.inputIsDrained = false
    receivePass(&transport, now: now)
  }

  /// Whether the active write has timed out without the transport having been offered anything, because it had no room
  /// the last time. There may be room since, and a loop that came late has not told so yet (TMO-15).
  private func mayHaveMissedRoom(at now: Instant) -> Bool {
    guard !maySend, writeQuestion == nil, let clock = activeWrite?.clock else { return false }
    return clock.isDue(at: now)
  }

  /// Whether the active read has timed out without the transport having been asked, because it had nothing the last
  /// time. Bytes may have arrived since that were not signalled yet; they count (TMO-13).
  private func mayHaveMissedInput(at now: Instant) -> Bool {
    guard !mayReceive, !endOfStream, !readSideClosed, readQuestion == nil, let clock = activeRead?.clock else {
      return false
    }
    return clock.isDue(at: now)
  }

  /// Ends the pass: applies pending closes, the end of the stream and timeouts.
  private func settle<Transport: StreamTransport>(_ transport: inout Transport, now: Instant, policy: Policy) {
    // A pending close that became due in this pass comes before an end of stream that it found (DIS-20).
    if ending == nil, pendingCloseIsDue { end(nil, manner: .graceful) }
    isEndHeld = failedSend != nil
    endAwaitsDelivery = false
    if ending == nil, !isEndHeld { settleEndOfStream(&transport, policy: policy) }
    // Timeouts wait until an end that was found is reported.
    if ending == nil, !isEndHeld, !endAwaitsDelivery { settleDeadlines(now: now, policy: policy) }
  }

  // MARK: Receiving

  /// - Parameter isLast: the connection is about to be closed: what ends it here has no effect.
  private func receivePass<Transport: StreamTransport>(
    _ transport: inout Transport, now: Instant, isLast: Bool = false
  ) {
    guard readQuestion == nil else { return }
    var bytesLeft = Self.byteBudget
    var completionsLeft = Self.completionBudget
    while case .request(var operation)? = reads.first {
      if operation.clock == nil {
        operation.clock = OperationClock(timeout: operation.request.timeout, startedAt: now)
        prebuffer.forgetSearch()
      }
      guard !readSideClosed else {
        // Only its clock runs on (HALF-05).
        reads[reads.startIndex] = .request(operation)
        return
      }
      let outcome = work(on: &operation, &transport, bytesLeft: &bytesLeft)
      switch outcome {
      case .complete(let block):
        removeRead()
        events.append(.didRead(block, tag: operation.request.tag, destination: operation.request.destination))
        completionsLeft -= 1
        if completionsLeft > 0 { continue }
        readsStoppedEarly = true
      case .overflow:
        report(&operation)
        // What it has got is looked for there.
        reads[reads.startIndex] = .request(operation)
        if !isLast { end(.readMaxedOut) }
      case .failed(let failure):
        report(&operation)
        reads[reads.startIndex] = .request(operation)
        if !isLast { fail(failure) }
      case .waiting:
        report(&operation)
        reads[reads.startIndex] = .request(operation)
      case .budgetUsed:
        report(&operation)
        reads[reads.startIndex] = .request(operation)
        readsStoppedEarly = true
      }
      return
    }
  }

  private enum ReadOutcome {
    case complete(ByteBlock)
    case overflow
    case failed(SocketFailure)
    case waiting
    case budgetUsed
  }

  /// Serves one read from the prebuffer and the transport until it completes or can't go on.
  private func work<Transport: StreamTransport>(
    on operation: inout ReadOperation, _ transport: inout Transport, bytesLeft: inout Int
  ) -> ReadOutcome {
    while true {
      if let outcome = serve(&operation) { return outcome }
      guard mayReceive, !endOfStream else { return .waiting }
      guard bytesLeft > 0 else { return .budgetUsed }
      switch receive(for: &operation, &transport) {
      case .bytes(let count): bytesLeft -= count
      case .wouldBlock:
        mayReceive = false
        hints.remove(.readable)
        return .waiting
      case .endOfStream:
        endOfStream = true
        return .waiting
      case .failed(let errno): return .failed(.posix(code: errno, call: "read"))
      case .broken(let failure): return .failed(failure)
      }
    }
  }

  /// Completes the read from the buffered bytes, if they suffice.
  private func serve(_ operation: inout ReadOperation) -> ReadOutcome? {
    switch operation.request.boundary {
    case .available(let limit):
      guard !prebuffer.isEmpty else { return nil }
      return .complete(prebuffer.take(min(prebuffer.count, limit)))
    case .exactly(let length):
      return serveLength(length, &operation)
    case .through(let delimiter, let limit):
      if let end = prebuffer.end(of: delimiter, limit: limit) { return .complete(prebuffer.take(end)) }
      return prebuffer.count >= limit ? .overflow : nil
    }
  }

  private func serveLength(_ length: Int, _ operation: inout ReadOperation) -> ReadOutcome? {
    if operation.block == nil {
      if prebuffer.count >= length { return .complete(prebuffer.take(length)) }
      // The requested length is the peer's to choose in many protocols: reserve only as bytes arrive (RD-LEN-10).
      operation.block = ByteBlock(capacity: min(length, Self.firstBlock))
    }
    guard let block = operation.block else { return nil }
    if !prebuffer.isEmpty {
      block.grow(to: min(length, block.count + prebuffer.count), atMost: length)
      _ = prebuffer.move(to: block, limit: length - block.count)
    }
    return block.count == length ? .complete(block) : nil
  }

  private static let firstBlock = 1 << 16
  /// Reads of at least this many bytes are received into their own memory; below it, one call serves many small reads.
  private static let directThreshold = 1 << 12
  private static let receiveSize = 1 << 16
  /// The room that makes a receive worth while; with less of it, new memory is allocated.
  private static let minRoom = 1 << 14

  private func receive<Transport: StreamTransport>(
    for operation: inout ReadOperation, _ transport: inout Transport
  ) -> TransportResult {
    let room: UnsafeMutableRawBufferPointer
    var block: ByteBlock?
    if case .exactly(let length) = operation.request.boundary, let own = operation.block,
      length - own.count >= Self.directThreshold
    {
      if own.room.isEmpty { own.grow(to: own.capacity + 1, atMost: length) }
      room = own.room
      block = own
    } else {
      room = prebuffer.room(atLeast: Self.minRoom, preferring: Self.receiveSize)
    }
    let result = transport.receive(into: room)
    if case .bytes(let count) = result {
      expectsLargeReceive = count > Self.largeReceive
      if let block { block.advance(by: count) } else { prebuffer.filled(count) }
      if count < room.count, transport.shortReceiveMeansEmpty, hints.isDisjoint(with: .unusual) {
        mayReceive = false
      }
    }
    return result
  }

  /// Reports progress of an unfinished read since the last report; never for read-any, never zero (RDQ-10, INV-15).
  private func report(_ operation: inout ReadOperation) {
    let done = bytesDone(of: operation)
    guard done > operation.reported else { return }
    events.append(
      .didReadPartial(
        count: done - operation.reported, tag: operation.request.tag, shown: excerpt(of: operation, upTo: done)))
    operation.reported = done
  }

  /// The bytes about to be reported, for the destination, if there is one.
  private func excerpt(of operation: ReadOperation, upTo done: Int) -> ReadExcerpt? {
    guard let destination = operation.request.destination else { return nil }
    let gathered = operation.block?.bytes ?? prebuffer.bytes
    let new = UnsafeRawBufferPointer(rebasing: gathered[operation.reported..<done])
    return ReadExcerpt(bytes: ByteBlock(copying: new), offset: operation.reported, destination: destination)
  }

  /// The bytes that an unfinished read has received (TMO-09).
  func bytesDone(of operation: ReadOperation) -> Int {
    switch operation.request.boundary {
    case .available: 0
    case .exactly: operation.block?.count ?? 0
    case .through(_, let limit): min(prebuffer.count, limit)
    }
  }

  // MARK: Sending

  /// Moves bytes before a plain end drops what is queued: sends queued writes as far as the transport takes them now
  /// (DIS-23), and, if `receives`, completes queued reads as far as their bytes are there. A failure has no effect any
  /// more, nor has the peer's end.
  func exchangeBeforeEnd<Transport: StreamTransport>(_ transport: inout Transport, receives: Bool, now: Instant) {
    guard isOpen, ending == nil else { return }
    maySend = true
    if let layer = secure {
      guard layer.phase == .established else { return }
      var secured = SecuredTransport(base: transport, layer: layer)
      exchangeLast(&secured, receives: receives, now: now)
      transport = secured.base
    } else {
      exchangeLast(&transport, receives: receives, now: now)
    }
  }

  private func exchangeLast<Transport: StreamTransport>(_ transport: inout Transport, receives: Bool, now: Instant) {
    if receives { receivePass(&transport, now: now, isLast: true) }
    sendAll(&transport, now: now)
  }

  /// More than a kernel has room for at once, but bounded: a peer that reads as fast as we send makes room for ever.
  private static let maxLastPasses = 8

  private func sendAll<Transport: StreamTransport>(_ transport: inout Transport, now: Instant) {
    for _ in 0..<Self.maxLastPasses {
      writesStoppedEarly = false
      sendPass(&transport, now: now, isLast: true)
      guard writesStoppedEarly else { return }
    }
  }

  private func sendPass<Transport: StreamTransport>(
    _ transport: inout Transport, now: Instant, isLast: Bool = false
  ) {
    guard writeQuestion == nil, failedSend == nil else { return }
    var bytesLeft = Self.byteBudget
    var completionsLeft = Self.completionBudget
    while case .request(var operation)? = writes.first {
      if operation.clock == nil {
        operation.clock = OperationClock(timeout: operation.request.timeout, startedAt: now)
        writes[writes.startIndex] = .request(operation)
      }
      guard maySend else { break }
      guard bytesLeft > 0, completionsLeft > 0 else {
        writesStoppedEarly = true
        break
      }
      let result = sendSome(&transport)
      switch result {
      case .bytes(let count):
        bytesLeft -= count
        completionsLeft -= account(for: count, now: now)
      case .wouldBlock: maySend = false
      case .endOfStream: maySend = false
      case .failed where isLast, .broken where isLast: maySend = false
      case .failed, .broken:
        reportActiveWrite()
        failedSend = result
        return
      }
    }
    reportActiveWrite()
  }

  /// Ends the connection because a write has failed, unless that waits for the running callback.
  private func settleFailedSend<Transport: StreamTransport>(_ transport: inout Transport) {
    guard !holdsFailures else { return }
    switch failedSend {
    case .failed(let errno):
      if let alert = alertBehindUnread(&transport) { return fail(alert) }
      end(.posix(code: errno, call: "write"))
    case .broken(let failure): fail(failure)
    case .bytes, .wouldBlock, .endOfStream, nil: break
    }
  }

  private static let maxPieces = 64

  /// Offers the transport as many queued writes at once as it may gather.
  private func sendSome<Transport: StreamTransport>(_ transport: inout Transport) -> TransportResult {
    withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: Self.maxPieces) { pieces in
      var used = 0
      for entry in writes {
        guard used < Self.maxPieces, case .request(let operation) = entry else { break }
        let bytes = UnsafeRawBufferPointer(rebasing: operation.request.bytes.bytes[operation.done...])
        pieces.initializeElement(at: used, to: bytes)
        used += 1
      }
      return transport.send(UnsafeBufferPointer(rebasing: pieces[..<used]))
    }
  }

  /// Attributes sent bytes to the writes they belong to; returns how many completed.
  private func account(for sent: Int, now: Instant) -> Int {
    var left = sent
    var completed = 0
    while left > 0, case .request(var operation)? = writes.first {
      if operation.clock == nil {
        operation.clock = OperationClock(timeout: operation.request.timeout, startedAt: now)
      }
      let taken = min(left, operation.request.bytes.count - operation.done)
      left -= taken
      operation.done += taken
      if operation.done == operation.request.bytes.count {
        writes.removeFirst()
        events.append(.didWrite(tag: operation.request.tag))
        completed += 1
      } else {
        writes[writes.startIndex] = .request(operation)
      }
    }
    return completed
  }

  private func reportActiveWrite() {
    guard case .request(var operation)? = writes.first, operation.done > operation.reported else { return }
    events.append(.didWritePartial(count: operation.done - operation.reported, tag: operation.request.tag))
    operation.reported = operation.done
    writes[writes.startIndex] = .request(operation)
  }
}
