import SocketCore
import TestSupport
import Testing

/// Serial queues on which blocks of lanes, synchronous hops of `disconnect` and blocks of users stand in line, in any
/// order, with calls from inside of callbacks and from outside.
@Suite("Mailbox whose lanes are taken before disconnect returns")
struct MailboxTakingTests {
  typealias Box = Mailbox<NumberedQueue, Int, Int>

  struct World {
    enum Entry {
      case block(Box.Block)
      case hop(Box.Share)
      case users(Int)
    }

    /// A drain under way on a queue: its callback runs, or one above it on the stack.
    struct Drain {
      let lane: Box.LaneID
      var taking: Box.Taking?
    }

    /// What a posted event has been promised.
    struct Promise {
      let queue: Int
      let isTerminal: Bool
      /// The block that the event's caller has put on the queue behind the call.
      var usersBlock: Int?
      /// That block comes first (CON-01), or the event (DIS-03).
      var isBehind = false
    }

    var box = Box(isSameQueue: ==)
    let queues = (0..<2).map { NumberedQueue($0) }
    var lines: [[Entry]] = [[], []]
    var stacks: [[Drain]] = [[], []]
    var promises: [Promise] = []
    var begun: [Int] = []
    var usersBlocks = 0
    var hasRun: Set<Int> = []
    /// Events that a `disconnect` was to deliver itself.
    var taken: Set<Int> = []

    mutating func enqueue(_ blocks: [(block: Box.Block, queue: NumberedQueue)]) {
      for (block, queue) in blocks { lines[queue.number].append(.block(block)) }
    }

    mutating func post(_ queue: Int, isTerminal: Bool = false, isStart: Bool = false, withBlock: Bool = false) {
      var promise = Promise(queue: queue, isTerminal: isTerminal)
      if isStart || withBlock { (promise.usersBlock, promise.isBehind) = (usersBlocks, isStart) }
      let number = promises.count
      let asked = box.post(
        number, to: queue, on: queues[queue], isTerminal: isTerminal, behindBlocks: isStart || withBlock,
        withBlock: withBlock)
      // As the host does it: what a start brings about waits for a first block.
      if let asked, !isStart { enqueue([asked]) }
      if promise.usersBlock != nil {
        lines[queue].append(.users(usersBlocks))
        usersBlocks += 1
      }
      if let asked, isStart { enqueue([asked]) }
      promises.append(promise)
    }

    /// Called on that queue, inside of its callback, or from outside (nil).
    mutating func disconnect(on queue: Int?) {
      for share in box.undelivered({ _ in true }) {
        for (number, promise) in promises.enumerated()
        where promise.queue == share.queue.number && !begun.contains(number) { taken.insert(number) }
        if share.queue.number == queue { begin(share) } else { lines[share.queue.number].append(.hop(share)) }
      }
    }

    private mutating func begin(_ share: Box.Share) {
      guard let taking = box.take(share.lane, upTo: share.end) else { return }
      stacks[share.queue.number].append(Drain(lane: share.lane, taking: taking))
      advance(share.queue.number)
    }

    /// One thing more happens on the queue.
    mutating func step(_ queue: Int) {
      guard stacks[queue].isEmpty else { return advance(queue) }
      guard !lines[queue].isEmpty else { return }
      switch lines[queue].removeFirst() {
      case .users(let number): hasRun.insert(number)
      case .hop(let share): begin(share)
      case .block(let block):
        guard box.begins(block) else { return }
        stacks[queue].append(Drain(lane: block.lane))
        advance(queue)
      }
    }

    /// The innermost callback returns, and the next one of its drain begins, or that drain ends.
    private mutating func advance(_ queue: Int) {
      let drain = stacks[queue][stacks[queue].count - 1]
      let (envelope, ready) = drain.taking.map { box.next(in: drain.lane, $0) } ?? box.next(in: drain.lane)
      enqueue(ready)
      guard let envelope else {
        stacks[queue].removeLast()
        return
      }
      check(envelope.event)
      begun.append(envelope.event)
    }

    private func check(_ event: Int) {
      let promise = promises[event]
      if begun.contains(event) { Issue.record("\(event) twice") }
      let earlier = (0..<event).filter { promises[$0].queue == promise.queue }
      if !earlier.allSatisfy(begun.contains) { Issue.record("INV-03: \(event) overtakes on its queue") }
      if promise.isTerminal, !(0..<event).allSatisfy(begun.contains) {
        Issue.record("INV-02: \(event) is not the last")
      }
      if let users = promise.usersBlock, promise.isBehind, !hasRun.contains(users), !taken.contains(event) {
        Issue.record("CON-01: \(event) before a block that its caller has put on the queue")
      }
    }
  }

  @Test("loses nothing, keeps the order, and tells of no start before blocks behind it", arguments: 0..<400)
  func schedule(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var world = World()
    for _ in 0..<random.int(5...80) {
      let queue = random.oneIn(3) ? 1 : 0
      let here = world.stacks[queue].isEmpty ? nil : queue
      switch random.int(0...9) {
      case 0: world.post(queue)
      case 1: world.post(queue, isStart: true)
      case 2: world.post(queue, isTerminal: true, withBlock: true)
      case 3: world.disconnect(on: here)
      case 4:
        if let drain = world.stacks[queue].last, drain.taking == nil, let asked = world.box.endBlock(of: drain.lane) {
          world.enqueue([asked])
        }
      default: world.step(queue)
      }
    }
    for _ in 0..<2000 { world.step(random.int(0...1)) }
    #expect(world.begun.count == world.promises.count, "every event is delivered in the end")
    #expect(world.box.isEmpty && world.lines.allSatisfy(\.isEmpty) && world.stacks.allSatisfy(\.isEmpty))
  }

  @Test("DIS-03: on one queue an end is told before what its caller puts there next", arguments: 0..<200)
  func ends(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    var world = World()
    for _ in 0..<random.int(5...60) {
      let here = world.stacks[0].isEmpty ? nil : 0
      switch random.int(0...7) {
      case 0: world.post(0)
      case 1: world.post(0, isStart: true)
      case 2: world.post(0, isTerminal: true, withBlock: true)
      case 3: world.disconnect(on: here)
      default: world.step(0)
      }
      for (number, promise) in world.promises.enumerated() where !promise.isBehind {
        guard let users = promise.usersBlock, world.hasRun.contains(users) else { continue }
        #expect(world.begun.contains(number), "the end \(number) comes behind its caller's next block")
      }
    }
  }
}
