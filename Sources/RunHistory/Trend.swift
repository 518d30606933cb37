import RunComparison

/// How the measures of a history went, and whether the last entry of each kind is worse than those before.
///
/// Laws
/// - Pure: entries in, a value out. What may be compared is decided by kind, host, basis and size; anything else is
///   shown and not judged.
/// - A measure is judged with its own noise, see `TrendJudgement`.
package struct Trend: Sendable {
  /// One measure over the entries that have it.
  package struct Course: Sendable {
    /// Of which entries.
    package let kind: HistoryEntry.Kind
    /// The measure's.
    package let name: String
    /// In order of time; never empty.
    package let points: [Point]
    /// What the last point comes to beside those before.
    package let judgement: TrendJudgement

    /// The last point's measure.
    package var last: HistoryMeasure { points[points.count - 1].measure }
  }

  /// One figure.
  package struct Point: Sendable {
    /// By its place in the trend's entries of the kind.
    package let place: Int
    /// What was measured.
    package let measure: HistoryMeasure
    /// Whether it may be set beside the last one.
    package let isComparable: Bool
  }

  /// By kind, each in order of time.
  package let entries: [HistoryEntry.Kind: [HistoryEntry]]
  /// By kind, and then in the order of the measures.
  package let courses: [Course]

  /// - Parameter most: as many entries of each kind are looked at, the last ones.
  package init(_ history: [HistoryEntry], kinds: [HistoryEntry.Kind] = HistoryEntry.Kind.allCases, most: Int) {
    var entries: [HistoryEntry.Kind: [HistoryEntry]] = [:]
    for kind in kinds {
      let own = history.filter { $0.kind == kind }.enumerated().sorted {
        ($0.element.startedAt, $0.offset) < ($1.element.startedAt, $1.offset)
      }
      if !own.isEmpty { entries[kind] = own.suffix(most).map(\.element) }
    }
    self.entries = entries
    courses = kinds.flatMap { kind in Self.courses(kind, entries[kind] ?? []) }
  }

  private static func courses(_ kind: HistoryEntry.Kind, _ entries: [HistoryEntry]) -> [Course] {
    var names: [String] = []
    var known: Set<String> = []
    // The last entry's order is the table's.
    for entry in entries.reversed() {
      for measure in entry.measures where known.insert(measure.name).inserted { names.append(measure.name) }
    }
    return names.compactMap { name in
      let all = entries.enumerated().compactMap { place, entry in
        entry.measure(name).map { (place: place, entry: entry, measure: $0) }
      }
      guard let last = all.last else { return nil }
      let points = all.map {
        Point(
          place: $0.place, measure: $0.measure,
          isComparable: $0.measure.basis == last.measure.basis && isAlike($0.entry.size, last.entry.size))
      }
      let isLatest = last.place == entries.count - 1
      let earlier = points.dropLast().filter(\.isComparable).map(\.measure)
      return Course(
        kind: kind, name: name, points: points,
        judgement: isLatest ? TrendJudgement(last.measure, after: earlier) : .notTaken)
    }
  }

  /// A tenth more or less is about the same.
  private static func isAlike(_ size: Int, _ other: Int) -> Bool { abs(size - other) * 10 <= max(size, other) }

  /// Measures of last entries that are worse than before.
  package var regressions: [Course] { courses.filter { $0.judgement.change == .worse } }

  /// What was counted of a share over all comparable entries; nil: nothing was.
  package static func pooled(_ course: Course) -> FailureRate? {
    let counts = course.points.filter(\.isComparable).compactMap(\.measure.counted)
    let all = counts.reduce(0) { $0 + $1.all }
    return all > 0 ? FailureRate(failures: counts.reduce(0) { $0 + $1.of }, runs: all) : nil
  }
}

