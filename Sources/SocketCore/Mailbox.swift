import DequeModule

/// Events on their way to delegates, in order, each with the delegate and the queue that were set when it was produced.
///
/// Laws
/// - An event keeps the target it was posted for; a later change of delegate or queue concerns later events only
///   (CFG-09, INV-13). There is never an old delegate on a new queue (CFG-08).
/// - Events for one queue leave in the order they were posted, also when other queues were used in between (INV-03); a
///   change of queue opens a new lane, and lanes of different queues do not wait for each other (THR-10), except:
/// - a terminal event (didDisconnect) leaves only when every older lane is empty and at rest, so nothing of a
///   generation ever comes after its end (INV-02, DIS-04).
/// - A lane is scheduled at most once at a time: many events travel in one block.
package struct Mailbox<Queue, Delegate, Event> {
  package struct LaneID: Hashable, Sendable { var number: UInt64 }

  package struct Letter {
    package var delegate: Delegate
    package var event: Event
    package var isTerminal: Bool
  }

  private struct Lane {
    var id: LaneID
    var queue: Queue
    var letters = Deque<Letter>()
    /// A block for it is on its queue or running.
    var isScheduled = false
    /// A letter of it is being delivered.
    var isBusy = false
  }

  private let isSameQueue: (Queue, Queue) -> Bool
  private var lanes: Deque<Lane> = []
  private var laneCount: UInt64 = 0

  package init(isSameQueue: @escaping (Queue, Queue) -> Bool) { self.isSameQueue = isSameQueue }

  package var isEmpty: Bool { lanes.allSatisfy { $0.letters.isEmpty && !$0.isBusy } }

  // Package-level generics are not specialised by other modules; the simulated world gets its own copies here.
  /// Puts an event behind all others for that queue. Returns the lane if a block must be put on its queue now.
  @_specialize(where Queue == Int, Delegate == Int, Event == SocketEvent)
  package mutating func post(
    _ event: Event, to delegate: Delegate, on queue: Queue, isTerminal: Bool
  ) -> (lane: LaneID, queue: Queue)? {
    if let last = lanes.last, isSameQueue(last.queue, queue) {
      // The newest lane is this queue's.
    } else {
      laneCount += 1
      lanes.append(Lane(id: LaneID(number: laneCount), queue: queue))
    }
    let index = lanes.count - 1
    lanes[index].letters.append(Letter(delegate: delegate, event: event, isTerminal: isTerminal))
    return schedule(index)
  }

  /// The next letter of the lane to deliver, on the lane's queue. The previous letter taken from it has been delivered
  /// by now, or its callback is itself draining the lane and no longer holds up an end (D-01). nil: nothing for now,
  /// the block ends; lanes that became ready by that come with it.
  @_specialize(where Queue == Int, Delegate == Int, Event == SocketEvent)
  package mutating func next(in lane: LaneID) -> (letter: Letter?, ready: [(lane: LaneID, queue: Queue)]) {
    guard let index = lanes.firstIndex(where: { $0.id == lane }) else { return (nil, []) }
    lanes[index].isBusy = false
    if mayLeave(index) {
      lanes[index].isBusy = true
      return (lanes[index].letters.removeFirst(), [])
    }
    lanes[index].isScheduled = false
    return (nil, releaseLanes())
  }

  /// The lanes that still hold letters, oldest first, whether scheduled or not.
  package var waitingLanes: [(lane: LaneID, queue: Queue)] {
    lanes.filter { !$0.letters.isEmpty }.map { ($0.id, $0.queue) }
  }

  /// Whether the lane's first letter may leave now.
  private func mayLeave(_ index: Int) -> Bool {
    guard let first = lanes[index].letters.first else { return false }
    let older = lanes.prefix(index)
    if first.isTerminal { return older.allSatisfy { $0.letters.isEmpty && !$0.isBusy } }
    // An older lane of the same queue can be held up by its terminal event.
    return older.allSatisfy { $0.letters.isEmpty || !isSameQueue($0.queue, lanes[index].queue) }
  }

  private mutating func schedule(_ index: Int) -> (lane: LaneID, queue: Queue)? {
    guard !lanes[index].isScheduled, mayLeave(index) else { return nil }
    lanes[index].isScheduled = true
    return (lanes[index].id, lanes[index].queue)
  }

  /// Forgets lanes that are done, and schedules those whose first event waited for them.
  private mutating func releaseLanes() -> [(lane: LaneID, queue: Queue)] {
    while lanes.count > 1, let first = lanes.first, first.letters.isEmpty, !first.isBusy, !first.isScheduled {
      lanes.removeFirst()
    }
    return lanes.indices.compactMap { schedule($0) }
  }
}
