import ScenarioModel

/// How a case that was not as expected behaves when it is repeated: what kind of trouble it is.
///
/// Laws
/// - No repetition makes it green: a finding that does not come again has been seen all the same.
/// - What counts is the same finding. Another one, or a case in which the lab was late, does not count as a repetition,
///   and is reported.
/// - A difference between circumstances counts only if the intervals of their rates don't meet.
package struct RepeatedCase: Hashable, Sendable {
  /// Under what a case is repeated.
  package enum Circumstance: String, CaseIterable, Hashable, Sendable {
    /// Nothing else runs.
    case alone
    /// Other cases run at the same time, and in the same process.
    case beside
    /// Alone, while all processors are kept busy.
    case aloneBusied
    /// Both.
    case besideBusied

    /// `alone`, `beside others, on a busied machine`
    package var text: String {
      switch self {
      case .alone: "alone"
      case .beside: "beside others"
      case .aloneBusied: "alone, on a busied machine"
      case .besideBusied: "beside others, on a busied machine"
      }
    }
  }

  /// What the repetitions under one circumstance came to.
  package struct Count: Hashable, Sendable {
    /// Repetitions with a verdict.
    package var runs: Int
    /// Those that showed the finding.
    package var hits: Int
    /// Those that showed something else that is not as expected.
    package var others: Int
    /// Those that prove nothing, because the lab was late.
    package var late: Int

    package init(runs: Int = 0, hits: Int = 0, others: Int = 0, late: Int = 0) {
      self.runs = runs
      self.hits = hits
      self.others = others
      self.late = late
    }

    /// How often it shows, with 95% confidence.
    package var interval: ClosedRange<Double> { runs > 0 ? FailureRate(failures: hits, runs: runs).interval : 0...1 }
  }

  /// What kind of trouble it is.
  package enum Kind: Hashable, Sendable {
    /// It shows every time.
    case deterministic
    /// It shows sometimes, whatever else goes on.
    case flaky(rate: Double, interval: ClosedRange<Double>)
    /// Whether it shows depends on what runs beside it or ran before it; true: it needs company.
    case orderDependent(needsCompany: Bool)
    /// It shows only where the host is kept busy.
    case hostTooSlow
    /// It did not come again; so it shows at most this often.
    case notSeenAgain(atMost: Double)
  }

  /// By circumstance; those that were left out are missing.
  package private(set) var counts: [Circumstance: Count]

  package init(_ counts: [Circumstance: Count]) { self.counts = counts }

  private func sum(_ circumstances: [Circumstance]) -> Count {
    circumstances.compactMap { counts[$0] }.reduce(into: Count()) { sum, count in
      sum.runs += count.runs
      sum.hits += count.hits
      sum.others += count.others
      sum.late += count.late
    }
  }

  /// What the counts say.
  package var kind: Kind {
    let all = sum(Circumstance.allCases)
    let (idle, busied) = (sum([.alone, .beside]), sum([.aloneBusied, .besideBusied]))
    guard all.hits > 0 else {
      return all.late > 0 && all.late * 2 >= all.runs + all.late
        ? .hostTooSlow : .notSeenAgain(atMost: all.interval.upperBound)
    }
    if all.hits == all.runs { return .deterministic }
    if idle.hits == 0, idle.runs > 0, isApart(idle, busied) { return .hostTooSlow }
    let (alone, beside) = (sum([.alone, .aloneBusied]), sum([.beside, .besideBusied]))
    if isApart(alone, beside), alone.hits == 0 || beside.hits == 0 {
      return .orderDependent(needsCompany: alone.hits == 0)
    }
    return .flaky(rate: Double(all.hits) / Double(all.runs), interval: all.interval)
  }

  private func isApart(_ one: Count, _ other: Count) -> Bool {
    guard one.runs > 0, other.runs > 0 else { return false }
    return !one.interval.overlaps(other.interval)
  }

  /// A finding that may show in so many of the runs, or in more, is not known to be rare.
  private static let vague = 0.5

  /// `flaky: shows in 30% of its runs (95%: 19% to 44%)`
  package var text: String {
    switch kind {
    case .deterministic: "deterministic: it shows every time"
    case .flaky(let rate, let interval):
      "flaky: it shows in \(Self.percent(rate)) of its runs (95%: \(Self.percent(interval.lowerBound)) to "
        + "\(Self.percent(interval.upperBound)))"
    case .orderDependent(true): "order-dependent: it shows beside other cases only"
    case .orderDependent(false): "order-dependent: it shows alone only"
    case .hostTooSlow: "host too slow: it shows only where the machine is kept busy, or the lab itself was late"
    case .notSeenAgain(let most) where most < Self.vague:
      "not seen again: it shows in at most \(Self.percent(most)) of its runs, and has been seen all the same"
    case .notSeenAgain where sum(Circumstance.allCases).runs == 0:
      "not seen again: no repetition came to a verdict, and it has been seen all the same"
    case .notSeenAgain:
      "not seen again, in too few repetitions to say how often it shows: --repetitions asks for more"
    }
  }

  /// What was counted, a line for each circumstance.
  package var lines: [String] {
    Circumstance.allCases.compactMap { circumstance in
      guard let count = counts[circumstance] else { return nil }
      var line = "\(circumstance.text): \(count.hits) of \(QuantityText.count(count.runs, "run"))"
      if count.others > 0 { line += ", \(count.others) with another finding" }
      if count.late > 0 { line += ", \(count.late) in which the lab was late" }
      return line
    }
  }

  private static func percent(_ rate: Double) -> String { "\(Int((rate * 100).rounded()))%" }
}
