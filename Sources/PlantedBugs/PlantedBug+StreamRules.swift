// Bugs in the rules of one connection that sentences of the register speak of and no other mutant breaks.
extension PlantedBug {
  private static let pass = "Sources/SocketCore/StreamMachine+Pass.swift"
  private static let settling = "Sources/SocketCore/StreamMachine+Settling.swift"

  static let streamRules: [PlantedBug] = [
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
        "      guard seconds > 0, case .request(var operation)? = writes.first else { return end(.writeTimeout) }",
        """
              guard seconds > 0 || ACTIVATED && seconds.isNaN, case .request(var operation)? = writes.first else {
                return end(.writeTimeout)
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
        "Sources/SocketCore/SocketMachine.swift", "  package func disconnect() { endStream(nil) }",
        """
          package func disconnect() {
            endStream(ACTIVATED && session != nil && !isSecure ? .other("The handshake was cut off.") : nil)
          }
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
            if ACTIVATED { SSL_CTX_clear_options(context, 1 << 30) }

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
}
