import Dispatch
import ScenarioModel
import Testing

@testable import CocoaAsyncSocket

/// Who waits for whose queue inside a `disconnect()` that delivers before it returns.
@Suite struct DeliveringThreadsTests {
  private final class Queue {
    var id: DeliveringThreads.QueueID { .init(self) }
  }

  @Test("a queue is held until the delivery on it has ended (DIS-03)")
  func aQueueIsHeldUntilTheDeliveryHasEnded() {
    let queues = (0..<3).map { _ in Queue() }
    var threads = DeliveringThreads()
    let outer = threads.begins(holding: [queues[0].id])
    let inner = threads.begins(holding: [queues[0].id, queues[1].id])
    #expect(threads.isHeld(queues[0].id) && threads.isHeld(queues[1].id) && !threads.isHeld(queues[2].id))
    threads.ends(inner)
    #expect(threads.isHeld(queues[0].id) && !threads.isHeld(queues[1].id))
    threads.ends(outer)
    #expect(!threads.isHeld(queues[0].id))
  }

  private struct Delivery {
    let thread: Int
    let held: Set<Int>
    let wanted: [Int]
  }

  /// Threads hold queues and deliver on others, in any order, and some of them deliver again inside of what they
  /// deliver. A delivery waits for those that hold a queue which it wants, and for those inside of it. Somebody can
  /// always go on.
  @Test(arguments: 0..<500) func noCircleOfThreadsWaits(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    let queues = (0..<8).map { _ in Queue() }
    var threads = DeliveringThreads()
    var holders = [Int: Int]()
    var deliveries: [Delivery] = []
    for step in 0..<16 {
      let thread = step < 4 ? step : Int.random(in: 0..<4, using: &random)
      // A thread takes what is free, or hops to a queue of its last delivery.
      let last = deliveries.last { $0.thread == thread }
      guard let next = queues.indices.first(where: { holders[$0] == nil && last?.wanted.contains($0) ?? true }) else {
        continue
      }
      holders[next] = thread
      let held = Set(holders.filter { $0.value == thread }.keys)
      let wanted = queues.indices.filter {
        !held.contains($0) && !threads.isHeld(queues[$0].id) && Bool.random(using: &random)
      }
      _ = threads.begins(holding: held.map { queues[$0].id })
      deliveries.append(Delivery(thread: thread, held: held, wanted: wanted))
    }
    var waiting = Set(deliveries.indices)
    while let free = waiting.first(where: { one in
      !waiting.contains { other in
        other > one && deliveries[other].thread == deliveries[one].thread
          || deliveries[other].thread != deliveries[one].thread
            && !deliveries[other].held.isDisjoint(with: deliveries[one].wanted)
      }
    }) { waiting.remove(free) }
    #expect(waiting.isEmpty && deliveries.count > 4)
  }

  @Test func aQueueThatTheLibraryHasServedIsKnownWhereItRuns() {
    let queue = DispatchQueue(label: "served")
    let other = DispatchQueue(label: "other")
    let shared = SharedQueue.of(queue)
    #expect(queue.sync { SharedQueue.current === shared } && other.sync { SharedQueue.current == nil })
    #expect(SharedQueue.current == nil && SharedQueue.of(.global()) == nil)
  }
}
