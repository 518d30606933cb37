// Bugs in the rim around the machine: descriptors, calls, delivery, and what is done on the fast path.
extension PlantedBug {
  private static let driver = "Sources/CocoaAsyncSocket/"
  private static let streamingCalls = driver + "SocketDriver+Calls.swift"
  private static let acceptingFile = driver + "DescriptorDriver+Accepting.swift"
  private static let commands = driver + "DescriptorDriver+Commands.swift"
  private static let calls = "Sources/SocketCore/SocketEngine+Calls.swift"
  private static let spot = "Sources/SocketCore/StreamMachine+FastPath.swift"

  static let driving: [PlantedBug] = [
    PlantedBug(
      "the-end-overtakes-the-leftovers", "RDQ-08", "The peer's end is told while lines wait in the buffer",
      violates: ["RDQ-08", "RDQ-07", "RDQ-09"], targets: [],
      Edit(
        "Sources/SocketCore/SocketEngine+Inbox.swift",
        "    machine.note(hints)\n",
        """
            machine.note(hints)
            if ACTIVATED, hints.contains(.peerClosed), machine.hasBufferedInput {
              machine.disconnect(because: .closedByPeer)
            }

        """)),
    PlantedBug(
      "an-end-inside-a-callback-is-not-told", "DIS-03", "disconnect() inside a callback brings no didDisconnect",
      violates: ["DIS-03", "INV-01", "DIS-07"], targets: ["lifecycle"],
      Edit(
        calls, "    machine.disconnect()\n    unreportedStart = nil",
        """
            machine.disconnect()
            if ACTIVATED, isInCallback { discardEvents { _ in } }
            unreportedStart = nil
        """)),
    PlantedBug(
      "a-new-delegate-gets-the-old-ones-envelopes", "CFG-09",
      "A change of delegate concerns events that are in line, too", violates: ["CFG-09"], targets: [],
      Edit(
        driver + "SocketDriver+Serving.swift", "return .event(envelope.event, receiver)",
        "return .event(envelope.event, ACTIVATED ? look { self.delegate } ?? receiver : receiver)")),
    PlantedBug(
      "an-ipv6-listener-takes-both", "ACC-03", "The listener for IPv6 accepts clients over IPv4, in place of another",
      violates: ["ACC-03", "ACC-09", "CFG-04"], targets: [],
      Edit(
        acceptingFile, "      guard let address else { continue }\n",
        "      guard let address, !ACTIVATED || address.family == .ipv6 || addresses.ipv6 == nil else { continue }\n"),
      Edit(
        acceptingFile, "if address.family == .ipv6 { try SocketCall.setV6Only(descriptor.rawValue) }",
        "if address.family == .ipv6 { try SocketCall.setV6Only(descriptor.rawValue, !ACTIVATED) }")),
    PlantedBug(
      "a-buffer-is-filled-from-its-front", "RD-BUF-02", "A caller's buffer is written from its beginning on",
      violates: ["RD-BUF-02", "RD-BUF-03", "RD-BUF-09", "RD-BUF-11"], targets: [],
      Edit(
        driver + "CallerBuffer.swift", "(buffer.mutableBytes + offset + position)",
        "(buffer.mutableBytes + (ACTIVATED ? 0 : offset) + position)")),
    PlantedBug(
      "a-refused-connect-keeps-its-descriptor", "INV-08", "The descriptor of an attempt that failed is never closed",
      violates: ["INV-08"], targets: [],
      Edit(
        commands, "      discard(attempt)\n      engine.attemptFailed(attempt, failure)",
        """
              if ACTIVATED { open.release() }
              discard(attempt)
              engine.attemptFailed(attempt, failure)
        """)),
    PlantedBug(
      "without-descriptors-the-loop-spins", "UB-14", "A listener without descriptors is woken again at once, for ever",
      violates: ["ACC-31", "INV-10"], targets: [],
      Edit(
        acceptingFile, "guard machine.acceptFailed(error.code, now: Self.now) == .goOn else { break accepting }",
        """
        guard machine.acceptFailed(error.code, now: Self.now) == .goOn else {
                    if ACTIVATED { wakeup(key: key(.listener))() }
                    break accepting
                  }
        """)),
    PlantedBug(
      "the-end-of-a-large-write-is-lent-for-ever", "WR-08",
      "What the kernel did not take of a large write is read from the caller's memory after the call",
      violates: ["WR-07", "INV-06"], targets: [],
      Edit(
        streamingCalls, "if let copy { block.keep(copy) }", "if let copy, !ACTIVATED { block.keep(copy) }")),
    PlantedBug(
      "a-full-round-of-clients-is-the-last", "ACC-29", "Clients behind the 256th of one round are not accepted",
      violates: ["ACC-29"], targets: [],
      Edit(
        acceptingFile, "          wakeup(key: key(.listener))()\n          break",
        "          if !ACTIVATED { wakeup(key: key(.listener))() }\n          break")),
    PlantedBug(
      "half-a-listener-stays", "ACC-05", "When the second family's port is taken, the first one's is kept for ever",
      violates: ["ACC-05", "ACC-04", "INV-08"], targets: [],
      Edit(
        acceptingFile,
        "        throw SocketFailure(error)\n      }\n    }\n    return bound",
        """
                if ACTIVATED { for listener in bound { listener.release() } }
                throw SocketFailure(error)
              }
            }
            return bound
        """)),
    PlantedBug(
      "memory-of-reads-is-kept", "UB-27", "The memory of a read of 1 KiB or more is never freed",
      violates: ["RD-LEN-10"], targets: [],
      Edit(
        driver + "CallerBuffer.swift", "deallocator: .custom { pointer, _ in pointer.deallocate() })",
        "deallocator: ACTIVATED ? .none : .custom { pointer, _ in pointer.deallocate() })")),
    PlantedBug(
      "user-data-end-with-the-connection", "CFG-13", "userData is forgotten at the end of the connection",
      violates: ["CFG-13", "LIFE-11"], targets: [],
      Edit(
        commands, "    if let open = stream {\n      stream = nil",
        "    if ACTIVATED { (self as? SocketDriver)?.userData = nil }\n    if let open = stream {\n"
          + "      stream = nil")),
    PlantedBug(
      "an-attempt-that-cannot-bind-keeps-its-descriptor", "UB-05",
      "The descriptor of an attempt whose local address is taken is never closed", violates: ["CON-27", "INV-08"],
      targets: [],
      Edit(
        commands, "    do {\n      let descriptor = try SocketCall.open(family: remote.family)",
        "    do throws(SystemCallFailure) {\n      let descriptor = try SocketCall.open(family: remote.family)"),
      Edit(
        commands, "        try SocketCall.bind(descriptor.rawValue, to: local)",
        """
                do throws(SystemCallFailure) {
                  try SocketCall.bind(descriptor.rawValue, to: local)
                } catch {
                  if ACTIVATED { _ = dup(descriptor.rawValue) }
                  throw error
                }
        """)),
    PlantedBug(
      "a-reset-connection-forgets-its-peer", "ACC-30", "The kernel is asked for a peer that it has forgotten",
      violates: ["ACC-21", "ACC-30"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/DescriptorDriver+Diagnostics.swift",
        "(stream.peer ?? SocketCall", "((ACTIVATED ? nil : stream.peer) ?? SocketCall")),
    PlantedBug(
      "ipv4-in-ipv6-form-passes", "CFG-04", "A socket without IPv4 connects to an IPv4 address in IPv6 form",
      violates: ["CFG-04", "CON-30"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine.swift", "(isIPv4Enabled || !address.isIPv4Mapped)",
        "(isIPv4Enabled || ACTIVATED || !address.isIPv4Mapped)")),
    PlantedBug(
      "writes-put-off-are-not-looked-after", "THR-09", "What a callback among many writes leaves when it has returned",
      violates: ["THR-09"], targets: [],
      Edit(
        "Sources/SocketCore/Deferral.swift", "return isFirst && !coversAll",
        "return isFirst && !coversAll && !(ACTIVATED && isWrite)")),
  ]

