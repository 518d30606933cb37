/// How a subject in a process of its own came to be of no use for a case. The case ends with it, the run goes on.
package struct SubjectFault: Error, Hashable, Sendable, Codable {
  /// What kind of end it is; each is a verdict.
  package enum Kind: String, Hashable, Sendable, Codable {
    /// The process ended.
    case crash
    /// It does not answer.
    case hang
    /// It broke the protocol between it and the lab.
    case violation
  }

  /// What kind of end it is.
  package var kind: Kind
  /// In words, with the subject's name.
  package var text: String

  package init(kind: Kind, text: String) {
    self.kind = kind
    self.text = text
  }

  /// What becomes of the case.
  package var verdict: Verdict {
    switch kind {
    case .crash: .crash
    case .hang: .hang
    case .violation: .violation
    }
  }

  /// What the case shows.
  package var deviation: Deviation {
    let (kind, expected): (Deviation.Kind, String) =
      switch self.kind {
      case .crash: (.crash, "the subject lives to the end of the case")
      case .hang: (.hang, "every call returns and the case comes to rest")
      case .violation: (.violation, "the subject keeps to the protocol")
      }
    return Deviation(kind: kind, expected: expected, actual: text)
  }
}
