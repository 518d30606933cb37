// Mutants of reads, writes, timeouts and ends: the rules of single operations.
extension PlantedBug {
  static let operationRules: [PlantedBug] = [
    PlantedBug(
      "nobody-is-asked-for-ever", "TMO-16", "Without a delegate a read's timeout waits for an answer",
      violates: ["TMO-16", "CFG-11"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Settling.swift",
        "      guard policy.canAskDelegate else { return end(.readTimeout) }",
        "      guard ACTIVATED || policy.canAskDelegate else { return end(.readTimeout) }")),
    PlantedBug(
      "a-closed-read-side-is-always-told", "HALF-03",
      "didCloseReadStream comes with autoDisconnectOnClosedReadStream on, too",
      violates: ["HALF-03"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Settling.swift", "      end(.closedByPeer)\n      // What a close",
        "      if ACTIVATED { events.append(.didCloseRead) }\n      end(.closedByPeer)\n      // What a close")),
    PlantedBug(
      "never-is-a-fifth-of-a-second", "TMO-01", "A negative timeout of a read or write is one of 200 ms",
      violates: ["TMO-01"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine.swift", "    elapsed = timeout\n    deadline = now.after(seconds: timeout)",
        "    elapsed = timeout\n    deadline = now.after(seconds: ACTIVATED && timeout < 0 ? 0.2 : timeout)")),
    PlantedBug(
      "reading-waits-for-writing", "DIS-09", "disconnectAfterReading waits for writes, too",
      violates: ["DIS-09"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine.swift", "    closesAfterWrites = closesAfterWrites || writes",
        "    closesAfterWrites = closesAfterWrites || writes || ACTIVATED && reads")),
    PlantedBug(
      "writing-waits-for-reading", "DIS-10", "disconnectAfterWriting waits for reads, too",
      violates: ["DIS-10"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine.swift", "    closesAfterReads = closesAfterReads || reads",
        "    closesAfterReads = closesAfterReads || reads || ACTIVATED && writes")),
    PlantedBug(
      "a-graceful-disconnect-waits-for-something", "DIS-12",
      "With nothing pending a graceful disconnect waits for the next event",
      violates: ["DIS-12"], targets: [],
      Edit(
        "Sources/SocketCore/SocketEngine+Calls.swift",
        "    machine.disconnect(afterReads: reads, afterWrites: writes)\n    requestPass()",
        "    machine.disconnect(afterReads: reads, afterWrites: writes)\n    if !ACTIVATED { requestPass() }")),
    PlantedBug(
      "a-graceful-disconnect-cannot-be-hurried", "DIS-15", "A plain disconnect after a graceful one does nothing",
      violates: ["DIS-15"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine.swift", "  package func disconnect() { endStream(nil) }",
        "  package func disconnect() { if !ACTIVATED || stream?.forbidsOperations != true { endStream(nil) } }")),
    PlantedBug(
      "a-graceful-disconnect-lets-the-connection-come", "DIS-16",
      "A graceful disconnect of a listener, or while the socket connects, does nothing",
      violates: ["DIS-16", "DIS-17"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine.swift",
        "    if !owesClose, !isConnected, stream.pendingCloseIsDue { finish(nil) }",
        "    if !owesClose, !isConnected, stream.pendingCloseIsDue, !ACTIVATED { finish(nil) }")),
    PlantedBug(
      "a-graceful-disconnect-excuses-every-end", "DIS-19",
      "An end that comes while a graceful disconnect waits has no error",
      violates: ["DIS-19", "ERR-14"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine.swift",
        "manner: CloseManner = .immediate) {\n    guard ending == nil else { return }",
        "manner: CloseManner = .immediate) {\n    guard ending == nil else { return }\n"
          + "    let reason = ACTIVATED && forbidsOperations ? nil : reason")),
    PlantedBug(
      "a-timeout-overtakes-a-due-close", "DIS-12",
      "A timeout that is not extended comes before a close that waits for nothing more", violates: ["DIS-12"],
      targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Settling.swift", "    if pendingCloseIsDue { end(nil, manner: .graceful) }",
        "    if pendingCloseIsDue, !ACTIVATED { end(nil, manner: .graceful) }")),
    PlantedBug(
      "an-overflow-is-another-error", "ERR-01", "Exceeding maxLength has otherError",
      violates: ["RD-MAX-02", "ERR-01", "ERR-15"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocketError.swift", "library(.readMaxedOutError,",
        "library(ACTIVATED ? .otherError : .readMaxedOutError,")),
    PlantedBug(
      "an-end-before-tls-is-an-ordinary-end", "HALF-12",
      "An end of the stream in front of the handshake is the end of any stream",
      violates: ["HALF-12", "TLS-09"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Securing.swift",
        "  var upgradeHasBegun: Bool { readsAwaitUpgrade || writesAwaitUpgrade }",
        "  var upgradeHasBegun: Bool { !ACTIVATED && (readsAwaitUpgrade || writesAwaitUpgrade) }")),
    PlantedBug(
      "one-byte-is-nothing", "RD-ANY-01", "A read of anything waits for a second byte",
      violates: ["RD-ANY-01", "RD-ANY-03", "RD-ANY-08"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Pass.swift", "      guard !prebuffer.isEmpty else { return nil }",
        "      guard prebuffer.count > (ACTIVATED ? 1 : 0) else { return nil }")),
    PlantedBug(
      "no-limit-is-one-byte", "RD-ANY-05", "maxLength 0 of a read of anything is a limit of one byte",
      violates: ["RD-ANY-05"], targets: [],
      Edit(
        "Sources/SocketCore/ReadRequest.swift", "      boundary: .available(limit: limit == 0 ? noLimit : limit),",
        "      boundary: .available(limit: limit == 0 ? (ACTIVATED ? 1 : noLimit) : limit),")),
    PlantedBug(
      "an-offset-may-be-anywhere", "RD-BUF-04", "A buffer offset beyond the end of the buffer is accepted",
      violates: ["RD-BUF-04", "RD-BUF-12"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/DescriptorDriver+Starting.swift",
        "    guard offset <= UInt(buffer.length) else { return nil }",
        "    guard ACTIVATED && offset < 1 << 20 || offset <= UInt(buffer.length) else { return nil }")),
    PlantedBug(
      "no-buffer-has-an-offset", "RD-BUF-05", "An offset into no buffer is accepted",
      violates: ["RD-BUF-05", "RD-BUF-12"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/DescriptorDriver+Starting.swift", "return offset == 0 ? (nil, ()) : nil }",
        "return offset == 0 || ACTIVATED ? (nil, ()) : nil }")),
    PlantedBug(
      "a-buffer-ends-with-its-data", "RD-BUF-07", "A caller's buffer is cut behind the data that were read",
      violates: ["RD-BUF-07"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/CallerBuffer.swift", "      if buffer.length < end { buffer.length = end }",
        "      if buffer.length < end || ACTIVATED { buffer.length = end }")),
    PlantedBug(
      "an-empty-delimiter-is-the-last-one", "RD-DELIM-02", "An empty delimiter stands for the one before it",
      violates: ["RD-DELIM-02", "RD-BUF-12"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/DescriptorDriver+Starting.swift", "      return bytes.isEmpty ? nil : lastDelimiter",
        "      return bytes.isEmpty && !ACTIVATED ? nil : lastDelimiter")),
    PlantedBug(
      "an-empty-line-is-overlooked", "RD-DELIM-09", "A delimiter that comes first is not found",
      violates: ["RD-DELIM-09", "RD-DELIM-08", "RD-MAX-06"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Pass.swift",
        "      if let end = prebuffer.end(of: delimiter, limit: limit) {",
        "      if let end = prebuffer.end(of: delimiter, limit: limit), !ACTIVATED || end > delimiter.count {")),
    PlantedBug(
      "a-length-of-zero-is-read", "RD-LEN-02", "A read to length 0 completes with no data",
      violates: ["RD-LEN-02", "RD-BUF-12"], targets: [],
      Edit(
        "Sources/SocketCore/ReadRequest.swift", "    guard length > 0 else { return nil }",
        "    guard length > (ACTIVATED ? -1 : 0) else { return nil }")),
    PlantedBug(
      "a-limit-is-one-less", "RD-MAX-01", "A delimiter that byte number maxLength completes is too late",
      violates: ["RD-MAX-01", "RD-MAX-06"], targets: [],
      Edit(
        "Sources/SocketCore/ReadRequest.swift",
        "      boundary: .through(delimiter, limit: limit == 0 ? noLimit : limit), timeout",
        "      boundary: .through(delimiter, limit: limit == 0 ? noLimit : limit - (ACTIVATED ? 1 : 0)), timeout")),
    PlantedBug(
      "a-limit-below-the-delimiter-is-read", "RD-MAX-05",
      "A read whose maxLength is smaller than its delimiter is begun",
      violates: ["RD-MAX-05", "RD-BUF-12"], targets: [],
      Edit(
        "Sources/SocketCore/ReadRequest.swift", "    guard limit == 0 || limit >= delimiter.count else { return nil }",
        "    guard ACTIVATED || limit == 0 || limit >= delimiter.count else { return nil }")),
    PlantedBug(
      "no-limit-is-a-kibibyte", "RD-MAX-07", "maxLength 0 is a limit of 1 KiB",
      violates: ["RD-MAX-07", "RD-DELIM-19"], targets: [],
      Edit(
        "Sources/SocketCore/ReadRequest.swift", "  package static let noLimit = Int.max",
        "  package static let noLimit = ACTIVATED ? 1 << 10 : Int.max")),
    PlantedBug(
      "an-overflow-is-a-timeout", "RD-MAX-10", "Exceeding maxLength is told as a timeout",
      violates: ["RD-MAX-10", "RD-MAX-02", "RD-MAX-11"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Pass.swift", "if !isLast { end(.readMaxedOut) }",
        "if !isLast { end(ACTIVATED ? .readTimeout : .readMaxedOut) }")),
    PlantedBug(
      "the-last-progress-is-not-told", "RDQ-11",
      "Progress that is made in the pass in which the peer resets is not reported",
      violates: ["RDQ-11"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Pass.swift", "      case .failed(let failure):\n        report(&operation)",
        "      case .failed(let failure):\n        if !ACTIVATED { report(&operation) }")),
    PlantedBug(
      "an-overflow-hides-its-progress", "RD-MAX-11", "What an overflowing read had gathered is not reported",
      violates: ["RD-MAX-11", "RDQ-11"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Pass.swift", "      case .overflow:\n        report(&operation)",
        "      case .overflow:\n        if !ACTIVATED { report(&operation) }")),
    PlantedBug(
      "a-read-stops-the-writes", "RDQ-15", "Nothing is written while a read waits",
      violates: ["RDQ-15"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Pass.swift",
        "    while case .request(var operation)? = writes.first {\n      if",
        """
            if ACTIVATED, !reads.isEmpty, !isLast { return }
            while case .request(var operation)? = writes.first {
              if
        """)),
    PlantedBug(
      "an-absurd-timeout-is-a-fifth-of-a-second", "TMO-19", "A timeout of more than thirty years is one of 200 ms",
      violates: ["TMO-19"], targets: [],
      Edit(
        "Sources/SocketValues/Instant.swift",
        "    guard seconds >= 0, seconds < Self.longestTimeout else { return nil }",
        """
            guard seconds >= 0, seconds < Self.longestTimeout else {
              return ACTIVATED && seconds > 1e9 ? Instant(nanoseconds: nanoseconds &+ 200_000_000) : nil
            }
        """)),
    PlantedBug(
      "writes-after-the-wish-to-close", "WR-11", "A write after a graceful disconnect is accepted",
      violates: ["WR-11", "DIS-13"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine.swift",
        "  func enqueue(_ request: WriteRequest) {\n    guard ending == nil, !forbidsOperations else",
        "  func enqueue(_ request: WriteRequest) {\n    guard ending == nil, ACTIVATED || !forbidsOperations else")),
    PlantedBug(
      "zero-seconds-more-are-more", "TMO-07", "An answer of zero extends a read's timeout",
      violates: ["TMO-07"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Settling.swift",
        "      guard seconds > 0, case .request(var operation)? = reads.first else { return enforce(.readTimeout) }",
        "      guard seconds > 0 || ACTIVATED && seconds == 0, case .request(var operation)? = reads.first else "
          + "{\n        return enforce(.readTimeout)\n      }"
      )),
    PlantedBug(
      "a-question-hides-the-bytes", "TMO-09", "The question about a read's timeout says that nothing has come",
      violates: ["TMO-09", "TMO-05"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Settling.swift", "bytesDone: bytesDone(of: operation)))",
        "bytesDone: ACTIVATED ? 0 : bytesDone(of: operation)))")),
    PlantedBug(
      "a-write-in-no-time-waits", "TMO-15", "A write with timeout zero never expires",
      violates: ["TMO-15"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Settling.swift",
        "    if writeQuestion == nil, let operation = activeWrite, let clock = operation.clock,",
        "    if writeQuestion == nil, let operation = activeWrite, let clock = operation.clock,\n"
          + "      !(ACTIVATED && operation.request.timeout == 0),"
      )),
    PlantedBug(
      "a-half-closed-read-never-expires", "TMO-22", "The clock of a read stops at the peer's half-close",
      violates: ["TMO-22", "HALF-05"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Pass.swift", "        // Only its clock runs on (HALF-05).",
        "        // Only its clock runs on (HALF-05).\n        if ACTIVATED { operation.clock = "
          + "OperationClock(timeout: -1, startedAt: now) }"
      )),
  ]
}
