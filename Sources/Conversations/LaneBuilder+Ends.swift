/// How the two sides end the connection.
extension LaneBuilder {
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

  private static let withoutNotify = "# As it was: a FIN without close_notify before it."

  mutating func peerFinishes(_ move: Move) {
    guard !peerHasFinished, !peerIsGone else { return }
    peerHasFinished = true
    let wasTold = peerHasNotified
    // Of a peer that ends in order under TLS, the end of its stream says so first.
    let isTruncated = isSecured && !wasTold && heldNotify == nil
    wait((heldNotify?.pause ?? .zero) + move.pause, in: \.peer)
    heldNotify = nil
    guard !subjectHasEnded else {
      if isTruncated { peer.append(Self.withoutNotify) }
      peer.append(isTruncated ? "- truncate" : "- close")
      peerIsGone = true
      return
    }
    if isTruncated { peer.append(Self.withoutNotify) }
    // A side that closes sees no more of the other one, and nothing more was seen.
    peer.append(isTruncated ? "- truncate" : subjectIsSeenLater ? "- finish" : "- close")
    peerIsGone = !subjectIsSeenLater
    if ending == "open" { ending = "peer fin" }
    guard !wasTold else { return }
    if isTruncated { tellDisconnect("[errSSLClosedNoNotify, errSSLClosedAbort]") } else { tellEndOfStream() }
  }

  /// What the subject sees of the peer's end: it goes on, or it is over.
  mutating func tellEndOfStream() {
    // Any end by the peer has that name.
    guard isHalfOpen else { return tellDisconnect("Closed", because: "the peer has ended its side, in order or not") }
    lastRead = "\(prefix)didCloseRead"
    expectations.append("- \(prefix)didCloseRead")
    awaited = "didCloseRead"
  }

  /// The connection is over for the subject, because of the peer.
  mutating func tellDisconnect(_ error: String, because reason: String? = nil) {
    subjectHasEnded = true
    awaited = nil
    let comment = reason.map { "  # \($0)" } ?? ""
    expectations.append("- \(prefix)didDisconnect: { error: \(error) }\(comment)")
  }

  mutating func subjectFinishes(_ move: Move) {
    guard !subjectEndWasSeen, !peerIsGone else { return }
    subjectEndWasSeen = true
    if !subjectHasEnded {
      subjectHasEnded = true
      catchUp()
      wait(move.pause, in: \.subject)
      subject.append("- disconnectAfterWriting")
      expectations.append("- \(prefix)didDisconnect: { error: none }")
      let end = urgentIsUnread ? "either" : "fin"
      ending = peerHasFinished ? "peer fin, subject \(end)" : "subject \(end)"
      readAgain()
      if isSecured { expectNotify(move) }
    } else {
      readAgain()
      peer.append("# The library ends its side by itself when it has seen the end of this one.")
    }
    if urgentIsUnread { peer.append("# An urgent byte that nobody has read makes a reset of the end.") }
    peer.append("- expectEnd: \(urgentIsUnread ? "either" : "fin")")
  }

  mutating func peerResets(_ move: Move) {
    guard !peerIsGone else { return }
    peerIsGone = true
    guard !subjectHasEnded else {
      if !peerHasFinished { peer.append("- reset") }
      return
    }
    // A reset takes what the subject has not read yet along.
    if let lastRead { peer.append("- after: \(lastRead)") }
    wait(move.pause, in: \.peer)
    peer.append("- reset")
    if ending == "open" { ending = "peer rst" }
    tellDisconnect("ECONNRESET")
  }

  mutating func subjectResets(_ move: Move) {
    guard !subjectEndWasSeen, !peerIsGone else { return }
    subjectEndWasSeen = true
    if !subjectHasEnded {
      let side = move.side.rawValue
      remark("The \(side) reset the connection. The library has no call for that: the subject disconnects.")
      subjectHasEnded = true
      catchUp()
      wait(move.pause, in: \.subject)
      subject.append("- disconnect")
      expectations.append("- \(prefix)didDisconnect: { error: none }")
      ending = peerHasFinished ? "peer fin, subject either" : "subject either"
    }
    readAgain()
    peer.append("- expectEnd: either")
  }
}
