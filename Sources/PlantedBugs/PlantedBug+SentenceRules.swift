// Bugs for sentences of the register that no other mutant breaks in a way that a witness could see.
extension PlantedBug {
  private static let core = "Sources/SocketCore/"
  private static let machine = core + "SocketMachine.swift"
  private static let library = "Sources/CocoaAsyncSocket/"
  private static let entering = library + "SocketDriver+Entering.swift"
  private static let delivery = library + "SocketDriver+Delivery.swift"
  private static let clock = "Sources/SocketPOSIX/Instant+Clock.swift"

  static let sentenceRules: [PlantedBug] = sentencesOfStreams + sentencesOfHosts

  private static let sentencesOfStreams: [PlantedBug] = [
    PlantedBug(
      "the-second-failure-hides-the-first", "CON-19",
      "Of two attempts that fail before anybody comes for the first failure only the second is known to have failed",
      violates: ["CON-19", "CON-01"], targets: [],
      Edit(
        core + "SocketMachine+Connecting.swift", "    takeUpPostponedFailure()\n    if isRunning(attempt)",
        "    if !ACTIVATED { takeUpPostponedFailure() }\n    if isRunning(attempt)")),
    PlantedBug(
      "the-alternate-starts-after-a-disconnect", "UB-02",
      "The attempt at the alternate address begins in its time, although its connect is over",
      violates: ["CON-23", "INV-18"], targets: [],
      Edit(
        machine, "    postponedFailure = nil\n    switch phase {\n",
        """
            postponedFailure = nil
            if ACTIVATED, case .connecting(let race, _, _) = phase { forgottenRace = race }
            switch phase {

        """),
      Edit(
        machine, "  package var nextDeadline: Instant? {\n",
        """
          package var nextDeadline: Instant? {
            guard let late = forgottenRace?.nextDeadline else { return ownDeadline }
            return ownDeadline.map { min($0, late) } ?? late
          }

          var forgottenRace: ConnectRace?

          private var ownDeadline: Instant? {

        """),
      Edit(
        core + "SocketMachine+Connecting.swift", "  package func tick(now: Instant) -> Bool {\n",
        """
          package func tick(now: Instant) -> Bool {
            if var race = forgottenRace {
              let late = race.tick(now: now)
              forgottenRace = late.isEmpty ? race : nil
              if !isDisconnected { commands += late }
            }

        """)),
    PlantedBug(
      "what-nobody-reads-is-dropped", "RDQ-05", "Bytes that arrive while no read is queued are received and dropped",
      violates: ["RDQ-05"], targets: ["readqueue", "connection"],
      Edit(
        core + "StreamMachine+Settling.swift",
        "    // A pass that stopped at its budget may have left reads that what is buffered satisfies (RDQ-08).\n",
        """
            if ACTIVATED, reads.isEmpty, mayReceive, !endOfStream, secure == nil {
              let result = transport.receive(into: prebuffer.room(atLeast: 1, preferring: 1 << 12))
              if case .endOfStream = result { endOfStream = true }
            }
            // A pass that stopped at its budget may have left reads that what is buffered satisfies (RDQ-08).

        """)),
    PlantedBug(
      "the-end-is-noticed-by-reads-alone", "RDQ-06", "The peer's end is not noticed while no read is queued",
      violates: ["RDQ-06"], targets: ["readqueue", "connection"],
      Edit(
        core + "StreamMachine+Settling.swift",
        "    guard endOfStream || isBehindUnread, ending == nil, readQuestion == nil else { return }\n",
        """
            guard endOfStream || isBehindUnread, ending == nil, readQuestion == nil else { return }
            if ACTIVATED, reads.isEmpty { return }

        """)),
    PlantedBug(
      "the-rest-of-a-record-is-dropped", "TLS-27", "What a read leaves of a TLS record is dropped",
      violates: ["TLS-27"], targets: ["tls"],
      Edit(
        core + "StreamMachine+Pass.swift", "        completionsLeft -= 1\n",
        """
                if ACTIVATED, secure != nil, !prebuffer.isEmpty { _ = prebuffer.take(prebuffer.count) }
                completionsLeft -= 1

        """)),
    PlantedBug(
      "a-write-is-done-when-it-is-answered", "WR-03",
      "didWrite waits until something of the peer's has been read", violates: ["WR-03"],
      targets: ["writequeue", "duplex", "connection"],
      Edit(
        machine, "  /// Takes the stream's events, and its end if it has come.\n",
        "  var unanswered: [SocketEvent] = []\n\n  /// Takes the stream's events, and its end if it has come.\n"),
      Edit(
        machine, "    if !stream.events.isEmpty {\n",
        """
            if ACTIVATED {
              var told: [SocketEvent] = []
              for event in stream.events {
                switch event {
                case .didWrite: unanswered.append(event)
                case .didRead:
                  told += unanswered + [event]
                  unanswered = []
                default: told.append(event)
                }
              }
              stream.events = told
              if stream.ending != nil { unanswered = [] }
            }
            if !stream.events.isEmpty {

        """),
      Edit(
        core + "SocketMachine+Streaming.swift", "events.isEmpty ? withOpenStream { $0.outputOnFastPath } ?? nil : nil",
        "events.isEmpty && !ACTIVATED ? withOpenStream { $0.outputOnFastPath } ?? nil : nil")),
    PlantedBug(
      "a-write-to-nobody-ends-in-silence", "WR-09",
      "The failure of a connection whose peer has gone is told to nobody", violates: ["WR-09"],
      targets: ["writequeue", "connection"],
      Edit(
        machine, "    guard let ending = stream.ending, announcedEnd == nil else { return }\n",
        """
            if ACTIVATED, case .posix(let code, _)? = stream.ending?.reason, [32, 104].contains(code) {
              commands.append(.close(.immediate, finalBytes: []))
              phase = .idle
              return
            }
            guard let ending = stream.ending, announcedEnd == nil else { return }

        """)),
    PlantedBug(
      "no-is-an-answer-to-no-question", "TLS-22",
      "An answer of no about trust ends the connection, whatever it answers",
      violates: ["TLS-22", "INV-18"], targets: [],
      Edit(
        core + "SocketMachine+Streaming.swift",
        "(_ question: TrustQuestion, _ answer: TrustAnswer) {\n",
        """
        (_ question: TrustQuestion, _ answer: TrustAnswer) {
            if ACTIVATED, case .distrusted = answer, let stream = openStream, stream.trustQuestion != question {
              return disconnect(because: .other("The peer is not trusted."))
            }

        """)),
  ]

