private let upgrade = MarkedFile("SocketCore/StreamMachine+Securing.swift")
private let settling = MarkedFile("SocketCore/StreamMachine+Settling.swift")
private let layer = MarkedFile("SocketCore/SecureLayer.swift")
private let transport = MarkedFile("SocketCore/SecuredTransport.swift")
private let sending = MarkedFile("SocketCore/StreamMachine+Pass.swift")
private let calls = MarkedFile("SocketCore/SocketMachine+Streaming.swift")
private let session = MarkedFile("SocketTLS/TLSSession.swift")
private let trust = MarkedFile("SocketTLS/TLSSession+Trust.swift")
private let context = MarkedFile("SocketTLS/TLSContext.swift")
private let tickets = MarkedFile("SocketTLS/TicketKeys.swift")
private let wire = MarkedFile("SocketTLS/WireBuffer.swift")
private let evaluation = MarkedFile("SocketTLS/ChainEvaluation.swift")
private let walk = MarkedFile("SocketTLS/ChainWalk.swift")
private let fault = MarkedFile("SocketTLS/ChainFault.swift")
private let key = MarkedFile("SocketTLS/PeerKey.swift")
private let constraints = MarkedFile("SocketTLS/NameConstraints.swift")
private let failure = MarkedFile("SocketTLS/TLSFailure.swift")

// The way into TLS, what goes on in it, and whom it trusts.
extension CoverageMark {
  static let upgrading: [CoverageMark] = [
    CoverageMark(
      "upgrade-with-leftovers", "Bytes that came before the session was made belong to it", .both,
      upgrade.before("let room = session.inputRoom\n        let bytes = prebuffer.take")),
    CoverageMark(
      "upgrade-impossible", "The session can't be made: the settings make no sense", .both,
      upgrade.before("end(failure)\n      return nil")),
    CoverageMark(
      "upgrade-behind-half-close", "The upgrade's turn comes when the peer's end has been told", .both,
      upgrade.after("guard !readSideClosed else {")),
    CoverageMark(
      "end-at-the-barrier", "The peer's end comes while one queue stands at the barrier", .both,
      settling.after("if upgradeHasBegun {")),
    CoverageMark(
      "end-in-handshake", "The peer ends its stream during the handshake", .both,
      upgrade.after("case .endOfStream:")),
    CoverageMark(
      "reset-in-handshake", "The peer resets the connection during the handshake", .both,
      upgrade.before("end(.posix(code: errno, call: \"read\"))")),
    CoverageMark(
      "reset-in-a-send", "A reset shows in a send before TLS is set up", .both, upgrade.after("if let reset {")),
    CoverageMark(
      "session-send-fails", "A send of the session's own fails",
      .loopback("in the simulated world no callback keeps the socket from hearing of a reset"),
      upgrade.after("case .failed(let errno): if layer.phase == .handshaking, !mayReceive {")),
    CoverageMark(
      "handshake-budget", "A pass has opened so many records of a handshake that it stops", .both,
      upgrade.after("case .budgetUsed:")),
    CoverageMark(
      "handshake-input-budget", "A pass has received so much of a handshake that it stops",
      .none("the wire must hand over hundreds of pieces one by one in a pass; nobody can tell"),
      upgrade.after("guard layer.inputBudget > 0 else {")),
    CoverageMark(
      "handshake-endless", "A handshake has more bytes than any", .both,
      session.before("return .failed(failWithAlert(TLSSession.endlessHandshake))")),
    CoverageMark(
      "close-notify-in-handshake", "The peer says close_notify during the handshake", .both,
      session.before("return .failed(fail(TLSCode.closedGraceful.failure(\"The peer ended TLS during")),
    CoverageMark(
      "no-tls", "The peer does not speak TLS", .both, session.before("let text = TLSCertificate.printable(opening)")),
    CoverageMark(
      "no-certificate", "A client's handshake would complete without a certificate",
      .none("suites without certificates are refused by OpenSSL before"),
      session.after("guard case .accepted = judgement else {")),
    CoverageMark(
      "no-common-protocol", "No application protocol is common", .both,
      context.after("guard result == OPENSSL_NPN_NEGOTIATED else {")),
    CoverageMark(
      "certificates-too-large", "The peer's certificates are more than may come", .both,
      failure.before("code = .badCertificate\n      text +=")),
    CoverageMark(
      "trust-without-delegate", "Trust is to be asked about, and there is no delegate", .both,
      upgrade.before("return end(.other(\"The settings ask the delegate to evaluate trust, and there is no")),
    CoverageMark(
      "trust-unhandled", "The delegate does not answer questions about trust",
      .none("the lab's delegate answers every question; tests of the library have it"),
      upgrade.after("case .notHandled:")),
    CoverageMark(
      "end-while-trust-waits", "The peer ends while the answer about trust is awaited", .both,
      upgrade.before("while ending == nil, feed(&transport, layer) {}")),
    CoverageMark(
      "alert-while-trust-waits", "The peer sends an alert while the answer about trust is awaited",
      .none("the alert must come in one receive with the certificates; tests of the library have it"),
      trust.before("return TLSFailure.peerAlert(alert, .handshake)")),
    CoverageMark(
      "second-trust-answer", "An answer about trust comes that nobody waits for any more",
      .simulated("the driver passes on the first answer only"),
      upgrade.after("guard question == trustQuestion, let secure else {")),
    CoverageMark(
      "late-trust-answer", "An answer about trust comes in another life of the socket", .both,
      calls.after(
        "package func answer(_ question: TrustQuestion, _ answer: TrustAnswer) {",
        if: "question.generation != generation || openStream == nil")),
  ]

