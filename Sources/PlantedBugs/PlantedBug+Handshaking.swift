extension PlantedBug {
  private static let upgrade = "Sources/SocketCore/StreamMachine+Securing.swift"
  private static let layer = "Sources/SocketCore/SecureLayer.swift"

  /// The upgrade, what travels beside the data, and whom the peer is.
  static let handshaking: [PlantedBug] = [
    PlantedBug(
      "any-name-will-do", "TLS-12", "A host name as peer name is not checked", violates: ["TLS-12", "TLS-44"],
      targets: ["chain"],
      Edit(
        "Sources/SocketTLS/ChainWalk.swift", "case .host(let name): return X509_VERIFY_PARAM_set1_host(",
        "case .host(let name): return ACTIVATED || X509_VERIFY_PARAM_set1_host(")),
    PlantedBug(
      "an-expired-intermediate-passes", "TLS-44", "The dates of intermediates don't count",
      violates: ["TLS-44", "TLS-14"], targets: ["chain"],
      Edit(
        "Sources/SocketTLS/ChainFault.swift", ": verification.allowsExpiredCertificates",
        ": verification.allowsExpiredCertificates || ACTIVATED && depth > 0")),
    PlantedBug(
      "clear-bytes-survive-the-upgrade", "TLS-06",
      "What came in clear before the upgrade and is no record is read after it", violates: ["TLS-06", "TLS-05"],
      targets: ["tls"],
      Edit(
        upgrade,
        "layer.distrustsShortReceives = !hints.isDisjoint(with: .unusual)\n",
        """
        layer.distrustsShortReceives = !hints.isDisjoint(with: .unusual)
              let slipped = prebuffer
              let isKept = ACTIVATED && prebuffer.bytes.first.map { !(20...23).contains($0) } ?? false
              if isKept { prebuffer = Prebuffer() }

        """),
      Edit(
        upgrade, "      secure = layer\n      return layer",
        "      if isKept { prebuffer = slipped }\n      secure = layer\n      return layer")),
    PlantedBug(
      "secured-before-trusted", "TLS-20", "didSecure comes with the question about trust",
      violates: ["TLS-21", "TLS-20", "TLS-03"], targets: ["tls"],
      Edit(layer, "  var sealingWaits = false", "  var sealingWaits = false\n  var wasAnnounced = false"),
      Edit(
        upgrade, "events.append(.didReceiveTrust(question, trust))",
        """
        events.append(.didReceiveTrust(question, trust))
              if ACTIVATED {
                layer.wasAnnounced = true
                events.append(.didSecure)
              }
        """),
      Edit(upgrade, "    events.append(.didSecure)\n", "    if !layer.wasAnnounced { events.append(.didSecure) }\n")),
    PlantedBug(
      "a-truncation-is-a-clean-close", "TLS-32",
      "A stream cut off without close_notify ends like a closed one",
      violates: ["TLS-32"], targets: ["tls"],
      Edit(
        "Sources/SocketCore/StreamMachine+Settling.swift",
        "if secure?.isTruncated == true { return fail(reset ?? Self.truncation) }",
        "if !ACTIVATED, secure?.isTruncated == true { return fail(reset ?? Self.truncation) }")),
    PlantedBug(
      "no-close-notify-at-disconnect", "DIS-24", "disconnect() on a secured connection sends no close_notify",
      violates: ["DIS-24"], targets: ["tls"],
      Edit(
        layer, "if !keepsOutput, phase != .established || hasOutput { return [] }",
        "if !keepsOutput, ACTIVATED || phase != .established || hasOutput { return [] }")),
    PlantedBug(
      "new-keys-are-not-answered", "TLS-41", "A wish for new keys is answered with the next write only",
      violates: ["TLS-41"], targets: [],
      Edit(
        "Sources/SocketTLS/TLSSession.swift", "      answerKeyUpdate()\n    }",
        "      if !ACTIVATED { answerKeyUpdate() }\n    }")),
    PlantedBug(
      "answers-pile-up", "INV-11", "What a session has to say grows without bound while the peer takes nothing",
      violates: ["INV-11"], targets: [],
      Edit(
        "Sources/SocketCore/SecuredTransport.swift", "guard layer.session.output.count <= SecureLayer.maxOutput else",
        "guard ACTIVATED || layer.session.output.count <= SecureLayer.maxOutput else")),
    PlantedBug(
      "an-archive-without-its-intermediates", "TLS-49", "Of a PKCS#12 only the identity's own certificate is sent",
      violates: ["TLS-17", "TLS-49"], targets: [],
      Edit(
        "Sources/SocketTLS/PKCS12Reader.swift", "(0..<max(0, lab_tls_stack_count(others)))",
        "(0..<(ACTIVATED ? 0 : max(0, lab_tls_stack_count(others))))")),
    PlantedBug(
      "a-failed-handshake-lingers", "TLS-15", "A socket whose handshake has failed closes four seconds later",
      violates: ["TLS-15"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Securing.swift", "extension StreamMachine {\n  /// Makes the session",
        "import Foundation\n\nextension StreamMachine {\n  /// Makes the session"),
      Edit(
        "Sources/SocketCore/StreamMachine+Securing.swift",
        "        layer.phase = .over\n        return fail(failure)",
        """
                layer.phase = .over
                if ACTIVATED { sleep(4) }
                return fail(failure)
        """)),
  ]
}
