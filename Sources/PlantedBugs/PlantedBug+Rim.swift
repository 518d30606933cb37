// Bugs at the socket's rim: where settings, addresses, queues and run loops reach it from outside.
extension PlantedBug {
  private static let library = "Sources/CocoaAsyncSocket/"
  private static let secure = "Sources/SocketTLS/"
  private static let commands = library + "DescriptorDriver+Commands.swift"
  private static let runLoopCalls = library + "RunLoopDriver+Calls.swift"
  private static let settings = library + "TLSSettings.swift"
  private static let context = secure + "TLSContext.swift"
  private static let peerName = secure + "PeerName.swift"

  static let rim: [PlantedBug] = rimOfConnections + rimOfSecurity

  private static let rimOfConnections: [PlantedBug] = [
    PlantedBug(
      "connecting-sockets-keep-nagle", "classic", "TCP_NODELAY is set on accepted connections only",
      violates: ["CFG-19"], targets: [],
      Edit(
        commands,
        "      applyNoDelay(to: descriptor.rawValue, remote)",
        "      if !ACTIVATED { applyNoDelay(to: descriptor.rawValue, remote) }")),
    PlantedBug(
      "a-path-keeps-its-percents", "classic", "The path of a URL is taken as the URL writes it, with its escapes",
      violates: ["ACC-34", "CON-34"], targets: [],
      Edit(
        library + "UnixListenerFile.swift",
        "    let path = path\n",
        "    let path = ACTIVATED ? path(percentEncoded: true) : path\n")),
    PlantedBug(
      "a-child-has-the-queue-of-now", "classic",
      "An accepted child has the delegate queue that its listener has when it is delivered",
      violates: ["CFG-15"], targets: [],
      Edit(
        library + "SocketDriver+Delivery.swift",
        "    child.driver.isNoDelayEnabled = connection.isNoDelayEnabled\n",
        """
            child.driver.isNoDelayEnabled = connection.isNoDelayEnabled
            if ACTIVATED { child.driver.setDelegateQueue(look { delegateQueue }) }

        """)),
    PlantedBug(
      "a-former-delegate-queue-is-a-stranger", "classic",
      "A disconnect that notifies before it returns does not know the former delegate queue that it is called on",
      violates: ["DIS-03", "DIS-04"], targets: [],
      Edit(
        library + "SocketDriver+Serving.swift",
        "[delegateQueue].compactMap(\\.self) + waiting",
        "[delegateQueue].compactMap(\\.self) + (ACTIVATED ? [] : waiting)")),
    PlantedBug(
      "a-later-delegate-queue-is-a-stranger", "classic",
      "A disconnect that notifies before it returns does not know a delegate queue that was set since it was asked to",
      violates: ["DIS-03"], targets: [],
      Edit(
        library + "GCDAsyncSocket+Configuration.swift",
        "if notifiesDisconnectBeforeReturning { markDelegateQueues() }\n    }\n  }\n\n  func setDelegate(",
        """
        if notifiesDisconnectBeforeReturning, !ACTIVATED { markDelegateQueues() }
            }
          }

          func setDelegate(
        """)),
    PlantedBug(
      "lingering-takes-nothing", "classic",
      "A socket that closes gracefully discards none of what its peer still sends",
      violates: ["DIS-22"], targets: [],
      Edit(
        library + "LingeringClose.swift",
        "let input = Self.drain(socket.number, atMost: state.limit.inputLeft)",
        "let input = ACTIVATED ? Input() : Self.drain(socket.number, atMost: state.limit.inputLeft)")),
    PlantedBug(
      "a-large-write-waits-for-perform", "THR-04",
      "A large write whose bytes have been copied waits for a block of perform, and its callbacks with it",
      violates: ["THR-04"], targets: [],
      Edit(
        library + "SocketDriver+Calls.swift",
        """
              let copy = block.copyToKeep()
              _ = lock.lockUnlessOwned()
        """,
        """
              let copy = block.copyToKeep()
              if ACTIVATED { lock.lock() } else { _ = lock.lockUnlessOwned() }
        """)),
    PlantedBug(
      "tickets-reset-a-connection", "DIS-23",
      "A plain disconnect answers what TLS itself has received, and nobody can read, with a reset",
      violates: ["DIS-23"], targets: [],
      Edit(
        library + "DescriptorDriver+Commands.swift", "      case .secured:\n",
        """
              case .secured where ACTIVATED:
                var left = finalBytes[...]
                _ = LingeringClose.send(&left, on: open.number)
                open.close()
              case .secured:

        """)),
    PlantedBug(
      "a-move-leaves-the-alternate-behind", "classic",
      "The attempt in the other family is not looked at after a move to another run loop",
      violates: ["RL-17"], targets: [],
      Edit(
        runLoopCalls,
        "attempt.index == 0 ? .preferred : .alternate)) }",
        "attempt.index == 0 || ACTIVATED ? .preferred : .alternate)) }")),
    PlantedBug(
      "a-child-cannot-be-moved-in-did-accept", "classic", "moveToRunLoop inside didAccept says yes and moves nothing",
      violates: ["RL-17", "THR-16"], targets: [],
      Edit(
        runLoopCalls,
        "if attachment == nil, engine.isInactive {",
        "if attachment == nil, engine.isInactive, !ACTIVATED {")),
    PlantedBug(
      "a-child-without-a-delegate-is-not-wanted", "classic",
      "An accepted child on a run loop that has no delegate is closed as if willConnect had said no",
      violates: ["CFG-12"], targets: [],
      Edit(
        library + "RunLoopDriver+Delivery.swift",
        "    if isWanted {",
        "    if isWanted, !ACTIVATED || judge != nil {")),
    PlantedBug(
      "link-local-addresses-are-unknown", "classic", "An interface has no link-local addresses",
      violates: ["CON-24"], targets: [],
      Edit(
        "Sources/SocketPOSIX/NetworkInterfaces.swift",
        "guard let address = RawAddress(pointer, length: length) else { continue }",
        """
        guard let address = RawAddress(pointer, length: length),
                !ACTIVATED || Int32(pointer.pointee.sa_family) != AF_INET6 || address.bytes[8] != 0xFE
              else { continue }
        """)),
    PlantedBug(
      "gathered-writes-raise-sigpipe", "classic",
      "Several writes that leave together raise SIGPIPE at a broken connection",
      violates: ["INV-09"], targets: [],
      Edit(
        "Sources/SocketPOSIX/SocketCall+Transfer.swift",
        "sendmsg(fd, &message, sending)",
        "sendmsg(fd, &message, ACTIVATED ? neverBlocking : sending)")),
  ]

