import ReportMarkup
import ScenarioModel

/// A trend in words, for the terminal and the page.
package enum TrendWords {
  /// `2 measures are worse than before`, or that none is.
  package static func headline(_ trend: Trend) -> String {
    let worse = trend.regressions.count
    guard worse > 0 else { return "Nothing is worse than before" }
    return "\(QuantityText.count(worse, "measure")) \(worse == 1 ? "is" : "are") worse than before"
  }

  /// `12 runs, 3 benchmark reports`
  package static func extent(_ trend: Trend) -> String {
    HistoryEntry.Kind.allCases.compactMap { kind in
      trend.entries[kind].map { QuantityText.count($0.count, noun(kind)) }
    }.joined(separator: ", ")
  }

  private static func noun(_ kind: HistoryEntry.Kind) -> String {
    switch kind {
    case .suite: "run"
    case .benchmarks: "benchmark report"
    case .fuzz: "fuzz campaign"
    }
  }

  /// As a headline.
  package static func title(_ kind: HistoryEntry.Kind) -> String {
    switch kind {
    case .suite: "Runs of the suite"
    case .benchmarks: "Benchmarks"
    case .fuzz: "Fuzz campaigns"
    }
  }

  /// One character that tells changes apart without colour.
  package static func mark(_ change: TrendJudgement.Change) -> String {
    switch change {
    case .same: "="
    case .better: "✓"
    case .worse: "✕"
    case .unknown: "·"
    }
  }

  /// As people read it.
  package static func word(_ change: TrendJudgement.Change) -> String {
    switch change {
    case .same: "within its noise:"
    case .better: "better:"
    case .worse: "worse:"
    case .unknown: "not judged:"
    }
  }
}

/// The trend for machines, under the schema published as `trend.schema.json`.
package enum TrendJSON {
  /// Grows when a key changes its meaning or goes away.
  package static let schemaVersion = 1

  /// UTF-8, ending with a line feed.
  package static func make(_ trend: Trend) -> [UInt8] {
    let root: JSONNode = [
      "schema": .integer(schemaVersion),
      "regression": .flag(!trend.regressions.isEmpty),
      "headline": .text(TrendWords.headline(trend)),
      "entries": JSONNode(
        members: HistoryEntry.Kind.allCases.map { kind in
          (kind.rawValue, trend.entries[kind].map { .list($0.map(node)) })
        }),
      "courses": .list(trend.courses.map(node)),
    ]
    return root.encoded(spread: 3)
  }

  private static func node(_ entry: HistoryEntry) -> JSONNode {
    [
      "name": .text(entry.name), "started_at": .text(entry.startedAt), "commit": entry.commit.map(JSONNode.text),
      "host": .text(entry.host), "size": .integer(entry.size), "failing": .texts(entry.failing),
      "slowest": .list(entry.slowest.map { ["case": .text($0.name), "ms": .number($0.milliseconds)] }),
    ]
  }

  private static func node(_ course: Trend.Course) -> JSONNode {
    let pooled = Trend.pooled(course)
    return [
      "kind": .text(course.kind.rawValue), "measure": .text(course.name),
      "unit": .text(course.last.unit.rawValue), "better": .text(course.last.isHigherBetter ? "higher" : "lower"),
      "change": .text(course.judgement.change.rawValue), "reason": .text(course.judgement.reason),
      "pooled": pooled.map {
        [
          "of": .integer($0.failures), "all": .integer($0.runs), "low": .number($0.interval.lowerBound),
          "high": .number($0.interval.upperBound),
        ]
      },
      "points": .list(
        course.points.map {
          [
            "entry": .integer($0.place), "value": .number($0.measure.value), "comparable": .flag($0.isComparable),
            "of": $0.measure.counted.map { .integer($0.of) }, "all": $0.measure.counted.map { .integer($0.all) },
          ]
        }),
    ]
  }
}
