import RunReports
import ScenarioModel

/// A deviation of the subject's that is known and tolerated for a while.
package struct DeviationEntry: Hashable, Sendable {
  /// What a failing case must show to be taken for it, at least one of the two.
  package struct Evidence: Hashable, Sendable {
    /// Of the first deviation; of the end, if the subject came to one.
    package var kind: Deviation.Kind?
    /// Stands in what the case says of itself in one line.
    package var text: String?

    package init(kind: Deviation.Kind? = nil, text: String? = nil) {
      self.kind = kind
      self.text = text
    }

    /// Whether the case shows it. A subject that is gone, hangs or breaks the protocol is excused only where that very
    /// thing is known of it, whatever else the case shows; a fault of the lab's is none of the subject's.
    package func fits(_ result: CaseResult) -> Bool {
      switch result.verdict {
      case .crash: guard kind == .crash else { return false }
      case .hang: guard kind == .hang else { return false }
      case .violation: guard kind == .violation else { return false }
      case .error: return false
      case .passed, .passedNonStrict, .failed, .unsupported, .skipped, .timeout, .inconclusive:
        if let kind, result.deviations.first?.kind != kind { return false }
      }
      return text.map { CaseSummary.headline(result).contains($0) } ?? true
    }

    /// `missing, "didRead"`
    package var words: String {
      [kind?.rawValue, text.map { "\"\($0)\"" }].compactMap { $0 }.joined(separator: ", ")
    }
  }

  /// The cases that are to fail: every one of them.
  package var pattern: CasePattern
  /// The class that deviates.
  package var subject: SubjectKind
  /// Why it is tolerated.
  package var reason: String
  /// What the cases must show, one of these.
  package var evidence: [Evidence]
  /// The page or the line of the subject's source that shows it.
  package var link: String?
  /// Whether a case may pass all the same: what it shows depends on who is faster.
  package var isIntermittent = false
  /// The last day on which it counts.
  package var expires: CalendarDate
  /// Where the entry, its pattern, its evidence and its last day stand.
  package var position, patternPosition, evidencePosition, expiryPosition: SourcePosition

  /// `missing, "didRead"; or peer`
  var evidenceWords: String { evidence.map(\.words).joined(separator: "; or ") }

  /// Whether the case shows what it must.
  func isShown(by result: CaseResult) -> Bool { evidence.contains { $0.fits(result) } }

  /// Whether the case is to fail. A canary is no case of the subject's.
  func covers(_ result: CaseResult) -> Bool {
    !result.canary && result.variant.subject == subject
      && pattern.covers(scenario: result.scenario, variant: result.variant.name, world: result.world)
  }
}
