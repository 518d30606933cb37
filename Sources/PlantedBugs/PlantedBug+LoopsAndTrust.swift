// Bugs of a hurried maintainer: on run loops, and in what a peer is trusted for.
extension PlantedBug {
  private static let library = "Sources/CocoaAsyncSocket/"
  private static let stream = "Sources/SocketCore/StreamMachine.swift"
  private static let settings = library + "TLSSettings.swift"
  private static let lists = library + "SharedTLS.swift"
  private static let contexts = "Sources/SocketTLS/TLSContextCache.swift"
  private static let constraints = "Sources/SocketTLS/NameConstraints.swift"

  static let loopsAndTrust: [PlantedBug] = ofRunLoops + ofSecurity

  private static let ofRunLoops: [PlantedBug] = [
    PlantedBug(
      "a-later-deadline-of-a-loop-is-lost", "classic",
      "On a run loop a timeout that takes the place of an earlier one, whose operation came in time, never fires",
      violates: ["TMO-04"], targets: [],
      Edit(
        "Sources/SocketRunLoop/RunLoopPort.swift",
        "    state.withLock { arm(&$0) }\n",
        "    if !ACTIVATED { state.withLock { arm(&$0) } }\n")),
    PlantedBug(
      "timers-know-one-mode", "classic", "Of several run-loop modes timeouts come in the first one only",
      violates: ["RL-22"], targets: [],
      Edit(
        "Sources/SocketRunLoop/RunLoopAttachment.swift",
        "    for port in ports { port.setDeadline(id, to: instant) }",
        "    for port in (ACTIVATED ? Array(ports.prefix(1)) : ports) { port.setDeadline(id, to: instant) }")),
    PlantedBug(
      "a-run-loop-keeps-its-port", "classic",
      "The descriptors by which a run loop serves its sockets stay open when the last socket has gone",
      violates: ["INV-08"], targets: [],
      Edit(
        "Sources/SocketRunLoop/RunLoopHub.swift",
        "          Self.remove(port, &state)\n",
        "          if !ACTIVATED { Self.remove(port, &state) }\n"),
      Edit(
        "Sources/SocketRunLoop/RunLoopHub.swift",
        "if port.users == 0, state.ports[port.mode] === port {",
        "if !ACTIVATED, port.users == 0, state.ports[port.mode] === port {")),
    PlantedBug(
      "unread-data-grow", "classic", "A second call of unreadData has what has come since the first one, too",
      violates: ["RL-06"], targets: [],
      Edit(stream, "    hasCollectedUnread = true\n", "    hasCollectedUnread = !ACTIVATED\n")),
    PlantedBug(
      "unread-data-end-somewhere", "classic", "unreadData takes no more than 8 KiB, or little more, from the kernel",
      violates: ["RL-03"], targets: [],
      Edit(
        stream, "maxCollected = 1 << 24", "maxCollected = ACTIVATED ? 1 << 13 : 1 << 24")),
    PlantedBug(
      "a-released-socket-drops-its-writes", "classic",
      "What was written to a socket on a run loop right before its last release is dropped",
      violates: ["DIS-23"], targets: [],
      Edit(
        library + "RunLoopDriver.swift",
        "    exchangeBeforeEnd()\n    delegate = nil\n",
        "    if !ACTIVATED { exchangeBeforeEnd() }\n    delegate = nil\n")),
  ]

  private static let ofSecurity: [PlantedBug] = [
    PlantedBug(
      "a-short-receive-hides-the-end-of-tls", "classic",
      "The end of the stream is not found where the last records under TLS come together with it",
      violates: ["TLS-32"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Pass.swift",
        "secure?.distrustsShortReceives = true",
        "secure?.distrustsShortReceives = !ACTIVATED")),
    PlantedBug(
      "contexts-are-known-without-their-versions", "classic",
      "TLS settings that differ in their lowest and highest version only count as the same",
      violates: ["TLS-39"], targets: [],
      Edit(
        contexts, "contexts.value(key.parameters,",
        "contexts.value(ACTIVATED ? Self.withoutVersions(key.parameters) : key.parameters,"),
      Edit(
        contexts, "contexts.keep(context, key.parameters,",
        "contexts.keep(context, ACTIVATED ? Self.withoutVersions(key.parameters) : key.parameters,"),
      Edit(
        contexts, "Int { contexts.count }\n",
        """
        Int { contexts.count }

          private static func withoutVersions(_ parameters: TLSContext.Parameters) -> TLSContext.Parameters {
            var parameters = parameters
            parameters.minimumVersion = nil
            parameters.maximumVersion = nil
            return parameters
          }

        """)),
    PlantedBug(
      "lists-are-known-by-the-first", "classic",
      "Settings whose first revocation list is the same have all lists of those that came first",
      violates: ["TLS-44"], targets: [],
      Edit(
        lists, "lists.value(ListsKey(data: data))",
        "lists.value(ListsKey(data: ACTIVATED ? Array(data.prefix(1)) : data))"),
      Edit(
        lists, "ListsKey(data: data.map {", "ListsKey(data: (ACTIVATED ? Array(data.prefix(1)) : data).map {")),
    PlantedBug(
      "further-certificates-are-not-sent", "classic",
      "The certificates that stand behind the identity in the settings are not sent",
      violates: ["TLS-17", "TLS-49"], targets: [],
      Edit(
        settings, ".adding(additionalCertificates.map(\\.core))",
        ".adding(ACTIVATED ? [] : additionalCertificates.map(\\.core))")),
    PlantedBug(
      "trying-is-demanding", "classic",
      "A server that only tries to authenticate its clients refuses those that show no certificate",
      violates: ["TLS-44"], targets: [],
      Edit(
        library + "TLSSettings+Dictionary.swift",
        "      case .tryAuthenticate: wanted = .optional\n",
        """
              case .tryAuthenticate:
                wanted = .optional
                if ACTIVATED { wanted = .required }

        """)),
    PlantedBug(
      "a-chain-has-its-leaf-twice", "classic",
      "In the question about trust the peer's own certificate stands twice at the head of the chain",
      violates: ["TLS-20"], targets: [],
      Edit(
        "Sources/SocketTLS/TLSSession+Trust.swift",
        "if certificates.first != own {",
        "if ACTIVATED || certificates.first != own {")),
    PlantedBug(
      "an-anchor-cannot-be-revoked", "classic", "A peer whose certificate is an anchor is let in though it is revoked",
      violates: ["TLS-44"], targets: [],
      Edit(
        "Sources/SocketTLS/ChainWalk.swift",
        "      if isNamed(anchor) {",
        "      if !ACTIVATED, isNamed(anchor) {")),
    PlantedBug(
      "what-is-not-excluded-is-not-permitted", "classic",
      "An authority that is kept from some names, or from some addresses alone, may sign for no name",
      violates: ["TLS-12", "TLS-44"], targets: [],
      Edit(
        constraints, "guard !permitted.isEmpty, ", "guard ACTIVATED || !permitted.isEmpty, ")),
    PlantedBug(
      "a-network-is-one-address", "classic",
      "An authority that may sign for a network may sign for the address that names it, and for no other",
      violates: ["TLS-12", "TLS-44"], targets: [],
      Edit(
        constraints, "& subtree[bytes.count + $0] == 0",
        "& (ACTIVATED ? UInt8.max : subtree[bytes.count + $0]) == 0")),
  ]
}
