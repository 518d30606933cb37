import Testing

@testable import RunComparison

/// What kind of trouble a case is, from counts alone.
@Suite struct RepeatedCaseTests {
  typealias Count = RepeatedCase.Count

  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    var alone: Count
    var beside = Count()
    var aloneBusied = Count()
    var besideBusied = Count()
    var begins: String
    var testDescription: String { name }

    var repeated: RepeatedCase {
      RepeatedCase([.alone: alone, .beside: beside, .aloneBusied: aloneBusied, .besideBusied: besideBusied])
    }
  }

  private static func count(_ hits: Int, _ runs: Int = 10, late: Int = 0) -> Count {
    Count(runs: runs, hits: hits, late: late)
  }

  static let rows = [
    Row(
      name: "every time", alone: count(10), beside: count(10), aloneBusied: count(10), besideBusied: count(10),
      begins: "deterministic"),
    Row(
      name: "now and then", alone: count(3), beside: count(4), aloneBusied: count(2), besideBusied: count(5),
      begins: "flaky: it shows in 35% of its runs (95%: 22% to 50%)"),
    Row(
      name: "all but once", alone: count(10), beside: count(9), aloneBusied: count(10), besideBusied: count(10),
      begins: "flaky: it shows in 98%"),
    Row(
      name: "beside others only", alone: count(0), beside: count(9), aloneBusied: count(0), besideBusied: count(10),
      begins: "order-dependent: it shows beside"),
    Row(
      name: "alone only", alone: count(10), beside: count(0), aloneBusied: count(9), besideBusied: count(0),
      begins: "order-dependent: it shows alone"),
    Row(
      name: "busied only", alone: count(0), beside: count(0), aloneBusied: count(9), besideBusied: count(10),
      begins: "host too slow"),
    Row(
      name: "busied, but too few to say", alone: count(0), beside: count(0), aloneBusied: count(1),
      besideBusied: count(0), begins: "flaky: it shows in 3%"),
    Row(
      name: "the lab was late", alone: count(0, 2, late: 8), beside: count(0, 2, late: 8), begins: "host too slow"),
    Row(
      name: "with another finding now and then", alone: Count(runs: 10, hits: 8, others: 2),
      begins: "flaky: it shows in 80%"),
    Row(
      name: "late now and then", alone: count(0, 10, late: 2), begins: "not seen again: it shows in at most 28%"),
    Row(name: "never again", alone: count(0), beside: count(0), begins: "not seen again: it shows in at most 16%"),
    Row(
      name: "twice is too few", alone: count(0, 2), begins: "not seen again, in too few repetitions to say how often"),
    Row(name: "not repeated", alone: Count(), begins: "not seen again: no repetition came to a verdict"),
  ]

  @Test(arguments: rows) func aKindFollowsFromCounts(row: Row) {
    #expect(row.repeated.text.hasPrefix(row.begins), "\(row.repeated.text)")
  }

  @Test func linesTellWhatWasCounted() {
    let repeated = RepeatedCase([.alone: Count(runs: 8, hits: 2, others: 1, late: 2), .besideBusied: Self.count(1, 1)])
    #expect(
      repeated.lines == [
        "alone: 2 of 8 runs, 1 with another finding, 2 in which the lab was late",
        "beside others, on a busied machine: 1 of 1 run",
      ])
  }
}
