import ScenarioModel

/// Rounds that come again and again: a `repeat` of the peer's, and reactions of the subject's.
///
/// ```
/// peer         repeat: expect question, wait, send answer, …
/// subject      write question, read answer (tag 1)
/// reactions    on what was read (tag 1): write the next question, read its answer (tag 2)
///              on what was read (tag 2): the first question again, but for the last time
/// ```
///
/// Reactions cannot wait, so the peer makes the subject's pauses before it answers.
extension LaneBuilder {
  mutating func repeatRounds(_ times: Int, lead: RecordedPause, _ round: [Move]) {
    guard !subjectHasEnded, !peerHasFinished, !peerIsGone else { return }
    catchUp()
    wait(lead, in: \.subject)
    readAgain()
    for move in round { note(move, move.pieces) }
    let steps = peerSteps(of: round, times: times)
    peer += Self.repeating(times, steps)
    // Each read and the write that it leads to, or the write and the read that answers it, have a tag.
    let firstTag = tag + 1
    tag += round.count / 2
    let peerIsFirst = round[0].side == peerSide
    let reads = round.filter { $0.side == peerSide }.enumerated().map { index, move in
      Self.reading(move, tag: firstTag + index)
    }
    let writes = round.filter { $0.side != peerSide }.enumerated().map { index, move in
      writing(move.pieces.flatMap(\.content), tag: firstTag + index)
    }
    subject += peerIsFirst ? [reads[0]] : writes[0] + [reads[0]]
    for index in reads.indices {
      let next = (index + 1) % reads.count
      let isLast = next == 0
      let steps = writes[peerIsFirst ? index : next] + [reads[next]]
      let count = isLast ? times - 1 : times
      reactions += ["- when: { \(prefix)didRead: { tag: \(firstTag + index) } }", "  times: \(count)", "  do:"]
      reactions += steps.map { "    " + $0 }
    }
    let last = "didRead: { tag: \(tag) }, occurrence: \(times)"
    // A read behind the rounds would be in line before those of the reactions.
    subject.append("- after: { \(last) }")
    if peerIsFirst { subject += writes[writes.count - 1] }
    lastRead = "{ \(prefix)\(last) }"
    expectations.append("- anyOrder:")
    var next = (read: firstTag, write: firstTag)
    for move in round {
      if move.side == peerSide {
        expectations += didRead(move, tag: next.read, times: times).map { "    " + $0 }
        next.read += 1
      } else {
        expectations.append("    - \(prefix)didWrite: { tag: \(next.write), times: \(times) }")
        next.write += 1
      }
    }
    urgentIsUnread = false
  }

  private mutating func peerSteps(of round: [Move], times: Int) -> [String] {
    var lines: [String] = []
    var owed = RecordedPause.zero
    func owe(_ piece: Move.Piece) { owed = owed + piece.pause }
    // A pause behind the peer's last words comes before its first ones, of the next round.
    if round[0].side == peerSide { owe(round[round.count - 1].pieces[0]) }
    for move in round {
      guard move.side == peerSide else {
        lines += expecting(move)
        owe(move.pieces[0])
        continue
      }
      if owed > .zero {
        remark("Within rounds, the peer makes the pauses of the \(peerSide.other.rawValue), before it goes on.")
      }
      var pieces = move.pieces
      owe(pieces[0])
      pieces[0].pause = owed
      owed = .zero
      let before = pauses
      lines += sending(pieces)
      pauses += (pauses - before) * (times - 1)
    }
    return lines
  }
}
