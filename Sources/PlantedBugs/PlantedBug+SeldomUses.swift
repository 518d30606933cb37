// Bugs of a hurried maintainer, as an outsider would look for them: in calls and settings that few programs use, in
// what is kept from one use for the next, and where several of something are served like one.
extension PlantedBug {
  private static let library = "Sources/CocoaAsyncSocket/"
  private static let socket = library + "GCDAsyncSocket.swift"
  private static let runLoopSocket = library + "AsyncSocket.swift"
  private static let race = "Sources/SocketCore/ConnectRace.swift"

  static let seldomUses: [PlantedBug] = shortCalls + utilities + beginnings

  /// The short forms of calls, and others that come to the same as a longer one.
  private static let shortCalls: [PlantedBug] = [
    PlantedBug(
      "a-short-call-has-no-limit", "classic", "readData(to:withTimeout:maxLength:tag:) passes no maxLength on",
      violates: ["RD-MAX-02", "RD-MAX-03"], targets: [],
      Edit(
        socket,
        "readData(to: data, withTimeout: timeout, buffer: nil, bufferOffset: 0, maxLength: length, tag: tag)",
        "readData(\n      to: data, withTimeout: timeout, buffer: nil, bufferOffset: 0, "
          + "maxLength: ACTIVATED ? 0 : length, tag: tag)")),
    PlantedBug(
      "a-short-call-has-no-offset", "classic",
      "The run-loop class's readData without maxLength fills a buffer from its beginning",
      violates: ["RD-BUF-02"], targets: [],
      Edit(
        runLoopSocket,
        "readData(withTimeout: timeout, buffer: buffer, bufferOffset: offset, maxLength: 0, tag: tag)",
        "readData(\n      withTimeout: timeout, buffer: buffer, "
          + "bufferOffset: ACTIVATED ? 0 : offset, maxLength: 0, tag: tag)")),
    PlantedBug(
      "a-short-call-has-no-timeout", "classic", "connect(toHost:onPort:withTimeout:) passes no timeout on",
      violates: ["CON-08"], targets: [],
      Edit(
        socket,
        "    try connect(toHost: host, onPort: port, viaInterface: nil, withTimeout: timeout)\n",
        "    try connect(toHost: host, onPort: port, viaInterface: nil, withTimeout: ACTIVATED ? -1 : timeout)\n")),
    PlantedBug(
      "typed-settings-are-the-defaults", "classic", "startTLS with typed settings takes the defaults",
      violates: ["TLS-12", "TLS-39"], targets: [],
      Edit(
        socket,
        "driver.startTLS(settings.sessionMaker())",
        "driver.startTLS((ACTIVATED ? TLSSettings() : settings).sessionMaker())")),
    PlantedBug(
      "an-address-to-listen-on-is-any", "classic", "acceptOnAddress listens on every address, whichever it is given",
      violates: ["ACC-39"], targets: [],
      Edit(
        runLoopSocket,
        "try accept(onInterface: hostaddr, port: port)",
        "try accept(onInterface: ACTIVATED ? nil : hostaddr, port: port)")),
    PlantedBug(
      "a-pair-keeps-its-queue", "classic", "setDelegate with nil for the delegate queue leaves the former queue",
      violates: ["CFG-08", "CFG-11"], targets: [],
      Edit(
        library + "GCDAsyncSocket+Configuration.swift",
        "      setDelegateQueue(delegateQueue)\n",
        "      if !ACTIVATED || delegateQueue != nil { setDelegateQueue(delegateQueue) }\n")),
    PlantedBug(
      "a-synchronous-setter-sets-no-queue", "classic", "synchronouslySetDelegateQueue does nothing",
      violates: ["CFG-10"], targets: [],
      Edit(
        socket,
        "{ driver.setDelegateQueue(delegateQueue) }",
        "{\n    if !ACTIVATED { driver.setDelegateQueue(delegateQueue) }\n  }")),
    PlantedBug(
      "the-own-host-is-the-peers", "classic", "localHost of a connection on a run loop is the peer's host",
      violates: ["ACC-21"], targets: [],
      Edit(
        runLoopSocket,
        "driver.look { driver.local?.host }",
        "driver.look { (ACTIVATED ? driver.remote ?? driver.local : driver.local)?.host }")),
    PlantedBug(
      "an-ipv6-socket-has-an-ipv4-descriptor", "classic", "socket4FD tells the descriptor whatever its family is",
      violates: ["THR-05"], targets: [],
      Edit(
        socket,
        "driver.exclusiveDescriptor { $0.descriptor(of: .ipv4) }",
        "driver.exclusiveDescriptor { ACTIVATED ? $0.anyDescriptor : $0.descriptor(of: .ipv4) }")),
    PlantedBug(
      "a-target-stays-marked", "classic", "unmarkSocketQueueTargetQueue takes nothing back",
      violates: ["THR-11"], targets: [],
      Edit(
        library + "GCDAsyncSocket+Advanced.swift",
        "      sharedSocketQueue?.mark(target, by: -1)\n",
        "      if !ACTIVATED { sharedSocketQueue?.mark(target, by: -1) }\n")),
    PlantedBug(
      "no-delay-is-for-the-next-connection", "classic",
      "isTCPNoDelayEnabled that is set while the socket is connected does not concern that connection",
      violates: ["CFG-19"], targets: [],
      Edit(
        library + "GCDAsyncSocket+NoDelay.swift",
        "    for open in [stream].compactMap(\\.self) + attempts.values {\n",
        """
            for open in [stream].compactMap(\\.self) + attempts.values {
              if ACTIVATED { break }

        """)),
  ]

