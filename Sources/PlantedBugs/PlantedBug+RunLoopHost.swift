// Mutants of how the run-loop class works: its host, its run loops, and what the core does for it.
extension PlantedBug {
  static let runLoopHost: [PlantedBug] = [
    PlantedBug(
      "a-refused-address-is-posix", "CON-33", "A refusal of connectToAddress has the kernel's error",
      violates: ["CON-33", "ERR-02"], targets: [],
      Edit(
        "Sources/SocketCore/RunLoopEngine.swift", "isStartedWithAddress = !machine.isConnected",
        "isStartedWithAddress = !machine.isConnected && !ACTIVATED")),
    PlantedBug(
      "a-name-to-listen-on-is-an-interface", "ACC-39", "A name to listen on is not resolved",
      violates: ["ACC-39"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Calls.swift",
        "    if let name = interface, !name.isEmpty, try !isKnown(name) {",
        "    if let name = interface, !name.isEmpty, try !isKnown(name), !ACTIVATED {")),
    PlantedBug(
      "a-name-to-listen-on-has-one-family", "ACC-39", "A name is listened on in its first family only",
      violates: ["ACC-39"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Starting.swift", "ipv6: resolved.first { $0.family == .ipv6 }))",
        "ipv6: ACTIVATED ? nil : resolved.first { $0.family == .ipv6 }))")),
    PlantedBug(
      "a-read-inside-will-disconnect-is-queued", "RL-07", "A read made in willDisconnect is queued like any other",
      violates: ["RL-07"], targets: [],
      Edit(
        "Sources/SocketCore/RunLoopEngine.swift", "    guard !isInWillDisconnect else {",
        "    guard ACTIVATED || !isInWillDisconnect else {")),
    PlantedBug(
      "a-graceful-disconnect-does-not-wait-for-its-return", "DIS-27",
      "A graceful disconnect has ended the connection when it returns",
      violates: ["DIS-27", "DIS-12"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Calls.swift",
        "    enter { engine.disconnect(afterReads: reads, afterWrites: writes) }",
        "    enter {\n      engine.disconnect(afterReads: reads, afterWrites: writes)\n"
          + "      if ACTIVATED, machine.backlog.reads == 0, machine.backlog.writes == 0 { engine.disconnect() }\n    }"
      )),
    PlantedBug(
      "a-description-without-addresses", "DIAG-10", "The description of a connected socket names no address",
      violates: ["DIAG-10"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Calls.swift",
        "look { machine.description(remote: remote, local: local) }",
        "look { machine.description(remote: ACTIVATED ? nil : remote, local: ACTIVATED ? nil : local) }")),
    PlantedBug(
      "a-move-leaves-the-descriptor-behind", "RL-17",
      "The descriptor of a socket that moves is watched on neither run loop",
      violates: ["RL-17"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Calls.swift",
        "      try watchAll(from: place)\n      attachment = place",
        "      if !ACTIVATED || former == nil { try watchAll(from: place) }\n      attachment = place")),
    PlantedBug(
      "a-move-to-nowhere-succeeds", "RL-17", "moveToRunLoop says yes to nil",
      violates: ["RL-17"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Calls.swift", "    guard let runLoop else { return false }",
        "    guard let runLoop else { return ACTIVATED }")),
    PlantedBug(
      "a-move-to-the-same-loop-fails", "RL-17", "moveToRunLoop says no to the run loop that the socket has",
      violates: ["RL-17"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Calls.swift",
        "    guard let attachment, attachment.runLoop !== runLoop else { return true }",
        "    guard let attachment, attachment.runLoop !== runLoop else { return !ACTIVATED }")),
    PlantedBug(
      "no-modes-are-modes", "RL-20", "setRunLoopModes says yes to an empty list",
      violates: ["RL-20", "RL-21"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Calls.swift", "    guard !wanted.isEmpty else { return false }",
        "    guard !wanted.isEmpty else { return ACTIVATED }")),
    PlantedBug(
      "a-mode-named-twice-is-two", "RL-20", "setRunLoopModes keeps a mode as often as it is named",
      violates: ["RL-20"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Calls.swift", "{ known.insert($0).inserted }",
        "{ known.insert($0).inserted || ACTIVATED }")),
    PlantedBug(
      "a-thread-is-known-by-its-number", "THR-16", "A thread with the number of one that ended is taken for it",
      violates: ["THR-16"], targets: [],
      Edit(
        "Sources/SocketRunLoop/RunLoopHub.swift",
        "    deinit { hub.thread.store(RunLoopHub.ended, ordering: .relaxed) }",
        "    deinit { if !ACTIVATED { hub.thread.store(RunLoopHub.ended, ordering: .relaxed) } }")),
    PlantedBug(
      "modes-of-long-ago-are-refused", "RL-20", "setRunLoopModes says no to the modes that the socket has",
      violates: ["RL-20"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Calls.swift",
        "      guard known != Set(former) else { return true }",
        "      guard known != Set(former) else { return !ACTIVATED }")),
    PlantedBug(
      "new-modes-wait-for-the-next-start", "RL-20", "The modes of a socket that is started stay what they were",
      violates: ["RL-20", "RL-22", "RL-21"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Calls.swift", "      guard let attachment else { return true }",
        "      guard let attachment, !ACTIVATED else { return true }")),
    PlantedBug(
      "events-are-delivered-anywhere", "THR-16",
      "What is in line when a callback moves the socket is delivered on the former run loop",
      violates: ["THR-16", "RL-17"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Delivery.swift",
        "    while mayDeliver, attachment == nil || attachment === place,",
        "    while ACTIVATED || mayDeliver, ACTIVATED || attachment == nil || attachment === place,")),
    PlantedBug(
      "unread-data-are-always-there", "RL-04", "unreadData has bytes outside of willDisconnect",
      violates: ["RL-04"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Delivery.swift",
        "  func unread() -> Data? {\n",
        "  func unread() -> Data? {\n    if ACTIVATED, stream != nil, !machine.isEndedByPeer { return Data([0]) }\n")),
    PlantedBug(
      "unread-data-are-had-once", "RL-06", "unreadData takes away what it returns",
      violates: ["RL-06", "RL-03"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Delivery.swift",
        "    return runLoopEngine.unread(&transport).map { Data($0) }",
        "    let unread = runLoopEngine.unread(&transport).map { Data($0) }\n"
          + "    if ACTIVATED { _ = machine.takeUnread(atMost: .max) }\n    return unread"
      )),
    PlantedBug(
      "a-child-stays-on-its-listeners-loop", "RL-14", "The run loop that wantsRunLoop names is passed over",
      violates: ["RL-14"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Delivery.swift", "      if let wanted { child.driver",
        "      if let wanted, !ACTIVATED { child.driver")),
    PlantedBug(
      "an-unwanted-child-opens", "ACC-38", "A child lives although its willConnect said no",
      violates: ["ACC-38"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Delivery.swift",
        "    let isWanted = judge?.onSocketWillConnect(child) ?? true",
        "    let isWanted = (judge?.onSocketWillConnect(child) ?? true) || ACTIVATED")),
    PlantedBug(
      "a-child-has-no-did-connect", "RL-16", "An accepted child comes to life without didConnect",
      violates: ["RL-16", "ACC-19"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Delivery.swift",
        "        if let remote = addresses.remote { machine.announce(.didConnect(remote)) } else {",
        "        if let remote = addresses.remote, !ACTIVATED { machine.announce(.didConnect(remote)) } else {"
      )),
    PlantedBug(
      "the-loop-is-chosen-before-the-child-is-shown", "ACC-19", "wantsRunLoop comes before didAccept",
      violates: ["ACC-19"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Delivery.swift",
        "    delegate.onSocket(socket, didAcceptNewSocket: child)",
        "    if ACTIVATED { _ = delegate.onSocket(socket, wantsRunLoopForNewSocket: child) as RunLoop? }\n"
          + "    delegate.onSocket(socket, didAcceptNewSocket: child)"
      )),
    PlantedBug(
      "a-child-is-opened-unasked", "ACC-19", "Nobody is asked by willConnect about an accepted child",
      violates: ["ACC-19", "ACC-38"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Delivery.swift",
        "      return child.driver.delegate\n", "      return ACTIVATED ? nil : child.driver.delegate\n")),
    PlantedBug(
      "a-child-has-no-delegate", "CFG-16", "An accepted child does not inherit the delegate",
      violates: ["CFG-16"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Delivery.swift",
        "    let child = type(of: socket).makeAccepted(delegate)",
        "    let child = type(of: socket).makeAccepted(ACTIVATED ? nil : delegate)")),
    PlantedBug(
      "a-question-hides-the-time", "TMO-06", "The run-loop class asks about a read's timeout without the time",
      violates: ["TMO-06", "TMO-05"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Delivery.swift",
        "shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: UInt(done))",
        "shouldTimeoutReadWithTag: tag, elapsed: ACTIVATED ? 0 : elapsed, bytesDone: UInt(done))")),
    PlantedBug(
      "an-announced-end-goes-on", "RL-08",
      "After an end that was announced all later reads are taken for reads in willDisconnect",
      violates: ["LIFE-10", "RL-08"], targets: [],
      Edit(
        "Sources/SocketCore/RunLoopEngine.swift", "else { return }\n    isInWillDisconnect = false\n",
        "else { return }\n    if !ACTIVATED { isInWillDisconnect = false }\n")),
    PlantedBug(
      "an-announced-end-has-no-reason", "RL-01", "willDisconnect never has an error",
      violates: ["RL-01", "ERR-02", "RL-27"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Delivery.swift",
        "willDisconnectWithError: failure.runLoopError(toAddress: toAddress))",
        "willDisconnectWithError: ACTIVATED ? nil : failure.runLoopError(toAddress: toAddress))")),
    PlantedBug(
      "what-waits-is-not-looked-for", "INV-17", "A read that was queued is not begun until something else happens",
      violates: ["INV-17", "RL-22"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver.swift",
        "    // An inner run of the loop is to find what waits for the running callback.\n    requestTurn()",
        "    // An inner run of the loop is to find what waits for the running callback.\n"
          + "    if !ACTIVATED { requestTurn() }"
      )),
    PlantedBug(
      "an-inner-run-in-did-connect-begins-nothing", "INV-17",
      "A loop that didConnect runs does not begin what it waits for", violates: ["INV-17", "RL-22"], targets: [],
      Edit(
        "Sources/SocketCore/RunLoopEngine.swift",
        "    if callbackDepth > 0, isAnnounced, machine.isConnected { engine.activate() }",
        "    if callbackDepth > 0, isAnnounced, machine.isConnected, !ACTIVATED { engine.activate() }")),
    PlantedBug(
      "one-mode-is-enough", "RL-22", "Of several modes only the first one is served",
      violates: ["RL-22", "RL-21", "RL-20"], targets: [],
      Edit(
        "Sources/SocketRunLoop/RunLoopHub.swift", "      for mode in modes {\n        if let known",
        "      for mode in modes.prefix(ACTIVATED ? 1 : .max) {\n        if let known")),
    PlantedBug(
      "all-timers-are-forgotten", "TMO-04", "A run loop's timer is never set",
      violates: ["TMO-04", "TMO-24", "CON-08"], targets: [],
      Edit(
        "Sources/SocketRunLoop/RunLoopPort.swift", "      state.deadlines.set(id, to: instant)\n      arm(&state)",
        "      state.deadlines.set(id, to: instant)\n      if !ACTIVATED { arm(&state) }")),
    PlantedBug(
      "an-earlier-deadline-of-a-loop-waits", "TMO-04", "A timer that is set already is not set to an earlier time",
      violates: ["TMO-04", "TMO-18"], targets: [],
      Edit(
        "Sources/SocketRunLoop/RunLoopPort.swift", "state.armed.map({ earliest < $0 }) ?? true else",
        "state.armed.map({ earliest < $0 && !ACTIVATED }) ?? true else")),
    PlantedBug(
      "a-loop-knows-its-thread-late", "DIS-02",
      "On a run loop that has not run since a socket was moved to it, disconnect() returns before didDisconnect",
      violates: ["DIS-02"], targets: ["lifecycle"],
      Edit(
        "Sources/SocketRunLoop/RunLoopHub.swift", "    guard RunLoop.current === runLoop else { return false }",
        "    guard RunLoop.current === runLoop, !ACTIVATED else { return false }")),
    PlantedBug(
      "nobody-goes-to-another-loop", "RL-17", "A run loop that nobody has been on is never told of a socket",
      violates: ["RL-17", "RL-14"], targets: [],
      Edit(
        "Sources/SocketRunLoop/RunLoopHub.swift", "    for mode in modes { runLoop.add(timer, forMode: mode) }",
        "    for mode in modes where !ACTIVATED { runLoop.add(timer, forMode: mode) }")),
    PlantedBug(
      "unread-is-dropped-at-the-end", "RL-03", "What was received and not read goes with the end",
      violates: ["RL-03", "RL-10", "RL-27", "RD-MAX-12", "RD-LEN-07", "RD-DELIM-18"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine.swift", "    if keepsUnread, reason != nil { gatherUnread() }",
        "    if keepsUnread, reason != nil, !ACTIVATED { gatherUnread() }")),
    PlantedBug(
      "an-end-does-not-wait-for-deliveries", "RL-09",
      "Bytes that are buffered when the peer ends its stream hold up the end, as with the other class",
      violates: ["RL-09", "RL-10"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Streaming.swift", "endWaitsForDelivery: configuration.announcesEnds,",
        "endWaitsForDelivery: configuration.announcesEnds && !ACTIVATED,")),
    PlantedBug(
      "a-description-says-nothing-of-the-end", "DIAG-10", "The description leaves out that the socket is not connected",
      violates: ["DIAG-10"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Description.swift", "isDisconnected ? \"not connected\" : \"connecting\")",
        "isDisconnected && !ACTIVATED ? \"not connected\" : \"connecting\")")),
    PlantedBug(
      "a-description-of-two-lines", "DIAG-10", "The description has a line break",
      violates: ["DIAG-10"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Description.swift", "parts.joined(separator: \", \")",
        "parts.joined(separator: ACTIVATED ? \",\\n\" : \", \")")),
    PlantedBug(
      "a-refused-connect-has-no-will-disconnect", "CON-42", "A connect that fails is told by didDisconnect alone",
      violates: ["CON-42", "CON-33", "CON-07"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine.swift", "    events.append(.didDisconnect(reason))",
        "    if ACTIVATED, !isAnnounced { events.removeAll { if case .willDisconnect = $0 { true } else { false } "
          + "} }\n    events.append(.didDisconnect(reason))"
      )),
    PlantedBug(
      "a-read-inside-will-disconnect-takes-nothing-of-its-limit", "RL-07",
      "The read that willDisconnect makes gets no more than its first byte",
      violates: ["RL-07"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Streaming.swift",
        "    return stream.prebuffer.take(min(stream.prebuffer.count, limit))",
        "    return stream.prebuffer.take(min(stream.prebuffer.count, ACTIVATED ? 1 : limit))")),
  ]
}
