/// What the judge says of one case.
package enum Verdict: String, CaseIterable, Hashable, Sendable, Codable {
  case passed
  /// Tolerated, not wished for.
  case passedNonStrict
  case failed
  /// The subject does not offer what the case needs.
  case unsupported
  /// The host does not offer what the case needs.
  case skipped
  /// The case was not over by its limit.
  case timeout
  /// A call on the subject did not return.
  case hang
  case crash
  /// The subject, a program of its own, broke the protocol between it and the lab.
  case violation
  /// The lab itself was late, so a deviation in time proves nothing.
  case inconclusive
  /// The lab's own fault.
  case error

  /// Whether a run with this verdict counts as "as expected".
  package var isAsExpected: Bool {
    switch self {
    case .passed, .passedNonStrict, .skipped, .unsupported: true
    case .failed, .timeout, .hang, .crash, .violation, .inconclusive, .error: false
    }
  }
}

/// One difference between what was expected and what was seen: the lab's product.
package struct Deviation: Hashable, Sendable, Codable {
  /// What kind of difference it is.
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    case missing, unexpected, wrongContent, wrongOrder, early, late, ending, refusal, check, invariant, peer, hang
    /// Tolerated, but not the form that is on record.
    case disputed
    /// The process that ran the case ended.
    case crash
    /// The subject broke the protocol between it and the lab.
    case violation
    /// Descriptors, threads, memory or processor time that the subject should have given back, or not have spent.
    case resource
  }

  /// What kind of difference it is.
  package var kind: Kind
  /// What the scenario says, in its own words.
  package var expected: String
  /// What happened instead.
  package var actual: String
  /// Where the scenario says it; nil for invariants.
  package var position: SourcePosition?
  /// The requirement or invariant at stake, when one is known.
  package var requirement: String?
  /// Index into the trace of the event that shows it.
  package var traceIndex: Int?

  package init(
    kind: Kind, expected: String, actual: String, position: SourcePosition? = nil, requirement: String? = nil,
    traceIndex: Int? = nil
  ) {
    self.kind = kind
    self.expected = expected
    self.actual = actual
    self.position = position
    self.requirement = requirement
    self.traceIndex = traceIndex
  }
}

/// Our own fault, never the subject's and never the scenario author's.
package struct LabFailure: Error, Hashable, Sendable {
  /// What went wrong, in sentences.
  package var message: String

  package init(_ message: String) { self.message = message }
}
