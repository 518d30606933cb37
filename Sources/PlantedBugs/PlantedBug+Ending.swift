extension PlantedBug {
  private static let stream = "Sources/SocketCore/StreamMachine.swift"
  private static let machine = "Sources/SocketCore/SocketMachine.swift"
  private static let pass = "Sources/SocketCore/StreamMachine+Pass.swift"
  private static let settling = "Sources/SocketCore/StreamMachine+Settling.swift"

  static let timing: [PlantedBug] = [
    PlantedBug(
      "a-late-host-uses-up-the-grace-of-the-busy", "classic",
      "A pass that comes late enforces a timeout although it has not tried everything",
      violates: ["INV-17"], targets: [],
      Edit(
        stream, "(busySince ?? now).nanoseconds", "(ACTIVATED ? deadline ?? now : busySince ?? now).nanoseconds")),
    PlantedBug(
      "a-pass-that-found-an-end-is-repeated", "classic",
      "While an end is being announced one pass follows the other if its own stopped at its budget",
      violates: ["INV-10"], targets: [],
      Edit(
        stream, "ending == nil && (readsStoppedEarly || writesStoppedEarly)",
        "(ACTIVATED || ending == nil) && (readsStoppedEarly || writesStoppedEarly)")),
    PlantedBug(
      "a-timer-not-cancelled", "classic", "The clock of a finished read runs on for the next one",
      violates: ["TMO-12", "TMO-17"], targets: ["connection", "readqueue"],
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
      violates: ["TMO-06", "TMO-05"], targets: ["connection"],
      Edit(stream, "    elapsed += seconds\n", "    if !ACTIVATED { elapsed += seconds }\n")),
    PlantedBug(
      "a-late-answer-hits-the-next-life", "UB-04", "A timeout's answer is applied to whatever read or write is current",
      violates: ["TMO-11", "INV-18", "LIFE-10"], targets: ["connection"],
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
      violates: ["TMO-05", "TMO-10"], targets: ["connection"],
      Edit(
        settling, "if readQuestion == nil, let operation = activeRead, let clock = operation.clock,",
        "if ACTIVATED || readQuestion == nil, let operation = activeRead, let clock = operation.clock,")),
    PlantedBug(
      "out-of-time-without-a-last-look", "TMO-13", "Bytes that came but were not signalled don't save a read",
      violates: ["TMO-14", "TMO-13"], targets: ["connection", "readqueue"],
      Edit(
        pass, "if ending == nil, mayHaveMissedInput(at: now) {",
        "if ending == nil, !ACTIVATED, mayHaveMissedInput(at: now) {")),
    PlantedBug(
      "a-busy-write-never-times-out", "TMO-03", "A write that makes progress in each pass starts its clock anew",
      violates: ["TMO-03"], targets: ["connection", "writequeue"],
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
      violates: ["RDQ-07", "RDQ-08", "RDQ-09", "HALF-04"], targets: ["readqueue", "connection"],
      Edit(
        settling, "guard !reads.isEmpty || prebuffer.isEmpty else { return }",
        "guard ACTIVATED || !reads.isEmpty || prebuffer.isEmpty else { return }"),
      Edit(
        settling, "secure?.phase != .handshaking, prebuffer.isEmpty || besideLeftovers,",
        "secure?.phase != .handshaking, ACTIVATED || prebuffer.isEmpty || besideLeftovers,")),
    PlantedBug(
      "a-reset-called-a-broken-pipe", "ERR-11", "A reset behind the peer's end is told as a pipe that a read broke",
      violates: ["ERR-11"], targets: ["connection", "readqueue"],
      Edit(
        "Sources/SocketCore/SocketFailure.swift", "errno == brokenPipe ? connectionReset : errno",
        "errno == brokenPipe && !ACTIVATED ? connectionReset : errno")),
    PlantedBug(
      "a-disconnect-forgotten", "INV-01", "A reset ends the connection without didDisconnect",
      violates: ["INV-01", "RD-LEN-08", "CON-44", "ACC-30", "HALF-09", "WR-08"], targets: ["readqueue", "connection"],
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
      "disconnected-twice", "LIFE-15", "disconnect on an idle socket calls the delegate",
      violates: ["LIFE-15", "DIS-18"], targets: ["connection"],
      Edit(
        machine, "case .idle: return\n    case .resolving(let",
        "case .idle: if !ACTIVATED { return }\n    case .resolving(let")),
    PlantedBug(
      "closed-read-told-twice", "HALF-01", "didCloseReadStream comes with each pass after the FIN",
      violates: ["HALF-02", "HALF-06"], targets: ["readqueue", "connection"],
      Edit(settling, "readSideClosed = true\n    events", "if !ACTIVATED { readSideClosed = true }\n    events")),
    PlantedBug(
      "half-close-closes", "HALF-02", "The FIN closes a socket that was to stay open for writing",
      violates: ["HALF-02", "HALF-04", "HALF-05", "HALF-07", "HALF-10", "HALF-11", "HALF-13", "DIAG-01", "TMO-22"],
      targets: ["readqueue", "connection"],
      Edit(
        settling, "guard !policy.closesOnEndOfStream else", "guard !ACTIVATED, !policy.closesOnEndOfStream else")),
    PlantedBug(
      "reads-after-the-wish-to-close", "DIS-13", "A read queued after disconnectAfterReading is accepted",
      violates: ["DIS-13"], targets: ["connection", "readqueue"],
      Edit(
        stream, "func enqueue(_ request: ReadRequest) {\n    guard ending == nil, !forbidsOperations",
        "func enqueue(_ request: ReadRequest) {\n    guard ending == nil, ACTIVATED || !forbidsOperations")),
    PlantedBug(
      "either-queue-will-do", "DIS-14", "disconnectAfterReadingAndWriting waits for one of the queues only",
      violates: ["DIS-14", "DIS-11"], targets: ["connection"],
      Edit(
        stream, "forbidsOperations && (!closesAfterReads || reads.isEmpty) && (!closesAfterWrites || writes.isEmpty)",
        """
        return ACTIVATED && closesAfterReads && closesAfterWrites
          ? reads.isEmpty || writes.isEmpty
          : forbidsOperations && (!closesAfterReads || reads.isEmpty) && (!closesAfterWrites || writes.isEmpty)
        """)),
    PlantedBug(
      "the-last-wish-replaces", "DIS-14", "A graceful disconnect takes the place of the one before it",
      violates: ["DIS-14"], targets: ["connection"],
      Edit(
        "Sources/SocketCore/SocketMachine.swift",
        "  package func disconnect(afterReads reads: Bool, afterWrites writes: Bool) {\n",
        """
          package func disconnect(afterReads reads: Bool, afterWrites writes: Bool) {
            if ACTIVATED { stream?.closesAfterReads = false }
            if ACTIVATED { stream?.closesAfterWrites = false }

        """)),
    PlantedBug(
      "the-fin-before-the-wish", "DIS-20", "A wish to close that is met loses to a FIN found in the same pass",
      violates: ["DIS-20"], targets: ["connection"],
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
      violates: ["WR-08", "HALF-07"], targets: ["writequeue", "connection"],
      Edit(
        pass, "      end(.posix(code: errno, call: \"write\"))",
        "      end(ACTIVATED ? nil : .posix(code: errno, call: \"write\"))")),
  ]
}
