// Bugs in two ordinary features at once: a graceful disconnect with each of its errors, a question that is open with
// the other direction, a half-closed connection with what comes after it.
extension PlantedBug {
  private static let streamMachineSecuring = "Sources/SocketCore/StreamMachine+Securing.swift"
  private static let socketMachineConnecting = "Sources/SocketCore/SocketMachine+Connecting.swift"
  private static let streamMachineSettling = "Sources/SocketCore/StreamMachine+Settling.swift"
  private static let socketMachine = "Sources/SocketCore/SocketMachine.swift"
  private static let streamMachinePass = "Sources/SocketCore/StreamMachine+Pass.swift"
  private static let streamMachine = "Sources/SocketCore/StreamMachine.swift"
  private static let socketMachineStreaming = "Sources/SocketCore/SocketMachine+Streaming.swift"

  static let combinations: [PlantedBug] = [
    PlantedBug(
      "a-failed-handshake-is-no-error-while-closing", "classic",
      "A handshake that fails while a graceful disconnect waits ends the connection without an error",
      violates: ["DIS-19", "TLS-13"], targets: [],
      Edit(
        streamMachineSecuring,
        "end(failure, manner: .graceful)",
        "end(ACTIVATED && forbidsOperations ? nil : failure, manner: .graceful)")),
    PlantedBug(
      "an-aborted-handshake-is-no-error-while-closing", "classic",
      "An end of the stream in the handshake while a graceful disconnect waits has no error",
      violates: ["DIS-19", "TLS-09"], targets: [],
      Edit(
        streamMachineSecuring,
        "    if let reset { return end(reset) }",
        """
            if ACTIVATED, forbidsOperations { return end(nil) }
            if let reset { return end(reset) }
        """)),
    PlantedBug(
      "a-connect-timeout-is-no-error-while-closing", "classic",
      "A connect that runs out of time while a graceful disconnect waits has no error",
      violates: ["DIS-19", "CON-08"], targets: [],
      Edit(
        socketMachineConnecting,
        """
                finish(.connectTimeout)
              } else {
        """,
        """
                finish(ACTIVATED && stream.forbidsOperations ? nil : .connectTimeout)
              } else {
        """)),
    PlantedBug(
      "a-refused-connect-is-no-error-while-closing", "classic",
      "A connect that is refused while a graceful disconnect waits has no error",
      violates: ["DIS-19", "CON-05"], targets: [],
      Edit(
        socketMachineConnecting,
        "finish(reason)",
        "finish(ACTIVATED && stream.forbidsOperations ? nil : reason)")),
    PlantedBug(
      "a-failed-lookup-is-no-error-while-closing", "classic",
      "A lookup that fails while a graceful disconnect waits has no error",
      violates: ["DIS-19", "CON-06"], targets: [],
      Edit(
        socketMachineConnecting,
        """
        case .failure(let failure): finish(failure)
            case .success(let addresses)
        """,
        """
        case .failure(let failure): finish(ACTIVATED && stream.forbidsOperations ? nil : failure)
            case .success(let addresses)
        """)),
    PlantedBug(
      "no-extension-of-a-read-near-the-end", "classic",
      "A read gets no more time once the peer has ended its stream or a graceful disconnect waits",
      violates: ["TMO-07", "HALF-05"], targets: [],
      Edit(
        streamMachineSettling,
        """
        extension seconds: Double, now: Instant) {
            switch question {
        """,
        """
        extension seconds: Double, now: Instant) {
            if ACTIVATED, question == readQuestion, forbidsOperations || readSideClosed {
              readQuestion = nil
              return enforce(.readTimeout)
            }
            switch question {
        """)),
    PlantedBug(
      "no-extension-of-a-write-near-the-end", "classic",
      "A write gets no more time once the peer has ended its stream or a graceful disconnect waits",
      violates: ["TMO-07", "HALF-07"], targets: [],
      Edit(
        streamMachineSettling,
        """
              writeQuestion = nil

        """,
        """
              writeQuestion = nil
              if ACTIVATED, forbidsOperations || readSideClosed { return enforce(.writeTimeout) }

        """)),
    PlantedBug(
      "an-end-while-closing-is-not-announced", "classic",
      "An end that the peer makes while a graceful disconnect waits comes without willDisconnect",
      violates: ["RL-01"], targets: [],
      Edit(
        socketMachine,
        """
              announcedEnd = ending

        """,
        """
              if ACTIVATED, stream.forbidsOperations {
                return finish(ending.reason, manner: ending.manner, finalBytes: ending.finalBytes)
              }
              announcedEnd = ending

        """)),
    PlantedBug(
      "a-write-is-not-asked-about-beside-a-read", "classic",
      "While the delegate is asked about a read, a write has no timeout",
      violates: ["TMO-18"], targets: [],
      Edit(
        streamMachineSettling,
        "clock.isExpired(at: now, whileBusy: writesStoppedEarly)",
        "clock.isExpired(at: now, whileBusy: writesStoppedEarly), !ACTIVATED || readQuestion == nil"),
      Edit(
        streamMachineSettling,
        "let writing = writeQuestion == nil ?",
        "let writing = writeQuestion == nil && (!ACTIVATED || readQuestion == nil) ?")),
    PlantedBug(
      "a-read-is-not-asked-about-beside-a-write", "classic",
      "While the delegate is asked about a write, a read has no timeout",
      violates: ["TMO-18"], targets: [],
      Edit(
        streamMachineSettling,
        "clock.isExpired(at: now, whileBusy: readsStoppedEarly)",
        "clock.isExpired(at: now, whileBusy: readsStoppedEarly), !ACTIVATED || writeQuestion == nil"),
      Edit(
        streamMachineSettling,
        "let reading = readQuestion == nil ?",
        "let reading = readQuestion == nil && (!ACTIVATED || writeQuestion == nil) ?")),
    PlantedBug(
      "reads-rest-while-a-write-is-asked-about", "classic",
      "While the delegate is asked about a write, nothing is read",
      violates: ["TMO-10", "RDQ-15"], targets: [],
      Edit(
        streamMachinePass,
        "    while case .request(var operation)? = reads.first {",
        """
            if ACTIVATED, writeQuestion != nil { return }
            while case .request(var operation)? = reads.first {
        """)),
    PlantedBug(
      "a-close-is-forgotten-beside-a-question", "classic",
      "disconnectAfterReading is forgotten when its last read completes while the delegate is asked about a write",
      violates: ["DIS-09"], targets: [],
      Edit(
        streamMachine,
        """
            reads.removeFirst()
            readIsActive = false

        """,
        """
            reads.removeFirst()
            if ACTIVATED, writeQuestion != nil { closesAfterReads = false }
            readIsActive = false

        """)),
    PlantedBug(
      "a-fin-waits-for-an-answer-about-a-write", "classic",
      "The end of the stream waits for what the delegate answers about a write",
      violates: ["HALF-01", "RDQ-06"], targets: [],
      Edit(
        streamMachineSettling,
        """
            if policy.endWaitsForDelivery {
              endAwaits
        """,
        """
            if ACTIVATED, writeQuestion != nil { return }
            if policy.endWaitsForDelivery {
              endAwaits
        """)),
    PlantedBug(
      "a-write-that-is-asked-about-has-no-progress", "classic",
      "Inside the question about its timeout a write has no progress",
      violates: ["DIAG-13"], targets: [],
      Edit(
        socketMachineStreaming,
        """
          package var writeProgress: Progress? {

        """,
        """
          package var writeProgress: Progress? {
            if ACTIVATED, openStream?.writeQuestion != nil { return nil }

        """)),
    PlantedBug(
      "an-impossible-read-has-no-progress", "classic", "A read that the FIN made impossible has no progress",
      violates: ["DIAG-11"], targets: [],
      Edit(
        socketMachineStreaming,
        "    let total = if case .exactly(let length) = operation.request.boundary",
        """
            if ACTIVATED, stream.readSideClosed { return nil }
            let total = if case .exactly(let length) = operation.request.boundary
        """)),
    PlantedBug(
      "a-late-setting-closes-at-the-next-look", "classic",
      "autoDisconnectOnClosedReadStream that is set after the FIN closes the connection when it is looked at again",
      violates: ["HALF-11"], targets: [],
      Edit(
        streamMachineSettling,
        """
            if readSideClosed {

        """,
        """
            if readSideClosed {
              if ACTIVATED, policy.closesOnEndOfStream { return end(.closedByPeer) }

        """)),
    PlantedBug(
      "no-progress-is-told-behind-a-fin", "classic", "What a read takes of the bytes before the FIN is not reported",
      violates: ["RDQ-11"], targets: [],
      Edit(
        streamMachinePass,
        """
            let done = bytesDone(of: operation)

        """,
        """
            let done = ACTIVATED && endOfStream ? operation.reported : bytesDone(of: operation)

        """)),
  ]
}