  /// Among what the driver does without a pass.
  static let servingOnFastPath: [PlantedBug] = [
    PlantedBug(
      "the-fast-path-forgets-the-limit-of-a-line", "RD-MAX-01",
      "A line that is read on the fast path may be longer than allowed",
      violates: ["RD-MAX-02", "RD-MAX-03", "RD-MAX-04"], targets: ["readqueue", "connection"],
      Edit(
        spot, "bytes[..<min(bytes.count, limit)]", "bytes[..<(ACTIVATED ? bytes.count : min(bytes.count, limit))]")),
    PlantedBug(
      "the-fast-path-forgets-the-callers-buffer", "RD-BUF-02",
      "A read on the fast path does not fill its caller's buffer",
      violates: ["RD-BUF-02"], targets: [],
      Edit(
        spot, "operation.request.destination == nil, operation.block?.count ?? 0 == 0",
        "ACTIVATED || operation.request.destination == nil, operation.block?.count ?? 0 == 0")),
    PlantedBug(
      "a-full-receive-on-the-fast-path-is-the-last", "INV-17",
      "A receive on the fast path that fills its room is taken for all there is", violates: ["INV-17"],
      targets: ["readqueue", "connection"],
      Edit(
        spot, "if count < room.count, shortMeansEmpty { mayReceive = false }",
        "if ACTIVATED || count < room.count, shortMeansEmpty { mayReceive = false }")),
    PlantedBug(
      "the-fast-path-rests-before-its-rest", "INV-17",
      "What a read on the fast path left over does not serve the next read",
      violates: ["INV-17", "RD-LEN-11", "RD-DELIM-15"], targets: ["readqueue", "connection"],
      Edit(
        spot, "guard isPlain, writes.isEmpty, prebuffer.isEmpty, reads.isEmpty || !mayReceive",
        "guard isPlain, writes.isEmpty, ACTIVATED || prebuffer.isEmpty, reads.isEmpty || !mayReceive")),
  ]
}