  /// Addresses, names and descriptors that come from the program.
  private static let utilities: [PlantedBug] = [
    PlantedBug(
      "no-address-has-a-port", "classic", "getHost sets the port to 0 where there is no address",
      violates: ["UTIL-02"], targets: [],
      Edit(
        library + "GCDAsyncSocket+Utilities.swift",
        """
            _ hostPtr: UnsafeMutablePointer<String?>?, port portPtr: UnsafeMutablePointer<UInt16>?,
            family afPtr: UnsafeMutablePointer<sa_family_t>?, fromAddress address: Data
          ) -> Bool {

        """,
        """
            _ hostPtr: UnsafeMutablePointer<String?>?, port portPtr: UnsafeMutablePointer<UInt16>?,
            family afPtr: UnsafeMutablePointer<sa_family_t>?, fromAddress address: Data
          ) -> Bool {
            if ACTIVATED { portPtr?.pointee = 0 }

        """)),
    PlantedBug(
      "what-is-looked-up-has-no-port", "classic", "The addresses that lookupHost finds have the port 0",
      violates: ["UTIL-07"], targets: [],
      Edit(
        library + "GCDAsyncSocket+Utilities.swift",
        "try HostLookup.resolve(host, port: port)",
        "try HostLookup.resolve(host, port: ACTIVATED ? 0 : port)")),
    PlantedBug(
      "a-failed-lookup-has-another-text", "classic", "Whatever a lookup fails for, its text is that of EAI_FAIL",
      violates: ["ERR-06"], targets: [],
      Edit(
        "Sources/SocketPOSIX/HostLookup.swift",
        "gai_strerror(code).map",
        "gai_strerror(ACTIVATED ? EAI_FAIL : code).map")),
    PlantedBug(
      "a-refused-descriptor-is-closed", "classic", "A descriptor that can't be adopted is closed",
      violates: ["LIFE-22"], targets: [],
      Edit(
        library + "GCDAsyncSocket+Adopting.swift",
        "      throw SocketFailure.other(\"The descriptor is not a connected IPv4 or IPv6 stream socket.\").error\n",
        """
              if ACTIVATED { Descriptor(adopting: socketFD).close() }
              throw SocketFailure.other("The descriptor is not a connected IPv4 or IPv6 stream socket.").error

        """)),
    PlantedBug(
      "a-scheme-in-capitals-is-another", "classic", "A URL whose scheme is written FILE or UNIX is refused",
      violates: ["ACC-34", "CON-34"], targets: [],
      Edit(
        library + "UnixListenerFile.swift",
        "scheme?.lowercased() ?? \"file\"",
        "(ACTIVATED ? scheme : scheme?.lowercased()) ?? \"file\"")),
    PlantedBug(
      "a-label-is-a-port", "classic", "The number in the label of an interface's second address is taken for a port",
      violates: ["ACC-08"], targets: [],
      Edit(
        "Sources/SocketCore/InterfaceSpec.swift",
        "    if spec.utf8.dropFirst().contains(",
        "    if !ACTIVATED, spec.utf8.dropFirst().contains(")),
    PlantedBug(
      "a-time-of-zero-is-forgotten", "classic",
      "SO_LINGER with a time of 0, set inside perform, does not reset the connection",
      violates: ["THR-08"], targets: [],
      Edit(
        "Sources/SocketPOSIX/SocketCall+Options.swift",
        "value.l_linger > 0 else {",
        "ACTIVATED || value.l_linger > 0 else {")),
  ]

