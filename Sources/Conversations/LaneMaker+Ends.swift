/// How the two sides end the connection.
extension LaneMaker {
  /// Whether anything comes of the connection after the peer's end of its stream.
  private var subjectIsSeenLater: Bool {
    let events = conversation.events
    guard
      let end = events.firstIndex(where: {
        if case .finish = $0.act { $0.side == peerSide } else { false }
      })
    else { return false }
    return events[(end + 1)...].contains { event in
      if case .window = event.act { false } else { true }
    }
  }

  mutating func peerFinishes(_ beat: Beat) {
    guard !peerHasFinished, !peerIsGone else { return }
    peerHasFinished = true
    wait(beat.pause, in: \.peer)
    guard !subjectHasEnded else {
      peer.append("- close")
      peerIsGone = true
      return
    }
    // Who closes sees no more of the other side, and nothing more was seen.
    peer.append(subjectIsSeenLater ? "- finish" : "- close")
    peerIsGone = !subjectIsSeenLater
    if ending == "open" { ending = "peer fin" }
    if isHalfOpen {
      lastRead = "\(prefix)didCloseRead"
      expectations.append("- \(prefix)didCloseRead")
      awaited = "didCloseRead"
    } else {
      subjectHasEnded = true
      awaited = nil
      expectations.append("- \(prefix)didDisconnect: { error: Closed }")
    }
  }

  mutating func subjectFinishes(_ beat: Beat) {
    guard !subjectEndWasSeen, !peerIsGone else { return }
    subjectEndWasSeen = true
    if !subjectHasEnded {
      subjectHasEnded = true
      catchUp()
      wait(beat.pause, in: \.subject)
      subject.append("- disconnectAfterWriting")
      expectations.append("- \(prefix)didDisconnect: { error: none }")
      ending = peerHasFinished ? "peer fin, subject fin" : "subject fin"
    }
    peer.append("- expectEnd: fin")
  }

  mutating func peerResets(_ beat: Beat) {
    guard !peerIsGone else { return }
    peerIsGone = true
    guard !subjectHasEnded else {
      if !peerHasFinished { peer.append("- reset") }
      return
    }
    // A reset takes what the subject has not read yet along.
    if let lastRead { peer.append("- after: \(lastRead)") }
    wait(beat.pause, in: \.peer)
    peer.append("- reset")
    if ending == "open" { ending = "peer rst" }
    subjectHasEnded = true
    awaited = nil
    expectations.append("- \(prefix)didDisconnect: { error: ECONNRESET }")
  }

  mutating func subjectResets(_ beat: Beat) {
    guard !subjectEndWasSeen, !peerIsGone else { return }
    subjectEndWasSeen = true
    if !subjectHasEnded {
      let side = beat.side.rawValue
      remark("The \(side) reset the connection. The library has no call for that: the subject disconnects.")
      subjectHasEnded = true
      catchUp()
      wait(beat.pause, in: \.subject)
      subject.append("- disconnect")
      expectations.append("- \(prefix)didDisconnect: { error: none }")
      ending = peerHasFinished ? "peer fin, subject either" : "subject either"
    }
    peer.append("- expectEnd: either")
  }
}
