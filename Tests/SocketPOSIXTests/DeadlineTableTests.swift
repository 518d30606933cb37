import SocketValues
import Testing

@testable import SocketPOSIX

@Suite("Deadline table")
struct DeadlineTableTests {
  private func instant(_ nanoseconds: Int64) -> Instant { Instant(nanoseconds: nanoseconds) }

  private func drain(_ table: inout DeadlineTable, at now: Int64) -> [UInt64] {
    var due: [UInt64] = []
    while let id = table.popDue(at: instant(now)) { due.append(id) }
    return due
  }

  @Test func earliestFirst() {
    var table = DeadlineTable()
    for (id, time) in [(1, 30), (2, 10), (3, 20), (4, 40)] as [(UInt64, Int64)] { table.set(id, to: instant(time)) }
    #expect(table.earliest == instant(10))
    #expect(drain(&table, at: 9) == [])
    #expect(drain(&table, at: 30) == [2, 3, 1])
    #expect(drain(&table, at: 30) == [])
    #expect(table.earliest == instant(40))
  }

  @Test func movedLaterIsNotEarly() {
    var table = DeadlineTable()
    table.set(1, to: instant(10))
    table.set(1, to: instant(20))
    #expect(table.nodeCount == 1, "the heap is left alone")
    #expect(drain(&table, at: 19) == [])
    #expect(table.earliest == instant(20))
    #expect(drain(&table, at: 20) == [1])
  }

  @Test func movedEarlierAndBack() {
    var table = DeadlineTable()
    table.set(1, to: instant(20))
    table.set(1, to: instant(10))
    table.set(1, to: instant(20))
    #expect(drain(&table, at: 15) == [])
    #expect(drain(&table, at: 25) == [1], "once, though two nodes carry that instant")
  }

  @Test func cancelledAndSetAgain() {
    var table = DeadlineTable()
    table.set(1, to: instant(10))
    table.set(1, to: nil)
    #expect(drain(&table, at: 10) == [])
    table.set(1, to: instant(5))
    table.set(2, to: instant(5))
    table.remove(2)
    #expect(drain(&table, at: 10) == [1])
    #expect(table.earliest == nil)
  }

  /// Against a plain dictionary that is searched from end to end.
  @Test(arguments: 0..<30)
  func agreesWithTheNaiveTable(_ round: Int) {
    var table = DeadlineTable()
    var naive: [UInt64: Int64] = [:]
    var now: Int64 = 0
    var largest = 0
    for _ in 0..<3000 {
      let id = UInt64.random(in: 1...20)
      switch Int.random(in: 0..<10) {
      case 0..<6:
        let time = now + Int64.random(in: -5...100)
        naive[id] = time
        table.set(id, to: instant(time))
      case 6:
        naive[id] = nil
        table.set(id, to: nil)
      case 7:
        naive[id] = nil
        table.remove(id)
      default:
        now += Int64.random(in: 0...20)
        let due = naive.filter { $0.value <= now }
        #expect(Set(drain(&table, at: now)) == Set(due.keys))
        for key in due.keys { naive[key] = nil }
      }
      if let first = naive.values.min() {
        #expect(table.earliest.map { $0 <= instant(first) } == true)
      }
      largest = max(largest, table.nodeCount)
    }
    #expect(largest <= 2 * 20 + 64)
  }

  @Test func stormsStaySmall() {
    var table = DeadlineTable()
    var largest = 0
    for step in 0..<1_000_000 as Range<Int64> {
      // Ever earlier, which is the only direction that puts nodes into the heap.
      table.set(1, to: instant(2_000_000 - step))
      largest = max(largest, table.nodeCount)
    }
    for step in 0..<100_000 as Range<Int64> { table.set(1, to: instant(step % 2 == 0 ? 500 + step : 400)) }
    #expect(max(largest, table.nodeCount) <= 67)
    for id in 2..<10_000 as Range<UInt64> { table.set(id, to: instant(Int64(id))) }
    for id in 1..<10_000 as Range<UInt64> { table.remove(id) }
    #expect(table.nodeCount <= 64)
  }
}
