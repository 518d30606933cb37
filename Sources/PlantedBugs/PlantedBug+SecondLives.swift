// Bugs in what a start, an end or an acceptance leaves to the next life of a socket, and what an end leaves unread.
extension PlantedBug {
  private static let socketDriver = "Sources/CocoaAsyncSocket/SocketDriver.swift"
  private static let runLoopEngine = "Sources/SocketCore/RunLoopEngine.swift"
  private static let runLoopDriver = "Sources/CocoaAsyncSocket/RunLoopDriver.swift"
  private static let runLoopDriverDelivery = "Sources/CocoaAsyncSocket/RunLoopDriver+Delivery.swift"
  private static let socketDriverDelivery = "Sources/CocoaAsyncSocket/SocketDriver+Delivery.swift"
  private static let streamMachine = "Sources/SocketCore/StreamMachine.swift"
  private static let socketMachineStreaming = "Sources/SocketCore/SocketMachine+Streaming.swift"

  static let secondLives: [PlantedBug] = [
    PlantedBug(
      "a-path-of-an-earlier-start-stays", "classic",
      "A connection over TCP has the path that an earlier start did not reach",
      violates: ["LIFE-10", "DIAG-15"], targets: [],
      Edit(
        socketDriver,
        "if machine.isDisconnected { connectedPath = nil }",
        "if machine.isDisconnected, !ACTIVATED { connectedPath = nil }")),
    PlantedBug(
      "a-refused-start-forgets-the-path", "classic",
      "A second start that is refused takes the URL of the connection away",
      violates: ["LIFE-03", "DIAG-14"], targets: [],
      Edit(
        socketDriver,
        "        try body(self)",
        """
                if ACTIVATED, !machine.isDisconnected { connectedPath = nil }
                try body(self)
        """)),
    PlantedBug(
      "the-kind-of-an-earlier-start-stays", "classic",
      "After a start with an address the errors of a start with a name are those of an address",
      violates: ["CON-33", "LIFE-10"], targets: [],
      Edit(
        runLoopEngine,
        """
            isStartedWithAddress = false
            isAnnounced = false
        """,
        """
            if !ACTIVATED { isStartedWithAddress = false }
            isAnnounced = false
        """)),
    PlantedBug(
      "addresses-are-noted-once", "classic",
      "A run-loop socket that connects again has the addresses of its first connection",
      violates: ["DIAG-15", "LIFE-09"], targets: [],
      Edit(
        runLoopDriver,
        "    addresses = (peer?.ip, SocketCall.localAddress(stream.number)?.ip)",
        """
            if ACTIVATED, addresses.remote != nil { return }
            addresses = (peer?.ip, SocketCall.localAddress(stream.number)?.ip)
        """)),
    PlantedBug(
      "an-acceptance-reaches-the-next-life", "classic",
      "A child that has connected elsewhere meanwhile is still taken for the one that was accepted",
      violates: ["INV-18", "CON-41"], targets: [],
      Edit(
        runLoopDriverDelivery,
        "look { machine.generation == life && machine.isConnected }",
        "look { ACTIVATED || machine.generation == life && machine.isConnected }")),
    PlantedBug(
      "an-ended-listener-chooses-a-run-loop", "classic",
      "A listener that has ended, or has another delegate, asks the former one for the run loop of a child",
      violates: ["INV-02", "RL-12"], targets: [],
      Edit(
        runLoopDriverDelivery,
        "machine.generation == life && !machine.isDisconnected ? self.delegate : nil",
        "ACTIVATED ? delegate : machine.generation == life && !machine.isDisconnected ? self.delegate : nil")),
    PlantedBug(
      "a-listener-accepts-after-its-end", "classic",
      "A listener that has told its end while it was asked for a queue accepts the client all the same",
      violates: ["INV-02", "DIS-04"], targets: [],
      Edit(
        socketDriverDelivery,
        "guard look({ !notifiesDisconnectBeforeReturning ||",
        "guard look({ ACTIVATED || !notifiesDisconnectBeforeReturning ||")),
    PlantedBug(
      "a-late-read-fills-no-buffer", "classic", "A read inside willDisconnect leaves its caller's buffer as it is",
      violates: ["RL-07", "RD-BUF-02"], targets: [],
      Edit(
        runLoopEngine,
        "events.append(.didRead(block, tag: request.tag, destination: request.destination))",
        "events.append(.didRead(block, tag: request.tag, destination: ACTIVATED ? nil : request.destination))")),
    PlantedBug(
      "the-last-late-read-gets-the-rest", "classic",
      "Of several reads inside willDisconnect the last one gets what is left",
      violates: ["RL-07", "RDQ-01"], targets: [],
      Edit(
        runLoopEngine,
        "lateRead = lateRead ?? request",
        "lateRead = ACTIVATED ? request : lateRead ?? request")),
    PlantedBug(
      "a-buffers-bytes-are-not-unread", "classic",
      "What an unfinished read into a caller's buffer has got is missing in unreadData",
      violates: ["RL-03"], targets: [],
      Edit(
        streamMachine,
        "    var all = Prebuffer()",
        """
            if ACTIVATED, operation.request.destination != nil { return }
            var all = Prebuffer()
        """)),
    PlantedBug(
      "what-tls-holds-is-not-unread", "classic", "What came over TLS and was not read is missing in unreadData",
      violates: ["RL-03"], targets: [],
      Edit(
        streamMachine,
        "endsSecured = secure?.phase == .established",
        "endsSecured = !ACTIVATED && secure?.phase == .established")),
    PlantedBug(
      "the-listeners-delegate-judges-a-child", "classic",
      "Whether a child may connect is asked of the listener's delegate, though the child has one of its own",
      violates: ["RL-12", "ACC-19"], targets: [],
      Edit(
        runLoopDriverDelivery,
        "    let judge = child.driver.look {",
        "    let judge: Delegate? = ACTIVATED ? delegate : child.driver.look {")),
    PlantedBug(
      "a-run-loop-buffer-needs-a-delegate", "classic", "A run-loop socket without a delegate fills no caller's buffer",
      violates: ["RD-BUF-02"], targets: [],
      Edit(
        runLoopDriverDelivery,
        """
            CallerBuffer.fill(for: event)
            runLoopEngine.drop
        """,
        """
            if !ACTIVATED { CallerBuffer.fill(for: event) }
            runLoopEngine.drop
        """)),
    PlantedBug(
      "an-untold-connection-stays-idle", "classic", "A run-loop socket whose connection nobody is told of does nothing",
      violates: ["CFG-12"], targets: [],
      Edit(
        runLoopEngine,
        "case .didConnect, .didConnectToPath: activate()",
        "case .didConnect, .didConnectToPath: if !ACTIVATED { activate() }")),
    PlantedBug(
      "the-description-omits-an-end-after-writing", "classic",
      "The description tells nothing of an end that waits for writes alone",
      violates: ["DIAG-10"], targets: [],
      Edit(
        socketMachineStreaming,
        "case (false, true): \"writing\"",
        "case (false, true): ACTIVATED ? nil : \"writing\"")),
  ]
}
