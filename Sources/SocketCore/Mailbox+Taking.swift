// Delivery by a caller that does not wait for the blocks: everything that was in a lane when it asked.
extension Mailbox {
  /// What is in a lane, for a caller that delivers it itself, on the lane's queue.
  package struct Share {
    /// The lane.
    package let lane: LaneID
    /// The lane's queue.
    package let queue: Queue
    /// How many envelopes will have left the lane when all of it is delivered.
    package let end: UInt64
    /// Whether anything is waiting. Otherwise a callback is under way that an end waits for, or that is about the end:
    /// nothing is to be delivered here, but to be waited for.
    package let isWaiting: Bool
  }

  /// A share that is being delivered.
  package struct Taking: Hashable, Sendable {
    let end: UInt64
    /// A callback of the lane does it, and goes on when it is done.
    let isNested: Bool
    /// The lanes of the callbacks inside of which it is delivered: what is told here does not wait for them (D-01).
    let callers: [LaneID]
  }

  /// What has not been delivered in lanes of queues that satisfy `isReachable`, the oldest lane first.
  package func undelivered(_ isReachable: (Queue) -> Bool) -> [Share] {
    let lastEnd = lanes.lastIndex { $0.endCount > 0 } ?? 0
    return lanes.enumerated().filter { index, lane in
      (!lane.envelopes.isEmpty || lane.isBusy && (lane.isEnding || index < lastEnd)) && isReachable(lane.queue)
    }
    .map { _, lane in
      Share(
        lane: lane.id, queue: lane.queue, end: lane.leftCount + UInt64(lane.envelopes.count),
        isWaiting: !lane.envelopes.isEmpty)
    }
  }

  /// Begins to deliver a lane's share; call it on the lane's queue, also inside of callbacks of the lanes `callers`.
  /// nil: blocks have delivered all of it meanwhile. What was posted later stays in its part of the line.
  package mutating func take(_ lane: LaneID, upTo end: UInt64, inside callers: [LaneID] = []) -> Taking? {
    guard let index = lanes.firstIndex(where: { $0.id == lane }), lanes[index].leftCount < end else { return nil }
    // While this goes on nobody else is to schedule it.
    lanes[index].isScheduled = true
    return Taking(end: end, isNested: lanes[index].isBusy || lanes[index].goesOn, callers: callers)
  }

  /// Takes the next envelope of the share, after the previous callback has returned. The callback that does this itself
  /// holds up no end any more (D-01). nil: the share has been delivered, or the rest of it waits for older lanes.
  package mutating func next(
    in lane: LaneID, _ taking: Taking
  ) -> (envelope: Envelope?, ready: [(block: Block, queue: Queue)]) {
    guard let index = lanes.firstIndex(where: { $0.id == lane }) else { return (nil, []) }
    lanes[index].isBusy = false
    lanes[index].goesOn = taking.isNested
    if lanes[index].leftCount < taking.end, mayLeave(index, inside: taking.callers) {
      shorten(index, taking)
      return (leave(index), [])
    }
    return (nil, taking.isNested ? goOn(index) : restAfterTaking(index))
  }

  /// An envelope leaves without the block of its part. The first limit is that of the block that is to come, or of the
  /// one that is running, which stays.
  private mutating func shorten(_ index: Int, _ taking: Taking) {
    guard !limits.isEmpty, var known = limits[lanes[index].id] else { return }
    let first = taking.isNested && known[0].envelopesLeft == 0 ? 1 : 0
    while first < known.count {
      if known[first].envelopesLeft > 0 {
        known[first].envelopesLeft -= 1
        break
      }
      dropPart(first, &known, index)
    }
    limits[lanes[index].id] = known.isEmpty ? nil : known
  }

  /// Drops a part of which nothing is left, and with it its block.
  private mutating func dropPart(_ place: Int, _ known: inout [Limit], _ index: Int) {
    let next = known.remove(at: place).nextBlock
    if place > 0 { known[place - 1].nextBlock = next } else { lanes[index].block = next ?? 0 }
  }

  /// The callback that has delivered the share goes on: until it has returned, nothing else of the lane leaves. What is
  /// left has its blocks, behind that.
  private mutating func goOn(_ index: Int) -> [(block: Block, queue: Queue)] {
    let id = lanes[index].id
    if lanes[index].envelopes.isEmpty {
      if !limits.isEmpty { limits[id] = nil }
    } else if var known = limits[id] {
      while known.count > 1, known[0].envelopesLeft == 0, known[1].envelopesLeft == 0 { dropPart(1, &known, index) }
      limits[id] = known
    }
    return releaseLanes()
  }

  /// The share has been delivered in place of blocks: a part that is left keeps its block, or gets one.
  private mutating func restAfterTaking(_ index: Int) -> [(block: Block, queue: Queue)] {
    let id = lanes[index].id
    if !limits.isEmpty, var known = limits[id] {
      while known.first?.envelopesLeft == 0 { dropPart(0, &known, index) }
      limits[id] = known.isEmpty ? nil : known
    }
    guard mayLeave(index) else { return rest(index) }
    return lanes[index].block == 0 ? [firstBlock(of: index)] : []
  }
}
