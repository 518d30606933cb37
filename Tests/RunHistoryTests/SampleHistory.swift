import RunHistory

/// Entries for trends.
enum SampleHistory {
  static func measure(
    _ value: Double, noise: HistoryMeasure.Noise = .measured, higher: Bool = false, samples: [Double] = [],
    counted: (Int, Int)? = nil, basis: String = ""
  ) -> HistoryMeasure {
    var measure = HistoryMeasure("duration", value, .milliseconds, isHigherBetter: higher, noise: noise)
    (measure.samples, measure.basis) = (samples, basis)
    measure.counted = counted.map { (of: $0.0, all: $0.1) }
    return measure
  }

  static func entry(
    _ number: Int, _ measures: [HistoryMeasure], kind: HistoryEntry.Kind = .suite, size: Int = 100
  ) -> HistoryEntry {
    let day = number < 10 ? "0\(number)" : "\(number)"
    var entry = HistoryEntry(
      kind: kind, name: "2026-01-\(day)T12-00-00Z", startedAt: "2026-01-\(day)T12:00:00Z", commit: "0123456789abcdef",
      host: "Linux, 2 processors", size: size)
    entry.measures = measures
    return entry
  }

  static func entries(_ values: [Double]) -> [HistoryEntry] {
    values.enumerated().map { entry($0 + 1, [measure($1)]) }
  }
}
