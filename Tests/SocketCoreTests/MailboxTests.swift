import SocketCore
import TestSupport
import Testing

/// A queue by its number: two objects with one number are wrappers of one queue.
final class NumberedQueue: Equatable, ExpressibleByIntegerLiteral {
  let number: Int

  init(_ number: Int) { self.number = number }

  convenience init(integerLiteral number: Int) { self.init(number) }

  static func == (one: NumberedQueue, other: NumberedQueue) -> Bool { one.number == other.number }
}

@Suite("Mailbox")
struct MailboxTests {
  typealias Box = Mailbox<NumberedQueue, String, Int>

  /// Delivers all the lane has to give for now; returns the envelopes and the lanes that became ready.
  static func drain(_ box: inout Box, _ lane: Box.LaneID) -> (envelopes: [Int], ready: [Box.Block]) {
    var envelopes: [Int] = []
    while true {
      let (envelope, ready) = box.next(in: lane)
      guard let envelope else { return (envelopes, ready.map(\.block)) }
      envelopes.append(envelope.event)
    }
  }

  /// Delivers a share, which leaves nothing that needs another block.
  static func take(_ box: inout Box, _ share: Box.Share) -> [Int] {
    var envelopes: [Int] = []
    guard let taking = box.take(share.lane, upTo: share.end) else { return [] }
    while true {
      let (envelope, ready) = box.next(in: share.lane, taking)
      guard let envelope else {
        #expect(ready.isEmpty)
        return envelopes
      }
      envelopes.append(envelope.event)
    }
  }

  /// Posts an event that must need a block.
  static func post(
    _ box: inout Box, _ event: Int, to delegate: String, on queue: NumberedQueue
  ) throws -> (lane: Box.LaneID, queue: NumberedQueue) {
    let scheduled = box.post(event, to: delegate, on: queue, isTerminal: false)
    let (block, queue) = try #require(scheduled)
    return (block.lane, queue)
  }

  @Test("many events travel in one block")
  func oneBlock() throws {
    var box = Box(isSameQueue: ==)
    let lane = try Self.post(&box, 1, to: "d", on: 0).lane
    #expect(box.post(2, to: "d", on: 0, isTerminal: false) == nil)
    #expect(Self.drain(&box, lane).envelopes == [1, 2])
    #expect(box.isEmpty)
    // The next one needs a new block, on the same lane.
    #expect(box.post(3, to: "d", on: 0, isTerminal: false)?.block.lane == lane)
  }

  @Test("what a call brings about stands behind the blocks that its caller has put on the queue")
  func behindBlocks() throws {
    var box = Box(isSameQueue: ==)
    let lane = try Self.post(&box, 1, to: "d", on: 0).lane
    #expect(box.post(2, to: "d", on: 0, isTerminal: false, behindBlocks: true) == nil)
    #expect(box.post(3, to: "d", on: 0, isTerminal: false) == nil)
    // The block that was asked for delivers what stood in line, and the lane gets another one.
    let first = Self.drain(&box, lane)
    #expect(first.envelopes == [1] && first.ready.map(\.lane) == [lane])
    // While that one waits nobody else puts the lane on its queue.
    #expect(box.post(4, to: "d", on: 0, isTerminal: false, behindBlocks: true) == nil)
    let second = Self.drain(&box, lane)
    #expect(second.envelopes == [2, 3] && second.ready.map(\.lane) == [lane])
    let later = try #require(second.ready.first)
    #expect(box.post(5, to: "d", on: 0, isTerminal: true, behindBlocks: true) == nil)
    // Whoever takes what is in the lane delivers all of it, and the block that was on its way nothing.
    #expect(box.undelivered { _ in false }.isEmpty)
    let shares = box.undelivered { $0 == 0 }
    #expect(shares.map(\.lane) == [lane] && shares.allSatisfy(\.isWaiting))
    #expect(Self.take(&box, try #require(shares.first)) == [4, 5])
    let isNeeded = box.begins(later)
    #expect(!isNeeded)
    // A lane without a block gets one at once, and nothing stands in its way.
    #expect(box.post(6, to: "d", on: 0, isTerminal: false, behindBlocks: true)?.block.lane == lane)
    #expect(Self.drain(&box, lane).envelopes == [6])
  }

