import ScenarioModel
import ScenarioYAML

/// TLS 1.3: changes of sending keys by either side, once or repeatedly.
///
/// The peer changes its keys, and asks for the same, as it did in the conversation. The library's answers to that are
/// expected; which of its records precede an answer is up to its TLS.
extension LaneBuilder {
  private var keysCanChange: Bool {
    isSecured && !peerHasFinished && !peerHasNotified && !peerIsGone && !subjectHasEnded
  }

  mutating func changeKeys(_ move: Move, requested: Bool, isPeer: Bool) {
    guard keysCanChange else { return }
    guard isPeer else { return expectKeyUpdates(1) }
    peer += changing(move, requested: requested)
    if requested { owedUpdates += 1 }
  }

  /// A change of keys alone, or of the peer's with a turn behind it.
  mutating func repeatKeyChanges(_ times: Int, _ moves: [Move]) {
    guard keysCanChange, case .keyUpdate(let requested) = moves[0].kind else { return }
    guard moves[0].side == peerSide else { return expectKeyUpdates(times) }
    let before = pauses
    var steps = changing(moves[0], requested: requested)
    if requested { owedUpdates += times }
    for move in moves.dropFirst() {
      note(move, move.pieces)
      steps += sending(move.pieces)
      tag += 1
      subject += Self.repeating(times, [Self.reading(move, tag: tag)])
      expectations += didRead(move, tag: tag, times: times)
      let last = "didRead: { tag: \(tag) }, occurrence: \(times)"
      awaited = "{ \(last) }"
      lastRead = "{ \(prefix)\(last) }"
      urgentIsUnread = false
    }
    pauses += (pauses - before) * (times - 1)
    peer += Self.repeating(times, steps)
  }

  private mutating func changing(_ move: Move, requested: Bool) -> [String] {
    var lines: [String] = []
    if move.pause > .zero {
      pauses += move.pause.length
      lines.append(Self.waiting(move.pause))
    }
    return lines + [requested ? "- keyUpdate: { requested: true }" : "- keyUpdate"]
  }

  /// The subject's, as far as the peer has asked for them.
  private mutating func expectKeyUpdates(_ times: Int) {
    let answers = min(times, owedUpdates)
    if answers < times {
      remark(
        "The \(peerSide.other.rawValue) changed its keys at times (key update), for which the library has no call.")
    }
    guard answers > 0 else { return }
    owedUpdates -= answers
    readAgain()
    peer += Self.repeating(answers, ["- expectKeyUpdate"])
  }

  static func repeating(_ times: Int, _ steps: [String]) -> [String] {
    guard times > 1 else { return steps }
    return ["- repeat:", "    times: \(times)", "    steps:"] + steps.map { "      " + $0 }
  }
}
