import ScenarioModel
import ScriptedPeer

extension CaseExecution {
  /// Turns what was seen into the result: deviations, verdict, trace and its hash.
  mutating func conclude(lateness: Duration, processorWait: () -> Duration, into result: inout CaseResult) {
    judge.finish(cutShortAt: halt == nil && !reachedLimit && !isPlayedOut ? now : nil)
    let isCut = if case .fault = halt { true } else { false }
    invariants.finish(isCut: isCut)
    // If one event shows both, a broken invariant is more telling than the scenario's expectation.
    var deviations = invariants.deviations + judge.deviations + findings
    let isCertain = !deviations.isEmpty
    if halt == nil {
      if reachedLimit, !isCertain { deviations += outstandingAtLimit }
      if let deviation = endingDeviation(isAlone: deviations.isEmpty) { deviations.append(deviation) }
      if deviations.isEmpty { deviations = judge.unmetOrigins }
      if deviations.isEmpty { deviations = surplusSteps }
    }
    if case .hang(let what) = halt {
      deviations.append(
        Deviation(
          kind: .hang, expected: "every call returns and the case comes to rest", actual: what,
          traceIndex: trace.isEmpty ? nil : trace.count - 1))
    }
    if case .held(let call, let hold) = halt {
      // In front of what it kept from coming.
      deviations.insert(
        Deviation(
          kind: .missing, expected: "\(call) returns",
          actual: "until \(Wording.duration(now)) this `hold`, the scenario's own, had the thread that the call needs",
          position: hold), at: 0)
    }
    if case .fault(let fault) = halt {
      // What was not seen because the subject is gone says nothing more.
      var deviation = fault.deviation
      deviation.traceIndex = trace.isEmpty ? nil : trace.count - 1
      deviations = deviations.filter { $0.kind != .missing } + [deviation]
    }
    result.deviations = inOrder(deviations)
    result.trace = Trace(events: trace, keyLog: keyLog)
    result.traceHash = TraceDigest.text(of: result.trace, world: result.world)
    result.matches = judge.matches
    decide(lateness: lateness, processorWait, into: &result)
  }

  /// The first cause first; what no event shows comes last.
  private func inOrder(_ deviations: [Deviation]) -> [Deviation] {
    guard deviations.count > 1 else { return deviations }
    return deviations.enumerated().sorted { one, other in
      (one.element.traceIndex ?? .max, one.offset) < (other.element.traceIndex ?? .max, other.offset)
    }.map(\.element)
  }

  private func decide(lateness: Duration, _ processorWait: () -> Duration, into result: inout CaseResult) {
    switch halt {
    case .hang(let what):
      result.verdict = .hang
      result.reason = what
      return
    case .held(let call, let hold):
      // The library is not to blame, and what it would have done is unknown.
      let isWrong = result.deviations.contains { $0.kind != .missing && $0.kind != .late }
      result.verdict = isWrong ? .failed : .timeout
      result.reason = "the `hold` in line \(hold.line) kept \(call) from returning until \(Wording.duration(now))"
      return
    case .unsupported(let what):
      // What the subject had done wrong before stays wrong.
      let isWrong = result.deviations.contains { $0.kind != .missing && $0.kind != .late }
      result.verdict = isWrong ? .failed : .unsupported
      result.reason = what
      return
    case .fault(let fault):
      result.verdict = fault.verdict
      result.reason = fault.text
      return
    case nil: break
    }
    if let place = judge.overwhelmedAt {
      result.verdict = .error
      // They are of the readings that happened to be kept.
      result.deviations = []
      result.reason =
        "its expectations can be read in more than \(Judge.maxStates) ways at once, in line \(place.line): let each "
        + "`oneOf` be of one socket, or say more of each callback"
      return
    }
    let isTimeOnly = result.deviations.allSatisfy { $0.kind == .late || $0.kind == .missing }
    if result.deviations.isEmpty, !reachedLimit {
      result.verdict = judge.isNonStrict ? .passedNonStrict : .passed
      result.forms = judge.forms
      result.deviations = disputes.changes(in: result)
      if !result.deviations.isEmpty { result.verdict = .failed }
    } else if isTimeOnly || beginsWithExpiry(result), let doubt = doubt(lateness: lateness, processorWait) {
      result.verdict = .inconclusive
      result.reason = doubt
    } else if isTimeOnly, reachedLimit {
      result.verdict = .timeout
      result.reason = "not over by its limit of \(Wording.duration(scenario.limit))"
    } else {
      result.verdict = .failed
    }
  }

  /// Why nobody can be held to the clock; nil: nothing speaks against it.
  private func doubt(lateness: Duration, _ processorWait: () -> Duration) -> String? {
    if lateness > tolerance.lateness { return "the lab itself was late by \(Wording.duration(lateness))" }
    let wait = processorWait()
    guard wait > max(tolerance.lateness, now / 4) else { return nil }
    return "the processors were busy: a thread of the case had to wait \(Wording.duration(wait)) for one"
  }

  /// Whether what went wrong first is that the time of an operation was over: a peer of a lab that was late had not yet
  /// sent or taken what would have completed it. An invariant holds however late anybody is.
  private func beginsWithExpiry(_ result: CaseResult) -> Bool {
    guard !result.deviations.contains(where: { $0.kind == .invariant }),
      let first = result.deviations.first(where: { $0.kind != .late && $0.kind != .missing }),
      [.unexpected, .wrongOrder, .wrongContent].contains(first.kind), let index = first.traceIndex,
      case .callback(let delivered) = result.trace.events[index].kind
    else { return false }
    switch delivered.callback {
    case .shouldTimeoutRead, .shouldTimeoutWrite: return first.kind != .wrongContent
    case .didDisconnect(let error?):
      let timeouts: [LibraryErrorCode] = [.readTimeout, .writeTimeout, .connectTimeout]
      return timeouts.contains { ErrorName.library($0).matches(error) }
    default: return false
    }
  }

  /// Steps that the subject took inside callbacks before or more often than their reaction asks for.
  private var surplusSteps: [Deviation] {
    Set(reactions.surplus).sorted().map {
      Deviation(
        kind: .unexpected, expected: "this step inside the callbacks of its reaction, as often as they come",
        actual: "it was taken before or more often", position: $0)
    }
  }

  /// An ending that has merely not come is no evidence of its own when the case went wrong before.
  private func endingDeviation(isAlone: Bool) -> Deviation? {
    guard let wanted = scenario.ending else { return nil }
    switch ending.standing(wanted) {
    case .asExpected: return nil
    case .mayStillCome: guard isAlone else { return nil }
    case .contradicted: break
    }
    return Deviation(
      kind: .ending, expected: wanted.text, actual: "\(ending.story); \(judge.calls.latest)",
      position: scenario.endingPosition)
  }
}
