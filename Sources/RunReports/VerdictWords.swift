import ScenarioModel

extension Verdict {
  /// As people read it.
  package var label: String { self == .passedNonStrict ? "passed, non-strict" : rawValue }

  /// One character that tells verdicts apart without colour.
  var glyph: String {
    switch self {
    case .passed: "✓"
    case .passedNonStrict: "≈"
    case .failed: "✕"
    case .unsupported: "∅"
    case .skipped: "–"
    case .timeout: "◷"
    case .hang: "∞"
    case .crash: "✸"
    case .violation: "⌁"
    case .inconclusive: "?"
    case .error: "!"
    }
  }

  /// The order in which reports list verdicts: what needs a look first.
  static let byUrgency: [Verdict] = [
    .crash, .hang, .violation, .failed, .timeout, .error, .inconclusive, .passedNonStrict, .unsupported, .skipped,
    .passed,
  ]

  /// Place in `byUrgency`.
  var urgency: Int { Self.byUrgency.firstIndex(of: self) ?? Self.byUrgency.count }

  /// What the verdict means, in one sentence.
  var meaning: String {
    switch self {
    case .passed: "Everything expected was seen, and nothing else."
    case .passedNonStrict: "Seen was what is tolerated, though not wished for."
    case .failed: "The subject did something else than expected; the deviations say what."
    case .unsupported: "The subject does not offer what the case needs."
    case .skipped: "The host does not offer what the case needs."
    case .timeout: "The case was not over by its limit."
    case .hang: "A call on the subject did not return."
    case .crash: "The subject took the process down."
    case .violation: "The subject broke the protocol between it and the lab."
    case .inconclusive: "The lab itself was late, again and again: a deviation in time proves nothing."
    case .error: "The lab's own fault: neither the subject's nor the scenario author's."
    }
  }
}

extension Deviation.Kind {
  /// As people read it.
  var label: String {
    switch self {
    case .missing: "missing"
    case .unexpected: "unexpected"
    case .wrongContent: "wrong content"
    case .wrongOrder: "wrong order"
    case .early: "too early"
    case .late: "too late"
    case .ending: "wrong ending"
    case .refusal: "wrong answer to a call"
    case .check: "wrong property"
    case .invariant: "broken invariant"
    case .peer: "peer's expectation not met"
    case .hang: "call did not return"
    case .disputed: "disputed behaviour changed"
    case .crash: "process ended"
    case .violation: "broken protocol"
    case .resource: "resources"
    }
  }
}

extension CaseResult {
  /// The verdict, whether it is on record, and for a canary whether it did its duty.
  var verdictText: String {
    guard known == nil else { return "\(verdict.label), a known deviation" }
    guard canary else { return verdict.label }
    return isAsExpected ? "failed, as a canary must" : "canary \(verdict.label)"
  }

  /// The folder part of the scenario id; the whole id when it has none.
  var area: String {
    guard let slash = scenario.lastIndex(of: "/") else { return scenario }
    return String(scenario[..<slash])
  }
}
