extension PlantedBug {
  static let ordering: [PlantedBug] = [
    PlantedBug(
      "what-was-put-off-is-dropped-by-the-end", "DIS-23", "A plain disconnect drops writes that nobody has tried yet",
      violates: ["DIS-23"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/DescriptorDriver.swift", "guard engine.owesExchange, let stream else { return }",
        "guard !ACTIVATED, engine.owesExchange, let stream else { return }")),
    PlantedBug(
      "a-new-child-has-no-last-words", "DIS-23", "What an accepted child writes before it comes to life is dropped",
      violates: ["DIS-23"], targets: [],
      Edit(
        "Sources/SocketCore/SocketEngine+Calls.swift",
        "    machine.exchangeBeforeEnd(&transport, receives: owesPass, now: now)",
        "    if !ACTIVATED || !isInactive { machine.exchangeBeforeEnd(&transport, receives: owesPass, now: now) }")),
    PlantedBug(
      "the-simulated-driver-drops-what-waits", "DIS-23", "In the simulated world an end drops what waits for its queue",
      violates: ["DIS-23"], targets: [],
      Edit(
        "Sources/Simulation/SimulatedCase+Hosting.swift",
        "    subject.engine.exchangeBeforeEnd(&transport, now: now)",
        "    if !ACTIVATED { subject.engine.exchangeBeforeEnd(&transport, now: now) }")),
    PlantedBug(
      "a-read-that-was-put-off-is-dropped-by-the-end", "INV-17",
      "A plain disconnect drops a read that the callback has queued before, though its bytes are there",
      violates: ["INV-17"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Pass.swift", "    if receives { receivePass(",
        "    if receives, !ACTIVATED { receivePass(")),
    PlantedBug(
      "an-enforced-timeout-does-not-exchange", "INV-17",
      "What a callback queues before it lets a timeout be enforced is dropped", violates: ["INV-17", "DIS-23"],
      targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/SocketDriver+Entering.swift",
        "      if engine.enforcesTimeout(answer) { exchangeBeforeEnd() }",
        "      if engine.enforcesTimeout(answer), !ACTIVATED { exchangeBeforeEnd() }")),
    PlantedBug(
      "room-that-was-not-told-does-not-count", "INV-17",
      "A write times out although there is room, if a late loop has not told of it", violates: ["INV-17"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Pass.swift", "    if mayHaveMissedRoom(at: now) { maySend = true }",
        "    if mayHaveMissedRoom(at: now), !ACTIVATED { maySend = true }")),
    PlantedBug(
      "a-start-fails-within-its-call", "LIFE-02",
      "A start that the kernel refuses at once has ended when its call returns success",
      violates: ["LIFE-02", "LIFE-03"],
      targets: [],
      Edit(
        "Sources/SocketCore/SocketEngine+Calls.swift",
        "    guard case .call = entry, !machine.configuration.announcesEnds else {",
        "    guard case .call = entry, !machine.configuration.announcesEnds, !ACTIVATED else {")),
    PlantedBug(
      "a-useless-address-ends-the-start-in-its-call", "LIFE-02",
      "A start with an address that can't be used has ended when its call returns success", violates: ["LIFE-02"],
      targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Connecting.swift",
        "    if !configuration.announcesEnds, case .failure",
        "    if !configuration.announcesEnds, !ACTIVATED, case .failure")),
    PlantedBug(
      "the-upgrade-waits-behind-a-hopeless-read", "TLS-09",
      "Behind a read of a half-closed connection that can never complete startTLS waits for ever",
      violates: ["TLS-09", "HALF-12"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Settling.swift",
        "      if secure == nil, upgradeHasBegun { return endBeforeSecured() }",
        "      if secure == nil, upgradeHasBegun, !ACTIVATED { return endBeforeSecured() }")),
    PlantedBug(
      "a-lookup-uses-the-settings-of-its-answer", "CFG-03",
      "Settings that are changed during a lookup concern the start under way", violates: ["CFG-03"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Connecting.swift", "    let configuration = resolution.configuration\n",
        "    let configuration = ACTIVATED ? self.configuration : resolution.configuration\n")),
    PlantedBug(
      "a-start-is-told-in-the-block-of-an-end", "CON-01",
      "What a start brings about may leave in a block that is on the queue for the end before it", violates: ["CON-01"],
      targets: [],
      Edit(
        "Sources/SocketCore/Mailbox.swift", "    if known.last.map({ $0.nextBlock != nil }) ?? true {",
        "    if ACTIVATED ? known.isEmpty : known.last.map({ $0.nextBlock != nil }) ?? true {")),
    PlantedBug(
      "a-listener-closes-within-the-call", "DIS-27",
      "On a run loop a graceful disconnect of a listener acts before it has returned", violates: ["DIS-27"],
      targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine.swift",
        "    guard configuration.announcesEnds, case .listening(_, let stream) = phase else { return false }",
        "    guard configuration.announcesEnds, !ACTIVATED, case .listening(_, let stream) = phase else {\n"
          + "      return false\n    }")),
    PlantedBug(
      "a-child-is-connected-at-once", "DIAG-09",
      "An accepted socket on a run loop counts as connected before its didConnect", violates: ["DIAG-09"], targets: [],
      Edit(
        "Sources/SocketCore/RunLoopEngine.swift", "    guard machine.isConnected, isAnnounced else {",
        "    guard machine.isConnected, isAnnounced || ACTIVATED else {")),
    PlantedBug(
      "a-new-delegate-hears-of-the-former-calls", "CFG-09",
      "What waits for a turn on the socket queue when the delegate changes is told to the new one",
      violates: ["CFG-09"],
      targets: [],
      Edit(
        "Sources/SocketCore/SocketEngine+Calls.swift", "guard inbox.isPassDue, machine.isConnected, !isInactive else",
        "guard inbox.isPassDue, machine.isConnected, !isInactive, !ACTIVATED else")),
    PlantedBug(
      "a-change-of-the-queue-keeps-no-order", "CFG-09",
      "What waits for a turn when the delegate queue changes is told on the new one", violates: ["CFG-09"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket+Configuration.swift",
        "    lookInOrder(changesTarget: true) {\n      guard queue",
        "    lookInOrder(changesTarget: !ACTIVATED) {\n      guard queue")),
    PlantedBug(
      "a-later-disconnect-puts-off-a-due-one", "DIS-12",
      "A graceful disconnect that waits for nothing waits for what the next one names", violates: ["DIS-12"],
      targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine.swift", "    guard !pendingCloseIsDue else { return }\n",
        "    guard ACTIVATED || !pendingCloseIsDue else { return }\n")),
    PlantedBug(
      "a-failed-write-hides-a-read-of-its-callback", "WR-10",
      "A write that fails ends the connection before its callback can read what has arrived", violates: ["RDQ-08"],
      targets: [],
      Edit(
        "Sources/SocketCore/ClosingGrace.swift", "var holdsFailures: Bool { writer == .callback }",
        "var holdsFailures: Bool { writer == .callback && !ACTIVATED }")),
    PlantedBug(
      "one-more-write-hides-a-read-of-its-callback", "WR-10",
      "The write after one that has failed ends the connection before its callback can read what has arrived",
      violates: ["RDQ-08"], targets: [],
      Edit(
        "Sources/SocketCore/SocketEngine+Calls.swift", "guard !machine.hasFailedSend, closingGrace",
        "guard ACTIVATED || !machine.hasFailedSend, closingGrace")),
    PlantedBug(
      "a-failed-write-hides-what-nobody-has-told-of", "WR-10",
      "A write that fails ends the connection before bytes are read that came since the last look",
      violates: ["RDQ-08"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Pass.swift",
        "      receiveAnew(&transport, now: now)\n      if ending == nil { settleFailedSend",
        "      if !ACTIVATED { receiveAnew(&transport, now: now) }\n      if ending == nil { settleFailedSend")),
    PlantedBug(
      "what-comes-before-a-write-is-sent-ends-its-grace", "DIS-05",
      "didConnect and didSecure count as news behind a write that has waited for them", violates: ["DIS-05"],
      targets: [],
      Edit(
        "Sources/SocketCore/ClosingGrace.swift", "if writer == .otherThread, isWritten, !holds",
        "if writer == .otherThread, isWritten || ACTIVATED, !holds")),
    PlantedBug(
      "a-move-inside-will-disconnect-loses-the-read", "RL-07",
      "A read behind a move to another run loop, both inside willDisconnect, is dropped", violates: ["RL-07"],
      targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Calls.swift", "isInCallback: $0 || isInCallback)",
        "isInCallback: $0 || isInCallback && !ACTIVATED)")),
  ]
}
