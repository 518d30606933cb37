import TestSupport
import Testing

@testable import SocketPOSIX

/// Which lookup is next.
@Suite("Lookup schedule")
struct LookupScheduleTests {
  typealias Schedule = LookupSchedule<String, Int>

  /// Begins all that may begin: what is looked up.
  private static func begin(_ schedule: inout Schedule) -> [(run: Schedule.RunID, work: String)] {
    var begun: [(run: Schedule.RunID, work: String)] = []
    while let next = schedule.begin() { begun.append(next) }
    return begun
  }

  @Test("no more than the limit run at once, in the order asked for")
  func limit() {
    var schedule = Schedule(limit: 3, domainLimit: 2)
    for number in 0..<7 { _ = schedule.add("h\(number)", sharedName: "h\(number)", "w\(number)", number) }
    #expect(schedule.ready == 3 && schedule.waiting == 7)
    var running = Self.begin(&schedule)
    #expect(running.map(\.work) == ["w0", "w1", "w2"])
    #expect(schedule.ready == 0 && schedule.running == 3 && schedule.waiting == 4)
    #expect(schedule.finish(running[1].run) == [1])
    #expect(schedule.finish(running[1].run) == [])
    #expect(schedule.ready == 1)
    running = Self.begin(&schedule)
    #expect(running.map(\.work) == ["w3"])
  }

