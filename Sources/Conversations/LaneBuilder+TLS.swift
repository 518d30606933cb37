import ScenarioModel
import ScenarioYAML

/// What the two sides say about TLS, where it was opened.
extension LaneBuilder {
  /// The name that the lab's own certificates are for.
  private static let ownName = "good.example"
  /// Of a server that sends more, only the first ones are written.
  private static let maxTickets = 8

  // MARK: - The handshake

  mutating func shakeHands(_ handshake: Conversation.Handshake, _ move: Move) {
    guard !isSecured, !subjectHasEnded, !peerIsGone else { return }
    isSecured = true
    remark(about: handshake)
    catchUp()
    wait(move.pause, in: isChild ? \.peer : \.subject)
    readAgain()
    peer.append("- tls: { \(peerSettings(handshake).joined(separator: ", ")) }")
    let facts = agreed(handshake)
    if !facts.isEmpty { peer.append("- expectTLS: { \(facts.joined(separator: ", ")) }") }
    let settings = subjectSettings(handshake)
    subject.append(settings.isEmpty ? "- startTLS" : "- startTLS: { \(settings.joined(separator: ", ")) }")
    if takesAnyCertificate(handshake) {
      reactions.append("- { when: didReceiveTrust, do: [trust: true] }")
      expectations.append("- didReceiveTrust")
    }
    expectations.append("- \(prefix)didSecure")
    awaited = "didSecure"
    lastRead = "\(prefix)didSecure"
  }

  private func peerSettings(_ handshake: Conversation.Handshake) -> [String] {
    var settings = ["version: \(handshake.version.rawValue)"]
    if isChild {
      if let name = usedName(handshake) { settings.append("serverName: \(ScenarioWriter.quoted(name))") }
    } else {
      settings.append("certificate: \(ownCertificate(handshake))")
    }
    if let suite = suite(handshake) { settings.append(suite) }
    if !isChild, let group = handshake.retryGroup { settings.append("groups: [\(ScenarioWriter.quoted(group))]") }
    let protocols = isChild ? handshake.offered : handshake.chosen.map { [$0] } ?? []
    if !protocols.isEmpty { settings.append(Self.alpn(protocols)) }
    guard !isChild else { return settings }
    if handshake.asksForCertificate { settings.append("clientCertificate: request") }
    if handshake.version == .tls13 {
      settings.append("tickets: \(min(handshake.tickets, Self.maxTickets))")
    }
    return settings
  }

  private func subjectSettings(_ handshake: Conversation.Handshake) -> [String] {
    var settings: [String] = []
    if isChild {
      settings = ["role: server", "certificate: \(ownCertificate(handshake))"]
    } else if let name = usedName(handshake) {
      settings.append("peerName: \(ScenarioWriter.quoted(name))")
      if takesAnyCertificate(handshake) { settings.append("manualTrust: true") }
    }
    // Suites without forward secrecy, or of blocks, have to be asked for.
    if let suite = suite(handshake), !Self.isUsual(handshake.suite) { settings.append(suite) }
    let protocols = isChild ? handshake.chosen.map { [$0] } ?? [] : handshake.offered
    if !protocols.isEmpty { settings.append(Self.alpn(protocols)) }
    if !isChild, handshake.clientCertificate != nil { settings.append("certificate: client") }
    return settings
  }

  /// What a peer that is the server looks at.
  private func agreed(_ handshake: Conversation.Handshake) -> [String] {
    guard !isChild else { return [] }
    var facts: [String] = []
    if let name = usedName(handshake) { facts.append("sni: \(ScenarioWriter.quoted(name))") }
    if let chosen = handshake.chosen { facts.append("alpn: \(ScenarioWriter.quoted(chosen))") }
    return facts
  }

  /// The lab's certificates are for one name only.
  private func takesAnyCertificate(_ handshake: Conversation.Handshake) -> Bool {
    !isChild && usedName(handshake).map { $0 != Self.ownName } ?? false
  }

  /// nil: the client named no server, or something that is no host name.
  private func usedName(_ handshake: Conversation.Handshake) -> String? {
    guard let name = handshake.serverName, name.utf8.count <= 253 else { return nil }
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    let areNames = labels.allSatisfy { label in
      !label.isEmpty && label.utf8.count <= 63
        && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
    }
    // Digits at the end are an address.
    return areNames && labels.last?.contains(where: \.isLetter) == true ? name : nil
  }

  /// Of the kind that the suite goes with.
  private func ownCertificate(_ handshake: Conversation.Handshake) -> String {
    let isRSA =
      handshake.version == .tls13 ? handshake.serverCertificate?.isRSA ?? false : !handshake.suite.contains("ECDSA")
    return isRSA ? "leaf-rsa" : "leaf"
  }

