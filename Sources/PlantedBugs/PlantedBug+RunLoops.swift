// Bugs in the run-loop class: its host, its run loops, and what the core does for it.
extension PlantedBug {
  private static let folder = "Sources/CocoaAsyncSocket/"
  private static let runLoopDriver = folder + "RunLoopDriver.swift"
  private static let runLoopDelivery = folder + "RunLoopDriver+Delivery.swift"
  private static let runLoopEngine = "Sources/SocketCore/RunLoopEngine.swift"
  private static let startQuestion = "Sources/SocketCore/StartQuestion.swift"
  private static let runLoopCalls = folder + "RunLoopDriver+Calls.swift"
  private static let asyncSocket = folder + "AsyncSocket.swift"
  private static let runLoopPort = "Sources/SocketRunLoop/RunLoopPort.swift"
  private static let runLoopErrors = folder + "AsyncSocketError.swift"
  private static let machineFile = "Sources/SocketCore/SocketMachine.swift"
  private static let streamFile = "Sources/SocketCore/StreamMachine.swift"
  private static let engineCalls = "Sources/SocketCore/SocketEngine+Calls.swift"
  private static let settlingFile = "Sources/SocketCore/StreamMachine+Settling.swift"

  static let runLoops: [PlantedBug] = [
    PlantedBug(
      "an-end-is-not-announced", "RL-01", "An end that nobody asked for is told by didDisconnect alone",
      violates: ["RL-01", "DIS-25", "HALF-14", "RD-LEN-07"], targets: ["connection"],
      Edit(
        machineFile, "if configuration.announcesEnds, let reason = ending.reason, isConnected {",
        "if configuration.announcesEnds, !ACTIVATED, let reason = ending.reason, isConnected {")),
    PlantedBug(
      "a-local-end-is-announced", "DIS-25", "A disconnect of one's own is announced by willDisconnect",
      violates: ["DIS-25"], targets: ["connection", "lifecycle"],
      Edit(
        machineFile, "if configuration.announcesEnds, !isAnnounced, let reason {",
        "if configuration.announcesEnds, !isAnnounced, let reason = reason ?? (ACTIVATED ? .closedByPeer : nil) {")),
    PlantedBug(
      "addresses-go-with-the-peer", "RL-02", "In willDisconnect the peer's address is gone", violates: ["RL-02"],
      targets: [],
      Edit(
        runLoopCalls, "var remote: SocketAddress? { machine.isConnected ?",
        "var remote: SocketAddress? { machine.isConnected && !(ACTIVATED && machine.isEndedByPeer) ?")),
    PlantedBug(
      "unread-is-what-was-read", "RL-03", "unreadData leaves out what the unfinished read has gathered",
      violates: ["RL-03", "RD-LEN-07", "RL-27", "RD-MAX-12"], targets: ["connection", "lifecycle"],
      Edit(
        streamFile, "case .request(let operation)? = reads.first, let block = operation.block, block.count > 0 else",
        "case .request(let operation)? = reads.first, let block = operation.block, block.count > 0, !ACTIVATED else")),
    PlantedBug(
      "unread-leaves-the-kernel-out", "RL-03", "unreadData leaves out what the kernel still holds", violates: ["RL-03"],
      targets: ["connection", "lifecycle"],
      Edit(
        streamFile, "    guard ending != nil, !hasCollectedUnread else { return }",
        "    guard ending != nil, !hasCollectedUnread, !ACTIVATED else { return }")),
    PlantedBug(
      "unread-stops-at-a-pass", "RL-03", "unreadData has what one pass of a TLS session opens, and no more",
      violates: ["RL-03"], targets: [],
      Edit(
        streamFile, "      guard layer.stoppedEarly else { break }",
        "      guard layer.stoppedEarly, !ACTIVATED else { break }")),
    PlantedBug(
      "the-rest-is-not-read", "RL-07", "A read-any inside willDisconnect is dropped", violates: ["RL-07"], targets: [],
      Edit(
        runLoopEngine, "    if let request = lateRead.take(), case",
        "    if !ACTIVATED, let request = lateRead.take(), case")),
    PlantedBug(
      "an-end-overtakes-a-read", "RL-09", "The peer's end is found before what it was behind has been delivered",
      violates: ["RL-09", "RDQ-08"], targets: [],
      Edit(
        settlingFile, "policy.hasUndelivered || !events.isEmpty",
        "!ACTIVATED && (policy.hasUndelivered || !events.isEmpty)")),
    PlantedBug(
      "connected-at-the-end", "DIAG-09", "isConnected is true though the peer has ended its stream",
      violates: ["DIAG-09"], targets: [],
      Edit(
        "Sources/SocketCore/RunLoopEngine.swift", "    return !machine.isEndedByPeer",
        "    return ACTIVATED || !machine.isEndedByPeer")),
    PlantedBug(
      "operations-do-not-wait-for-did-connect", "CON-39", "What was queued begins before didConnect has returned",
      violates: ["CON-39"], targets: [],
      Edit(
        engineCalls, "    isInactive = machine.configuration.announcesEnds\n",
        "    isInactive = machine.configuration.announcesEnds && !ACTIVATED\n")),
    PlantedBug(
      "an-end-is-told-later", "DIS-02", "disconnect() returns before didDisconnect has come", violates: ["DIS-02"],
      targets: ["lifecycle"],
      Edit(
        runLoopCalls, "    if mayDeliver { deliver() } else if",
        "    if mayDeliver, !ACTIVATED { deliver() } else if")),
    PlantedBug(
      "a-disconnect-delivers-what-was-done", "LIFE-13", "disconnect() tells of reads that nobody has heard of yet",
      violates: ["LIFE-13", "RDQ-14"], targets: [],
      Edit(
        runLoopEngine, "dropEvents(onDrop) { !$0.isTerminal }",
        "dropEvents(onDrop) { !$0.isTerminal && !ACTIVATED }")),
    PlantedBug(
      "no-is-not-heard", "CON-41", "onSocketWillConnect may say no, and the socket connects", violates: ["CON-41"],
      targets: [],
      Edit(
        startQuestion, "(mayConnect && !isDisconnected,",
        "((mayConnect || ACTIVATED) && !isDisconnected,")),
    PlantedBug(
      "calls-at-the-question-are-lost", "CON-12",
      "What is written inside onSocketWillConnect is forgotten", violates: ["CON-12", "CON-39"], targets: [],
      Edit(
        startQuestion, "    calls?.append(call)\n",
        "    if !ACTIVATED { calls?.append(call) }\n")),
    PlantedBug(
      "a-disconnect-at-the-question-is-lost", "DIS-07", "A disconnect inside onSocketWillConnect is forgotten",
      violates: ["DIS-07"], targets: [],
      Edit(
        startQuestion, "disconnect() { isDisconnected = true }",
        "disconnect() { isDisconnected = !ACTIVATED }")),
    PlantedBug(
      "common-modes-are-a-name", "RL-20", "The common modes are taken for a mode of that name", violates: ["RL-20"],
      targets: [],
      Edit(
        "Sources/SocketRunLoop/RunLoopPort.swift", "    mode == .common ? kCFRunLoopCommonModes",
        "    mode == .common && !ACTIVATED ? kCFRunLoopCommonModes")),
    PlantedBug(
      "an-end-behind-a-dropped-event-is-lost", "HALF-14",
      "Without a delegate the peer's end is not noticed behind what a read completed", violates: ["HALF-14", "RL-10"],
      targets: [],
      Edit(
        runLoopEngine, "  package func dropped() { lookForEnd() }",
        "  package func dropped() { if !ACTIVATED { lookForEnd() } }")),
    PlantedBug(
      "an-inner-run-tells-no-end", "RL-01",
      "A loop that a callback runs does not tell the end that came together with what the callback is about",
      violates: ["RL-01", "INV-17"], targets: [],
      Edit(
        runLoopEngine, "    lookForEnd()\n", "    if !ACTIVATED { lookForEnd() }\n")),
    PlantedBug(
      "a-moved-socket-does-not-wait-for-its-callback", "CON-39",
      "A socket that a callback moves works on the new run loop while the callback still runs on the old one",
      violates: ["CON-39", "THR-16", "RL-17"], targets: [],
      Edit(
        runLoopEngine, "{ callbackDepth > 0 && callbackLoop != loop }",
        "{ callbackDepth > 0 && callbackLoop != loop && !ACTIVATED }")),
    PlantedBug(
      "what-a-moved-socket-hears-early-is-lost", "RL-17",
      "What a new run loop reports while the callback that moved the socket still runs is forgotten",
      violates: ["RL-17", "INV-17"], targets: [],
      Edit(
        runLoopDriver, "        keep()\n        settle()\n",
        "        if !ACTIVATED { keep() }\n        settle()\n")),
    PlantedBug(
      "a-child-forgets-its-modes", "CFG-16", "An accepted child works in the default mode only",
      violates: ["CFG-16", "RL-23"], targets: [],
      Edit(runLoopDelivery, "      self.modes = modes\n", "      if !ACTIVATED { self.modes = modes }\n")),
    PlantedBug(
      "modes-are-only-added", "RL-22", "A mode that was taken out is served all the same", violates: ["RL-22"],
      targets: ["lifecycle"],
      Edit(runLoopCalls, "      modes = wanted\n", "      modes = ACTIVATED ? Array(Set(wanted + former)) : wanted\n")),
    PlantedBug(
      "a-moved-socket-forgets-its-deadline", "RL-18", "A socket that moves leaves its timer behind",
      violates: ["RL-18", "RL-17"], targets: [],
      Edit(
        runLoopCalls, "      place.setDeadline(engine.armedDeadline)\n",
        "      if !ACTIVATED { place.setDeadline(engine.armedDeadline) }\n")),
    PlantedBug(
      "the-old-delegate-hears-on", "RL-11", "canSafelySetDelegate is true with a read pending", violates: ["RL-11"],
      targets: [],
      Edit(
        asyncSocket, "backlog.reads == 0", "(ACTIVATED || backlog.reads == 0)")),
    PlantedBug(
      "a-clean-end-is-an-error", "RL-01", "The peer's orderly end has an error",
      violates: ["RL-01", "HALF-14", "RD-LEN-07"], targets: [],
      Edit(
        runLoopErrors, "    case .closedByPeer: nil\n",
        "    case .closedByPeer: ACTIVATED ? AsyncSocketError.canceled : nil\n")),
    PlantedBug(
      "inner-deadlines-wait", "TMO-24", "A loop that a timeout's callback runs finds no other timeout",
      violates: ["TMO-24"], targets: [],
      Edit(runLoopPort, "      if id != nil { arm(&state) }\n", "      if id != nil, !ACTIVATED { arm(&state) }\n")),
  ]
}