  @Test(
    "names of one owner are of one domain",
    arguments: [
      ("a.example.com", "example.com"), ("b.a.Example.COM.", "example.com"), ("example.com", "example.com"),
      ("a.shop.co.uk", "shop.co.uk"), ("b.shop.co.uk", "shop.co.uk"), ("shop.co.uk", "shop.co.uk"), ("co.uk", "co.uk"),
      ("a.b.shop.com.au", "shop.com.au"), ("a.verein.de", "verein.de"), ("host", "host"), ("", ""), (".", ""),
      ("a.abc.de", "abc.de"), ("b.abc.de", "abc.de"), ("x.y.t.co", "t.co"),
    ])
  func domain(host: String, domain: String) { #expect(Schedule.domain(of: host) == domain) }

  @Test("a domain whose lookups hang leaves room for others")
  func domains() {
    var schedule = Schedule(limit: 8, domainLimit: 2)
    for number in 0..<100 { _ = schedule.add("h\(number).slow.example", sharedName: nil, "slow", number) }
    for number in 0..<5 { _ = schedule.add("www.quick\(number).org", sharedName: nil, "quick \(number)", number) }
    let begun = Self.begin(&schedule)
    #expect(begun.map(\.work) == ["slow", "slow"] + (0..<5).map { "quick \($0)" })
    #expect(schedule.ready == 0)
    _ = schedule.finish(begun[0].run)
    #expect(schedule.ready == 1 && Self.begin(&schedule).map(\.work) == ["slow"])
  }

  @Test("domains take turns")
  func turns() {
    var schedule = Schedule(limit: 1, domainLimit: 1)
    for number in 0..<3 { _ = schedule.add("\(number).a.example", sharedName: nil, "a\(number)", 0) }
    for number in 0..<3 { _ = schedule.add("\(number).b.test", sharedName: nil, "b\(number)", 0) }
    var order: [String] = []
    while let next = schedule.begin() {
      order.append(next.work)
      _ = schedule.finish(next.run)
    }
    #expect(order == ["a0", "b0", "a1", "b1", "a2", "b2"])
  }

  @Test(
    "a name's domain",
    arguments: [
      ("a.b.example.org", "example.org"), ("EXAMPLE.org.", "example.org"), ("host", "host"), ("", ""), ("..", ""),
      ("fe80::1%lo", "fe80::1%lo"),
    ])
  func domainNames(host: String, domain: String) { #expect(Schedule.domain(of: host) == domain) }

  @Test("those who ask for the same name share one run, and one answer (CON-01)")
  func sharing() {
    var schedule = Schedule(limit: 8, domainLimit: 8)
    let tickets = (0..<4).map { schedule.add("name", sharedName: "name", "w", $0) }
    _ = schedule.add("name", sharedName: nil, "own", 9)
    let begun = Self.begin(&schedule)
    #expect(begun.map(\.work) == ["w", "own"])
    _ = schedule.add("name", sharedName: "name", "w", 4)
    schedule.cancel(tickets[1])
    #expect(schedule.begin() == nil)
    #expect(schedule.finish(begun[0].run) == [0, 2, 3, 4])
    // Now it is over: who asks again gets a run of his own.
    _ = schedule.add("name", sharedName: "name", "w", 5)
    #expect(schedule.begin()?.work == "w")
    #expect(schedule.finish(begun[1].run) == [9])
  }

  @Test("what everybody has given up does not begin")
  func cancelling() {
    var schedule = Schedule(limit: 1, domainLimit: 1)
    let first = schedule.add("a", sharedName: "a", "a", 1)
    let second = schedule.add("a", sharedName: "a", "a", 2)
    _ = schedule.add("b", sharedName: "b", "b", 3)
    schedule.cancel(first)
    schedule.cancel(first)
    schedule.cancel(second)
    #expect(schedule.waiting == 1)
    let begun = Self.begin(&schedule)
    #expect(begun.map(\.work) == ["b"])
    // Once begun it goes on, for nobody.
    let late = schedule.add("b", sharedName: "b", "b", 4)
    schedule.cancel(late)
    #expect(schedule.finish(begun[0].run) == [3])
    #expect(schedule.begin() == nil && schedule.waiting == 0 && schedule.running == 0)
  }

  @Test("a run that nobody waits for any more is not shared: its answer is from before")
  func abandoned() {
    var schedule = Schedule(limit: 8, domainLimit: 2)
    let first = schedule.add("a", sharedName: "a", "old", 1)
    let old = Self.begin(&schedule)
    schedule.cancel(first)
    _ = schedule.add("a", sharedName: "a", "new", 2)
    let new = Self.begin(&schedule)
    #expect(new.map(\.work) == ["new"])
    // The end of the old one takes nothing away from the new one.
    #expect(schedule.finish(old[0].run) == [])
    _ = schedule.add("a", sharedName: "a", "newer", 3)
    #expect(schedule.begin() == nil)
    #expect(schedule.finish(new[0].run) == [2, 3])
    #expect(schedule.running == 0 && schedule.waiting == 0)
  }

  @Test(
    "whatever is asked for, given up and finished: limits hold, and in the end nothing is lost or left (CON-01)"
  )
  func anyOrder() {
    for seed in 0..<200 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var schedule = Schedule(limit: 4, domainLimit: 2)
      var running: [(run: Schedule.RunID, domain: String)] = []
      var open: [Int: Schedule.Ticket] = [:]
      var answered: Set<Int> = []
      var cancelled: Set<Int> = []
      var count = 0
      func finishOne() {
        let done = running.remove(at: Int(random.next() % UInt64(running.count)))
        for waiter in schedule.finish(done.run) {
          #expect(!cancelled.contains(waiter) && answered.insert(waiter).inserted)
          open[waiter] = nil
        }
      }
      for _ in 0..<300 {
        switch random.next() % 4 {
        case 0, 1:
          let host = "h\(random.next() % 6).d\(random.next() % 3).example"
          let isShared = random.next() % 2 == 0
          open[count] = schedule.add(host, sharedName: isShared ? host : nil, Schedule.domain(of: host), count)
          count += 1
        case 2:
          guard let victim = open.keys.sorted().first(where: { _ in random.next() % 3 == 0 }) else { break }
          if let ticket = open.removeValue(forKey: victim) { schedule.cancel(ticket) }
          cancelled.insert(victim)
        default: if !running.isEmpty { finishOne() }
        }
        while let next = schedule.begin() { running.append((next.run, next.work)) }
        #expect(running.count <= 4 && schedule.running == running.count && schedule.ready == 0)
        for domain in Set(running.map(\.domain)) { #expect(running.count { $0.domain == domain } <= 2) }
        // Nobody waits while there is room for him.
        #expect(schedule.waiting == 0 || running.count >= 2)
      }
      while !running.isEmpty {
        finishOne()
        while let next = schedule.begin() { running.append((next.run, next.work)) }
      }
      #expect(open.isEmpty && answered.count + cancelled.count == count && schedule.waiting == 0)
    }
  }
}