  private static let rimOfSecurity: [PlantedBug] = [
    PlantedBug(
      "tls11-as-a-bound-is-tls10", "classic", "TLS 1.1 as the lowest or highest version means TLS 1.0",
      violates: ["TLS-39"], targets: [],
      Edit(settings, "case .tlsProtocol11: .tls11", "case .tlsProtocol11: ACTIVATED ? .tls10 : .tls11")),
    PlantedBug(
      "an-old-highest-version-needs-a-lowest", "classic",
      "A highest version below TLS 1.2 leaves nothing, unless a lowest one is set beside it",
      violates: ["TLS-39"], targets: [],
      Edit(
        context,
        "    if let choice, choice.tls13.isEmpty {",
        """
            if ACTIVATED, key.minimumVersion == nil { lowest = .tls12 }
            if let choice, choice.tls13.isEmpty {
        """)),
    PlantedBug(
      "suites-of-tls13-alone-bring-old-versions-along", "classic",
      "A client that names cipher suites of TLS 1.3 alone speaks TLS 1.2 as well, with suites that nobody named",
      violates: ["TLS-40"], targets: [],
      Edit(
        context,
        "    if let choice, choice.older.isEmpty {",
        "    if !ACTIVATED, let choice, choice.older.isEmpty {")),
    PlantedBug(
      "capitals-escape-a-constraint", "classic", "A peer name in capitals is not held against name constraints",
      violates: ["TLS-44"], targets: [],
      Edit(peerName, "    self = .host(name.lowercased())", "    self = .host(ACTIVATED ? name : name.lowercased())")),
    PlantedBug(
      "the-longest-label-is-too-long", "classic", "A peer name with a label of 63 bytes is refused",
      violates: ["TLS-12"], targets: [],
      Edit(peerName, "label.utf8.count <= 63 else {", "label.utf8.count <= (ACTIVATED ? 62 : 63) else {")),
    PlantedBug(
      "a-warning-while-trust-is-pending-is-fatal", "classic",
      "A warning alert that comes while trust is pending ends the handshake",
      violates: ["TLS-47"], targets: [],
      Edit(
        secure + "TLSSession+Trust.swift",
        "if alert == 0 || bytes[scannedWhileAwaitingTrust + 5] == 2 {",
        "if ACTIVATED || alert == 0 || bytes[scannedWhileAwaitingTrust + 5] == 2 {")),
    PlantedBug(
      "the-hosts-roots-judge-every-fault", "classic",
      "A fault below an anchor of one's own is told as what it is under the host's roots",
      violates: ["TLS-14"], targets: [],
      Edit(
        secure + "ChainEvaluation.swift",
        "    let (outcome, path) = walk(.empty, anchors)",
        """
            let (outcome, path) = walk(.empty, anchors)
            if ACTIVATED, !policy.anchorsOnly, case .faulty = outcome { return walk(.system, nil) }
        """)),
    PlantedBug(
      "an-old-anchor-spoils-the-hosts-roots", "classic",
      "A chain that the host trusts is refused because an anchor beside its roots is not valid any more",
      violates: ["TLS-11"], targets: [],
      Edit(
        secure + "ChainEvaluation.swift",
        "refusal.mayBeAvoided else {", "refusal.mayBeAvoided, !ACTIVATED || refusal.isAboutThePath else {")),
    PlantedBug(
      "a-run-loop-waits-for-an-answer-about-trust", "classic",
      "With manual evaluation of trust a socket on a run loop waits for an answer that nobody can give",
      violates: ["TLS-03"], targets: [],
      Edit(
        runLoopCalls,
        "key != GCDAsyncSocketManuallyEvaluateTrust else { continue }",
        "ACTIVATED || key != GCDAsyncSocketManuallyEvaluateTrust else { continue }")),
    PlantedBug(
      "clients-must-have-the-servers-peer-name", "classic",
      "A server looks for the peer name of its settings in its clients' certificates",
      violates: ["TLS-44"], targets: [],
      Edit(
        secure + "TLSSession.swift",
        "    self.policy = policy\n",
        """
            if ACTIVATED, settings.role == .server, let name = settings.peerName { policy.name = try PeerName(name) }
            self.policy = policy

        """)),
    PlantedBug(
      "any-root-may-be-expired", "classic", "The setting that allows any root allows expired ones as well",
      violates: ["TLS-14"], targets: [],
      Edit(
        settings,
        "settings.verification.allowsExpiredRoots = allowsExpiredRoots",
        "settings.verification.allowsExpiredRoots = allowsExpiredRoots || ACTIVATED && allowsAnyRoot")),
  ]
}
