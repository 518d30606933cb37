extension PlantedBug {
  private static let stream = "Sources/SocketCore/StreamMachine.swift"
  private static let machine = "Sources/SocketCore/SocketMachine.swift"
  private static let pass = "Sources/SocketCore/StreamMachine+Pass.swift"
  private static let settling = "Sources/SocketCore/StreamMachine+Settling.swift"

  static let timing: [PlantedBug] = [
    PlantedBug(
      "a-timer-not-cancelled", "classic", "The clock of a finished read runs on for the next one",
      targets: ["connection", "readqueue"],
      Edit(
        stream, "var readQuestion: TimeoutQuestion?",
        "var readQuestion: TimeoutQuestion?\n  var oldClock: OperationClock?"),
      Edit(
        pass,
        """
                operation.clock = OperationClock(timeout: operation.request.timeout, startedAt: now)
                prebuffer.forgetSearch()
        """,
        """
                operation.clock = OperationClock(timeout: operation.request.timeout, startedAt: now)
                if ACTIVATED, let oldClock { operation.clock = oldClock }
                prebuffer.forgetSearch()
        """),
      Edit(
        pass,
        """
                removeRead()
                events.append(.didRead(block,
        """,
        """
                if operation.clock?.deadline != nil { oldClock = operation.clock }
                removeRead()
                events.append(.didRead(block,
        """)),
    PlantedBug(
      "an-extension-is-not-counted", "TMO-06", "The elapsed time told to the delegate leaves extensions out",
      targets: ["connection"],
      Edit(stream, "    elapsed += seconds\n", "    if !ACTIVATED { elapsed += seconds }\n")),
    PlantedBug(
      "a-late-answer-hits-the-next-life", "UB-04", "A timeout's answer is applied to whatever read or write is current",
      targets: ["connection"],
      Edit(
        "Sources/SocketCore/SocketMachine+Streaming.swift",
        "guard question.generation == generation, let stream = openStream else { return }\n"
          + "    stream.answer(question, extension: seconds, now: now)",
        "guard ACTIVATED || question.generation == generation, let stream = openStream else { return }\n"
          + "    stream.answer(question, extension: seconds, now: now)"),
      Edit(
        settling, "case readQuestion:",
        "case _ where question == readQuestion || ACTIVATED && question.direction == .read:"),
      Edit(
        settling, "case writeQuestion:",
        "case _ where question == writeQuestion || ACTIVATED && question.direction == .write:")),
    PlantedBug(
      "asked-again-before-the-answer", "TMO-11", "Each pass asks the delegate anew about the same timeout",
      targets: ["connection"],
      Edit(
        settling, "if readQuestion == nil, let operation = activeRead, let clock = operation.clock,",
        "if ACTIVATED || readQuestion == nil, let operation = activeRead, let clock = operation.clock,")),
    PlantedBug(
      "out-of-time-without-a-last-look", "TMO-13", "Bytes that came but were not signalled don't save a read",
      targets: ["connection", "readqueue"],
      Edit(
        pass, "if ending == nil, mayHaveMissedInput(at: now) {",
        "if ending == nil, !ACTIVATED, mayHaveMissedInput(at: now) {")),
    PlantedBug(
      "a-busy-write-never-times-out", "TMO-03", "A write that makes progress in each pass starts its clock anew",
      targets: ["connection", "writequeue"],
      Edit(
        pass, "      left -= taken\n      operation.done += taken\n",
        """
              left -= taken
              operation.done += taken
              if ACTIVATED { operation.clock = OperationClock(timeout: operation.request.timeout, startedAt: now) }

        """)),
  ]

  static let ending: [PlantedBug] = [
    PlantedBug(
      "leftovers-lost-at-the-fin", "UB-18", "The FIN is told before what came before it was asked for",
      targets: ["readqueue", "connection"],
      Edit(
        settling, "guard !reads.isEmpty || prebuffer.isEmpty else { return }",
        "guard ACTIVATED || !reads.isEmpty || prebuffer.isEmpty else { return }"),
      Edit(
        settling, "secure?.phase != .handshaking, prebuffer.isEmpty || besideLeftovers,",
        "secure?.phase != .handshaking, ACTIVATED || prebuffer.isEmpty || besideLeftovers,")),
    PlantedBug(
      "a-reset-called-a-broken-pipe", "ERR-11", "A reset behind the peer's end is told as a pipe that a read broke",
      targets: ["connection", "readqueue"],
      Edit(
        "Sources/SocketCore/SocketFailure.swift", "errno == brokenPipe ? connectionReset : errno",
        "errno == brokenPipe && !ACTIVATED ? connectionReset : errno")),
    PlantedBug(
      "a-disconnect-forgotten", "INV-01", "A reset ends the connection without didDisconnect",
      targets: ["readqueue", "connection"],
      Edit(
        machine,
        "  func finish(_ reason: SocketFailure?, manner: CloseManner = .immediate, finalBytes: [UInt8] = []) {",
        """
          func finish(_ reason: SocketFailure?, manner: CloseManner = .immediate, finalBytes: [UInt8] = []) {
            if ACTIVATED, case .posix(104, _)? = reason {
              phase = .idle
              return
            }
        """)),
    PlantedBug(
      "disconnected-twice", "LIFE-15", "disconnect on an idle socket calls the delegate", targets: ["connection"],
      Edit(
        machine, "case .idle: return\n    case .resolving(let",
        "case .idle: if !ACTIVATED { return }\n    case .resolving(let")),
    PlantedBug(
      "closed-read-told-twice", "HALF-01", "didCloseReadStream comes with each pass after the FIN",
      targets: ["readqueue", "connection"],
      Edit(settling, "readSideClosed = true\n    events", "if !ACTIVATED { readSideClosed = true }\n    events")),
    PlantedBug(
      "half-close-closes", "HALF-02", "The FIN closes a socket that was to stay open for writing",
      targets: ["readqueue", "connection"],
      Edit(
        settling, "guard !policy.closesOnEndOfStream else", "guard !ACTIVATED, !policy.closesOnEndOfStream else")),
    PlantedBug(
      "reads-after-the-wish-to-close", "DIS-13", "A read queued after disconnectAfterReading is accepted",
      targets: ["connection", "readqueue"],
      Edit(
        stream, "func enqueue(_ request: ReadRequest) {\n    guard ending == nil, !forbidsOperations",
        "func enqueue(_ request: ReadRequest) {\n    guard ending == nil, ACTIVATED || !forbidsOperations")),
    PlantedBug(
      "either-queue-will-do", "DIS-14", "disconnectAfterReadingAndWriting waits for one of the queues only",
      targets: ["connection"],
      Edit(
        stream, "forbidsOperations && (!closesAfterReads || reads.isEmpty) && (!closesAfterWrites || writes.isEmpty)",
        """
        return ACTIVATED && closesAfterReads && closesAfterWrites
          ? reads.isEmpty || writes.isEmpty
          : forbidsOperations && (!closesAfterReads || reads.isEmpty) && (!closesAfterWrites || writes.isEmpty)
        """)),
    PlantedBug(
      "the-fin-before-the-wish", "DIS-20", "A wish to close that is met loses to a FIN found in the same pass",
      targets: ["connection"],
      equivalence: "DIS-20 accepts both reasons; only the model, which holds the core to its choice, can tell",
      Edit(
        pass, "if ending == nil, pendingCloseIsDue { end(nil, manner: .graceful) }",
        """
        if ACTIVATED { settleEndOfStream(&transport, policy: policy) }
        if ending == nil, pendingCloseIsDue { end(nil, manner: .graceful) }
        """)),
    PlantedBug(
      "no-reason-for-a-failed-write", "classic",
      "A write that fails ends the connection as if the caller had wished it",
      targets: ["writequeue", "connection"],
      Edit(
        pass, "return end(.posix(code: errno, call: \"write\"))",
        "return end(ACTIVATED ? nil : .posix(code: errno, call: \"write\"))")),
  ]
}
