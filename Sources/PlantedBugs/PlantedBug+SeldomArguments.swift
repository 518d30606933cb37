// Bugs in arguments and settings that few programs give.
extension PlantedBug {
  private static let socketMachineStarting = "Sources/SocketCore/SocketMachine+Starting.swift"
  private static let connectRace = "Sources/SocketCore/ConnectRace.swift"
  private static let interfaceSpec = "Sources/SocketCore/InterfaceSpec.swift"
  private static let gcdAsyncSocket = "Sources/CocoaAsyncSocket/GCDAsyncSocket.swift"
  private static let tlsSettings = "Sources/CocoaAsyncSocket/TLSSettings.swift"
  private static let streamMachinePass = "Sources/SocketCore/StreamMachine+Pass.swift"
  private static let socketMachineStreaming = "Sources/SocketCore/SocketMachine+Streaming.swift"
  private static let streamMachineSettling = "Sources/SocketCore/StreamMachine+Settling.swift"
  private static let tlsStrength = "Sources/SocketTLS/TLSStrength.swift"
  private static let openSocket = "Sources/CocoaAsyncSocket/OpenSocket.swift"

  static let seldomArguments: [PlantedBug] = [
    PlantedBug(
      "an-addresss-interface-is-not-heeded", "ACC-09",
      "What stands behind the percent sign of a link-local address is not looked at", violates: ["ACC-09", "CON-24"],
      targets: [],
      Edit(
        interfaceSpec, "    guard let zone else { return true }", "    guard let zone, !ACTIVATED else { return true }")
    ),
    PlantedBug(
      "the-second-of-two-settings-wins", "TLS-19",
      "A name for what clients must show replaces a number that says something else", violates: ["TLS-19"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/TLSSettings+Dictionary.swift", "      guard wanted ?? named == named else {",
        "      guard ACTIVATED || wanted ?? named == named else {")),
    PlantedBug(
      "no-timeout-to-an-address", "classic", "A connect to a raw address has no timeout",
      violates: ["CON-08"], targets: [],
      Edit(
        socketMachineStarting,
        ", stream, deadline: now.after(seconds: timeout), now: now)",
        ", stream, deadline: ACTIVATED ? nil : now.after(seconds: timeout), now: now)")),
    PlantedBug(
      "an-interface-of-the-other-family", "classic",
      "A raw address is connected to past an interface that lacks its family",
      violates: ["ERR-08", "CON-28"], targets: [],
      Edit(
        socketMachineStarting,
        "if let local, local[remote.family] == nil {",
        "if !ACTIVATED, let local, local[remote.family] == nil {")),
    PlantedBug(
      "the-alternate-has-the-first-ones-local-address", "classic",
      "By way of an interface the other family is tried with the local address of the first",
      violates: ["CON-24", "CON-18"], targets: [],
      Edit(
        connectRace,
        "local: entrant.local)]",
        "local: ACTIVATED ? entrants[0].local : entrant.local)]")),
    PlantedBug(
      "no-large-port-behind-an-interface", "classic", "A port above 32767 behind an interface is refused",
      violates: ["ACC-14"], targets: [],
      Edit(
        interfaceSpec,
        "let number = UInt16(text) else { return nil }",
        """
        let number = UInt16(text),
              !ACTIVATED || number < 32_768
            else { return nil }
        """)),
    PlantedBug(
      "no-port-behind-brackets", "classic", "A port behind an IPv6 address in brackets does not count",
      violates: ["ACC-14", "ACC-15"], targets: [],
      Edit(
        interfaceSpec,
        "      return suffix(rest.dropFirst(), name: name, port: port)",
        "      return ACTIVATED ? (name, port) : suffix(rest.dropFirst(), name: name, port: port)")),
    PlantedBug(
      "no-local-port-over-ipv6", "classic", "A port in the interface argument fixes no local port over IPv6",
      violates: ["CON-26"], targets: [],
      Edit(
        interfaceSpec,
        "ipv6: own.first { $0.address.family == .ipv6 }?.address.with(port: port))",
        "ipv6: own.first { $0.address.family == .ipv6 }?.address.with(port: ACTIVATED ? 0 : port))")),
    PlantedBug(
      "a-url-before-the-connection", "classic", "A socket that still connects to a path has its URL already",
      violates: ["DIAG-14"], targets: [],
      Edit(
        gcdAsyncSocket,
        "var connectedUrl: URL? {\n",
        "var connectedUrl: URL? {\n    ACTIVATED ? driver.look { driver.connectedPath }"
          + ".map { URL(fileURLWithPath: $0) } :\n")),
    PlantedBug(
      "a-path-needs-a-family-to-connect", "classic", "With both families disabled no path is connected to",
      violates: ["CON-34"], targets: [],
      Edit(
        socketMachineStarting,
        """
            try checkStart(context, needsFamily: false)
            let stream = begin()
        """,
        """
            try checkStart(context, needsFamily: ACTIVATED)
            let stream = begin()
        """)),
    PlantedBug(
      "a-path-needs-a-family-to-listen", "classic", "With both families disabled no path is listened on",
      violates: ["ACC-34"], targets: [],
      Edit(
        socketMachineStarting,
        """
            try checkStart(context, needsFamily: false)
          }
        """,
        """
            try checkStart(context, needsFamily: ACTIVATED)
          }
        """)),
    PlantedBug(
      "a-level-counts-more-than-a-version", "classic",
      "The security level replaces the lowest and highest version that are set beside it",
      violates: ["TLS-39"], targets: [],
      Edit(
        tlsSettings,
        "    settings.maximumVersion = try maximumVersion?.engineVersion()",
        """
            settings.maximumVersion = try maximumVersion?.engineVersion()
            if ACTIVATED, let level { try settings.apply(try TLSLevel(named: level)) }
        """)),
    PlantedBug(
      "a-write-behind-starttls-has-its-clock-run", "classic",
      "The timeout of a write behind startTLS starts with the handshake",
      violates: ["TMO-02"], targets: [],
      Edit(
        streamMachinePass,
        "    if ending == nil { sendPass(&transport, now: now) }",
        """
            if ACTIVATED, case .upgrade? = writes.first, writes.count > 1,
              case .request(var next) = writes[writes.startIndex + 1], next.clock == nil
            {
              next.clock = OperationClock(timeout: next.request.timeout, startedAt: now)
              writes[writes.startIndex + 1] = .request(next)
            }
            if ending == nil { sendPass(&transport, now: now) }
        """)),
    PlantedBug(
      "a-second-partial-is-put-at-the-beginning", "classic",
      "The second part of a line lands at the beginning of the caller's buffer",
      violates: ["RD-BUF-02", "RDQ-10"], targets: [],
      Edit(
        streamMachinePass,
        "offset: operation.reported,",
        "offset: ACTIVATED && operation.block == nil ? 0 : operation.reported,")),
    PlantedBug(
      "progress-before-the-connection", "classic", "A read that waits for the connection has progress",
      violates: ["DIAG-11"], targets: [],
      Edit(
        socketMachineStreaming,
        """
          package var readProgress: Progress? {

        """,
        """
          package var readProgress: Progress? {
            if ACTIVATED, openStream == nil, case .request(let operation)? = stream?.reads.first {
              return Progress(tag: operation.request.tag, done: 0, total: 0)
            }

        """)),
    PlantedBug(
      "a-question-about-a-write-cuts-its-tag", "classic", "The question about a write has the lower 32 bits of its tag",
      violates: ["TMO-05", "RDQ-04"], targets: [],
      Edit(
        streamMachineSettling,
        ".shouldTimeoutWrite(question, tag: operation.request.tag,",
        """
        .shouldTimeoutWrite(
                  question,
                  tag: ACTIVATED ? Int(Int32(truncatingIfNeeded: operation.request.tag)) : operation.request.tag,
        """)),
    PlantedBug(
      "costly-groups-are-computed-with", "classic",
      "A peer chooses finite-field Diffie-Hellman of 8192 bits, which takes a tenth of a second",
      violates: ["THR-04"], targets: [],
      Edit(
        tlsStrength,
        "costlyGroups.contains(object)",
        "!ACTIVATED && costlyGroups.contains(object)")),
    PlantedBug(
      "close-lingers", "classic", "Closing waits as long as SO_LINGER says, and all other sockets with it",
      violates: ["THR-04"], targets: [],
      Edit(
        openSocket,
        "    SocketCall.forgetLingerTime(number)",
        "    if !ACTIVATED { SocketCall.forgetLingerTime(number) }")),
  ]
}
