// Bugs in the engine's decisions: where work is done, what waits, who is told when.
extension PlantedBug {
  private static let engine = "Sources/SocketCore/SocketEngine.swift"
  private static let calls = "Sources/SocketCore/SocketEngine+Calls.swift"
  private static let inbox = "Sources/SocketCore/SocketEngine+Inbox.swift"
  private static let passes = "Sources/SocketCore/SocketEngine+Passes.swift"
  private static let posting = "Sources/SocketCore/SocketEngine+Posting.swift"
  private static let draining = "Sources/SocketCore/SocketEngine+Draining.swift"
  private static let grace = "Sources/SocketCore/ClosingGrace.swift"
  private static let deferral = "Sources/SocketCore/Deferral.swift"

  static let hosting: [PlantedBug] = [
    PlantedBug(
      "a-pass-elsewhere-is-forgotten", "THR-12", "What a call asks for outside the socket queue never gets its turn",
      violates: ["THR-12", "INV-17", "THR-01"], targets: [],
      Edit(calls, "      inbox.isPassDue = true\n", "      if !ACTIVATED { inbox.isPassDue = true }\n")),
    PlantedBug(
      "a-turn-is-asked-for-once", "INV-17", "After its first turn a socket with a queue gets no other",
      violates: ["INV-17", "THR-12"], targets: [],
      Edit(inbox, "    turnRequest = .none\n", "    if !ACTIVATED { turnRequest = .none }\n")),
    PlantedBug(
      "kept-readiness-is-lost", "INV-17", "Readiness that waits for the socket queue is forgotten",
      violates: ["INV-17", "THR-12"], targets: [],
      Edit(
        inbox, "while let part = parts.next() { takeUp(inbox.hints, for: part) }",
        "while let part = parts.next() { if !ACTIVATED || part != .stream { takeUp(inbox.hints, for: part) } }")),
    PlantedBug(
      "a-kept-deadline-is-lost", "TMO-04", "A deadline that waits for the socket queue is forgotten",
      violates: ["TMO-04", "CON-08"], targets: [],
      Edit(inbox, "    inbox.isDeadlineDue = true\n", "    if !ACTIVATED { inbox.isDeadlineDue = true }\n")),
    PlantedBug(
      "a-refused-extension-drops-writes", "DIS-23",
      "What a callback writes before it lets a timeout be enforced is never sent", violates: ["DIS-23"], targets: [],
      Edit(inbox, "seconds) = answer, !(seconds > 0) else {", "seconds) = answer, !(seconds > 0), !ACTIVATED else {")),
    PlantedBug(
      "old-readiness-meets-a-new-life", "INV-18", "Readiness of a former connection that waits is taken up by the next",
      violates: ["INV-18"], targets: [],
      equivalence: "it takes a connect, an end and another connect between the readiness and the turn that follows it",
      Edit(
        inbox, "if inbox.generation == machine.generation, !inbox.parts.isEmpty {",
        "if ACTIVATED || inbox.generation == machine.generation, !inbox.parts.isEmpty {")),
    PlantedBug(
      "the-clock-stands-still-after-a-deadline", "TMO-04", "After a deadline no other one is armed",
      violates: ["TMO-04", "TMO-08", "TMO-17"], targets: ["readqueue", "connection"],
      Edit(inbox, "    armedDeadline = nil\n", "    if !ACTIVATED { armedDeadline = nil }\n"),
      Edit(
        "Sources/SocketCore/SocketEngine.swift", "    guard deadline != armedDeadline else { return false }\n",
        "    guard deadline != armedDeadline, !ACTIVATED || armedDeadline == nil else { return false }\n")),
    PlantedBug(
      "a-pass-at-its-budget-is-the-last", "INV-17", "A pass that stopped at its budget is not followed by another",
      violates: ["INV-17", "RD-LEN-09"], targets: [],
      Edit(
        passes, "    if machine.needsAnotherPass { needs.insert(.wakeup) }",
        "    if machine.needsAnotherPass, !ACTIVATED { needs.insert(.wakeup) }")),
    PlantedBug(
      "an-inactive-child-reads", "ACC-23", "An accepted child works before didAcceptNewSocket has returned",
      violates: ["ACC-23"], targets: [],
      Edit(
        calls, "guard machine.isConnected, !isInactive else { return }",
        "guard machine.isConnected, ACTIVATED || !isInactive else { return }")),
    PlantedBug(
      "a-child-stays-inactive", "ACC-23", "An accepted child never comes to life", violates: ["ACC-26", "INV-17"],
      targets: [],
      Edit(
        calls, "    guard isInactive else { return }\n    isInactive = false\n    needs.insert(.watch)",
        "    guard isInactive else { return }\n    isInactive = false\n    if !ACTIVATED { needs.insert(.watch) }")),
    PlantedBug(
      "putting-off-is-for-ever", "INV-17", "What a callback put off is not done when it returns",
      violates: ["INV-17", "RDQ-13", "WR-18"], targets: ["readqueue", "connection"],
      Edit(
        draining, "    } else {\n      requestPass()\n    }\n    return nil",
        "    } else if !ACTIVATED {\n      requestPass()\n    }\n    return nil"),
      // The end of the block would do it as well.
      Edit(draining, "} else if isFree, deferral.isPending {", "} else if isFree, deferral.isPending, !ACTIVATED {")),
    PlantedBug(
      "the-fast-path-owes-nothing", "INV-17", "What was completed on the fast path is not followed by the pass it owes",
      violates: ["INV-17"], targets: ["readqueue", "connection"],
      Edit(
        draining, "      if !machine.comesToRest() { requestPass() }",
        "      if !machine.comesToRest(), !ACTIVATED { requestPass() }")),
    PlantedBug(
      "order-is-not-kept-by-perform", "THR-04",
      "What a callback put off comes behind the perform block that follows it",
      violates: ["THR-04"], targets: [],
      Edit(
        calls, "    performDeferredWork()\n    return isInactive",
        "    if !ACTIVATED { performDeferredWork() }\n    return isInactive")),
    PlantedBug(
      "a-user-on-the-queue-passes-a-following-turn", "THR-04",
      "Somebody on the socket queue who bypasses the library overtakes the turn that waits for a callback",
      violates: ["THR-04"], targets: [],
      Edit(
        calls, "    if turnRequest != .none, mayAdvanceHere { takeUpInbox() }",
        "    if turnRequest != .none, mayAdvanceHere, !ACTIVATED { takeUpInbox() }")),
    PlantedBug(
      "a-call-is-told-inside-itself", "CON-01", "What a call brings about may overtake the next block of its caller",
      violates: ["CON-01", "RDQ-02"], targets: [],
      Edit(
        posting, "      case .call: .behindCaller(notBefore: nil)",
        "      case .call: ACTIVATED ? .handOver : .behindCaller(notBefore: nil)")),
    PlantedBug(
      "a-start-is-told-at-once", "CON-01", "The outcome of a start may be told before the connect call has returned",
      violates: ["CON-01"], targets: [],
      Edit(
        posting, "$0.nanoseconds + Self.minTimeToConnect",
        "$0.nanoseconds + (ACTIVATED ? 0 : Self.minTimeToConnect)")
    ),
    PlantedBug(
      "an-end-stays-behind-its-caller", "DIS-03", "After disconnect() the end is not in line yet", violates: ["DIS-03"],
      targets: [],
      Edit(
        calls, "    for (block, queue) in delayedBlocks { services",
        "    if ACTIVATED { return }\n    for (block, queue) in delayedBlocks { services")),
    PlantedBug(
      "a-hurried-lane-is-drained-twice", "INV-03",
      "A lane whose turn has been taken is drained by its first block, too",
      violates: ["INV-03"], targets: [],
      equivalence: "a lane that two blocks drain on one serial queue is empty when the second one comes",
      Edit(
        posting, "else { return false }\n    delayedBlocks.remove(at: index)",
        "else { return ACTIVATED }\n    delayedBlocks.remove(at: index)")),
    PlantedBug(
      "the-grace-never-ends", "DIS-05", "An orderly end behind a write is told only when something else happens",
      violates: ["RDQ-06", "HALF-01"], targets: ["writequeue", "connection"],
      Edit(
        engine, "      deadline = min(deadline ?? graceEnd, graceEnd)",
        "      deadline = ACTIVATED ? deadline : min(deadline ?? graceEnd, graceEnd)"),
      Edit(
        engine, "      deadline = closingGrace.end", "      deadline = ACTIVATED ? nil : closingGrace.end")),
    PlantedBug(
      "no-grace-for-callbacks", "DIS-05",
      "An end that comes while the callback that wrote still runs is told as an error",
      violates: ["DIS-05"], targets: [],
      Edit(
        grace, "var holdsEnd: Bool { writer != .nobody }",
        "var holdsEnd: Bool { writer != .nobody && !(ACTIVATED && writer == .callback) }")),
    PlantedBug(
      "an-end-waits-for-a-busy-callback", "RDQ-06",
      "The peer's end is hidden for as long as a callback that has written likes to go on", violates: ["RDQ-06"],
      targets: [],
      Edit(
        grace, "writer == .callback ? Self.callbackDuration :",
        "writer == .callback ? (ACTIVATED ? .max / 2 : Self.callbackDuration) :")),
    PlantedBug(
      "reads-put-off-are-not-looked-after", "INV-17",
      "A read that a callback queues for bytes that are there waits until the callback has returned",
      violates: ["INV-17", "THR-09", "TMO-02", "TMO-04"], targets: [],
      Edit(
        deferral, "    let isFirst = !isPending\n", "    let isFirst = !isPending && (isWrite || !ACTIVATED)\n")),
    PlantedBug(
      "the-deferral-covers-everything", "THR-09", "Writes of callbacks on foreign queues wait for their return unasked",
      violates: ["THR-09"], targets: [],
      equivalence: "the loop is told of the first write, and does it if the callback takes long",
      Edit(
        deferral, "    coversWrites = coversAll || eventsInLine >= Self.manyEvents",
        "    coversWrites = ACTIVATED || coversAll || eventsInLine >= Self.manyEvents")),
    PlantedBug(
      "the-last-look-waits-for-readiness", "TLS-35",
      "The last look behind a failed write passes over what was not signalled",
      violates: ["TLS-35"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine.swift", "    layer.inputIsDrained = false\n    for _ in 0..<passes",
        "    if !ACTIVATED { layer.inputIsDrained = false }\n    for _ in 0..<passes")),
    PlantedBug(
      "the-new-delegate-is-asked-on-the-fast-path", "CFG-09",
      "A read on the fast path goes to the delegate of the last event",
      violates: ["CFG-09", "CFG-17"], targets: [],
      Edit(
        calls, "package func delegateChanged() { isDelegateUnchanged = false }",
        "package func delegateChanged() { isDelegateUnchanged = ACTIVATED }")),
    PlantedBug(
      "a-kept-answer-is-lost", "TMO-07", "An answer that comes while somebody has the socket is forgotten",
      violates: ["TMO-07"], targets: [],
      Edit(
        inbox, "    for entry in inbox.answers { answer(entry.answer, at: entry.at) }",
        "    if !ACTIVATED { for entry in inbox.answers { answer(entry.answer, at: entry.at) } }")),
  ]
}
