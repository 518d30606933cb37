import DequeModule

/// Events on their way to delegates, in order, each with the delegate and the queue that were set when it was produced.
///
/// Laws
/// - An event keeps the target it was posted for; a later change of delegate or queue concerns later events only
///   (CFG-09, INV-13). There is never an old delegate on a new queue (CFG-08).
/// - Events for one queue leave in the order they were posted, also when other queues were used in between (INV-03).
///   Each queue has a lane, and lanes of different queues do not wait for each other (THR-10), except:
/// - a terminal event (didDisconnect) leaves only when every older lane is empty and at rest, so nothing of a
///   generation ever comes after its end (INV-02, DIS-04). What is posted behind it on another queue gets a younger
///   lane, so that it does not hold it up.
/// - A lane is scheduled at most once at a time: many events travel in one block. Exception (`behindBlocks`): an event
///   that a call causes while other blocks of the lane are queued or running gets another one, so that it runs after
///   all blocks that the caller has put on the queue by then.
/// - Each block delivers its own part of the lane's line (`Limit`). A part that somebody else has delivered (`take`)
///   has no use for its block any more, which does nothing, however late it begins: it stands where that part should
///   have been told, and that is too early for what is posted later. All other parts keep their blocks and places.
package struct Mailbox<Queue: AnyObject, Delegate, Event> {
  /// Names a lane for the life of the mailbox.
  package struct LaneID: Hashable, Sendable {
    var number: UInt64

    init(number: UInt64) { self.number = number }
  }

  /// A block on a queue that drains a lane there.
  package struct Block: Hashable, Sendable {
    /// The lane that it drains.
    package let lane: LaneID
    /// Rises from block to block.
    let number: UInt64
  }

  /// An event with its addressee.
  package struct Envelope {
    /// The delegate that was set when the event was produced.
    package var delegate: Delegate
    /// The event.
    package var event: Event
    /// Whether nothing of the same generation may follow it: didDisconnect.
    package var isTerminal: Bool

    init(delegate: Delegate, event: Event, isTerminal: Bool) {
      self.delegate = delegate
      self.event = event
      self.isTerminal = isTerminal
    }
  }

  struct Lane {
    var id: LaneID
    var queue: Queue
    var envelopes = Deque<Envelope>()
    /// A block for it is on its queue or running.
    var isScheduled = false
    /// An envelope of it is being delivered.
    var isBusy = false
    /// That envelope is terminal.
    var isEnding = false
    /// How many of its envelopes are terminal.
    var endCount = 0
    /// Many envelopes have waited at once, and their memory is still there.
    var wasLong = false
    /// The number of the block that has been asked for and will deliver next; 0: there is none, or it has begun.
    var block: UInt64 = 0
    /// How many envelopes have left.
    var leftCount: UInt64 = 0
    /// A callback that has delivered what followed itself, with `take`, has not returned yet: nothing else of the queue
    /// leaves, but no end waits for it.
    var goesOn = false

    init(id: LaneID, queue: Queue) {
      self.id = id
      self.queue = queue
    }
  }

  /// A lane that has held more envelopes at once gives their memory back when they have left.
  static var many: Int { 256 }

  let isSameQueue: (Queue, Queue) -> Bool
  /// Hardly ever more than one. An array, because what a lane holds can be looked at in place.
  var lanes: [Lane] = []
  var laneCount: UInt64 = 0
  var blockCount: UInt64 = 0
  /// The parts of each lane's line but the last one, which has no limit. Kept apart from the lanes, because few lanes
  /// have more than that part and lanes are copied often.
  var limits: [LaneID: [Limit]] = [:]

  /// What leaves in the block that waits or runs, or in the one behind it, and so on.
  struct Limit {
    var envelopesLeft: Int
    /// The number of the block of the part that follows, if it has been asked for.
    var nextBlock: UInt64?
  }

  /// An empty mailbox; the closure tells whether two queues are one.
  package init(isSameQueue: @escaping (Queue, Queue) -> Bool) { self.isSameQueue = isSameQueue }

  /// Whether nothing waits and nothing is being delivered.
  package var isEmpty: Bool { lanes.allSatisfy { $0.envelopes.isEmpty && !$0.isBusy && !$0.goesOn } }

  /// Whether any event waits to be delivered.
  package var hasEnvelopes: Bool { lanes.contains { !$0.envelopes.isEmpty } }

  /// Whether the lane is of that queue. Mostly the two are one object; then the closure is not called: a call would
  /// count references to everything that is passed.
  private func isLane(_ index: Int, of queue: Queue) -> Bool {
    lanes[index].queue === queue || isSameQueue(lanes[index].queue, queue)
  }

  /// The lane for what is posted to that queue now. However often the queue changes, there are few; only an end must
  /// stand behind all that was posted before it, in the youngest lane.
  private mutating func lane(of queue: Queue, isTerminal: Bool) -> Int {
    var index = lanes.count - 1
    while index >= 0 {
      if isLane(index, of: queue) { return index }
      if isTerminal || lanes[index].endCount > 0 { break }
      index -= 1
    }
    appendLane(of: queue)
    return lanes.count - 1
  }

  private mutating func appendLane(of queue: Queue) {
    laneCount += 1
    lanes.append(Lane(id: LaneID(number: laneCount), queue: queue))
  }

  /// Appends an event for that queue. With `behindBlocks` it is delivered after everything that is on the queue now;
  /// with `withBlock` also before everything that is enqueued later. Returns a block if the caller must enqueue one.
  /// `withBlock` requires a serial queue.
  package mutating func post(
    _ event: Event, to delegate: Delegate, on queue: Queue, isTerminal: Bool, behindBlocks: Bool = false,
    withBlock: Bool = false
  ) -> (block: Block, queue: Queue)? {
    let index = lane(of: queue, isTerminal: isTerminal)
    if isTerminal { lanes[index].endCount += 1 }
    let isApart = behindBlocks && lanes[index].isScheduled
    let block = isApart ? limit(index, withBlock: withBlock) : nil
    lanes[index].envelopes.append(Envelope(delegate: delegate, event: event, isTerminal: isTerminal))
    if lanes[index].envelopes.count > Self.many { lanes[index].wasLong = true }
    return block ?? schedule(index)
  }

  private mutating func newBlock(of index: Int) -> (block: Block, queue: Queue) {
    blockCount += 1
    return (Block(lane: lanes[index].id, number: blockCount), lanes[index].queue)
  }

  /// A new block that delivers next.
  mutating func firstBlock(of index: Int) -> (block: Block, queue: Queue) {
    let asked = newBlock(of: index)
    lanes[index].block = asked.block.number
    return asked
  }

  /// Whether the block, which begins now, is to drain its lane.
  package mutating func begins(_ block: Block) -> Bool {
    guard let index = lanes.firstIndex(where: { $0.id == block.lane }) else { return false }
    let first = lanes[index].block
    lanes[index].block = 0
    if first == block.number { return true }
    lanes[index].block = first
    // Threads that put blocks on the queue may overtake each other: which part a block delivers does not matter.
    guard let place = limits[block.lane]?.firstIndex(where: { $0.nextBlock == block.number }) else { return false }
    limits[block.lane]?[place].nextBlock = first == 0 ? nil : first
    lanes[index].block = 0
    return first != 0
  }

  /// Takes the lane's next envelope. Call it on the lane's queue after the previous callback has returned, or when a
  /// block of it `begins`. nil ends the block; `ready` has the blocks to enqueue for lanes that this has unblocked.
  package mutating func next(in lane: LaneID) -> (envelope: Envelope?, ready: [(block: Block, queue: Queue)]) {
    guard let index = lanes.firstIndex(where: { $0.id == lane }) else { return (nil, []) }
    lanes[index].isBusy = false
    lanes[index].goesOn = false
    if !limits.isEmpty, var known = limits[lane] {
      guard known[0].envelopesLeft > 0 else {
        // It stays scheduled, in another block.
        let limit = known.removeFirst()
        limits[lane] = known.isEmpty ? nil : known
        guard let next = limit.nextBlock else { return (nil, [firstBlock(of: index)]) }
        lanes[index].block = next
        return (nil, [])
      }
      known[0].envelopesLeft -= 1
      limits[lane] = known
    }
    return mayLeave(index) ? (leave(index), []) : (nil, rest(index))
  }

  /// The lane's first envelope is delivered.
  mutating func leave(_ index: Int) -> Envelope {
    lanes[index].isBusy = true
    lanes[index].leftCount += 1
    let envelope = lanes[index].envelopes.removeFirst()
    lanes[index].isEnding = envelope.isTerminal
    if envelope.isTerminal { lanes[index].endCount -= 1 }
    return envelope
  }

  /// The lane is drained for now, and has no use for blocks.
  mutating func rest(_ index: Int) -> [(block: Block, queue: Queue)] {
    lanes[index].isScheduled = false
    lanes[index].block = 0
    if lanes[index].wasLong, lanes[index].envelopes.isEmpty {
      lanes[index].wasLong = false
      lanes[index].envelopes = []
    }
    if !limits.isEmpty { limits[lanes[index].id] = nil }
    return releaseLanes()
  }

  /// Has what is posted from now on to a scheduled lane leave in a block that stands behind everything that is on its
  /// queue now; `withBlock`: also before everything that is enqueued later. Returns that block if the caller must
  /// enqueue it now.
  private mutating func limit(_ index: Int, withBlock: Bool) -> (block: Block, queue: Queue)? {
    let id = lanes[index].id
    var known = limits[id] ?? []
    // A block that is on the queue already would be too early.
    if known.last.map({ $0.nextBlock != nil }) ?? true {
      let before = known.reduce(0) { $0 + $1.envelopesLeft }
      known.append(Limit(envelopesLeft: lanes[index].envelopes.count - before))
    }
    let asked = withBlock ? newBlock(of: index) : nil
    known[known.count - 1].nextBlock = asked?.block.number
    limits[id] = known
    return asked
  }

  /// Splits the lane: envelopes that are in it leave in the running block, later ones in a new block that takes its
  /// place on the queue now. Returns that block if the caller must enqueue it. Requires a serial queue.
  package mutating func endBlock(of lane: LaneID) -> (block: Block, queue: Queue)? {
    guard let index = lanes.firstIndex(where: { $0.id == lane }), lanes[index].isScheduled else { return nil }
    var known = limits[lane] ?? [Limit(envelopesLeft: lanes[index].envelopes.count)]
    guard known[0].nextBlock == nil else { return nil }
    let asked = newBlock(of: index)
    known[0].nextBlock = asked.block.number
    limits[lane] = known
    return asked
  }

  /// The lane's queue; nil: the lane is done.
  package func queue(of lane: LaneID) -> Queue? { lanes.first { $0.id == lane }?.queue }

  /// How many envelopes wait in the lane.
  package func count(in lane: LaneID) -> Int {
    for index in lanes.indices where lanes[index].id == lane { return lanes[index].envelopes.count }
    return 0
  }

  /// Whether the lane is the only one, empty, and of that queue, and its last envelope is being delivered: an event
  /// posted now would be the next to leave, in the same block.
  package func isBusyAlone(_ lane: LaneID, on queue: Queue) -> Bool {
    lanes.count == 1 && lanes[0].id == lane && lanes[0].envelopes.isEmpty && lanes[0].isBusy && limits.isEmpty
      && isLane(0, of: queue)
  }

  /// The lane of this queue if nothing is waiting or being delivered in any lane: an event posted now would be the next
  /// to leave. A caller that runs on the queue may deliver the event without posting it, after `begin`.
  package mutating func idleLane(on queue: Queue) -> LaneID? {
    if lanes.isEmpty { appendLane(of: queue) }
    guard lanes.count == 1, !lanes[0].isScheduled, !lanes[0].isBusy, lanes[0].envelopes.isEmpty, isLane(0, of: queue)
    else { return nil }
    return lanes[0].id
  }

  /// Records that an event is delivered in that idle lane without having been posted; `next` must follow, as at the end
  /// of a block that `post` had asked for.
  package mutating func begin(_ lane: LaneID) {
    guard let index = lanes.firstIndex(where: { $0.id == lane }) else { return }
    lanes[index].isScheduled = true
    lanes[index].isBusy = true
    lanes[index].isEnding = false
  }

  /// The lanes that still hold envelopes, oldest first, whether scheduled or not.
  package var waitingLanes: [(lane: LaneID, queue: Queue)] {
    lanes.filter { !$0.envelopes.isEmpty }.map { ($0.id, $0.queue) }
  }

  /// Whether the lane's first envelope may be delivered now, inside of callbacks of these lanes.
  func mayLeave(_ index: Int, inside callers: [LaneID] = []) -> Bool {
    if index == 0 { return !lanes[0].envelopes.isEmpty }
    guard let first = lanes[index].envelopes.first else { return false }
    let older = lanes.prefix(index)
    let queue = lanes[index].queue
    if first.isTerminal { return older.allSatisfy { letsEndLeave($0, on: queue, callers) } }
    // An older lane of the same queue can be held up by its terminal event, or still be in a callback: the queue may be
    // one that runs blocks side by side.
    return older.allSatisfy {
      $0.envelopes.isEmpty && (!$0.isBusy && !$0.goesOn || callers.contains($0.id)) || !isSameQueue($0.queue, queue)
    }
  }

  /// Whether an end on the queue need not wait for the older lane. It waits for callbacks on all queues, apart from
  /// those that wait for it, and those that have delivered before, which hold up their own queue alone.
  private func letsEndLeave(_ lane: Lane, on queue: Queue, _ callers: [LaneID]) -> Bool {
    guard lane.envelopes.isEmpty else { return false }
    return callers.contains(lane.id) || !lane.isBusy && !(lane.goesOn && isSameQueue(lane.queue, queue))
  }

  mutating func schedule(_ index: Int) -> (block: Block, queue: Queue)? {
    guard !lanes[index].isScheduled, mayLeave(index) else { return nil }
    lanes[index].isScheduled = true
    return firstBlock(of: index)
  }

  /// Removes lanes that are done, and schedules those whose first event waited for them.
  mutating func releaseLanes() -> [(block: Block, queue: Queue)] {
    while lanes.count > 1, let first = lanes.first, first.envelopes.isEmpty, !first.isBusy, !first.isScheduled {
      lanes.removeFirst()
    }
    if lanes.count == 1 { return schedule(0).map { [$0] } ?? [] }
    return lanes.indices.compactMap { schedule($0) }
  }
}