  /// The setting; nil: the suite is not asked for, because the peer can't play it.
  private func suite(_ handshake: Conversation.Handshake) -> String? {
    let makesAlerts = conversation.events.contains { event in
      if case .alert = event.act { event.side == peerSide } else { false }
    }
    // A server needs parameters for DHE, and both a secret of their own for PSK.
    let known = ["TLS_", "ECDHE-RSA-", "ECDHE-ECDSA-", "AES128-", "AES256-"] + (isChild ? ["DHE-RSA-"] : [])
    guard !makesAlerts, known.contains(where: handshake.suite.hasPrefix) else { return nil }
    return "ciphers: [\(ScenarioWriter.quoted(handshake.suite))]"
  }

  /// Whether the library agrees to the suite without being asked to.
  private static func isUsual(_ suite: String) -> Bool {
    let isSealed = suite.contains("-GCM-") || suite.contains("CHACHA20")
    return suite.hasPrefix("TLS_") || isSealed && (suite.hasPrefix("ECDHE-") || suite.hasPrefix("DHE-"))
  }

  private static func alpn(_ protocols: [String]) -> String {
    "alpn: [\(protocols.map(ScenarioWriter.quoted).joined(separator: ", "))]"
  }

  private mutating func remark(about handshake: Conversation.Handshake) {
    let version = handshake.version == .tls13 ? "TLS 1.3" : "TLS 1.2"
    remark("\(version) with \(handshake.suite), opened: the steps below have what was said inside.")
    let own = "the lab's certificate \(ownCertificate(handshake)) is in its place"
    if let shown = handshake.serverCertificate {
      remark("The server showed the certificate of \(shown.text): \(own).")
    } else {
      remark("The session was resumed, and no certificate shown: here there is a whole handshake, and \(own).")
    }
    if takesAnyCertificate(handshake) {
      remark(
        "\(ownCertificate(handshake)) is for \(Self.ownName), not for the name that the client asked for: "
          + "the subject takes any certificate (manualTrust).")
    } else if let name = handshake.serverName, usedName(handshake) == nil {
      remark("The client asked for the server \(name), which is no name that can be asked for here.")
    }
    if handshake.isRetried {
      let group = handshake.retryGroup ?? "another group"
      remark("The server had the client begin again, with a key of \(group) (HelloRetryRequest).")
    }
    if suite(handshake) == nil { remark("The peer agrees to another cipher suite: it can't play that one here.") }
    if let shown = handshake.clientCertificate {
      let fate = isChild ? "the library's server asks nobody, and the peer shows none" : "the lab's own is in its place"
      remark("The client showed the certificate of \(shown.text): \(fate).")
    } else if handshake.asksForCertificate {
      remark("The server asked for a certificate, and the client had none.")
    }
  }

  // MARK: - After it

  /// Writes the peer's close_notify as a step of its own, because the end of its stream did not follow.
  mutating func tellHeldNotify() {
    guard let move = heldNotify else { return }
    heldNotify = nil
    peerHasNotified = true
    guard !peerHasFinished, !peerIsGone, !subjectHasEnded else { return }
    wait(move.pause, in: \.peer)
    peer.append("- closeNotify")
    if !isHalfOpen, ending == "open" { ending = "subject fin" }
    tellEndOfStream()
  }

  mutating func expectNotify(_ move: Move) {
    if move.kind == .finish {
      remark("The \(move.side.rawValue) ended its stream without close_notify; the subject sends one.")
    }
    peer.append("- expectAlert: close_notify")
  }

  mutating func peerAlerts(_ alert: TLSAlert, _ move: Move) {
    // Behind the subject's end it answers that, and does so by itself.
    guard isSecured, !subjectHasEnded, !peerHasFinished, !peerHasNotified, !peerIsGone else { return }
    wait(move.pause, in: \.peer)
    peer.append("- alert: { level: \(alert.level), description: \(alert.description) }  # \(alert.text)")
    guard alert.level != 1 else { return }
    if ending == "open" {
      let end = conversation.firstEnd
      ending = end?.side == peerSide ? (end?.isReset == true ? "peer rst" : "peer fin") : "subject either"
    }
    // TLS 1.3 gives the level no meaning (RFC 8446, 6).
    tellDisconnect(alert.description == TLSAlert.closeNotify && usesTLS13 ? "Closed" : "SSL")
  }

  private var usesTLS13: Bool {
    conversation.events.contains { event in
      if case .handshake(let handshake) = event.act { handshake.version == .tls13 } else { false }
    }
  }

  mutating func remarkAlert(_ alert: TLSAlert, _ move: Move) {
    remark("The \(move.side.rawValue) sent the \(alert.text), for which the library has no call: it is left out.")
  }
}