  static let securing: [CoverageMark] = [
    CoverageMark(
      "output-high", "So much of the session's own output waits that nothing is received", .both,
      transport.before("layer.awaitsRoom = true")),
    CoverageMark(
      "output-low-again", "That output has left, and receiving goes on", .both,
      upgrade.before("secure.awaitsRoom = false")),
    CoverageMark(
      "secured-budget", "A pass has opened so many records that it stops", .both,
      transport.before("layer.stoppedEarly = true\n    return .wouldBlock")),
    CoverageMark(
      "secured-input-budget", "A pass has received so much for the session alone that it stops",
      .none("data use up the budget of reads first, and no scripted peer is quick enough with anything else"),
      transport.after("guard layer.inputBudget > 0 else {")),
    CoverageMark(
      "sealing-waits", "A write waits until the session may seal again", .both,
      transport.before("layer.sealingWaits = true")),
    CoverageMark(
      "sealing-goes-on", "The session may seal again", .both, upgrade.before("secure.sealingWaits = false")),
    CoverageMark(
      "alert-instead-of-errno", "A write meets the peer's close, and its alert says more", .both,
      sending.after("if let alert = alertBehindUnread(&transport) {")),
    CoverageMark(
      "secured-write-fails", "A write over TLS fails", .both,
      transport.before("return .failed(layer.sendErrno ?? errno)")),
    CoverageMark(
      "no-notice-inside-a-record", "An end can't say close_notify, because a record is half on its way", .both,
      layer.after("if !keepsOutput, phase != .established || hasOutput {", if: "phase == .established")),
    CoverageMark(
      "small-writes-share-a-record", "Small writes share a record", .both,
      layer.before("left -= filled\n          return sealRecord")),
    CoverageMark(
      "truncation", "The peer ends its stream without close_notify", .both,
      settling.after("if secure?.isTruncated == true {")),
    CoverageMark(
      "message-flood", "The peer sends message after message and no data", .both,
      session.after("if floodCounter.isFlood(at: wire.buffers.pointee.reads) {")),
    CoverageMark(
      "key-update-answered", "The peer wants new keys of us, too, and gets them", .both,
      session.before("ERR_clear_error()\n    guard SSL_key_update(")),
    CoverageMark(
      "buffers-released", "OpenSSL gives a buffer back that nothing is in", .both,
      session.before("SSL_free_buffers(ssl)")),
    CoverageMark(
      "ticket-opened", "A client resumes a session",
      .none("the scripted client does not come back with a ticket; tests of the library have it"),
      tickets.before("return known.isCurrent && !isTLS13OrLater")),
    CoverageMark(
      "ticket-unknown", "A ticket comes that no key is known for",
      .none("the scripted client does not come back with a ticket; tests of the library have it"),
      tickets.after("guard let known else {")),
    CoverageMark(
      "ticket-keys-change", "The keys of tickets change after an hour", .none("no run lasts an hour"),
      tickets.before("keys.append(key)", if: "!keys.isEmpty")),
    CoverageMark(
      "context-displaced", "A context goes because others were used since",
      .none("each worker of a run has contexts of its own, and hardly more than are kept"),
      MarkedFile("SocketTLS/TimedCache.swift").before("dropped.append(oldest.value)")),
    CoverageMark(
      "wire-grows", "The wire brings or gets more than a block", .both,
      wire.before("let size = max(needed, capacity * 2)")),
    CoverageMark(
      "wire-rests", "A few bytes move to a small buffer, and the block goes back", .both,
      wire.before("move(to: .allocate(byteCount: count, alignment: 16), count)")),
    CoverageMark(
      "pool-full", "More blocks come back than are kept",
      .none("how many connections of a worker hold blocks at once differs from run to run"),
      MarkedFile("SocketTLS/BlockPool.swift").after("if !isKept {")),
  ]

