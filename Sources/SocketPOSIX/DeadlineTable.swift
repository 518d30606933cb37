import HeapModule
import SocketValues

/// One deadline for each id, and which of them are due.
///
/// Laws:
/// - an id is never reported before its latest deadline, and once for each deadline;
/// - moving a deadline later costs one table look-up: the heap is left alone and put right when the old instant comes;
/// - the heap holds at most twice as many nodes as there are ids, plus a constant, whatever the sequence of calls.
///
/// Nearly every deadline is a timeout that is moved or cancelled before it passes, so the cheap way is the common one.
/// The price is that `earliest` may name an instant at which nothing turns out to be due.
package struct DeadlineTable {
  private struct Node: Comparable {
    let instant: Instant
    let id: UInt64

    static func < (left: Node, right: Node) -> Bool {
      (left.instant, left.id) < (right.instant, right.id)
    }
  }

  private struct Slot {
    /// The deadline that the owner set; nil once cancelled.
    var deadline: Instant?
    /// The instant of the one node in the heap that stands for this id; other nodes of the id are obsolete.
    var queued: Instant
  }

  private static let slack = 64

  private var heap = Heap<Node>()
  private var slots: [UInt64: Slot] = [:]

  package init() {}

  /// Nodes in the heap, including the obsolete ones.
  var nodeCount: Int { heap.count }

  /// Ids that have a deadline, or had one until lately.
  package var count: Int { slots.count }

  /// No deadline that is armed passes before this instant; nil when there is none.
  package var earliest: Instant? { heap.min?.instant }

  /// Sets, moves or (with nil) cancels the deadline of an id.
  package mutating func set(_ id: UInt64, to deadline: Instant?) {
    guard let deadline else {
      slots[id]?.deadline = nil
      return
    }
    if let slot = slots[id], slot.queued <= deadline {
      slots[id]?.deadline = deadline
    } else {
      enqueue(id, at: deadline)
    }
  }

  /// Removes an id and its deadline.
  package mutating func remove(_ id: UInt64) {
    guard slots.removeValue(forKey: id) != nil else { return }
    compactIfNeeded()
  }

  /// Takes an id whose deadline is not after `now`, the earliest first; nil when there is none.
  package mutating func popDue(at now: Instant) -> UInt64? {
    while let node = heap.min, node.instant <= now {
      heap.removeMin()
      guard let slot = slots[node.id], slot.queued == node.instant else { continue }
      guard let deadline = slot.deadline, deadline <= now else {
        slots[node.id] = nil
        if let later = slot.deadline { enqueue(node.id, at: later) }
        continue
      }
      slots[node.id] = nil
      return node.id
    }
    return nil
  }

  private mutating func enqueue(_ id: UInt64, at deadline: Instant) {
    slots[id] = Slot(deadline: deadline, queued: deadline)
    heap.insert(Node(instant: deadline, id: id))
    compactIfNeeded()
  }

  /// Rebuilding costs as much as the dead nodes that are thrown away, each of which was paid for when it was put in.
  private mutating func compactIfNeeded() {
    guard heap.count > 2 * slots.count + Self.slack else { return }
    heap = Heap(slots.map { Node(instant: $0.value.queued, id: $0.key) })
  }
}