  @Test("an end stands behind what its caller has put on the queue, and in front of what he puts there next (DIS-03)")
  func withBlock() throws {
    var box = Box(isSameQueue: ==)
    let lane = try Self.post(&box, 1, to: "d", on: 0).lane
    #expect(box.post(2, to: "d", on: 0, isTerminal: false, behindBlocks: true) == nil)
    // A block for it at once, and for the next end another one: its caller may have put something between the two.
    #expect(box.post(3, to: "d", on: 0, isTerminal: true, behindBlocks: true, withBlock: true)?.block.lane == lane)
    #expect(box.post(4, to: "d", on: 0, isTerminal: true, behindBlocks: true, withBlock: true)?.block.lane == lane)
    for expected in [[1], [2, 3], [4]] {
      let block = Self.drain(&box, lane)
      #expect(block.envelopes == expected && block.ready.isEmpty)
    }
    #expect(box.post(5, to: "d", on: 0, isTerminal: false)?.block.lane == lane)
  }

  @Test("what a start brings about stands behind blocks that were put on the queue behind an end's (CON-01)")
  func behindTheBlockOfAnEnd() throws {
    var box = Box(isSameQueue: ==)
    let lane = try Self.post(&box, 1, to: "d", on: 0).lane
    #expect(box.post(2, to: "d", on: 0, isTerminal: true, behindBlocks: true, withBlock: true)?.block.lane == lane)
    // The end's block is on the queue: what is told of the next start must not leave in it.
    #expect(box.post(3, to: "d", on: 0, isTerminal: false, behindBlocks: true) == nil)
    #expect(box.post(4, to: "d", on: 0, isTerminal: false) == nil)
    #expect(Self.drain(&box, lane).envelopes == [1])
    let second = Self.drain(&box, lane)
    #expect(second.envelopes == [2] && second.ready.map(\.lane) == [lane])
    #expect(Self.drain(&box, lane).envelopes == [3, 4])
    #expect(box.isEmpty)
  }

  @Test("a block that has lasted long delivers what is in line; what follows has its place behind others by then")
  func endOfBlock() throws {
    var box = Box(isSameQueue: ==)
    let lane = try Self.post(&box, 1, to: "d", on: 0).lane
    #expect(box.post(2, to: "d", on: 0, isTerminal: false) == nil)
    #expect(box.next(in: lane).envelope?.event == 1)
    #expect(box.endBlock(of: lane)?.block.lane == lane)
    #expect(box.endBlock(of: lane) == nil, "the other block is on its queue")
    #expect(box.next(in: lane).envelope?.event == 2)
    #expect(!box.isBusyAlone(lane, on: 0), "what is posted now leaves in the other block")
    #expect(box.post(3, to: "d", on: 0, isTerminal: false) == nil)
    let first = Self.drain(&box, lane)
    #expect(first.envelopes.isEmpty && first.ready.isEmpty)
    #expect(box.idleLane(on: 0) == nil, "nothing is delivered past the block that is in line")
    #expect(Self.drain(&box, lane).envelopes == [3])
    #expect(box.endBlock(of: lane) == nil, "no block of it is running")
    #expect(box.idleLane(on: 0) == lane)
  }

  @Test("CFG-08, CFG-09: a envelope keeps the delegate and the queue it was posted for")
  func targets() throws {
    var box = Box(isSameQueue: ==)
    let old = try Self.post(&box, 1, to: "old", on: 0)
    #expect(box.post(2, to: "new", on: 0, isTerminal: false) == nil)
    let new = try Self.post(&box, 3, to: "new", on: 1)
    #expect([old.queue, new.queue] == [0, 1])
    #expect(box.next(in: old.lane).envelope?.delegate == "old")
    #expect(box.next(in: old.lane).envelope?.delegate == "new")
    #expect(box.next(in: new.lane).envelope?.delegate == "new")
  }

  @Test("THR-10: a blocked queue does not hold up another")
  func lanesAreIndependent() throws {
    var box = Box(isSameQueue: ==)
    _ = try Self.post(&box, 1, to: "d", on: 0)
    let other = try Self.post(&box, 2, to: "d", on: 1)
    #expect(Self.drain(&box, other.lane).envelopes == [2])
  }

