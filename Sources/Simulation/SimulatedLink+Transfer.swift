import SocketCore
import SocketValues

extension SimulatedLink {
  // MARK: Receiving

  /// Takes what has arrived, as recv does.
  func receive(_ side: LinkSide, into buffer: UnsafeMutableRawBufferPointer) -> TransportResult {
    let unread = self[to: side].unread
    guard unread > 0 else { return receiveNothing(side) }
    // What the peer's end or reset has come behind is there for certain.
    let isUncertain = self[side].hasUnannounced && !self[side].finArrived && !self[side].resetArrived
    if isUncertain, self[side].receiving.chance(faults.spuriousWouldBlock) { return .wouldBlock }
    var wanted = min(buffer.count, unread)
    if !shortReceiveMeansEmpty, wanted > 1, self[side].receiving.chance(faults.shortReceive) {
      wanted = Int(self[side].receiving.pick(1...Int64(wanted)))
    }
    self[to: side].bytes.take(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
    taken(wanted, side)
    return .bytes(wanted)
  }

  /// Takes at most `limit` of the bytes that have arrived.
  func take(_ side: LinkSide, limit: Int) -> [UInt8] {
    let wanted = min(self[to: side].unread, limit)
    guard wanted > 0 else { return [] }
    let bytes = self[to: side].bytes.take(wanted)
    taken(wanted, side)
    return bytes
  }

  func peek(_ side: LinkSide) -> TransportResult {
    let unread = self[to: side].unread
    guard unread > 0 else { return receiveNothing(side) }
    return .bytes(1)
  }

  /// What recv answers when no bytes are there.
  func receiveNothing(_ side: LinkSide) -> TransportResult {
    if self[side].finArrived { return .endOfStream }
    let errno = pendingError(side)
    if errno != 0 { return .failed(errno) }
    return self[side].resetArrived || self[side].isReadShut ? .endOfStream : .wouldBlock
  }

  /// Takes SO_ERROR.
  func pendingError(_ side: LinkSide) -> Int32 {
    let errno = self[side].pendingError
    if errno != 0 { self[side].pendingError = 0 }
    return errno
  }

  private func taken(_ count: Int, _ side: LinkSide) {
    self[to: side].unread -= count
    if self[to: side].unread == 0 { self[side].hasUnannounced = false }
    scheduleDelivery(to: side)
  }

  // MARK: Sending

  /// Sends the pieces in order, as many bytes as go, as sendmsg does.
  func send(
    _ side: LinkSide, _ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>, isPrompt: Bool = false
  ) -> TransportResult {
    if let failure = sendFailure(side) { return failure }
    var total = 0
    for piece in pieces { total += piece.count }
    let allowed = allowance(side, offered: total, isPrompt: isPrompt)
    guard allowed > 0 else { return .wouldBlock }
    var left = allowed
    for piece in pieces where left > 0 {
      let count = min(piece.count, left)
      self[to: side.other].bytes.append(UnsafeRawBufferPointer(rebasing: piece[..<count]))
      left -= count
    }
    scheduleDelivery(to: side.other)
    return .bytes(allowed)
  }

  /// Sends as much of the bytes from `offset` on as there is room for, without faults: what a scripted peer does.
  func offer(_ side: LinkSide, _ bytes: [UInt8], from offset: Int) -> TransportResult {
    if let failure = sendFailure(side) { return failure }
    let count = min(bytes.count - offset, self[to: side.other].room)
    if count < bytes.count - offset { self[side].wantsRoom = true }
    guard count > 0 else { return .wouldBlock }
    bytes.withUnsafeBytes { all in
      self[to: side.other].bytes.append(UnsafeRawBufferPointer(rebasing: all[offset..<offset + count]))
    }
    scheduleDelivery(to: side.other)
    return .bytes(count)
  }

  /// The last bytes before a lingering close, which waits for room.
  func sendFinalBytes(_ side: LinkSide, _ bytes: [UInt8]) {
    guard !bytes.isEmpty, sendFailure(side) == nil else { return }
    bytes.withUnsafeBytes { self[to: side.other].bytes.append($0) }
    scheduleDelivery(to: side.other)
  }

  private func sendFailure(_ side: LinkSide) -> TransportResult? {
    let isUnheard = isLocal && (self[side.other].isClosed || self[side.other].isReadShut)
    guard !isUnheard else { return .failed(SimulatedHost.Errno.brokenPipe) }
    let errno = pendingError(side)
    if errno != 0 { return .failed(errno) }
    return self[side].resetArrived || self[side].finSent ? .failed(SimulatedHost.Errno.brokenPipe) : nil
  }

  /// How much of an offer is taken now; readiness will be signalled whenever that is less than all.
  private func allowance(_ side: LinkSide, offered: Int, isPrompt: Bool) -> Int {
    let room = self[to: side.other].room
    let isPrompt = isPrompt || offered <= faults.promptSend && self[to: side.other].inFlight == 0
    var allowed = min(offered, room)
    if allowed > 0, !isPrompt {
      if self[side].sending.chance(faults.spuriousWouldBlock) {
        allowed = 0
      } else if allowed > 1, self[side].sending.chance(faults.partialSend) {
        allowed = Int(self[side].sending.pick(1...Int64(allowed)))
      }
    }
    guard allowed < offered else { return allowed }
    if room > allowed { scheduleWake(side) } else { self[side].wantsRoom = true }
    return allowed
  }

  private func scheduleWake(_ side: LinkSide) {
    guard !self[side].isWakeScheduled else { return }
    self[side].isWakeScheduled = true
    timeline.schedule(after: self[side].sending.pick(faults.readinessDelay), .wake(link: id, side: side))
  }

  // MARK: Delivering

  /// Something is, or may be, on its way to that side.
  func scheduleDelivery(to side: LinkSide) {
    guard !self[to: side].isDeliveryScheduled, isDeliverable(to: side) else { return }
    self[to: side].isDeliveryScheduled = true
    timeline.schedule(after: self[to: side].random.pick(faults.deliveryDelay), .deliver(link: id, to: side))
  }

  private func isDeliverable(to side: LinkSide) -> Bool {
    guard self[to: side].inFlight > 0 else { return self[to: side].hasFIN || self[to: side].hasRST }
    return self[to: side].window > 0 || self[side].isClosed || self[side].isLingering
  }

  /// The next segment, FIN or RST arrives.
  func deliver(to side: LinkSide) -> LinkChanges {
    self[to: side].isDeliveryScheduled = false
    var changes: LinkChanges = []
    if self[to: side].inFlight > 0 {
      if self[to: side].random.chance(faults.spuriousReadiness) {
        // The event comes first, the bytes a little later.
        scheduleDelivery(to: side)
        return .spurious
      }
      self[side].lingering?.discardedInput(self[to: side].inFlight, at: Instant(nanoseconds: timeline.now))
      if let left = self[side].lingering?.inputLeft, left < 0 { endLingering(side) }
      if self[side].isClosed {
        dropInput(side)
        reset(answering: side)
      } else if self[side].isLingering {
        dropInput(side)
      } else {
        arrive(&changes, side)
      }
      if self[side.other].wantsRoom, self[to: side].room * 3 >= self[to: side].sendCapacity {
        self[side.other].wantsRoom = false
        changes.insert(.room)
      }
    }
    if self[to: side].inFlight == 0 {
      deliverEnd(&changes, side)
      if self[side].resetArrived { endLingering(side.other) }
    }
    scheduleDelivery(to: side)
    return changes
  }

  private func arrive(_ changes: inout LinkChanges, _ side: LinkSide) {
    let able = min(self[to: side].inFlight, self[to: side].window)
    guard able > 0 else { return }
    var count = able
    if able > 1, self[to: side].random.chance(faults.splitSegment) {
      count = Int(self[to: side].random.pick(1...Int64(able)))
    }
    self[to: side].unread += count
    self[side].hasUnannounced = true
    changes.insert(.bytes)
  }

  private func deliverEnd(_ changes: inout LinkChanges, _ side: LinkSide) {
    if self[to: side].hasRST {
      self[to: side].hasRST = false
      self[to: side].hasFIN = false
      takeReset(side)
      changes.insert(.reset)
    } else if self[to: side].hasFIN {
      if changes.contains(.bytes), self[to: side].random.chance(faults.separateFIN) { return }
      self[to: side].hasFIN = false
      self[side].finArrived = true
      endLingering(side)
      changes.insert(.fin)
    }
  }
}
