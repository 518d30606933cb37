import FuzzHarness

/// A campaign beside an earlier one: what changed, and what can't be said.
package struct CampaignComparison: Hashable, Sendable, Codable {
  /// Of the earlier campaign.
  package var base: String
  package var baseCommit: String?
  package var measures: [MeasureComparison]
  package var findings: FindingComparison
  /// Functions that a replay of the corpus entered before, or enters now.
  package var functions: [FunctionChange]
  /// What keeps the two from being compared like with like.
  package var caveats: [String]

  package var isEmpty: Bool {
    measures.allSatisfy { $0.change == .same } && findings.new.isEmpty && findings.gone.isEmpty && functions.isEmpty
      && caveats.isEmpty
  }
}

/// One measure of one target in one lane.
package struct MeasureComparison: Hashable, Sendable, Codable {
  package enum Measure: String, CaseIterable, Hashable, Sendable, Codable {
    case executionsPerSecond = "exec/s"
    case coverage = "cov"
    case features = "ft"
    case corpusFiles = "corpus"
    /// Covered edges or regions of a replay.
    case replayedCoverage = "covered"
  }

  package enum Change: String, Hashable, Sendable, Codable {
    case same
    /// The trials of one lie beyond all of the other's, five each at least.
    case higher, lower
    /// Different, but not beyond what trials differ by, or with too few of them.
    case unclear
    /// A figure is missing, or the two don't mean the same.
    case incomparable
  }

  package var target: String
  /// nil: of the target as a whole.
  package var lane: FuzzTarget.Lane?
  package var measure: Measure
  /// nil where it was not measured, or must not be set beside the other.
  package var before: Spread?
  package var after: Spread?
  package var change: Change
  /// Why it is unclear or incomparable.
  package var note: String?
}

/// Keys of findings.
package struct FindingComparison: Hashable, Sendable, Codable {
  package var new: [String]
  package var gone: [String]
  package var still: [String]
}

package struct FunctionChange: Hashable, Sendable, Codable {
  package var target: String
  package var path: String
  package var name: String
  /// Entered now and not before; false: the other way round.
  package var isEnteredNow: Bool

  package init(target: String, path: String, name: String, isEnteredNow: Bool) {
    self.target = target
    self.path = path
    self.name = name
    self.isEnteredNow = isEnteredNow
  }
}
