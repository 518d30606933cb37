/// A condition that the campaign has to meet.
package struct Gate: Hashable, Sendable, Codable {
  /// What came of a gate.
  package enum State: String, CaseIterable, Hashable, Sendable, Codable {
    case passed
    case failed
    /// Not part of this campaign; the reason stands in `actual`.
    case skipped
  }

  /// Which condition it is, in the order of the report.
  package enum Name: String, CaseIterable, Hashable, Sendable, Codable {
    /// No finding that is new, came back, or shows only sometimes.
    case findings
    /// Each run is sound: statistics, counters, executions, an end that fits.
    case health
    /// Every module of the library below every program carries counters.
    case instrumented
    /// Executions a second are at least the target's floors.
    case speed
    /// Committed inputs pass.
    case regressions
    /// Planted bugs are found.
    case zoo
    /// Coverage is not below the baseline's.
    case coverage
    /// Nothing that ought to be in the report is missing.
    case complete
  }

  /// Which condition it is.
  package var name: Name
  /// What came of it.
  package var state: State
  /// What was asked for, and what was seen.
  package var threshold: String
  /// What was seen; of a skipped gate, why it was skipped.
  package var actual: String
  /// What failed, one line each.
  package var reasons: [String]

  package init(_ name: Name, _ state: State, threshold: String, actual: String, reasons: [String] = []) {
    self.name = name
    self.state = state
    self.threshold = threshold
    self.actual = actual
    self.reasons = reasons
  }
}
