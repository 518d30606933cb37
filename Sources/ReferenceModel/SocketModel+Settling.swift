extension SocketModel {
  /// Comes to rest: all that can happen now has happened. The order is part of the model (see the type).
  mutating func settle() {
    guard isOpen else { return }
    settleReads()
    guard isOpen else { return }
    settleWrites()
    guard isOpen else { return }
    if wishIsMet { return end(.wish, gracefully: true) }
    settleEndOfStream()
    guard isOpen else { return }
    settleClocks()
  }

  /// All that a wish waits for is done (DIS-09…DIS-14).
  var wishIsMet: Bool {
    hasWish && (!closesAfterReads || reads.isEmpty) && (!closesAfterWrites || writes.isEmpty)
  }

  /// The only place where a life ends. Queued operations and unread bytes are gone with it (DIS-01, RDQ-14).
  mutating func end(_ reason: ModelEvent.Reason, gracefully: Bool = false) {
    if livesOnRunLoop, reason != .wish {
      events.append(.willDisconnect(reason, unread: isOpen ? consumed..<arrived.count : 0..<0))
    }
    phase = .idle
    endedGracefully = gracefully
    reads = []
    writes = []
    asksRead = false
    asksWrite = false
    events.append(.disconnected(reason))
  }

  // MARK: Reading

  private enum Cut {
    case takes(Int)
    case overflow
    /// Not enough yet; the number of bytes that are gathered.
    case gathers(Int)
  }

  private mutating func settleReads() {
    while !asksRead, !reads.isEmpty {
      reads[0].clock.start(at: now)
      // After the half-close only clocks run on (HALF-05).
      guard !isReadClosed else { return }
      switch cut(reads[0].read, tag: reads[0].tag) {
      case .takes(let count):
        events.append(.read(consumed..<(consumed + count), tag: reads[0].tag))
        consumed += count
        reads.removeFirst()
        reportedRead = 0
      case .overflow:
        guard case .through(_, let limit) = reads[0].read else { return }
        reportRead(limit)  // RDQ-11
        return end(.readMaxedOut)
      case .gathers(let count):
        reportRead(count)
        if isBroken { end(hasFinished ? .closedOrBroken : .broken) }
        return
      }
    }
  }

  private mutating func reportRead(_ gathered: Int) {
    guard gathered > reportedRead else { return }
    events.append(.readPartial(count: gathered - reportedRead, tag: reads[0].tag))
    reportedRead = gathered
  }

  private func cut(_ read: SocketProgram.Read, tag: Int) -> Cut {
    let there = arrived.count - consumed
    switch read {
    case .available(let limit):
      guard there > 0 else { return .gathers(0) }
      let most = limit > 0 ? min(limit, there) : there
      guard let chosen = choices.first(where: { $0.tag == tag })?.count, (1...most).contains(chosen) else {
        return .takes(most)
      }
      return .takes(chosen)
    case .exactly(let length):
      return length <= there ? .takes(length) : .gathers(there)
    case .through(let delimiter, let limit):
      let window = limit > 0 ? min(limit, there) : there
      if let length = lengthThrough(delimiter, within: window) { return .takes(length) }
      // The verdict falls with the byte that reaches the limit (RD-MAX-02, RD-MAX-04).
      return limit > 0 && there >= limit ? .overflow : .gathers(window)
    }
  }

  /// How many bytes there are up to and with the first occurrence that lies within `window` bytes: every place is
  /// tried.
  private func lengthThrough(_ delimiter: [UInt8], within window: Int) -> Int? {
    arrived.withUnsafeBufferPointer { arrived in
      delimiter.withUnsafeBufferPointer { delimiter in
        guard window >= delimiter.count else { return nil }
        for place in consumed...(consumed + window - delimiter.count) where arrived[place] == delimiter[0] {
          var matched = 1
          while matched < delimiter.count, arrived[place + matched] == delimiter[matched] { matched += 1 }
          if matched == delimiter.count { return place + matched - consumed }
        }
        return nil
      }
    }
  }

  // MARK: Writing

  private mutating func settleWrites() {
    while !asksWrite, !writes.isEmpty {
      writes[0].clock.start(at: now)
      // Queued writes are dropped, and the unfinished one is not reported (WR-08).
      if isBroken { return end(hasFinished ? .closedOrBroken : .broken) }
      let left = writes[0].bytes.dropFirst(written)
      let taken = min(left.count, room ?? left.count)
      wire.append(contentsOf: accepted[left.prefix(taken)])
      written += taken
      room = room.map { $0 - taken }
      guard taken == left.count else {
        guard written > reportedWrite else { return }
        events.append(.wrotePartial(count: written - reportedWrite, tag: writes[0].tag))
        reportedWrite = written
        return
      }
      events.append(.wrote(tag: writes[0].tag))
      writes.removeFirst()
      written = 0
      reportedWrite = 0
    }
  }

  // MARK: The end of the peer's stream

  /// It is noticed when all before it was read, or when the active read can never be satisfied (RDQ-06…RDQ-09).
  private mutating func settleEndOfStream() {
    guard hasFinished || isBroken else { return }
    if isReadClosed {
      if isBroken { end(.closedOrBroken) }
      return
    }
    guard !asksRead, livesOnRunLoop || !reads.isEmpty || arrived.count == consumed else { return }
    if isBroken { return end(hasFinished ? .closedOrBroken : .broken) }
    if closesOnEndOfStream || livesOnRunLoop { return end(.closedByPeer) }
    isReadClosed = true
    events.append(.readClosed)
  }

  // MARK: Clocks

  /// After everything was tried, so that no time at all suffices for what can be done at once (TMO-13…TMO-15).
  private mutating func settleClocks() {
    if !asksRead, let read = reads.first, let deadline = read.clock.deadline, deadline <= now {
      asksRead = true
      events.append(.readTimeout(tag: read.tag, elapsed: read.clock.elapsed, bytesDone: reportedRead))
    }
    if !asksWrite, let write = writes.first, let deadline = write.clock.deadline, deadline <= now {
      asksWrite = true
      events.append(.writeTimeout(tag: write.tag, elapsed: write.clock.elapsed, bytesDone: written))
    }
  }
}