  @Test("CFG-08: however often the queue changes behind a blocked one, each has one lane, and the end comes last")
  func swappedQueues() throws {
    var box = Box(isSameQueue: ==)
    let blocked = try Self.post(&box, 0, to: "d", on: 0)
    for event in 1...1000 { _ = box.post(event, to: "d", on: event % 2 == 0 ? 0 : 1, isTerminal: false) }
    #expect(box.waitingLanes.map(\.queue) == [0, 1])
    let free = try #require(box.waitingLanes.last)
    #expect(Self.drain(&box, free.lane).envelopes == Array(stride(from: 1, through: 999, by: 2)))
    // An end stands behind what was posted to any queue, and what comes after it must not hold it up.
    #expect(box.post(2000, to: "d", on: 1, isTerminal: true) == nil)
    #expect(box.post(2001, to: "d", on: 0, isTerminal: false) == nil)
    #expect(box.waitingLanes.map(\.queue) == [0, 1, 0])
    let (rest, ready) = Self.drain(&box, blocked.lane)
    #expect(rest == Array(stride(from: 0, through: 1000, by: 2)))
    let end = try #require(ready.first)
    #expect(Self.drain(&box, end.lane).envelopes == [2000])
  }

  @Test("INV-02: an end is behind what was posted before it, though its queue has an older lane")
  func endOnAnOldQueue() throws {
    var box = Box(isSameQueue: ==)
    let first = try Self.post(&box, 1, to: "d", on: 0)
    let second = try Self.post(&box, 2, to: "d", on: 1)
    #expect(box.post(99, to: "d", on: 0, isTerminal: true) == nil)
    #expect(Self.drain(&box, first.lane).envelopes == [1])
    #expect(Self.drain(&box, second.lane).envelopes == [2])
    let end = try #require(box.waitingLanes.first)
    #expect(Self.drain(&box, end.lane).envelopes == [99])
  }

  @Test("INV-02: the end waits for older lanes, also for the envelope being delivered")
  func terminalWaits() throws {
    var box = Box(isSameQueue: ==)
    let old = try Self.post(&box, 1, to: "d", on: 0)
    let new = try Self.post(&box, 2, to: "d", on: 1)
    #expect(box.post(99, to: "d", on: 1, isTerminal: true) == nil)
    #expect(Self.drain(&box, new.lane).envelopes == [2])
    #expect(box.next(in: old.lane).envelope?.event == 1)
    // Envelope 1 is being delivered now.
    #expect(Self.drain(&box, new.lane).envelopes == [])
    let (envelope, ready) = box.next(in: old.lane)
    #expect(envelope == nil)
    #expect(ready.map(\.block.lane) == [new.lane])
    #expect(Self.drain(&box, new.lane).envelopes == [99])
    #expect(box.isEmpty)
  }

  @Test("a terminal event alone on a new queue is scheduled when the old one is done")
  func terminalOnNewLane() throws {
    var box = Box(isSameQueue: ==)
    let old = try Self.post(&box, 1, to: "d", on: 0)
    #expect(box.post(99, to: "d", on: 1, isTerminal: true) == nil)
    #expect(box.waitingLanes.map(\.queue) == [0, 1])
    let drained = Self.drain(&box, old.lane)
    #expect(drained.envelopes == [1])
    let block = try #require(drained.ready.first)
    #expect(Self.drain(&box, block.lane).envelopes == [99])
  }

  @Test("LIFE-17: the next generation's events come after the end, on the same queue")
  func nextGeneration() throws {
    var box = Box(isSameQueue: ==)
    let lane = try Self.post(&box, 1, to: "d", on: 0).lane
    _ = box.post(99, to: "d", on: 0, isTerminal: true)
    _ = box.post(2, to: "d", on: 0, isTerminal: false)
    #expect(Self.drain(&box, lane).envelopes == [1, 99, 2])
  }

