import FuzzHarness

/// A campaign beside an earlier one: what changed, and what can't be said.
package struct CampaignComparison: Hashable, Sendable, Codable {
  /// Of the earlier campaign.
  package var base: String
  package var baseCommit: String?
  /// In the later campaign's order of targets, and of each by lane; targets of one campaign alone have none.
  package var measures: [MeasureComparison]
  /// What of the findings is new, gone or still there.
  package var findings: FindingComparison
  /// Functions that a replay of the corpus entered before, or enters now.
  package var functions: [FunctionChange]
  /// What keeps the two from being compared like with like.
  package var caveats: [String]

  /// Nothing to say: every measure the same, no finding new or gone, no function, no caveat.
  package var isEmpty: Bool {
    measures.allSatisfy { $0.change == .same } && findings.new.isEmpty && findings.gone.isEmpty && functions.isEmpty
      && caveats.isEmpty
  }
}

/// One measure of one target in one lane.
package struct MeasureComparison: Hashable, Sendable, Codable {
  /// What is measured; the raw values are those of the JSON.
  package enum Measure: String, CaseIterable, Hashable, Sendable, Codable {
    case executionsPerSecond = "exec/s"
    case coverage = "cov"
    case features = "ft"
    case corpusFiles = "corpus"
    /// Covered edges or regions of a replay.
    case replayedCoverage = "covered"
  }

  /// What can be said of the difference of a measure.
  package enum Change: String, Hashable, Sendable, Codable {
    case same
    /// The trials of one lie beyond all of the other's, five each at least.
    case higher, lower
    /// Different, but not beyond what trials differ by, or with too few of them.
    case unclear
    /// A figure is missing, or the two don't mean the same.
    case incomparable
  }

  /// The target's name in the catalogue.
  package var target: String
  /// nil: of the target as a whole.
  package var lane: FuzzTarget.Lane?
  /// What is measured.
  package var measure: Measure
  /// nil where it was not measured, or must not be set beside the other.
  package var before: Spread?
  /// As `before`, of the later campaign.
  package var after: Spread?
  /// What can be said of the difference.
  package var change: Change
  /// Why it is unclear or incomparable.
  package var note: String?
}

/// Keys of findings.
package struct FindingComparison: Hashable, Sendable, Codable {
  /// In the later campaign only, sorted.
  package var new: [String]
  /// In the earlier campaign only, sorted.
  package var gone: [String]
  /// In both, sorted.
  package var still: [String]
}

package struct FunctionChange: Hashable, Sendable, Codable {
  /// The target's name in the catalogue.
  package var target: String
  /// The source file, relative to the checkout.
  package var path: String
  /// The function, demangled.
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
