/// Cases that went as expected, and that a report counts and does not list.
package struct UnlistedCases: Hashable, Sendable, Codable {
  /// Those in which nothing went wrong: passed, skipped or unsupported.
  package private(set) var plain: [Verdict: Int]
  /// Those whose deviation is on record, by the verdict that they got.
  package private(set) var known: [Verdict: Int]

  /// Cases by their verdicts; none is on record unless `known` has it.
  package init(_ plain: [Verdict: Int] = [:], known: [Verdict: Int] = [:]) {
    (self.plain, self.known) = (plain, known)
  }

  /// How many there are.
  package var total: Int { byVerdict.values.reduce(0, +) }

  /// How many of them are on record.
  package var knownTotal: Int { known.values.reduce(0, +) }

  /// All of them; those on record count under the verdict that they got, as listed cases do.
  package var byVerdict: [Verdict: Int] { plain.merging(known, uniquingKeysWith: +) }

  /// Counts a case.
  package mutating func add(_ result: CaseResult) {
    if result.known == nil {
      plain[result.verdict, default: 0] += 1
    } else {
      known[result.verdict, default: 0] += 1
    }
  }

  /// Those of both.
  package static func + (left: Self, right: Self) -> Self {
    UnlistedCases(
      left.plain.merging(right.plain) { $0 + $1 }, known: left.known.merging(right.known) { $0 + $1 })
  }
}