  @Test("INV-03: on one queue nothing overtakes an end that waits for another queue")
  func nothingOvertakesOnSameQueue() throws {
    var box = Box(isSameQueue: ==)
    let slow = try Self.post(&box, 1, to: "d", on: 0)
    #expect(box.next(in: slow.lane).envelope?.event == 1)
    // The end waits for envelope 1 on queue 0; then the queues change to and fro.
    #expect(box.post(99, to: "d", on: 1, isTerminal: true) == nil)
    // Nor does 2 get a block yet: the queue may be one that would run it beside the callback.
    #expect(box.post(2, to: "d", on: 0, isTerminal: false) == nil)
    #expect(box.post(3, to: "d", on: 1, isTerminal: false) == nil)
    var ready = Self.drain(&box, slow.lane).ready
    #expect(ready.count == 2)
    var onOne: [Int] = []
    while !ready.isEmpty {
      let drained = Self.drain(&box, ready.removeFirst().lane)
      onOne += drained.envelopes.filter { $0 != 2 }
      ready += drained.ready
    }
    #expect(onOne == [99, 3])
    #expect(box.isEmpty)
  }

  @Test("D-01: a nested drain inside a callback takes the rest, the outer one finds nothing")
  func nestedDrain() throws {
    var box = Box(isSameQueue: ==)
    let lane = try Self.post(&box, 1, to: "d", on: 0).lane
    _ = box.post(2, to: "d", on: 0, isTerminal: false)
    #expect(box.next(in: lane).envelope?.event == 1)
    // Inside the callback of 1: the socket ends, and the rest is delivered before the call returns.
    _ = box.post(99, to: "d", on: 0, isTerminal: true)
    #expect(Self.take(&box, try #require(box.undelivered { _ in true }.first)) == [2, 99])
    #expect(!box.isEmpty, "the callback of 1 goes on")
    #expect(Self.drain(&box, lane).envelopes == [])
    #expect(box.isEmpty)
    #expect(box.post(3, to: "d", on: 0, isTerminal: false)?.block.lane == lane)
  }

  @Test("a block that finds its lane gone or drained does nothing")
  func staleBlocks() throws {
    var box = Box(isSameQueue: ==)
    let old = try Self.post(&box, 1, to: "d", on: 0).lane
    let new = try Self.post(&box, 2, to: "d", on: 1).lane
    #expect(Self.drain(&box, old).envelopes == [1])
    #expect(Self.drain(&box, new).envelopes == [2])
    #expect(Self.drain(&box, old).envelopes == [])
    #expect(Self.drain(&box, old).ready == [])
    #expect(box.waitingLanes.isEmpty)
  }

  @Test("an idle lane can be begun without a envelope, and is idle no more until it is drained")
  func idleLanes() throws {
    var box = Box(isSameQueue: ==)
    let idle = box.idleLane(on: 0)
    let lane = try #require(idle)
    #expect(box.idleLane(on: 0) == lane)
    #expect(box.idleLane(on: 1) == nil)
    box.begin(lane)
    #expect(!box.isEmpty)
    #expect(box.idleLane(on: 0) == nil)
    #expect(box.isBusyAlone(lane, on: 0) && !box.isBusyAlone(lane, on: 1))
    // What is posted meanwhile needs no block and comes next.
    #expect(box.post(1, to: "d", on: 0, isTerminal: false) == nil)
    #expect(!box.isBusyAlone(lane, on: 0))
    #expect(Self.drain(&box, lane).envelopes == [1])
    #expect(box.isEmpty && box.idleLane(on: 0) == lane)
  }

  @Test("INV-02: what was begun without a envelope holds up an end on another queue")
  func begunLaneHoldsUpAnEnd() throws {
    var box = Box(isSameQueue: ==)
    let idle = box.idleLane(on: 0)
    let lane = try #require(idle)
    box.begin(lane)
    #expect(box.post(9, to: "d", on: 1, isTerminal: true) == nil)
    let (envelope, ready) = box.next(in: lane)
    #expect(envelope == nil)
    let end = try #require(ready.first)
    #expect(end.queue == 1 && ready.count == 1)
    #expect(box.next(in: end.block.lane).envelope?.event == 9)
    #expect(box.idleLane(on: 0) == nil)
  }
}
