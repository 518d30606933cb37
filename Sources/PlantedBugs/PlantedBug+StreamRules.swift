// Bugs in the rules of one connection that sentences of the register speak of and no other mutant breaks.
extension PlantedBug {
  private static let pass = "Sources/SocketCore/StreamMachine+Pass.swift"
  private static let settling = "Sources/SocketCore/StreamMachine+Settling.swift"

  static let streamRules: [PlantedBug] = firstStreamRules + furtherStreamRules

  private static let firstStreamRules: [PlantedBug] = [
    PlantedBug(
      "the-end-completes-a-read", "RD-ANY-07", "The peer's end gives a read of anything a didRead without bytes",
      violates: ["RD-ANY-07"], targets: ["readqueue"],
      Edit(
        pass, "        endOfStream = true\n        return .waiting",
        """
                endOfStream = true
                if ACTIVATED, case .available = operation.request.boundary { return .complete(ByteBlock(capacity: 1)) }
                return .waiting
        """)),
    PlantedBug(
      "one-burst-serves-two-reads", "RD-ANY-06", "A read of anything behind another one completes without bytes",
      violates: ["RD-ANY-06"], targets: ["readqueue"],
      Edit(
        pass, "      guard mayReceive, !endOfStream else { return .waiting }",
        """
              guard mayReceive, !endOfStream else {
                if ACTIVATED, case .available = operation.request.boundary, case .didRead? = events.last {
                  return .complete(ByteBlock(capacity: 1))
                }
                return .waiting
              }
        """)),
    PlantedBug(
      "a-piece-of-a-delimiter-is-enough", "RD-DELIM-12", "Fewer bytes than the delimiter has complete the read",
      violates: ["RD-DELIM-12"], targets: ["readqueue"],
      Edit(
        pass, "    case .through(let delimiter, let limit):\n",
        """
            case .through(let delimiter, let limit):
              if ACTIVATED, !prebuffer.isEmpty, prebuffer.count < delimiter.count {
                return .complete(prebuffer.take(prebuffer.count))
              }

        """)),
    PlantedBug(
      "every-write-reports-progress", "WR-05", "A write that is done reports its last piece as progress, too",
      violates: ["WR-05", "INV-16"], targets: ["writequeue"],
      Edit(
        pass, "        writes.removeFirst()\n",
        """
                if ACTIVATED { events.append(.didWritePartial(count: taken, tag: operation.request.tag)) }
                writes.removeFirst()

        """)),
    PlantedBug(
      "progress-comes-behind-the-end", "WR-16", "The last progress of a write is told behind its didWrite",
      violates: ["WR-16", "INV-16"], targets: ["writequeue"],
      Edit(
        pass, "        events.append(.didWrite(tag: operation.request.tag))\n",
        """
                events.append(.didWrite(tag: operation.request.tag))
                if ACTIVATED, operation.reported > 0 {
                  events.append(.didWritePartial(count: taken, tag: operation.request.tag))
                }

        """)),
    PlantedBug(
      "a-refusal-drops-the-read-alone", "TMO-26", "A read whose timeout is enforced goes, and the connection stays",
      violates: ["TMO-26", "TMO-07"], targets: ["connection"],
      Edit(
        settling, "      readQuestion = nil\n",
        """
              readQuestion = nil
              if ACTIVATED, !(seconds > 0) {
                if !reads.isEmpty { removeRead() }
                return
              }

        """)),
    PlantedBug(
      "not-a-number-is-an-extension", "TMO-19", "NaN as the extension of a write counts as positive",
      violates: ["TMO-19"], targets: ["connection"],
      Edit(
        settling,
        "      guard seconds > 0, case .request(var operation)? = writes.first else { return enforce(.writeTimeout) }",
        """
              guard seconds > 0 || ACTIVATED && seconds.isNaN, case .request(var operation)? = writes.first else {
                return enforce(.writeTimeout)
              }
        """)),
    PlantedBug(
      "a-broken-connection-half-closes", "HALF-08", "An end that comes with a break leaves the write side open",
      violates: ["HALF-08"], targets: ["readqueue"],
      Edit(
        settling, "    if hints.contains(.broken) {\n      return end(.pending",
        "    if hints.contains(.broken), !ACTIVATED {\n      return end(.pending")),
    PlantedBug(
      "a-handshake-cut-off-is-an-error", "TLS-36", "disconnect() in the middle of a handshake is told with an error",
      violates: ["TLS-36", "DIS-05"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine.swift", "      stream.end(reason)\n",
        """
              let isShakingHands = stream.secure.map { $0.phase != .established } ?? false
              stream.end(ACTIVATED && reason == nil && isShakingHands ? .other("The handshake was cut off.") : reason)

        """)),
    PlantedBug(
      "manual-trust-forgets-the-name", "TLS-25", "With manual evaluation of trust the peer's name is passed over",
      violates: ["TLS-25"], targets: [],
      Edit(
        "Sources/SocketTLS/TLSSession.swift", "    if settings.role == .client, let name = settings.peerName {",
        "    if settings.role == .client, !(ACTIVATED && settings.manualTrust), let name = settings.peerName {")),
    PlantedBug(
      "a-client-hides-its-certificate", "TLS-49", "A client that is asked for its certificate shows none",
      violates: ["TLS-49"], targets: [],
      Edit(
        "Sources/SocketTLS/TLSContext.swift", "    if let identity = making.identity { try setIdentity(identity) }",
        "    if let identity = making.identity, !ACTIVATED || key.role == .server { try setIdentity(identity) }")),
    PlantedBug(
      "sessions-are-negotiated-again", "TLS-48", "A peer that asks to negotiate again is not declined",
      violates: ["TLS-48"], targets: [],
      Edit(
        "Sources/SocketTLS/TLSContext.swift", "    lab_tls_set_options(context, asksClients ? 1 : 0)\n",
        """
            lab_tls_set_options(context, asksClients ? 1 : 0)
            if ACTIVATED {
              SSL_CTX_clear_options(context, 1 << 30)
              SSL_CTX_set_options(context, 1 << 8)
            }

        """)),
    PlantedBug(
      "a-record-is-read-once", "TLS-27", "What a read leaves of a TLS record is out of reach until more arrives",
      violates: ["TLS-27", "INV-17"], targets: ["tls"],
      Edit(
        "Sources/SocketCore/SecuredTransport.swift",
        "  mutating func receive(into buffer: UnsafeMutableRawBufferPointer) -> TransportResult {\n",
        """
          mutating func receive(into buffer: UnsafeMutableRawBufferPointer) -> TransportResult {
            if ACTIVATED, layer.inputIsDrained, !layer.wireEnded { return .wouldBlock }

        """)),
  ]
  private static let furtherStreamRules: [PlantedBug] = [
    PlantedBug(
      "each-read-is-deeper", "INV-14", "Each read that completes in a pass takes more of the stack",
      violates: ["INV-14"], targets: ["readqueue"],
      Edit(
        pass, "        if completionsLeft > 0 { continue }\n",
        """
                if ACTIVATED {
                  // Too much for the stack, if thousands complete.
                  return withUnsafeTemporaryAllocation(byteCount: 1000, alignment: 8) { _ in
                    withUnsafeTemporaryAllocation(byteCount: 1000, alignment: 8) { _ in
                      withUnsafeTemporaryAllocation(byteCount: 1000, alignment: 8) { _ in
                        withUnsafeTemporaryAllocation(byteCount: 1000, alignment: 8) { _ in
                          receivePass(&transport, now: now)
                        }
                      }
                    }
                  }
                }
                if completionsLeft > 0 { continue }

        """)),
    PlantedBug(
      "a-long-queue-loses-its-order", "WR-12", "Of more than 256 queued writes the last two change places",
      violates: ["WR-12", "WR-01"], targets: ["writequeue"],
      Edit(
        "Sources/SocketCore/StreamMachine.swift", "    if writes.count > Self.many { queuesWereLong = true }\n",
        """
            if writes.count > Self.many { queuesWereLong = true }
            if ACTIVATED, writes.count > Self.many { writes.swapAt(writes.count - 1, writes.count - 2) }

        """)),
    PlantedBug(
      "a-read-needs-a-buffer", "RD-BUF-01", "A read without a buffer is dropped",
      violates: ["RD-BUF-01"], targets: ["readqueue"],
      Edit(
        "Sources/SocketCore/SocketEngine+Calls.swift", "    machine.read(request)\n",
        "    if !ACTIVATED || request.destination != nil { machine.read(request) }\n")),
    PlantedBug(
      "a-read-without-bytes-is-done", "DIS-21", "disconnectAfterReading closes when one read is left and no byte came",
      violates: ["DIS-21", "DIS-09"], targets: ["readqueue"],
      Edit(
        "Sources/SocketCore/StreamMachine.swift", "  func closeAfter(reads: Bool, writes: Bool) {\n",
        """
          func closeAfter(reads: Bool, writes: Bool) {
            let isWaiting = reads && !writes && self.reads.count == 1 && prebuffer.isEmpty
            if ACTIVATED, isWaiting { removeRead() }

        """)),
    PlantedBug(
      "a-question-outlives-a-disconnect", "TMO-20", "disconnect() while a timeout is being asked about does nothing",
      violates: ["TMO-20", "DIS-01"], targets: ["connection"],
      Edit(
        "Sources/SocketCore/SocketMachine.swift", "  private func endStream(_ reason: SocketFailure?) {\n",
        """
          private func endStream(_ reason: SocketFailure?) {
            if ACTIVATED, reason == nil, stream?.readQuestion != nil || stream?.writeQuestion != nil { return }

        """)),
    PlantedBug(
      "an-old-block-is-used-again", "RDQ-12", "The bytes of a read are not copied out of the memory of the next",
      violates: ["RDQ-12"], targets: ["prebuffer"],
      Edit(
        "Sources/SocketCore/Prebuffer.swift",
        "    let block = ByteBlock(copying: UnsafeRawBufferPointer(rebasing: bytes[..<wanted]))\n",
        """
            let taken = UnsafeRawBufferPointer(rebasing: bytes[..<wanted])
            let lent = storage.map { ByteBlock(borrowing: taken, from: $0) }
            let block = ACTIVATED ? lent ?? ByteBlock(copying: taken) : ByteBlock(copying: taken)

        """)),
    PlantedBug(
      "a-single-address-waits-for-another", "CON-20", "A single address is tried twice before its failure is told",
      violates: ["CON-20", "CON-05"], targets: ["connection"],
      Edit(
        "Sources/SocketCore/ConnectRace.swift", "    if entrants.count > 1 {\n",
        "    if entrants.count > 1 || ACTIVATED {\n"),
      Edit(
        "Sources/SocketCore/ConnectRace.swift", "    retries[attempt.index] = nil\n",
        """
            retries[attempt.index] = nil
            if ACTIVATED, entrants.count == 1, alternateAt != nil {
              states[0] = .waiting
              return ([], .undecided)
            }

        """),
      Edit(
        "Sources/SocketCore/ConnectRace.swift", "    return commands + launch(1)\n",
        "    return commands + launch(ACTIVATED && entrants.count == 1 ? 0 : 1)\n")),
    PlantedBug(
      "an-answer-is-for-any-question", "TLS-22", "An answer about trust of a connection before counts for the present",
      violates: ["TLS-22", "INV-18"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Securing.swift", "    guard question == trustQuestion, let secure else",
        "    guard question == trustQuestion || ACTIVATED && trustQuestion != nil, let secure else"),
      Edit(
        "Sources/SocketCore/SocketMachine+Streaming.swift",
        "    guard question.generation == generation, let stream = openStream else { return }\n"
          + "    stream.answer(question, answer)\n",
        """
            guard question.generation == generation || ACTIVATED, let stream = openStream else { return }
            stream.answer(question, answer)

        """)),
    PlantedBug(
      "a-single-byte-is-no-record", "TLS-29", "Under TLS a byte that comes alone is lost",
      violates: ["TLS-29"], targets: ["tls"],
      Edit(
        "Sources/SocketCore/SecureLayer.swift", "    session.inputFilled(count)\n",
        "    session.inputFilled(ACTIVATED && count == 1 ? 0 : count)\n")),
    PlantedBug(
      "an-unknown-cipher-suite-is-fatal", "TLS-50", "A ClientHello that begins with a suite of GREASE is refused",
      violates: ["TLS-50"], targets: [],
      Edit(
        "Sources/SocketTLS/TLSContext.swift", "    if asksClients { SSL_CTX_set_num_tickets(context, 0) }\n",
        """
            if asksClients { SSL_CTX_set_num_tickets(context, 0) }
            if ACTIVATED {
              SSL_CTX_set_client_hello_cb(
                context,
                { session, _, _ in
                  var suites: UnsafePointer<UInt8>?
                  let count = SSL_client_hello_get0_ciphers(session, &suites)
                  return count >= 2 && suites?[0] == 0x0A && suites?[1] == 0x0A ? 0 : 1
                }, nil)
            }

        """)),
  ]
}
