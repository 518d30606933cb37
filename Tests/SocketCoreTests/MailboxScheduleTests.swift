import SocketCore
import TestSupport
import Testing

/// Random posts on serial queues whose blocks start, pause in a callback and go on in any order, against the laws.
@Suite("Mailbox under random schedules")
struct MailboxScheduleTests {
  struct Event: Equatable {
    var number: Int
    var generation: Int
    var isTerminal: Bool
    var queue: Int
  }

  /// Serial queues as lists of blocks; only the first block of a queue may run.
  struct World {
    var box = Mailbox<NumberedQueue, Int, Event>(isSameQueue: ==)
    let queues = (0..<3).map { NumberedQueue($0) }
    var blocks: [[Mailbox<NumberedQueue, Int, Event>.LaneID]] = [[], [], []]
    /// The event whose callback runs on each queue.
    var running: [Event?] = [nil, nil, nil]
    /// Callbacks that drained the rest themselves: they no longer hold up an end (D-01).
    var nesting: Set<Int> = []
    /// How often callbacks of each queue have done so: the block of an event posted then finds nothing left.
    var drains = [0, 0, 0]
    var delivered: [Event] = []
    var posted: [Event] = []

    mutating func post(_ event: Event) {
      posted.append(event)
      schedule(box.post(event, to: event.queue, on: queues[event.queue], isTerminal: event.isTerminal))
    }

    mutating func schedule(_ entry: (block: Mailbox<NumberedQueue, Int, Event>.Block, queue: NumberedQueue)?) {
      if let entry { blocks[entry.queue.number].append(entry.block.lane) }
    }

    /// Lets the first block of the queue go one step: the running callback returns, the next begins or the block ends.
    mutating func step(_ queue: Int) {
      guard let lane = blocks[queue].first else { return }
      if let finished = running[queue] { delivered.append(finished) }
      running[queue] = nil
      let (envelope, ready) = box.next(in: lane)
      guard let envelope else {
        blocks[queue].removeFirst()
        for entry in ready { schedule(entry) }
        return
      }
      #expect(envelope.event.queue == queue, "INV-13: delivered on the queue it was posted for")
      #expect(envelope.delegate == envelope.event.queue, "CFG-08: with the delegate it was posted for")
      check(envelope.event)
      running[queue] = envelope.event
    }

    /// The running callback of the queue drains its lane before it returns, as `disconnect` may.
    mutating func drainInside(_ queue: Int) {
      guard let lane = blocks[queue].first, let outer = running[queue] else { return }
      nesting.insert(outer.number)
      drains[queue] += 1
      while true {
        let (envelope, ready) = box.next(in: lane)
        guard let envelope else {
          for entry in ready { schedule(entry) }
          return
        }
        check(envelope.event)
        delivered.append(envelope.event)
      }
    }

    /// The laws that hold when a callback begins.
    func check(_ event: Event) {
      let begun = delivered + running.compactMap { $0 }
      if begun.contains(event) { Issue.record("\(event) twice") }
      let earlier = posted.prefix { $0 != event }.filter { !nesting.contains($0.number) }
      for other in earlier where other.queue == event.queue && !begun.contains(other) {
        Issue.record("INV-03: \(event) overtook \(other) on its queue")
      }
      if event.isTerminal {
        for other in earlier where !delivered.contains(other) {
          Issue.record("INV-02: the end of generation \(event.generation) before \(other) was done")
        }
      }
    }
  }

  @Test("keeps order, targets, and the end last", arguments: 0..<150)
  func schedule(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var world = World()
    var generation = 0
    var queue = 0
    for number in 0..<random.int(5...60) {
      if random.oneIn(4) { queue = random.int(0...2) }
      let isTerminal = random.oneIn(5)
      world.post(Event(number: number, generation: generation, isTerminal: isTerminal, queue: queue))
      if isTerminal { generation += 1 }
      for _ in 0..<random.int(0...4) {
        if random.oneIn(10) { world.drainInside(random.int(0...2)) } else { world.step(random.int(0...2)) }
      }
    }
    var idle = 0
    while world.delivered.count < world.posted.count, idle < 10_000 {
      world.step(random.int(0...2))
      idle += 1
    }
    #expect(world.delivered.count == world.posted.count, "every event is delivered in the end")
    #expect(world.box.isEmpty)
    #expect(world.box.waitingLanes.isEmpty)
    for (list, drains) in zip(world.blocks, world.drains) {
      #expect(
        list.count <= 1 + drains, "a lane has one block at a time, and one for each time it was drained inside one")
    }
  }
}
