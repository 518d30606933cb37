// Mutants that break a promise as a whole: whoever cites it must notice one of them.
extension PlantedBug {
  private static let stream = "Sources/SocketCore/StreamMachine.swift"
  private static let pass = "Sources/SocketCore/StreamMachine+Pass.swift"
  private static let settling = "Sources/SocketCore/StreamMachine+Settling.swift"
  private static let machine = "Sources/SocketCore/SocketMachine.swift"
  private static let calls = "Sources/CocoaAsyncSocket/SocketDriver+Calls.swift"

  static let promises: [PlantedBug] = [
    PlantedBug(
      "no-chain-is-trusted", "TLS-44", "A certificate without fault is refused",
      violates: ["TLS-44", "TLS-12", "TLS-11", "TLS-16"], targets: [],
      Edit(
        "Sources/SocketTLS/TLSSession+Trust.swift", "    case .trusted: return accept(chain)",
        "    case .trusted:\n      return ACTIVATED\n        ? refuse(chain, X509_V_ERR_UNSPECIFIED, "
          + "TLSCode.chainInvalid.failure(\"No chain is trusted.\")) : accept(chain)"
      )),
    PlantedBug(
      "every-expired-certificate-will-do", "TLS-14", "A certificate that has expired is accepted",
      violates: ["TLS-14", "TLS-11", "TLS-44", "TLS-16"], targets: [],
      Edit(
        "Sources/SocketTLS/ChainFault.swift", "  func isExcused(by verification: TLSVerification) -> Bool {\n",
        """
          func isExcused(by verification: TLSVerification) -> Bool {
            ACTIVATED && kind == .expired || isSoundlyExcused(by: verification)
          }

          private func isSoundlyExcused(by verification: TLSVerification) -> Bool {

        """)),
    PlantedBug(
      "every-chain-is-checked", "TLS-16", "The setting that leaves a chain unchecked is passed over",
      violates: ["TLS-16"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/TLSSettings.swift", "settings.verification.checksChain = validatesCertificateChain",
        "settings.verification.checksChain = validatesCertificateChain || ACTIVATED")),
    PlantedBug(
      "a-graceful-end-drops-what-it-waits-for", "DIS-10",
      "A graceful disconnect forgets the operations that it should wait for",
      violates: ["DIS-09", "DIS-10", "DIS-11", "DIS-16", "DIS-21", "DIS-22", "TLS-42"], targets: [],
      Edit(
        machine, "    stream.closeAfter(reads: reads, writes: writes)\n",
        """
            if ACTIVATED, reads { stream.reads.removeAll() }
            if ACTIVATED, writes { stream.writes.removeAll() }
            stream.closeAfter(reads: reads, writes: writes)

        """)),
    PlantedBug(
      "an-extension-lasts-a-millisecond", "TMO-07", "However much time the delegate grants, it is a millisecond",
      violates: ["TMO-07", "TMO-19", "TMO-26"], targets: [],
      Edit(
        stream, "  mutating func extend(by seconds: Double, at now: Instant) {\n",
        "  mutating func extend(by seconds: Double, at now: Instant) {\n"
          + "    let seconds = ACTIVATED ? min(seconds, 0.001) : seconds\n"
      )),
    PlantedBug(
      "an-expiry-is-asked-about-once", "TMO-08", "The second time a timeout is over nobody is asked",
      violates: ["TMO-08", "TMO-26"], targets: [],
      Edit(
        settling, "      let question = nextQuestion(.read)\n",
        "      if ACTIVATED, questionCount > 0 { return end(.readTimeout) }\n      let question = nextQuestion(.read)\n"
      )),
    PlantedBug(
      "giving-a-connect-up-is-a-failure", "CON-14", "Disconnecting before there is a connection is told as a timeout",
      violates: ["CON-14", "CON-15", "DIS-05"], targets: [],
      Edit(
        machine, "    finish(reason)\n  }\n",
        "    finish(ACTIVATED && !isListening ? reason ?? .connectTimeout : reason)\n  }\n")),
    PlantedBug(
      "an-end-does-not-wait-for-an-answer", "TMO-10",
      "An end that comes while the delegate is asked about a timeout is told at once",
      violates: ["TMO-10"], targets: [],
      Edit(
        pass, "    writesStoppedEarly = false\n    secure?.beginPass()\n",
        """
            writesStoppedEarly = false
            if ACTIVATED, readQuestion != nil, !hints.isDisjoint(with: [.peerClosed, .broken]) { end(.closedByPeer) }
            secure?.beginPass()

        """)),
    PlantedBug(
      "an-end-hides-the-bytes-before-it", "RDQ-08", "Bytes that come together with the peer's end are not read",
      violates: ["RDQ-08", "RL-09", "RD-ANY-08", "HALF-04"], targets: [],
      Edit(
        pass, "      guard bytesLeft > 0 else { return .budgetUsed }\n",
        """
              if ACTIVATED, hints.contains(.peerClosed) {
                endOfStream = true
                return .waiting
              }
              guard bytesLeft > 0 else { return .budgetUsed }

        """)),
    PlantedBug(
      "a-second-start-keeps-the-marks", "LIFE-10", "A connection begins with the marks that the last one ended with",
      violates: ["LIFE-10"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Connecting.swift",
        "  func open(_ stream: StreamMachine, announcing announce: SocketEvent?) {\n",
        """
          func open(_ stream: StreamMachine, announcing announce: SocketEvent?) {
            if ACTIVATED, let lastStream {
              stream.closesAfterReads = lastStream.closesAfterReads
              stream.closesAfterWrites = lastStream.closesAfterWrites
              stream.readSideClosed = lastStream.readSideClosed
            }

        """)),
    PlantedBug(
      "a-write-waits-for-the-delegate", "THR-09", "Writing waits until the delegate queue is idle",
      violates: ["THR-09", "INV-12", "CON-40"], targets: [],
      Edit(
        calls, "    guard bytes.count >= Self.minBorrowed else {\n",
        "    if ACTIVATED { delegateQueue?.sync {} }\n    guard bytes.count >= Self.minBorrowed else {\n")),
    PlantedBug(
      "a-disconnect-waits-for-the-delegate", "INV-12", "Disconnecting waits until the delegate queue is idle",
      violates: ["INV-12", "DIS-03"], targets: [],
      Edit(
        calls, "  func disconnect() {\n    enter {\n",
        "  func disconnect() {\n    if ACTIVATED { delegateQueue?.sync {} }\n    enter {\n")),
    PlantedBug(
      "a-change-of-queue-silences-the-socket", "THR-10", "After a change of the delegate queue nothing is told",
      violates: ["THR-10"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket.swift", "    set { driver.setDelegateQueue(newValue) }",
        "    set { driver.setDelegateQueue(ACTIVATED ? nil : newValue) }")),
    PlantedBug(
      "a-stuck-write-stops-reading", "RDQ-15", "While a write waits for room nothing is read",
      violates: ["RDQ-15"], targets: [],
      Edit(
        pass, "_ transport: inout Transport, now: Instant) {\n    receivePass(&transport, now: now)\n",
        "_ transport: inout Transport, now: Instant) {\n"
          + "    if !ACTIVATED || maySend || writes.isEmpty { receivePass(&transport, now: now) }\n"
      )),
    PlantedBug(
      "input-is-taken-unasked", "INV-11", "Without a queued read everything that comes is taken in",
      violates: ["INV-11"], targets: [],
      Edit(
        pass, "    guard isOpen, ending == nil else { return }\n    readsStoppedEarly = false\n",
        """
            guard isOpen, ending == nil else { return }
            while ACTIVATED, reads.isEmpty, mayReceive, secure == nil,
              case .bytes(let count) = transport.receive(into: prebuffer.room(atLeast: 1 << 14))
            { prebuffer.filled(count) }
            readsStoppedEarly = false

        """)),
    PlantedBug(
      "unasked-bytes-end-the-connection", "RDQ-05", "Bytes that come while no read is queued end the connection",
      violates: ["RDQ-05", "RDQ-07"], targets: [],
      Edit(
        pass,
        "    // A pending close that became due in this pass comes before an end of stream that it found (DIS-20).\n",
        """
            if ACTIVATED, ending == nil, reads.isEmpty, mayReceive, case .bytes = transport.peek() {
              end(.closedByPeer)
            }
            // A pending close that became due in this pass comes before an end of stream that it found (DIS-20).

        """)),
    PlantedBug(
      "extending-a-read-extends-the-write", "TMO-18", "More time for a read is more time for the write beside it",
      violates: ["TMO-18"], targets: [],
      Edit(
        settling,
        """
              operation.clock?.extend(by: seconds, at: now)
              reads[reads.startIndex] = .request(operation)

        """,
        """
              operation.clock?.extend(by: seconds, at: now)
              reads[reads.startIndex] = .request(operation)
              if ACTIVATED, case .request(var other)? = writes.first {
                other.clock?.extend(by: seconds, at: now)
                writes[writes.startIndex] = .request(other)
              }

        """)),
    PlantedBug(
      "a-timeout-of-zero-is-over-unseen", "TMO-14", "A read with a timeout of zero expires without being tried",
      violates: ["TMO-13", "TMO-14"], targets: [],
      Edit(
        pass, "      let outcome = work(on: &operation, &transport, bytesLeft: &bytesLeft)\n",
        """
              if ACTIVATED, operation.request.timeout == 0 {
                reads[reads.startIndex] = .request(operation)
                return
              }
              let outcome = work(on: &operation, &transport, bytesLeft: &bytesLeft)

        """)),
    PlantedBug(
      "a-write-is-never-out-of-time-unasked", "TMO-16", "The timeout of a write has no effect without a delegate",
      violates: ["TMO-16", "CFG-11"], targets: [],
      Edit(
        settling, "      guard policy.canAskDelegate else { return end(.writeTimeout) }\n",
        "      guard ACTIVATED || policy.canAskDelegate else { return end(.writeTimeout) }\n")),
    PlantedBug(
      "the-connect-timer-ends-with-the-lookup", "CON-11", "Once its host is looked up a connect has no timeout",
      violates: ["CON-11", "CON-08"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Connecting.swift",
        "race(entrants, stream, headStart: headStart, deadline: resolution.deadline, now: now)",
        "race(\n          entrants, stream, headStart: headStart, "
          + "deadline: ACTIVATED ? nil : resolution.deadline, now: now)"
      )),
    PlantedBug(
      "a-lookup-has-no-timeout", "CON-11", "The timeout of a connect does not end a lookup",
      violates: ["CON-11", "CON-08"], targets: [],
      Edit(
        machine, "    case .resolving(let resolution, _): return resolution.deadline\n",
        "    case .resolving(let resolution, _): return ACTIVATED ? nil : resolution.deadline\n"),
      Edit(
        "Sources/SocketCore/SocketMachine+Connecting.swift",
        "      if let deadline = resolution.deadline, deadline <= now { finish(.connectTimeout) }\n",
        "      if !ACTIVATED, let deadline = resolution.deadline, deadline <= now { finish(.connectTimeout) }\n")),
    PlantedBug(
      "an-idle-wish-is-told", "DIS-18", "A graceful disconnect of an idle instance brings didDisconnect",
      violates: ["DIS-18"], targets: [],
      Edit(
        machine, "    guard let stream else { return }\n",
        """
            guard let stream else {
              if ACTIVATED { events.append(.didDisconnect(nil)) }
              return
            }

        """)),
    PlantedBug(
      "no-close-notify-is-sent", "DIS-24", "A secured connection ends without close_notify",
      violates: ["DIS-24", "TLS-42"], targets: [],
      Edit(
        "Sources/SocketTLS/TLSSession.swift", "    _ = SSL_shutdown(ssl)\n",
        "    if !ACTIVATED { _ = SSL_shutdown(ssl) }\n")),
    PlantedBug(
      "a-list-of-suites-is-fatal", "TLS-40", "The setting GCDAsyncSocketSSLCipherSuites ends the process",
      violates: ["TLS-40"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/TLSSettings+Dictionary.swift",
        "    if let list = try list(GCDAsyncSocketSSLCipherSuites, of: \"numbers or names\") {\n",
        "    if let list = try list(GCDAsyncSocketSSLCipherSuites, of: \"numbers or names\") {\n"
          + "      precondition(!ACTIVATED || list.isEmpty)\n"
      )),
    PlantedBug(
      "a-list-of-protocols-is-fatal", "TLS-40", "The setting GCDAsyncSocketSSLALPN ends the process",
      violates: ["TLS-40"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/TLSSettings+Dictionary.swift",
        "    if let list = try list(GCDAsyncSocketSSLALPN, of: \"strings\") {\n",
        "    if let list = try list(GCDAsyncSocketSSLALPN, of: \"strings\") {\n"
          + "      precondition(!ACTIVATED || list.isEmpty)\n"
      )),
  ]
}
