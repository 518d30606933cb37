/// Why a case that fails does not fail the run: its deviation is on record, with a reason, until a date.
package struct KnownDeviation: Hashable, Sendable, Codable {
  /// Why it is tolerated, as its author wrote it.
  package var reason: String
  /// What the case had to show to be taken for it: `missing, "didRead"`.
  package var evidence: String
  /// The last day on which it counts, `2027-01-31`.
  package var expires: String
  /// The file with the entry.
  package var path: String
  /// Where the entry begins.
  package var position: SourcePosition

  package init(reason: String, evidence: String, expires: String, path: String, position: SourcePosition) {
    self.reason = reason
    self.evidence = evidence
    self.expires = expires
    self.path = path
    self.position = position
  }

  /// `Subjects/mine.deviations.yaml:4:5`
  package var place: String { "\(path):\(position.line):\(position.column)" }
}

/// An entry of the known deviations that a run has shown to be wrong; each fails the run.
package struct DeviationFault: Hashable, Sendable {
  /// What is wrong with the entry; the raw values are those of the reports.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    /// A case that it covers passes.
    case unexpectedPass = "unexpected-pass"
    /// Its last day is over.
    case expired
    /// No case has such an address.
    case unmatched
    /// A case that it covers fails, and shows something else.
    case otherEvidence = "other-evidence"

    /// As people read it.
    package var label: String { rawValue.split(separator: "-").joined(separator: " ") }
  }

  /// What is wrong.
  package var kind: Kind
  /// The file with the entry.
  package var path: String
  /// The part of the entry that is wrong.
  package var position: SourcePosition
  /// What is wrong, in a sentence without its full stop.
  package var message: String
  /// What to do.
  package var help: String

  package init(kind: Kind, path: String, position: SourcePosition, message: String, help: String) {
    self.kind = kind
    self.path = path
    self.position = position
    self.message = message
    self.help = help
  }

  /// `Subjects/mine.deviations.yaml:4:5`
  package var place: String { "\(path):\(position.line):\(position.column)" }
}
