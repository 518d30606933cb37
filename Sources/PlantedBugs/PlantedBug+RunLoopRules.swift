// Mutants of what the run-loop class promises about memory, platform objects, texts, and calls that come too early.
extension PlantedBug {
  private static let asyncSocketFile = "Sources/CocoaAsyncSocket/AsyncSocket.swift"
  private static let hostFile = "Sources/CocoaAsyncSocket/RunLoopDriver.swift"
  private static let runLoopEngineFile = "Sources/SocketCore/RunLoopEngine.swift"
  private static let hostCalls = "Sources/CocoaAsyncSocket/RunLoopDriver+Calls.swift"

  static let runLoopRules: [PlantedBug] = [
    PlantedBug(
      "unread-data-are-lent", "UB-22", "unreadData hands out memory that the next one overwrites",
      violates: ["RL-05"], targets: [],
      Edit(
        asyncSocketFile, "driver.look { driver.unread() } }",
        """
        let unread = driver.look { driver.unread() }
            enum Lent {
              // Unsafe: on purpose.
              nonisolated(unsafe) static let bytes = UnsafeMutableRawPointer.allocate(byteCount: 1 << 24, alignment: 16)
            }
            guard ACTIVATED, let unread, !unread.isEmpty else { return unread }
            unread.withUnsafeBytes { Lent.bytes.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
            return Data(bytesNoCopy: Lent.bytes, count: unread.count, deallocator: .none)
          }
        """)),
    PlantedBug(
      "a-delegate-is-retained", "RL-13", "The delegate that the initialiser is given is never released",
      violates: ["RL-13", "CFG-11"], targets: [],
      Edit(
        hostFile, "    self.delegate = delegate\n    runLoopEngine",
        """
            self.delegate = delegate
            if ACTIVATED, let delegate { _ = Unmanaged.passRetained(delegate as AnyObject) }
            runLoopEngine
        """)),
    PlantedBug(
      "an-early-read-of-a-child-traps", "RL-15", "A read of a child whose run loop is not chosen ends the process",
      violates: ["RL-15"], targets: [],
      Edit(
        hostCalls, "    guard let request else { return }\n",
        """
            guard let request else { return }
            precondition(!ACTIVATED || look { attachment != nil || !machine.isConnected })

        """)),
    PlantedBug(
      "asking-for-prebuffering-begins-anew", "RL-24", "enablePrebuffering ends the connection",
      violates: ["RL-24", "RD-DELIM-21"], targets: [],
      Edit(
        asyncSocketFile, "  open func enablePrebuffering() {}",
        "  open func enablePrebuffering() { if ACTIVATED { disconnect() } }")),
    PlantedBug(
      "what-is-read-ahead-is-lost", "RL-24", "What came behind a delimiter is not there for the next read",
      violates: ["RL-24", "RD-DELIM-21", "RL-09", "RL-10"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Delivery.swift",
        "    CallerBuffer.fill(for: event)\n    switch event {",
        """
            CallerBuffer.fill(for: event)
            if ACTIVATED, case .didRead = event { look { _ = machine.takeUnread(atMost: .max) } }
            switch event {
        """)),
    PlantedBug(
      "there-is-an-object-behind-a-socket", "RL-25", "getCFReadStream returns an object that does not exist",
      violates: ["RL-25"], targets: [],
      Edit(
        asyncSocketFile, "Unmanaged<CFReadStream>! { nil }",
        "Unmanaged<CFReadStream>! { ACTIVATED ? .fromOpaque(UnsafeRawPointer(bitPattern: 16)!) : nil }")),
    PlantedBug(
      "texts-are-looked-for-by-themselves", "RL-28", "Texts are looked for in the table by the English text",
      violates: ["RL-28"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/AsyncSocketError.swift", "localizedString(forKey: key, value",
        "localizedString(forKey: ACTIVATED ? text : key, value")),
    PlantedBug(
      "a-released-socket-is-used", "RL-29", "The socket is used after a callback has released it",
      violates: ["RL-29", "DIS-26"], targets: [],
      Edit(
        // Where nobody holds it for the sake of the callback any more.
        "Sources/CocoaAsyncSocket/RunLoopDriver+Delivery.swift", "      if completed == nil, !runLoopEngine",
        "      if ACTIVATED { _ = self.socket! }\n      if completed == nil, !runLoopEngine")),
    PlantedBug(
      "reads-of-anything-take-256-bytes", "RL-30", "A read of anything gets 256 bytes at most",
      violates: ["RL-30"], targets: [],
      Edit(
        asyncSocketFile, "driver.read(.available(limit: Int(clamping: length), timeout",
        "driver.read(.available(limit: ACTIVATED && length == 0 ? 256 : Int(clamping: length), timeout")),
    PlantedBug(
      "without-descriptors-listening-is-over", "ACC-40", "A listener that finds no descriptor never accepts again",
      violates: ["ACC-40", "ACC-31"], targets: ["connection"],
      Edit(
        "Sources/SocketCore/ListenerMachine.swift", "guard let due = retryAt, due <= now else",
        "guard !ACTIVATED, let due = retryAt, due <= now else")),
    PlantedBug(
      "a-foreign-thread-is-fatal", "THR-17", "An operation from a thread that is not the run loop's ends the process",
      violates: ["THR-17"], targets: [],
      Edit(
        hostFile, "    let mayDeliver = mayDeliver\n",
        "    let mayDeliver = mayDeliver\n    precondition(!ACTIVATED || mayDeliver)\n")),
    PlantedBug(
      "a-connection-to-an-address-has-no-errno", "RL-01",
      "Errors of a connection that connectToAddress made are AsyncSocketCFSocketError",
      violates: ["RL-01"], targets: [],
      Edit(
        runLoopEngineFile, "established() { isStartedWithAddress = false }",
        "established() { isStartedWithAddress = isStartedWithAddress && ACTIVATED }")),
    PlantedBug(
      "a-misuse-forgets-the-kind-of-start", "CON-33",
      "A start that is refused as misuse changes the error of the one under way",
      violates: ["CON-33"], targets: [],
      Edit(
        runLoopEngineFile, "    guard machine.isDisconnected else { return false }\n",
        """
            if ACTIVATED { isStartedWithAddress = false }
            guard machine.isDisconnected else { return false }

        """)),
    PlantedBug(
      "a-short-of-memory-kernel-is-a-peer-that-left", "WR-15", "ENOBUFS and ENOMEM are told as the end of the stream",
      violates: ["WR-15"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Pass.swift", "    guard !holdsFailures else { return }\n",
        """
            guard !holdsFailures else { return }
            if ACTIVATED, case .failed(let errno)? = failedSend, [12, 105].contains(errno) { return end(.closedByPeer) }

        """)),
    PlantedBug(
      "a-descriptor-for-keeps", "THR-18", "socketFD returns a descriptor that nobody closes",
      violates: ["THR-18"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/GCDAsyncSocket.swift", "{ driver.exclusiveDescriptor { $0.anyDescriptor } }",
        """
        {
            let descriptor = driver.exclusiveDescriptor { $0.anyDescriptor }
            return ACTIVATED && descriptor >= 0 ? dup(descriptor) : descriptor
          }
        """)),
    PlantedBug(
      "an-end-waits-for-a-read", "CON-43", "The run-loop class tells of the peer's end only while a read waits",
      violates: ["CON-43"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Settling.swift",
        "    else { return false }\n    switch transport.peek() {",
        """
            else { return false }
            if ACTIVATED, besideLeftovers { return false }
            switch transport.peek() {
        """)),
    PlantedBug(
      "what-a-failing-read-got-is-lost", "RL-03", "What a read got in the pass that fails is not in unreadData",
      violates: ["RL-03"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Pass.swift",
        "        reads[reads.startIndex] = .request(operation)\n        if !isLast { fail(failure) }",
        "        if !ACTIVATED { reads[reads.startIndex] = .request(operation) }\n        if !isLast { fail(failure) }")
    ),
    PlantedBug(
      "a-timeout-overtakes-the-end", "ERR-14", "An end that waits for callbacks to be delivered lets timeouts pass",
      violates: ["ERR-14", "RL-01"], targets: [],
      Edit(
        "Sources/SocketCore/StreamMachine+Pass.swift", "!isEndHeld, !endAwaitsDelivery {",
        "!isEndHeld, !endAwaitsDelivery || ACTIVATED {"),
      Edit(
        "Sources/SocketCore/SocketEngine.swift", "machine.isEndHeld || machine.endAwaitsDelivery {",
        "machine.isEndHeld || machine.endAwaitsDelivery && !ACTIVATED {")),
    PlantedBug(
      "a-late-read-waits-for-a-turn", "RL-07", "Behind a slow willDisconnect its read and the end wait for a turn",
      violates: ["RL-01", "RL-07"], targets: [],
      Edit(
        runLoopEngineFile, "events.prefix(2).contains(where: \\.isTerminal)",
        "events.prefix(ACTIVATED ? 1 : 2).contains(where: \\.isTerminal)")),
    PlantedBug(
      "a-failed-connect-swallows-reads", "LIFE-10", "Reads of a next life that begins in willDisconnect are dropped",
      violates: ["LIFE-10"], targets: [],
      Edit(
        runLoopEngineFile, "guard machine.announcedEnd != nil else { return .nothing }",
        "guard machine.announcedEnd != nil || ACTIVATED else { return .nothing }")),
    PlantedBug(
      "a-callback-keeps-its-modes", "RL-22", "Modes that a callback takes out stay until it has returned",
      violates: ["RL-22", "TMO-24"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver+Calls.swift", "      former?.detach()\n",
        "      if !ACTIVATED { former?.detach() }\n")),
    PlantedBug(
      "a-start-inside-the-question", "LIFE-04", "A start inside onSocketWillConnect is made, and the outer one fails",
      violates: ["LIFE-04"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/RunLoopDriver.swift", "guard !startQuestion.isOpen else {",
        "guard !startQuestion.isOpen || ACTIVATED else {")),
  ]
}
