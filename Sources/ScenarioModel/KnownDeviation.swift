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
package struct DeviationFault: Hashable, Sendable, Codable {
  /// What is wrong with the entry; the raw values are those of the reports.
  package enum Kind: String, CaseIterable, Hashable, Sendable, Codable {
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
  /// The cases that show it, sorted; empty: none does, and that is what is wrong.
  package var cases: [String]
  /// What one such case does, or, without any, the whole message: `passes`.
  package var says: String
  /// What several do: `pass`.
  package var saysOfMany: String
  /// What to do.
  package var help: String

  package init(
    kind: Kind, path: String, position: SourcePosition, cases: [String] = [], says: String, saysOfMany: String = "",
    help: String
  ) {
    self.kind = kind
    self.path = path
    self.position = position
    self.cases = cases
    self.says = says
    self.saysOfMany = saysOfMany
    self.help = help
  }

  /// What is wrong, in a sentence without its full stop.
  package var message: String {
    switch cases.count {
    case 0: says
    case 1: "\(cases[0]) \(says)"
    default: "\(cases[0]) and \(QuantityText.count(cases.count - 1, "more case")) \(saysOfMany)"
    }
  }

  /// The faults that several parts of one run found, as the whole run would have found them: once for each entry and
  /// kind, in the order of the file.
  package static func merged(_ parts: [[DeviationFault]]) -> [DeviationFault] {
    struct Key: Hashable {
      var kind: Kind
      var path: String
      var position: SourcePosition
    }
    var merged: [Key: DeviationFault] = [:]
    for fault in parts.joined() {
      let key = Key(kind: fault.kind, path: fault.path, position: fault.position)
      guard var whole = merged[key] else {
        merged[key] = fault
        continue
      }
      // What is said of them is what the first case shows.
      if let first = fault.cases.first, first < whole.cases.first ?? first {
        (whole.says, whole.saysOfMany) = (fault.says, fault.saysOfMany)
      }
      whole.cases = Set(whole.cases + fault.cases).sorted()
      merged[key] = whole
    }
    return merged.values.sorted {
      ($0.position.line, $0.position.column, $0.kind.rawValue)
        < ($1.position.line, $1.position.column, $1.kind.rawValue)
    }
  }

  /// `Subjects/mine.deviations.yaml:4:5`
  package var place: String { "\(path):\(position.line):\(position.column)" }
}