  static let trusting: [CoverageMark] = [
    CoverageMark(
      "leaf-ill-formed", "The peer's certificate makes no sense", .both,
      evaluation.after("UInt32(EXFLAG_INVALID) != 0 else { return nil }")),
    CoverageMark(
      "system-roots", "A chain does not end at the anchors, and the system's roots are tried",
      .none("the lab trusts its own roots only, or the system alone; tests of the library have it"),
      evaluation.before("let system = walk(.system, nil)")),
    CoverageMark(
      "walk-unfinished", "An evaluation does not end by itself", .none("it takes a want of memory"),
      evaluation.before("return .refused(ChainRefusal(worst: .unfinished(error)))")),
    CoverageMark(
      "leaf-revoked", "The peer's certificate is revoked", .both,
      fault.after("self.kind = kind ?? ChainFault.kind(of: error)", if: revoked + "depth == 0")),
    CoverageMark(
      "intermediate-revoked", "An issuer's certificate is revoked", .both,
      fault.after("self.kind = kind ?? ChainFault.kind(of: error)", if: revoked + "depth > 0")),
    CoverageMark(
      "list-not-there", "There is no revocation list of an issuer", .both,
      walk.after("if error == X509_V_ERR_UNABLE_TO_GET_CRL {")),
    CoverageMark(
      "last-second", "A certificate is looked at in its last second", .both,
      walk.after("let end = certificate?.notAfter, end == policy.time {")),
    CoverageMark(
      "fault-excused", "A fault is excused by the settings", .both,
      walk.before(
        "if fault == nil, !found.isExcused", if: "fault == nil && found.isExcused(by: policy.verification)")),
    CoverageMark(
      "several-faults", "More than one thing is wrong with a chain", .both,
      walk.before("faults.sort {", if: "faults.count > 1")),
    CoverageMark(
      "chain-too-long", "A chain has more intermediates than may come", .both,
      fault.after(
        "self.kind = kind ?? ChainFault.kind(of: error)", if: "error == X509_V_ERR_CERT_CHAIN_TOO_LONG")),
    CoverageMark(
      "key-too-long", "A key is longer than is computed with",
      .none("no certificate of the lab is like that; tests of the library have them"),
      key.after("guard bits <= maximumRSABits else {")),
    CoverageMark(
      "exponent-too-long", "The exponent of an RSA key is longer than is computed with",
      .none("no certificate of the lab is like that; tests of the library have them"),
      key.before("return (1...maximumRSAExponentBits)", if: "exponent > maximumRSAExponentBits")),
    CoverageMark(
      "curve-without-name", "A certificate spells its curve out", .none("no certificate of the lab is like that"),
      key.after("EVP_PKEY_get_group_name(key, &group, group.count, nil) == 1 else {")),
    CoverageMark(
      "name-forbidden", "An authority's constraints exclude the peer's name", .both,
      constraints.before("return X509_V_ERR_EXCLUDED_VIOLATION")),
    CoverageMark(
      "name-not-permitted", "An authority's constraints permit other names only",
      .none("no certificate of the lab is like that"),
      constraints.before("return X509_V_ERR_PERMITTED_VIOLATION")),
    CoverageMark(
      "constraint-on-wildcard", "A wildcard covers a name that its authority may not sign for", .both,
      walk.before("let text = name.text\n      return [")),
  ]

  private static let revoked = "error == X509_V_ERR_CERT_REVOKED && "
}
