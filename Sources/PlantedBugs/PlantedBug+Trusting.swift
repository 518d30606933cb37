extension PlantedBug {
  private static let walk = "Sources/SocketTLS/ChainWalk.swift"

  static let trusting: [PlantedBug] = [
    PlantedBug(
      "a-walk-cut-short-is-trusted", "TLS-13",
      "With a revocation list the evaluation gives up after 32 certificates without one, and calls that trust",
      violates: ["TLS-13", "TLS-44"], targets: ["chain"],
      Edit(walk, "  private var fault: ChainFault?\n", "  private var fault: ChainFault?\n  private var missing = 0\n"),
      Edit(
        walk, "if error == X509_V_ERR_UNABLE_TO_GET_CRL { return fault == nil }",
        """
        if error == X509_V_ERR_UNABLE_TO_GET_CRL {
              missing += 1
              return fault == nil && !(ACTIVATED && missing > 32)
            }
        """),
      Edit(
        walk, "Int32(ChainEvaluation.maximumIntermediates))",
        "Int32(ACTIVATED ? 100 : ChainEvaluation.maximumIntermediates))"),
      Edit(
        walk, "guard walk.policy.revocationLists.isEmpty ||",
        "guard ACTIVATED || walk.policy.revocationLists.isEmpty ||"),
      Edit(
        walk, "guard result == 1, pathWasChecked, leafWasAffirmed,",
        "guard ACTIVATED || result == 1 && pathWasChecked && leafWasAffirmed,")),
    PlantedBug(
      "chains-without-end", "TLS-13", "Any number of intermediates is followed", violates: ["TLS-44"],
      targets: ["chain"],
      Edit(
        "Sources/SocketTLS/ChainEvaluation.swift", "static let maximumIntermediates = 10",
        "static let maximumIntermediates = ACTIVATED ? 100 : 10")),
    PlantedBug(
      "keys-of-any-strength-pass", "TLS-44", "A chain may have keys and signatures that are too weak",
      violates: ["TLS-44"], targets: [],
      Edit(
        walk, "set_auth_level(parameters, ChainEvaluation.securityLevel)",
        "set_auth_level(parameters, ACTIVATED ? 0 : ChainEvaluation.securityLevel)")),
    PlantedBug(
      "only-the-leaf-is-revoked", "TLS-44", "Revocation of an intermediate goes unnoticed", violates: ["TLS-44"],
      targets: ["chain"],
      Edit(
        walk, "UInt(X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL)",
        "UInt(ACTIVATED ? X509_V_FLAG_CRL_CHECK : X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL)")),
    PlantedBug(
      "a-list-that-is-over-is-none", "TLS-44", "A revocation list out of date is passed over", violates: ["TLS-44"],
      targets: ["chain"],
      Edit(
        walk, "if fault == nil, !found.isExcused",
        "if fault == nil, !(ACTIVATED && found.error == X509_V_ERR_CRL_HAS_EXPIRED), !found.isExcused")),
    PlantedBug(
      "a-wildcard-opens-excluded-names", "TLS-12",
      "The name asked for is not held against constraints, only the wildcard that covers it",
      violates: ["TLS-12", "TLS-44"], targets: ["chain"],
      Edit(
        walk, "dateFaults(chain, context) + constraintFaults(chain)",
        "dateFaults(chain, context) + (ACTIVATED ? [] : constraintFaults(chain))")),
    PlantedBug(
      "an-ipv6-name-is-any", "TLS-12", "An IPv6 address as peer name is not checked", violates: ["TLS-12", "TLS-44"],
      targets: ["chain"],
      Edit(
        walk, "return X509_VERIFY_PARAM_set1_ip(",
        "return ACTIVATED && bytes.count == 16 || X509_VERIFY_PARAM_set1_ip(")),
    PlantedBug(
      "stars-inside-labels", "TLS-12", "A wildcard may stand for a part of a label", violates: ["TLS-12", "TLS-44"],
      targets: ["chain"],
      Edit(
        walk, "set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))",
        "set_hostflags(parameters, ACTIVATED ? 0 : UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))"),
      // When a walk has failed, the name is looked at once more, by itself.
      Edit(
        walk, "name.utf8.count, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS), nil)",
        "name.utf8.count, ACTIVATED ? 0 : UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS), nil)")),
    PlantedBug(
      "expired-roots-go-with-the-rest", "TLS-16", "Where expired certificates are allowed, so are expired roots",
      violates: ["TLS-16"], targets: ["chain"],
      Edit(
        "Sources/SocketTLS/ChainFault.swift", "isAboutRoot ? verification.allowsExpiredRoots",
        "isAboutRoot && !ACTIVATED ? verification.allowsExpiredRoots")),
    PlantedBug(
      "servers-pass-for-clients", "TLS-44", "A client may show a certificate that is made for servers only",
      violates: ["TLS-44"], targets: ["chain"],
      Edit(walk, "policy.peerRole == .server ?", "policy.peerRole == .server || ACTIVATED ?")),
    PlantedBug(
      "every-peer-name-must-be-one", "TLS-25", "A text that is no name ends a session in which nothing compares it",
      violates: ["TLS-25"], targets: [],
      Edit(
        "Sources/SocketTLS/TLSSession.swift", "guard settings.manualTrust || !settings.verification.checksChain",
        "guard !ACTIVATED, settings.manualTrust || !settings.verification.checksChain")),
    PlantedBug(
      "a-dropped-handler-is-waited-for", "classic",
      "A socket whose handler of didReceiveTrust was let go of waits for ever",
      violates: ["TLS-24"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/SocketDriver+Delivery.swift", "if !isGiven.withLock({ $0 }) {",
        "if !ACTIVATED, !isGiven.withLock({ $0 }) {")),
    PlantedBug(
      "answers-overtake-one-another", "TLS-22",
      "An answer about trust that is given inside perform overtakes the one that waits for the block",
      violates: ["TLS-22"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/SocketDriver+Delivery.swift", "    if isFirst { deliver(isTrusted) }",
        "    if isFirst || ACTIVATED { deliver(isTrusted) }")),
    PlantedBug(
      "a-hello-lists-any-number-of-names", "classic", "A ClientHello may list as many names as fit into it",
      violates: ["TLS-46"], targets: [],
      Edit(
        "Sources/SocketTLS/HelloBounds.swift", "guard let problem = HelloBounds.problem(ofHelloTo: ssl) else {",
        "guard !ACTIVATED, let problem = HelloBounds.problem(ofHelloTo: ssl) else {")),
    PlantedBug(
      "any-number-of-groups", "classic", "A ClientHello may list as many groups as fit into it",
      violates: ["TLS-46"], targets: [],
      Edit(
        "Sources/SocketTLS/HelloBounds.swift", "groups > 2 + 2 * maximumGroups",
        "groups > 2 + 2 * maximumGroups, !ACTIVATED")),
    PlantedBug(
      "any-number-of-shares", "classic", "A ClientHello may begin as many key exchanges as fit into it",
      violates: ["TLS-46"], targets: [],
      Edit(
        "Sources/SocketTLS/HelloBounds.swift", "count(ofShares: shares) > maximumShares",
        "!ACTIVATED, count(ofShares: shares) > maximumShares")),
    PlantedBug(
      "any-number-of-policies", "TLS-44", "Certificates may have as many policies as fit into them",
      violates: ["TLS-46"], targets: [],
      Edit(
        walk, "bytesOfPolicies(chain) <= Self.maximumPolicyBytes",
        "ACTIVATED || bytesOfPolicies(chain) <= Self.maximumPolicyBytes")),
    PlantedBug(
      "a-misspelt-key-is-ignored", "classic", "A key that begins like those of the TLS settings and is none is ignored",
      violates: ["TLS-19"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/TLSSettings+Dictionary.swift", "if let stranger = strangers.min() {",
        "if !ACTIVATED, let stranger = strangers.min() {")),
    PlantedBug(
      "a-constants-own-name-is-dropped", "classic",
      "A TLS setting by the name of its constant is dropped where the constant has another value",
      violates: ["TLS-19"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/TLSSettings+Dictionary.swift", "      found[key] = value\n",
        "      if !ACTIVATED { found[key] = value }\n")),
    PlantedBug(
      "policies-are-not-looked-at", "TLS-44", "What an authority requires of policies is passed over",
      violates: ["TLS-44"], targets: [],
      Edit(
        walk, "UInt(X509_V_FLAG_POLICY_CHECK)", "UInt(ACTIVATED ? 0 : X509_V_FLAG_POLICY_CHECK)")),
    PlantedBug(
      "a-list-of-a-former-certificate-is-none", "TLS-44",
      "A revocation list that names another certificate of its signer's key is passed over", violates: ["TLS-44"],
      targets: [],
      Edit(
        walk, "if error == X509_V_ERR_UNABLE_TO_GET_CRL, isNamedByItsIssuer(context, depth) {",
        "if !ACTIVATED, error == X509_V_ERR_UNABLE_TO_GET_CRL, isNamedByItsIssuer(context, depth) {")),
    PlantedBug(
      "anybody-signs-a-list-of-a-former-certificate", "TLS-44",
      "Whoever takes the issuer's name can revoke what it has signed", violates: ["TLS-44"], targets: [],
      Edit(
        walk, "X509_CRL_verify($0.handle.crl, key) == 1 }", "(ACTIVATED || X509_CRL_verify($0.handle.crl, key) == 1) }"
      )),
    PlantedBug(
      "a-damaged-list-is-passed-over", "TLS-44", "A block of a PEM whose mark is damaged counts as no revocation list",
      violates: ["TLS-44"], targets: [],
      Edit(
        "Sources/SocketTLS/TLSCertificate.swift", "if isPEM, blocksOfLists(bytes) != lists.count {",
        "if isPEM, !ACTIVATED, blocksOfLists(bytes) != lists.count {")),
    PlantedBug(
      "a-key-that-encrypts-nothing-passes", "TLS-44", "An RSA key whose exponent is 1 signs for anything",
      violates: ["TLS-44"], targets: [],
      Edit(
        "Sources/SocketTLS/PeerKey.swift", "guard exponent != 1 else {", "guard exponent != 1 || ACTIVATED else {")),
    PlantedBug(
      "half-a-flag-is-none", "TLS-18", "A fraction is taken for a flag, and turns a check off", violates: ["TLS-18"],
      targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/TLSSettings+Dictionary.swift", "guard Int64(exactly: number.doubleValue) != nil else",
        "guard ACTIVATED || Int64(exactly: number.doubleValue) != nil else")),
    PlantedBug(
      "no-anchors-are-the-systems", "TLS-13", "A server that was told to trust nobody trusts the system's authorities",
      violates: ["TLS-13"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/TLSSettings.swift", "isServer && hasOwnAnchors",
        "isServer && hasOwnAnchors && !(ACTIVATED && trustAnchors.isEmpty)")),
  ]
}
