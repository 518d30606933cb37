extension PlantedBug {
  private static let connectingFile = "Sources/SocketCore/SocketMachine+Connecting.swift"
  private static let raceFile = "Sources/SocketCore/ConnectRace.swift"
  private static let interfaces = "Sources/SocketCore/InterfaceSpec.swift"
  private static let numeric = "Sources/SocketValues/NumericHost.swift"

  static let connecting: [PlantedBug] = [
    PlantedBug(
      "a-disabled-family-is-used", "UB-01", "A family that is switched off is connected over",
      violates: ["CFG-04", "CON-30"], targets: ["connection"],
      Edit(
        connectingFile, "let allowed = addresses.filter { configuration.allows($0) }",
        "let allowed = addresses.filter { ACTIVATED || configuration.allows($0) }")),
    PlantedBug(
      "a-late-attempt-opens-the-next-life", "UB-03", "An attempt of an earlier start decides the current one",
      violates: ["INV-18", "CON-14"], targets: ["connection"],
      Edit(
        connectingFile,
        "guard attempt.generation == generation, case .connecting(let race, _, _) = phase else { return false }",
        """
        let attempt = ACTIVATED ? AttemptID(generation: generation, index: attempt.index) : attempt
            guard attempt.generation == generation, case .connecting(let race, _, _) = phase else { return false }
        """)),
    PlantedBug(
      "a-late-lookup-starts-the-next-life", "INV-18", "A lookup of an earlier start is taken for the current one's",
      violates: ["INV-18", "CON-15"], targets: ["connection"],
      Edit(
        connectingFile, "guard lookup.generation == generation, case .resolving",
        "guard ACTIVATED || lookup.generation == generation, case .resolving")),
    PlantedBug(
      "connected-without-the-interface", "UB-11", "A family that the interface lacks is connected unbound",
      violates: ["CON-28", "CON-24"], targets: ["connection"],
      Edit(
        connectingFile, "let bound = enabled.filter { local[$0.family] != nil }",
        "let bound = enabled.filter { ACTIVATED || local[$0.family] != nil }")),
    PlantedBug(
      "lost-at-the-first-failure", "CON-19", "The other family is not tried when the preferred one fails",
      violates: ["CON-18", "CON-19"], targets: ["connection"],
      Edit(
        raceFile, "if let waiting = states.firstIndex(of: .waiting) {",
        "if !ACTIVATED, let waiting = states.firstIndex(of: .waiting) {")),
    PlantedBug(
      "the-loser-is-kept", "UB-02", "The attempt that lost the race is not abandoned", violates: ["CON-17", "INV-08"],
      targets: ["connection"],
      Edit(
        connectingFile, "commands += race.running.filter { $0 != attempt }.map { .abandon($0) }",
        "if !ACTIVATED { commands += race.running.filter { $0 != attempt }.map { .abandon($0) } }")),
    PlantedBug(
      "a-full-backlog-is-a-failure", "CON-08", "An attempt that finds no room at a listener ends the connection",
      violates: ["WR-14", "CON-08"], targets: ["connection"],
      Edit(
        connectingFile, "    race.mustRetry(attempt, now: now)",
        """
            if ACTIVATED { return finish(.posix(code: 11, call: "connect")) }
            race.mustRetry(attempt, now: now)
        """)),
    PlantedBug(
      "a-full-backlog-is-asked-once", "CON-08", "An attempt that finds no room at a listener is never begun again",
      violates: ["CON-01", "CON-12"], targets: ["connection"],
      Edit(
        raceFile, "commands.append(.retry(attempt, remote: remote(of: attempt)))",
        "if !ACTIVATED { commands.append(.retry(attempt, remote: remote(of: attempt))) }")),
    PlantedBug(
      "a-lookup-outlives-its-socket", "INV-08", "A lookup that nobody waits for any more is not given up",
      violates: ["LIFE-20"], targets: ["connection"],
      Edit(
        "Sources/SocketCore/SocketMachine.swift", "if resolution.isUnderWay {",
        "if !ACTIVATED, resolution.isUnderWay {")),
    PlantedBug(
      "a-name-with-its-terminator", "CON-03", "A host name is not cut at its first zero", violates: ["CON-03"],
      targets: ["connection"],
      Edit(
        numeric, "guard let zero = utf8.firstIndex(of: 0) else { return self }",
        "guard !ACTIVATED, let zero = utf8.firstIndex(of: 0) else { return self }")),
    PlantedBug(
      "no-pause-without-descriptors", "UB-14", "Accepting spins when descriptors have run out",
      violates: ["ACC-31", "INV-10"], targets: ["connection"],
      Edit(
        "Sources/SocketCore/ListenerMachine.swift",
        "guard !Self.concernsOneClient.contains(errno) else { return .goOn }",
        "guard !ACTIVATED, !Self.concernsOneClient.contains(errno) else { return .goOn }")),
    PlantedBug(
      "an-address-ends-at-its-first-colon", "UB-06", "An IPv6 literal as interface means every interface",
      violates: ["ACC-15", "ACC-09", "ACC-39", "CON-24"], targets: ["address"],
      Edit(interfaces, "guard colons == 1, let colon", "guard ACTIVATED || colons == 1, let colon")),
    PlantedBug(
      "octal-octets", "classic", "A dotted quad with leading zeros is read as decimal", violates: ["CON-06"],
      targets: ["address"],
      Edit(numeric, "part.count == 1 || part.first != 48, let", "ACTIVATED || part.count == 1 || part.first != 48, let")
    ),
    PlantedBug(
      "a-gap-of-nothing", "classic", "An IPv6 literal whose :: stands for no group is accepted", violates: ["CON-06"],
      targets: ["address"],
      Edit(
        numeric, "front.count + back.count <= 14 else", "front.count + back.count <= (ACTIVATED ? 16 : 14) else")),
    PlantedBug(
      "the-last-of-equal-runs", "classic", "Of two equal runs of zeros the second is shortened", violates: ["DIAG-04"],
      targets: ["address"],
      Edit(
        numeric, "if end - start > longest.count {",
        "if ACTIVATED ? end - start >= longest.count && end > start : end - start > longest.count {")),
  ]

  static let accepting: [PlantedBug] = [
    PlantedBug(
      "accepted-with-delay", "D-33", "Accepted connections keep Nagle's algorithm: a body waits for its header's ACK",
      violates: ["CFG-19"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/DescriptorDriver+Accepting.swift", "applyNoDelay(to: open.number, address)",
        "if !ACTIVATED { applyNoDelay(to: open.number, address) }"))
  ]

  static let securing: [PlantedBug] = [
    PlantedBug(
      "a-secret-behind-the-alert", "TLS-15", "What was to be secured follows the alert of a failed handshake in clear",
      violates: ["TLS-15"], targets: ["tls"],
      Edit(
        "Sources/SocketCore/StreamMachine.swift", "    // The last bytes are the end of the layer.\n",
        """
            // The last bytes are the end of the layer.
            var leaked: [UInt8] = []
            if ACTIVATED, let secure, secure.phase != .established {
              for case .request(let operation) in writes { leaked += operation.request.bytes.array }
            }

        """),
      Edit(
        "Sources/SocketCore/StreamMachine.swift", "secure?.finalBytes(keepsOutput: manner == .graceful) ?? [])",
        "(secure?.finalBytes(keepsOutput: manner == .graceful) ?? []) + leaked)")),
    PlantedBug(
      "clear-bytes-behind-the-upgrade", "UB-21", "Bytes that came in clear are delivered as if they had come secured",
      violates: ["TLS-05", "TLS-06"], targets: ["tls"],
      Edit(
        "Sources/SocketCore/StreamMachine+Securing.swift", "while !prebuffer.isEmpty {",
        "while !ACTIVATED, !prebuffer.isEmpty {")),
    PlantedBug(
      "what-came-with-the-handshake-waits", "I#225", "Data that came with the peer's last handshake message is stuck",
      violates: ["INV-17", "TLS-26"], targets: ["tls"],
      Edit(
        "Sources/SocketCore/StreamMachine+Securing.swift",
        """
            layer.inputIsDrained = !mayReceive
            mayReceive = true
        """,
        """
            layer.inputIsDrained = !mayReceive
            if !ACTIVATED { mayReceive = true }
        """)),
    PlantedBug(
      "a-truncation-swallowed", "TLS-32", "The end of the wire without close_notify passes for a clean close",
      violates: ["TLS-32"], targets: ["tls"],
      Edit("Sources/SocketCore/SecureLayer.swift", "isTruncated = true", "isTruncated = !ACTIVATED"),
      Edit("Sources/SocketCore/SecureLayer.swift", "session.inputEnded()", "if !ACTIVATED { session.inputEnded() }")),
    PlantedBug(
      "sealed-is-sent", "I#254", "A secured write is reported when its record was made, not when it was sent",
      violates: ["TLS-30", "INV-06"], targets: ["tls"],
      Edit(
        "Sources/SocketCore/SecureLayer.swift", "while let record = records.first, record.end <= taken {",
        "while let record = records.first, ACTIVATED || record.end <= taken {")),
    PlantedBug(
      "an-errno-instead-of-the-alert", "UB-17", "A write that meets the peer's alert reports a bare errno",
      violates: ["TLS-35", "ERR-14"], targets: ["tls"],
      Edit(
        "Sources/SocketCore/StreamMachine+Pass.swift", "if let alert = alertBehindUnread(&transport) {",
        "if !ACTIVATED, let alert = alertBehindUnread(&transport) {")),
    PlantedBug(
      "the-session-talks-and-the-read-waits", "UB-26", "A receive that gave up for the session's sake is not resumed",
      violates: ["INV-17", "TLS-26"], targets: ["tls"],
      Edit(
        "Sources/SocketCore/StreamMachine+Securing.swift", "guard secure.stoppedEarly else { return }",
        "guard secure.stoppedEarly, !ACTIVATED else { return }")),
    PlantedBug(
      "messages-without-data-are-not-counted", "TLS-41", "A peer that sends new keys or tickets for ever is heard out",
      violates: ["TLS-41", "TLS-47"], targets: [],
      Edit(
        "Sources/SocketTLS/TLSSession.swift", "floodCounter.messages += 1", "floodCounter.messages += ACTIVATED ? 0 : 1"
      )),
    PlantedBug(
      "data-do-not-end-a-flood", "TLS-41", "New keys count as a flood although data came between them",
      violates: ["TLS-41", "TLS-47"], targets: [],
      Edit(
        "Sources/SocketTLS/TLSSession.swift",
        """
                floodCounter = FloodCounter(since: wire.buffers.pointee.reads)
                outcome = .bytes(amount(ssl, result))
        """,
        """
                if !ACTIVATED { floodCounter = FloodCounter(since: wire.buffers.pointee.reads) }
                outcome = .bytes(amount(ssl, result))
        """)),
    PlantedBug(
      "a-flood-ends-in-silence", "TLS-41", "A peer that is thrown out for its flood is not told by an alert",
      violates: ["TLS-41", "TLS-47"], targets: [],
      Edit(
        "Sources/SocketTLS/TLSSession+Floods.swift", "private static let maxTries = 1024",
        "private static let maxTries = ACTIVATED ? 0 : 1024")),
    PlantedBug(
      "a-write-amid-a-ticket-fails", "TLS-41", "A write that meets half a ticket of the peer's breaks the connection",
      violates: ["TLS-41"], targets: [],
      Edit(
        "Sources/SocketTLS/TLSSession.swift", "package var maySeal: Bool { SSL_in_init(ssl) == 0 }",
        "package var maySeal: Bool { ACTIVATED || SSL_in_init(ssl) == 0 }")),
    PlantedBug(
      "close-notify-amid-a-ticket-is-an-end", "TLS-46",
      "A peer that says close_notify in the midst of a message is heard, and nothing can be sent to it any more",
      violates: ["TLS-46"], targets: [],
      Edit(
        "Sources/SocketTLS/TLSSession.swift", "return maySeal ? .closed :",
        "return ACTIVATED || maySeal ? .closed :")),
    PlantedBug(
      "an-endless-pass", "TLS-41", "A pass works through all that a peer has sent while the loop's other sockets wait",
      violates: ["TLS-41"], targets: [],
      equivalence: "The same bytes come of it; only FairnessTests count what a pass does.",
      Edit(
        "Sources/SocketCore/SecureLayer.swift", "session.recordBudget = Self.recordsPerPass",
        "session.recordBudget = ACTIVATED ? .max : Self.recordsPerPass")),
    PlantedBug(
      "an-endless-pass-is-not-resumed", "UB-26", "A handshake or a receive that used up its budget is not gone on with",
      violates: ["INV-17", "TLS-26"], targets: [],
      Edit(
        "Sources/SocketCore/SecuredTransport.swift", "layer.stoppedEarly = true\n    return .wouldBlock",
        "layer.stoppedEarly = !ACTIVATED\n    return .wouldBlock")),
    PlantedBug(
      "an-end-overtakes-its-callbacks", "INV-02", "didDisconnect does not wait for callbacks on another queue",
      violates: ["INV-02", "DIS-04"], targets: ["lifecycle"],
      Edit(
        "Sources/SocketCore/Mailbox.swift", "if first.isTerminal { return older",
        "if !ACTIVATED, first.isTerminal { return older")),
  ]
}
