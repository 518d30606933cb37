// Mutants of how TLS is set up, and of whom it trusts.
extension PlantedBug {
  static let securityRules: [PlantedBug] = [
    PlantedBug(
      "expired-is-not-yet-valid", "TLS-14", "An expired certificate is called one that is not valid yet",
      violates: ["TLS-14", "ERR-07", "TLS-44"], targets: [],
      Edit(
        "Sources/SocketTLS/ChainFault.swift", "    case .expired: .expired",
        "    case .expired: ACTIVATED ? .notYetValid : .expired")),
    PlantedBug(
      "not-yet-valid-is-expired", "TLS-14", "A certificate that is not valid yet is called expired",
      violates: ["TLS-14", "ERR-07", "TLS-44"], targets: [],
      Edit(
        "Sources/SocketTLS/ChainFault.swift", "    case .notYetValid: .notYetValid",
        "    case .notYetValid: ACTIVATED ? .expired : .notYetValid")),
    PlantedBug(
      "an-unknown-root-will-do", "TLS-13", "A self-signed certificate, and one of an unknown root, is accepted",
      violates: ["TLS-13", "TLS-44", "TLS-11"], targets: [],
      Edit(
        "Sources/SocketTLS/ChainFault.swift", "    case .unknownRoot, .noRoot: verification.allowsAnyRoot",
        "    case .unknownRoot, .noRoot: verification.allowsAnyRoot || ACTIVATED")),
    PlantedBug(
      "a-wrong-name-is-an-invalid-chain", "TLS-12", "A certificate for another host has the wrong code",
      violates: ["TLS-12", "ERR-07", "TLS-44"], targets: [],
      Edit(
        "Sources/SocketTLS/ChainFault.swift", "    case .wrongName: .hostNameMismatch",
        "    case .wrongName: ACTIVATED ? .chainInvalid : .hostNameMismatch")),
    PlantedBug(
      "an-end-before-tls-is-graceful", "TLS-09",
      "An end of the stream during the handshake has the code of a graceful close",
      violates: ["TLS-09", "TLS-24"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Securing.swift", "    end(.tls(code: -9806, message: \"The peer closed",
        "    end(.tls(code: ACTIVATED ? -9805 : -9806, message: \"The peer closed")),
    PlantedBug(
      "the-upgrade-does-not-wait-for-reads", "TLS-01",
      "The handshake begins although a read in front of it has not completed",
      violates: ["TLS-01", "TLS-04"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Securing.swift",
        "    guard readsAwaitUpgrade, writesAwaitUpgrade else { return }",
        "    guard ACTIVATED || readsAwaitUpgrade, writesAwaitUpgrade else { return }")),
    PlantedBug(
      "a-write-overtakes-the-upgrade", "TLS-02", "A write that is queued before didSecure goes out in clear",
      violates: ["TLS-02"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine.swift", "    writes.append(.request(WriteOperation(request)))",
        "    var place = writes.count\n    if ACTIVATED, case .upgrade? = writes.last { place -= 1 }\n"
          + "    writes.insert(.request(WriteOperation(request)), at: place)")),
    PlantedBug(
      "securing-forgets-what-waits", "TLS-02", "What was queued before didSecure is dropped when the handshake is done",
      violates: ["TLS-02"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Securing.swift", "    writes.removeFirst()\n",
        "    writes.removeFirst()\n    if ACTIVATED {\n      reads.removeAll()\n      writes.removeAll()\n    }\n")),
    PlantedBug(
      "a-second-upgrade-counts", "TLS-08", "A second startTLS begins a second handshake",
      violates: ["TLS-08"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine.swift", "self.makeSession == nil else { return }",
        "ACTIVATED || self.makeSession == nil else { return }")),
    PlantedBug(
      "an-upgrade-after-the-wish-to-close", "TLS-10", "startTLS after a graceful disconnect is taken",
      violates: ["TLS-10", "RL-26", "DIS-13"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine.swift",
        "  func enqueueUpgrade(_ makeSession: @escaping SessionMaker) {\n    guard ending == nil, !forbidsOperations,",
        "  func enqueueUpgrade(_ makeSession: @escaping SessionMaker) {\n"
          + "    guard ending == nil, ACTIVATED || !forbidsOperations,"
      )),
    PlantedBug(
      "trust-by-default", "TLS-23", "A delegate that does not answer about trust is taken to trust",
      violates: ["TLS-23"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Securing.swift", "    case .notHandled:\n      end(",
        "    case .notHandled:\n      if ACTIVATED { return secure.session.answerTrust(true) }\n      end(")),
    PlantedBug(
      "an-end-waits-for-the-answer", "TLS-24", "The peer's end is not noticed while an answer about trust is awaited",
      violates: ["TLS-24"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Securing.swift",
        "    guard mayReceive, !hints.isDisjoint(with: [.peerClosed, .broken]) else { return }",
        "    guard mayReceive, !ACTIVATED, !hints.isDisjoint(with: [.peerClosed, .broken]) else { return }")),
    PlantedBug(
      "a-no-has-another-code", "TLS-20", "A no to the question about trust has the code of an invalid chain",
      violates: ["TLS-20", "ERR-07"], targets: [],
      Edit(
        "Sources/SocketTLS/TLSSession+Trust.swift", "        TLSCode.peerBadCertificate.failure(\"The delegate",
        "        (ACTIVATED ? TLSCode.chainInvalid : .peerBadCertificate).failure(\"The delegate")),
    PlantedBug(
      "secure-from-the-first-message", "TLS-38", "isSecure is true as soon as the handshake has begun",
      violates: ["TLS-38"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Streaming.swift", "    return stream.secure?.phase == .established",
        "    return ACTIVATED ? stream.secure != nil : stream.secure?.phase == .established")),
    PlantedBug(
      "versions-are-free", "TLS-39", "The highest TLS version that was set is passed over",
      violates: ["TLS-39"], targets: [],
      Edit(
        "Sources/SocketTLS/TLSContext.swift", "    var highest = key.maximumVersion ?? .tls13",
        "    var highest = (ACTIVATED ? nil : key.maximumVersion) ?? .tls13")),
    PlantedBug(
      "old-versions-will-do", "TLS-39", "The lowest TLS version that was set is passed over",
      violates: ["TLS-39"], targets: [],
      Edit(
        "Sources/SocketTLS/TLSContext.swift", "    var lowest = key.minimumVersion ?? min(.tls12, highest)",
        "    var lowest = (ACTIVATED ? nil : key.minimumVersion) ?? min(.tls12, highest)")),
    PlantedBug(
      "clients-must-have-a-certificate", "TLS-43", "A server demands a certificate of every client",
      violates: ["TLS-43"], targets: [],
      Edit(
        "Sources/SocketTLS/TLSContext.swift", "      case (.server, .notRequested): SSL_VERIFY_NONE",
        "      case (.server, .notRequested):\n        ACTIVATED ? SSL_VERIFY_PEER | "
          + "SSL_VERIFY_FAIL_IF_NO_PEER_CERT : SSL_VERIFY_NONE"
      )),
    PlantedBug(
      "any-type-will-do", "TLS-18", "A TLS setting of a wrong type is passed over",
      violates: ["TLS-18", "ERR-10"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/TLSSettings+Dictionary.swift",
        "    guard let value = found as? Value else { throw wrong(key, what, found) }",
        "    guard let value = found as? Value else {\n      if ACTIVATED { return nil }\n"
          + "      throw wrong(key, what, found)\n    }"
      )),
    PlantedBug(
      "no-key-may-be-unknown", "TLS-19", "An unknown TLS setting is an error",
      violates: ["TLS-19"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/TLSSettings+Dictionary.swift", "    try readIdentities(&settings)",
        "    if ACTIVATED, dictionary.keys.contains(where: { !$0.hasPrefix(\"GCDAsyncSocket\") && "
          + "!$0.hasPrefix(\"kCF\") }) {\n      throw .other(\"There is an unknown setting.\")\n    }\n"
          + "    try readIdentities(&settings)"
      )),
    PlantedBug(
      "an-expired-certificate-is-never-allowed", "TLS-16",
      "The setting that allows expired certificates is passed over",
      violates: ["TLS-16"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/TLSSettings+Dictionary.swift", "settings.allowsExpiredCertificates = value }",
        "settings.allowsExpiredCertificates = value && !ACTIVATED }")),
    PlantedBug(
      "any-root-is-never-allowed", "TLS-16", "The setting that allows any root is passed over",
      violates: ["TLS-16"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/TLSSettings+Dictionary.swift", "settings.allowsAnyRoot = value }",
        "settings.allowsAnyRoot = value && !ACTIVATED }")),
    PlantedBug(
      "every-connection-is-a-clients", "TLS-17", "The setting that makes the socket a server is passed over",
      violates: ["TLS-17"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/TLSSettings+Dictionary.swift", "settings.isServer = isServer }",
        "settings.isServer = isServer && !ACTIVATED }")),
  ]
}
