import SocketCore
import SocketValues

extension SimulatedLink {
  /// Half-close: FIN behind all that was sent.
  func finish(_ side: LinkSide) {
    guard !self[side].finSent, !self[side].resetArrived, !self[side].isClosed else { return }
    self[side].finSent = true
    self[to: side.other].hasFIN = true
    scheduleDelivery(to: side.other)
  }

  /// Shuts the reading side, which only this side notices.
  func shutdownRead(_ side: LinkSide) { self[side].isReadShut = true }

  /// Closes the descriptor, as the kernel does: RST instead of FIN when input was left unread.
  func close(_ side: LinkSide) {
    guard !self[side].isClosed else { return }
    // What was sent on a local stream is in the reader's buffer at once.
    let leavesInput = isLocal ? self[to: side].bytes.count > 0 : self[to: side].unread > 0
    if leavesInput {
      if isLocal {
        dropInput(side)
        finish(side)
        self[to: side.other].hasRST = true
      } else {
        return reset(side)
      }
    } else {
      finish(side)
    }
    self[side].isClosed = true
    scheduleDelivery(to: side)
  }

  /// Everything sent reaches the other side, then FIN, whatever input is waiting or comes meanwhile: the driver shuts
  /// the writing side, throws input away, and closes when its `LingerLimit` says so: at once, over what is unread, if
  /// that is more than `maxInput` bytes.
  func closeGracefully(_ side: LinkSide, maxInput: Int = .max) {
    guard !self[side].isClosed, !self[side].isLingering else { return }
    let input = self[to: side].unread
    guard input <= maxInput else { return close(side) }
    dropUnread(side)
    finish(side)
    let now = Instant(nanoseconds: timeline.now)
    var limit = LingerLimit(outstanding: unconfirmed(side), maxInput: maxInput, now: now)
    if input > 0 { limit.discardedInput(input, at: now) }
    self[side].lingering = limit
    if self[side].finArrived || self[side].resetArrived {
      endLingering(side)
    } else {
      lookAtLingering(side)
      scheduleDelivery(to: side)
    }
  }

  /// A side that has closed gracefully closes its descriptor if nothing can be lost by that any more, and otherwise
  /// looks again later.
  func lookAtLingering(_ side: LinkSide) {
    guard var limit = self[side].lingering else { return }
    let next = limit.nextLook(outstanding: unconfirmed(side), at: Instant(nanoseconds: timeline.now))
    self[side].lingering = limit
    guard let next else { return endLingering(side) }
    timeline.schedule(at: next.nanoseconds, .linger(link: id, side: side))
  }

  /// What a side has sent and the other one has not confirmed; the FIN counts as a byte.
  private func unconfirmed(_ side: LinkSide) -> Int {
    self[to: side.other].inFlight + (self[side.other].finArrived ? 0 : 1)
  }

  func endLingering(_ side: LinkSide) {
    guard self[side].isLingering else { return }
    self[side].lingering = nil
    self[side].isClosed = true
    scheduleDelivery(to: side)
  }

  /// Linger 0 and close: RST. A local stream has none: its other end sees the end of the stream.
  func reset(_ side: LinkSide) {
    guard !self[side].isClosed else { return }
    guard !isLocal else { return close(side) }
    dropUnread(side)
    self[side].isClosed = true
    if !self[side].resetArrived { reset(answering: side) }
  }

  /// RST to the other side, behind what is on its way there.
  func reset(answering side: LinkSide) {
    let other = side.other
    guard !isLocal, !self[other].resetArrived, !self[to: other].hasRST else { return }
    let lost = max(0, self[to: other].inFlight - self[to: other].window)
    if lost > 0 { self[to: other].bytes.dropLast(lost) }
    self[to: other].hasFIN = false
    self[to: other].hasRST = true
    self[side].finSent = true
    scheduleDelivery(to: other)
  }

  /// A RST has arrived at this side.
  func takeReset(_ side: LinkSide) {
    if !isLocal {
      // Nothing this side had under way matters any more.
      let lost = self[to: side.other].inFlight
      if lost > 0 { self[to: side.other].bytes.dropLast(lost) }
      self[to: side.other].hasFIN = false
    }
    let isHalfClosed = self[side].finArrived && !self[side].finSent
    self[side].pendingError = isHalfClosed ? SimulatedHost.Errno.brokenPipe : SimulatedHost.Errno.connectionReset
    self[side].resetArrived = true
    self[side].wantsRoom = false
    endLingering(side)
  }

  /// Throws away all input, arrived or on its way.
  func dropInput(_ side: LinkSide) {
    let count = self[to: side].bytes.count
    guard count > 0 else { return }
    self[to: side].bytes.drop(count)
    self[to: side].unread = 0
  }

  private func dropUnread(_ side: LinkSide) {
    let unread = self[to: side].unread
    guard unread > 0 else { return }
    self[to: side].bytes.drop(unread)
    self[to: side].unread = 0
  }
}