/// Whether a figure is worse than those before, and by which rule.
///
/// - What has no noise is compared with the figure before.
/// - A share is compared with the share before by Wilson's 95 % intervals: apart or not.
/// - A measurement is held to five earlier ones or more: it differs if it is further from their median than 3.5 times
///   their scaled median absolute deviation (the modified z-score of Iglewicz and Hoaglin). With fewer, its samples are
///   held to those of the measurement before by the rank test of Mann and Whitney at 1 %, if both have five. Either way
///   a difference of less than a twentieth is none: no machine repeats itself better.
package struct TrendJudgement: Hashable, Sendable {
  /// What the figure comes to.
  package enum Change: String, Hashable, Sendable {
    case same, better, worse
    /// Too little to be said.
    case unknown
  }

  /// What the figure comes to.
  package let change: Change
  /// By which rule, with its figures.
  package let reason: String

  static let notTaken = TrendJudgement(change: .unknown, reason: "not taken by the last entry")
  private static let enough = 5
  private static let limit = 3.5
  private static let scale = 1.4826
  private static let chance = 0.01
  private static let least = 0.05

  private init(change: Change, reason: String) { (self.change, self.reason) = (change, reason) }

  /// - Parameter earlier: comparable measures, in order of time.
  package init(_ last: HistoryMeasure, after earlier: [HistoryMeasure]) {
    guard last.noise != .unjudged else {
      self.init(change: .unknown, reason: "shown only")
      return
    }
    guard let before = earlier.last else {
      self.init(change: .unknown, reason: "nothing before to compare with")
      return
    }
    switch last.noise {
    case .none: self = Self.exact(last, before)
    case .counted: self = Self.counted(last, before)
    case .measured:
      self = earlier.count >= Self.enough ? Self.deviating(last, earlier) : Self.ranked(last, before)
    case .unjudged: self = .notTaken
    }
  }

  private static func change(_ last: HistoryMeasure, from value: Double) -> Change {
    last.value == value ? .same : (last.value > value) == last.isHigherBetter ? .better : .worse
  }

  private static func exact(_ last: HistoryMeasure, _ before: HistoryMeasure) -> TrendJudgement {
    TrendJudgement(change: change(last, from: before.value), reason: "\(before.text) before; it has no noise")
  }

  private static func counted(_ last: HistoryMeasure, _ before: HistoryMeasure) -> TrendJudgement {
    guard let now = last.counted, let then = before.counted, now.all > 0, then.all > 0 else {
      return TrendJudgement(change: .unknown, reason: "not counted")
    }
    let (rate, former) = (FailureRate(failures: now.of, runs: now.all), FailureRate(failures: then.of, runs: then.all))
    return TrendJudgement(
      change: rate.isApart(from: former) ? change(last, from: before.value) : .same,
      reason: "\(rate.text); before \(former.text) (Wilson, 95 %)")
  }

  private static func isSmall(_ value: Double, beside middle: Double) -> Bool {
    abs(value - middle) <= least * abs(middle)
  }

  private static func deviating(_ last: HistoryMeasure, _ earlier: [HistoryMeasure]) -> TrendJudgement {
    let values = earlier.map(\.value)
    guard let middle = SampleMath.median(values), let deviation = SampleMath.deviation(values) else { return .notTaken }
    let words = "median of \(values.count) before \(HistoryMeasure.text(middle, last.unit))"
    let bound = limit * scale * deviation
    let isFar = abs(last.value - middle) > bound && !isSmall(last.value, beside: middle)
    return TrendJudgement(
      change: isFar ? change(last, from: middle) : .same,
      reason:
        "\(words) ± \(HistoryMeasure.text(max(bound, least * abs(middle)), last.unit)) (3.5 scaled MAD, 5 % at least)")
  }

  private static func ranked(_ last: HistoryMeasure, _ before: HistoryMeasure) -> TrendJudgement {
    guard last.samples.count >= enough, before.samples.count >= enough else {
      return TrendJudgement(
        change: .unknown, reason: "\(before.text) before; fewer than \(enough) earlier figures, and fewer samples")
    }
    let isAbove = last.value > before.value
    let chance = SampleMath.chanceOfBeingAbove(
      isAbove ? last.samples : before.samples, isAbove ? before.samples : last.samples)
    let isReal = chance < Self.chance && !isSmall(last.value, beside: before.value)
    let permille = Int((chance * 1_000).rounded())
    return TrendJudgement(
      change: isReal ? change(last, from: before.value) : .same,
      reason: "\(before.text) before; by chance in \(permille) of 1,000 (rank test of the samples)")
  }
}
