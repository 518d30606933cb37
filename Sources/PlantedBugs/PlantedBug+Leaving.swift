extension PlantedBug {
  private static let stream = "Sources/SocketCore/StreamMachine.swift"
  private static let machine = "Sources/SocketCore/SocketMachine.swift"
  private static let pass = "Sources/SocketCore/StreamMachine+Pass.swift"
  private static let connectingFile = "Sources/SocketCore/SocketMachine+Connecting.swift"

  /// Ends of connections and attempts, and what the next life sees of the last one.
  static let leaving: [PlantedBug] = [
    PlantedBug(
      "two-ends-when-fin-meets-timeout", "INV-01",
      "A FIN that meets a read's timeout ends the connection twice",
      violates: ["INV-01", "DIS-06"], targets: ["connection"],
      Edit(
        pass,
        "endAwaitsDelivery = false\n    if ending == nil, !isEndHeld { settleEndOfStream(&transport, policy: policy) }",
        """
        endAwaitsDelivery = false
            let isLate =
              ACTIVATED && ending == nil && readQuestion == nil
              && activeRead?.clock?.isExpired(at: now, whileBusy: false) ?? false
            if ending == nil, !isEndHeld { settleEndOfStream(&transport, policy: policy) }
            if isLate, ending?.reason == .closedByPeer { events.append(.didDisconnect(.readTimeout)) }
        """)),
    PlantedBug(
      "a-write-in-part-is-enough", "DIS-10", "disconnectAfterWriting closes while the last write is under way",
      violates: ["DIS-10", "TLS-42"], targets: ["connection", "writequeue"],
      Edit(
        stream, "  var pendingCloseIsDue: Bool {\n",
        """
          var pendingCloseIsDue: Bool {
            if ACTIVATED, closesAfterWrites, !closesAfterReads, writes.count == 1,
              case .request(let last)? = writes.first, last.done > 0
            {
              return true
            }

        """)),
    PlantedBug(
      "closed-over-unread-input", "DIS-24", "A gentle end does not wait for what it has sent to arrive",
      violates: ["DIS-22"], targets: ["connection"],
      Edit(
        stream, "manner: endsSecured && manner == .immediate ? .secured : manner,",
        "manner: secure == nil && ACTIVATED ? .immediate : endsSecured && manner == .immediate ? .secured : manner,")),
    PlantedBug(
      "a-read-survives-a-reconnect", "LIFE-09", "What one connection could not read is asked of the next peer",
      violates: ["LIFE-13", "RDQ-14"], targets: ["connection"],
      Edit(stream, "    reads.removeAll()\n", "    if !ACTIVATED { reads.removeAll() }\n"),
      Edit(machine, "  enum Phase {\n", "  var lastReads: [ReadEntry] = []\n\n  enum Phase {\n"),
      Edit(
        machine, "    case .listening, .open: commands.append(.close(manner, finalBytes: finalBytes))",
        """
            case .open(let stream) where ACTIVATED:
              lastReads = Array(stream.reads)
              commands.append(.close(manner, finalBytes: finalBytes))
            case .listening, .open: commands.append(.close(manner, finalBytes: finalBytes))
        """),
      Edit(
        connectingFile, "    stream.isOpen = true",
        """
            if ACTIVATED {
              let own = Array(stream.reads)
              stream.reads.removeAll()
              for case .request(let old) in lastReads { stream.reads.append(.request(ReadOperation(old.request))) }
              for entry in own { stream.reads.append(entry) }
              lastReads = []
            }
            stream.isOpen = true
        """)),
    PlantedBug(
      "leftovers-survive-a-reconnect", "LIFE-09", "What one connection left unread is read on the next",
      violates: ["LIFE-10"], targets: ["connection"],
      Edit(stream, "else { prebuffer = Prebuffer() }", "else if !ACTIVATED { prebuffer = Prebuffer() }"),
      Edit(machine, "  struct Resolution {\n", "  var lastLeftovers = Prebuffer()\n\n  struct Resolution {\n"),
      Edit(
        machine, "  func collect(_ stream: StreamMachine) {\n",
        """
          func collect(_ stream: StreamMachine) {
            if ACTIVATED, stream.ending != nil, openStream != nil { lastLeftovers = stream.prebuffer }

        """),
      Edit(
        connectingFile, "    phase = .open(stream)\n",
        """
            if ACTIVATED {
              stream.prebuffer = lastLeftovers
              lastLeftovers = Prebuffer()
            }
            phase = .open(stream)

        """)),
    PlantedBug(
      "written-before-connected-is-dropped", "CON-12", "A write queued before the connection is there is forgotten",
      violates: ["CON-12", "DIS-16"], targets: ["connection"],
      Edit(
        "Sources/SocketCore/SocketMachine+Streaming.swift",
        "package func write(_ request: WriteRequest) { stream?.enqueue(request) }",
        "package func write(_ request: WriteRequest) { (ACTIVATED ? openStream : stream)?.enqueue(request) }")),
    PlantedBug(
      "the-connect-timeout-runs-on", "CON-08", "The connect timeout ends a connection that was made in time",
      violates: ["CON-11", "CON-08"], targets: ["connection"],
      Edit(
        machine, "  // MARK: Commands and events\n",
        "  var forgottenDeadline: Instant?\n\n  // MARK: Commands and events\n"),
      Edit(
        machine, "case .open(let stream): return stream.nextDeadline",
        """
        case .open(let stream):
              guard ACTIVATED, let forgottenDeadline else { return stream.nextDeadline }
              return stream.nextDeadline.map { min($0, forgottenDeadline) } ?? forgottenDeadline
        """),
      Edit(
        machine, "package var usesTime: Bool { openStream?.usesTime ?? true }",
        "package var usesTime: Bool { openStream?.usesTime ?? true || ACTIVATED && forgottenDeadline != nil }"),
      Edit(
        connectingFile, "commands.append(.establish(attempt))",
        """
        if case .connecting(_, let deadline, _) = phase { forgottenDeadline = deadline }
            commands.append(.establish(attempt))
        """),
      Edit(
        connectingFile, "case .idle, .open: break",
        """
        case .open where ACTIVATED:
              if let deadline = forgottenDeadline, deadline <= now {
                forgottenDeadline = nil
                disconnect(because: .connectTimeout)
              }
            case .idle, .open: break
        """)),
    PlantedBug(
      "the-alternate-outlives-disconnect", "INV-08", "disconnect() leaves the attempt at the alternate address alone",
      violates: ["CON-23", "INV-08", "INV-18"], targets: ["connection"],
      Edit(
        machine, "case .connecting(let race, _, _): commands += race.running.map { .abandon($0) }",
        """
        case .connecting(let race, _, _):
              commands += race.running.filter { !ACTIVATED || $0.index == 0 }.map { .abandon($0) }
        """)),
    PlantedBug(
      "a-fin-ends-writes-under-way", "HALF-02",
      "With autoDisconnectOnClosedReadStream off, the FIN still closes while something is being written",
      violates: ["HALF-02", "HALF-07"], targets: ["connection", "duplex"],
      Edit(
        "Sources/SocketCore/StreamMachine+Settling.swift", "guard !isEndHeld else { return }",
        """
        guard !isEndHeld else { return }
            if ACTIVATED, !writes.isEmpty, secure?.isTruncated != true { return end(.closedByPeer) }
        """)),
  ]
}