  private static let sentencesOfHosts: [PlantedBug] = [
    PlantedBug(
      "a-read-is-told-inside-its-call", "RDQ-02",
      "What a read inside a callback completes is told before the call has returned",
      violates: ["RDQ-02"], targets: [],
      Edit(
        entering, "mayWait = !lock.isOwned && mayWaitForCallback",
        "mayWait = !lock.isOwned && mayWaitForCallback && !ACTIVATED"),
      Edit(
        entering,
        "let delegateQueue else { return engine.discardEvents(CallerBuffer.fill) }\n",
        """
        let delegateQueue else { return engine.discardEvents(CallerBuffer.fill) }
            if ACTIVATED, currentCallback != nil, let socket {
              var told: [SocketEvent] = []
              machine.drainEvents { told.append($0) }
              lock.unlock()
              for event in told { deliver(event, to: delegate, of: socket) }
              return lock.lock()
            }

        """),
      Edit(
        library + "RunLoopDriver.swift", "    guard body(mayDeliver) else { return leave() }\n",
        """
            guard body(mayDeliver && !ACTIVATED) else {
              leave()
              if ACTIVATED, engine.entry == .call(inCallback: true, onSocketQueue: false) { runLoopTakesTurn() }
              return
            }

        """)),
    PlantedBug(
      "a-timeout-is-asked-about-elsewhere", "TMO-23", "The delegate is asked about a read's timeout on a global queue",
      violates: ["TMO-23", "INV-13"], targets: [],
      Edit(
        delivery,
        """
              let seconds = delegate.socket(
                socket, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: UInt(bytesDone))

        """,
        """
              // Unsafe: on purpose.
              nonisolated(unsafe) let asked = delegate
              nonisolated(unsafe) var seconds = 0.0
              let ask = { @Sendable in
                seconds = asked.socket(
                  socket, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: UInt(bytesDone))
              }
              if ACTIVATED {
                let isAnswered = DispatchSemaphore(value: 0)
                DispatchQueue.global().async {
                  ask()
                  isAnswered.signal()
                }
                isAnswered.wait()
              } else {
                ask()
              }

        """)),
    PlantedBug(
      "timers-follow-the-time-of-day", "TMO-27", "The clock of timers is the one that people set",
      violates: ["TMO-27"], targets: [],
      Edit(
        clock, "clock_gettime(CLOCK_MONOTONIC, &time)",
        "clock_gettime(ACTIVATED ? CLOCK_REALTIME : CLOCK_MONOTONIC, &time)"),
      Edit(
        clock, "clock_gettime(CLOCK_MONOTONIC_COARSE, &time)",
        "clock_gettime(ACTIVATED ? CLOCK_REALTIME_COARSE : CLOCK_MONOTONIC_COARSE, &time)")),
    PlantedBug(
      "a-foreign-queue-is-fatal", "THR-01", "To ask a socket from another queue than its own ends the process",
      violates: ["THR-01"], targets: [],
      Edit(
        entering, "  func look<Result>(_ body: () -> Result) -> Result {\n",
        """
          func look<Result>(_ body: () -> Result) -> Result {
            precondition(!ACTIVATED || socketQueue == nil || isOnSocketQueue)

        """)),
    PlantedBug(
      "there-is-a-stream-behind-a-socket", "THR-14", "readStream returns an object that does not exist",
      violates: ["THR-14"], targets: [],
      Edit(
        library + "GCDAsyncSocket.swift", "Unmanaged<CFReadStream>? { nil }",
        "Unmanaged<CFReadStream>? { ACTIVATED ? .fromOpaque(UnsafeRawPointer(bitPattern: 16)!) : nil }")),
  ]
}
