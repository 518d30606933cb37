import ScenarioModel
import ScriptedPeer

extension CaseExecution {
  /// What the case still waited for when its limit came.
  var outstandingAtLimit: [Deviation] {
    let limit = "the limit of \(Wording.duration(scenario.limit))"
    var found = holdUnderWay(limit).map { [$0] } ?? []
    found += judge.outstandingExpectations.map { $0.deviation(.missing, by: limit) }
    for peer in peers where !peer.isFinished {
      found.append(unfinished(peer.waitingFor, peer.awaitedCallback, position: peer.position, limit))
    }
    for subject in subjects + [network].compactMap(\.self) where !subject.isFinished {
      found.append(unfinished(subject.waitingFor, subject.awaitedCallback, position: subject.position, limit))
    }
    found += reactions.outstanding.map {
      Deviation(
        kind: .missing, expected: "a reaction that has begun takes this step",
        actual: "not seen by \(limit); \(judge.calls.latest)", position: $0)
    }
    if found.isEmpty, isDone, !isSettled {
      found.append(
        Deviation(
          kind: .missing, expected: "nothing happens for \(Wording.duration(scenario.settle)) at the end",
          actual:
            "the last thing that happened\(lastCallback), at \(Wording.duration(lastActivityAt)), was too close to "
            + limit, position: nil))
    }
    guard owesReactions else { return found }
    // That none of its kind came at all is told by what else was waited for.
    let isAlone = found.isEmpty
    return found
      + reactions.owed.lazy.filter { isAlone || alike(to: $0) != nil }.map { owed($0, limit) }
  }

  /// `, didRead { … }`, if a callback was what happened last.
  private var lastCallback: String {
    guard let last = trace.last(where: { $0.at == lastActivityAt }), case .callback(let delivered) = last.kind else {
      return ""
    }
    return ", \(ExpectationText.text(delivered))"
  }

  /// A lane that has not come to its end.
  private func unfinished(
    _ waitingFor: String, _ awaited: SyncPoint?, position: SourcePosition, _ limit: String
  ) -> Deviation {
    var actual = "still so at \(limit)"
    if case .callback(let pattern, let socket, _)? = awaited, let alike = alike(pattern, of: socket) {
      actual = "by \(limit) \(alike.text)"
    }
    return Deviation(kind: .missing, expected: waitingFor, actual: actual, position: position)
  }

  private func owed(_ reaction: Reaction, _ limit: String) -> Deviation {
    let none = "by \(limit) no such callback came that no earlier reaction took"
    let actual =
      switch alike(to: reaction) {
      case nil: "\(none); \(judge.calls.latest)"
      case (0, let text)?: "by \(limit) \(text)"
      case (_, let text)?: "\(none); \(text)"
      }
    return Deviation(kind: .missing, expected: "\(reaction.text) runs", actual: actual, position: reaction.position)
  }

  /// Of copies of a reaction it is the first, which names one of their sockets.
  private func alike(to reaction: Reaction) -> (fitting: Int, text: String)? {
    alike(reaction.pattern, of: reaction.origin == nil ? reaction.socket : nil)
  }

  /// The callbacks of that kind that came: how many fit the pattern, and what the last one was; nil: none came.
  private func alike(_ pattern: CallbackPattern, of socket: String?) -> (fitting: Int, text: String)? {
    var (count, fitting) = (0, 0)
    var last: (delivered: DeliveredCallback, at: Duration, fits: Bool)?
    for event in trace {
      guard case .callback(let delivered) = event.kind, delivered.callback.kind == pattern.kind,
        socket == nil || socket == delivered.socket
      else { continue }
      let fits = pattern.matches(delivered)
      count += 1
      if fits { fitting += 1 }
      last = (delivered, event.at, fits)
    }
    guard let last else { return nil }
    let flaw = last.fits ? "" : ": \(CallbackField.mismatch(pattern, last.delivered))"
    // In numbers only: cases that differ in them alone are told together.
    let text =
      "\(count) \(pattern.kind.rawValue) came, \(fitting) of them fit; the last, at \(Wording.duration(last.at)), was "
      + ExpectationText.text(last.delivered) + flaw
    return (fitting: fitting, text: text)
  }

  /// A reaction's `hold` that is longer than the case.
  private func holdUnderWay(_ limit: String) -> Deviation? {
    guard let hold = reactions.hold, hold.until > now else { return nil }
    return Deviation(
      kind: .missing, expected: "this `hold` of the scenario's own, which keeps a callback from returning, ends",
      actual: "under way since \(Wording.duration(hold.since)), and still so at \(limit)", position: hold.position)
  }
}

extension Reaction {
  fileprivate var text: String {
    var pattern = pattern
    // A copy names the socket that it was made for.
    if origin != nil, pattern.kind == .didAccept { pattern.child = nil }
    return "the reaction to \(ExpectationText.text(pattern, socket: socket ?? "any socket"))"
  }
}
