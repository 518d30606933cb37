import ReportMarkup
import ScenarioModel

/// What the history keeps of a run, a measurement or a campaign: one line of the index.
package struct HistoryEntry: Hashable, Sendable {
  /// What was run.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case suite, benchmarks, fuzz
  }

  /// A case and how long it took.
  package struct SlowCase: Hashable, Sendable {
    /// `read/line [ipv4, loopback]`
    package var name: String
    /// Real time, in milliseconds.
    package var milliseconds: Double

    package init(name: String, milliseconds: Double) {
      self.name = name
      self.milliseconds = milliseconds
    }
  }

  /// What was run.
  package var kind: Kind
  /// Tells it from others of its kind: the name of its folder.
  package var name: String
  /// ISO 8601, UTC.
  package var startedAt: String
  /// Of the subject's sources; nil: not known.
  package var commit: String?
  /// What times may be compared on: kernel and processors.
  package var host: String
  /// How much was run. Only entries of about the same size are set beside each other.
  package var size: Int
  /// Each name once, in the order of the tables.
  package var measures: [HistoryMeasure] = []
  /// The slowest cases of a suite, the slowest first.
  package var slowest: [SlowCase] = []
  /// What is not as expected, as far as there is room for it.
  package var failing: [String] = []

  package init(kind: Kind, name: String, startedAt: String, commit: String?, host: String, size: Int) {
    self.kind = kind
    self.name = name
    self.startedAt = startedAt
    self.commit = commit
    self.host = host
    self.size = size
  }

  /// The commit as people read it, short, with `+changes` behind it if the tree differed from it; nil: not known.
  package var commitText: String? {
    guard let commit else { return nil }
    let mark = "+changes"
    let isChanged = commit.hasSuffix(mark)
    let name = isChanged ? commit.dropLast(mark.count) : commit[...]
    return String(name.prefix(12)) + (isChanged ? mark : "")
  }

  /// The measure of this name; nil: it was not taken.
  package func measure(_ name: String) -> HistoryMeasure? { measures.first { $0.name == name } }
}

/// One figure of an entry, with what is needed to say whether a later one is worse.
package struct HistoryMeasure: Hashable, Sendable {
  /// How figures of it differ when nothing has changed.
  package enum Noise: String, CaseIterable, Hashable, Sendable {
    /// Not at all: any change is one.
    case none
    /// As a share does of which few were counted: by the interval of its count.
    case counted
    /// As measurements do.
    case measured
    /// It is shown, and judged elsewhere.
    case unjudged
  }

  /// What a reader sees behind the number.
  package enum Unit: String, CaseIterable, Hashable, Sendable {
    case milliseconds = "ms"
    case bytes = "B"
    case share, ratio, count
    case perSecond = "1/s"
  }

  /// Such as `duration`, or `echo-1: gcd-same against nio`.
  package var name: String
  /// Of several samples their median.
  package var value: Double
  /// What it counts or measures.
  package var unit: Unit
  /// Whether more is better.
  package var isHigherBetter: Bool
  /// How it is judged.
  package var noise: Noise
  /// Figures with different bases mean different things: another instrumentation, another time for each round.
  package var basis = ""
  /// Where it was measured more than once.
  package var samples: [Double] = []
  /// Of a share: how many of how many.
  package var counted: (of: Int, all: Int)? {
    get { part.map { ($0, whole) } }
    set { (part, whole) = (newValue?.of, newValue?.all ?? 0) }
  }
  private var part: Int?
  private var whole = 0

  package init(_ name: String, _ value: Double, _ unit: Unit, isHigherBetter: Bool, noise: Noise) {
    self.name = name
    self.value = value
    self.unit = unit
    self.isHigherBetter = isHigherBetter
    self.noise = noise
  }

  /// The figure as people read it.
  package var text: String { Self.text(value, unit) }

  /// A figure of the unit as people read it.
  package static func text(_ value: Double, _ unit: Unit) -> String {
    switch unit {
    case .milliseconds: QuantityText.duration(.microseconds(Int64(min(max(value, 0), 1e12) * 1_000)))
    case .bytes: QuantityText.size(Int(min(max(value, 0), 1e15)))
    case .share: "\(QuantityText.fixed(value * 100, decimals: 2)) %"
    case .ratio: QuantityText.fixed(value, decimals: 3)
    case .count: QuantityText.count(Int(min(max(value, 0), 1e15)))
    case .perSecond: "\(QuantityText.count(Int(min(max(value, 0), 1e15))))/s"
    }
  }
}