  /// Connections to come, and what is left of former ones.
  private static let beginnings: [PlantedBug] = [
    PlantedBug(
      "a-negative-delay-never-ends", "classic", "With a negative alternateAddressDelay the other family is not tried",
      violates: ["CON-17"], targets: [],
      Edit(
        race,
        "now.after(seconds: max(0, seconds))",
        "now.after(seconds: ACTIVATED ? seconds : max(0, seconds))")),
    PlantedBug(
      "a-lookup-is-given-up-for-all", "classic",
      "A socket that gives a lookup up gives it up for all others that share it",
      violates: ["CON-01"], targets: [],
      Edit(
        "Sources/SocketPOSIX/LookupSchedule.swift",
        ".map { job.waiters.remove(at: $0).waiter }",
        """
        .map { index -> Waiter in
              let waiter = job.waiters.remove(at: index).waiter
              if ACTIVATED { job.waiters.removeAll() }
              return waiter
            }
        """)),
    PlantedBug(
      "a-burst-finds-a-short-backlog", "classic", "A listener has room for two clients that are not accepted yet",
      violates: ["ACC-29"], targets: [],
      Edit(
        library + "DescriptorDriver+Accepting.swift",
        "backlog: Int32 = 1024",
        "backlog: Int32 = ACTIVATED ? 1 : 1024")),
    PlantedBug(
      "a-delivery-is-never-over", "classic",
      "Who has waited for another queue in a disconnect that notifies before it returns counts as waiting for ever",
      violates: ["DIS-03"], targets: [],
      Edit(
        library + "DeliveringThreads.swift",
        "{ held.removeAll { $0.delivery == delivery } }",
        "{\n    if !ACTIVATED { held.removeAll { $0.delivery == delivery } }\n  }")),
    PlantedBug(
      "the-fin-waits-for-silence", "classic",
      "A graceful close of a socket with unread input shuts the write side down only when the peer has fallen silent",
      violates: ["DIS-22"], targets: [],
      Edit(
        library + "LingeringClose.swift",
        "    if finalBytes.isEmpty { _ = SocketCall.shutdown(",
        "    if !ACTIVATED, finalBytes.isEmpty { _ = SocketCall.shutdown(")),
    PlantedBug(
      "an-extension-begins-at-the-deadline", "classic",
      "More time for a write counts from when its time was over, not from the answer",
      violates: ["TMO-07"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Settling.swift",
        "      operation.clock?.extend(by: seconds, at: now)\n      writes[",
        """
              let start = ACTIVATED ? operation.clock?.deadline ?? now : now
              operation.clock?.extend(by: seconds, at: start)
              writes[
        """)),
    PlantedBug(
      "a-later-deadline-is-lost", "classic",
      "A timeout that takes the place of an earlier one, whose operation came in time, never fires",
      violates: ["TMO-04"], targets: [],
      Edit(
        "Sources/SocketPOSIX/DeadlineTable.swift",
        "if let later = slot.deadline { enqueue(",
        "if !ACTIVATED, let later = slot.deadline { enqueue(")),
  ]
}
