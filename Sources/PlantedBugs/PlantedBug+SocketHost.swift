// Bugs in what hosts the engine on real descriptors and queues: SocketDriver, and what it shares with the class on a
// run loop (DescriptorDriver).
extension PlantedBug {
  private static let library = "Sources/CocoaAsyncSocket/"
  private static let loop = library + "SocketDriver+Loop.swift"
  private static let delivery = library + "SocketDriver+Delivery.swift"
  private static let entering = library + "SocketDriver+Entering.swift"
  private static let serving = library + "SocketDriver+Serving.swift"
  private static let commands = library + "DescriptorDriver+Commands.swift"

  static let socketHost: [PlantedBug] = [
    PlantedBug(
      "readiness-during-perform-is-lost", "THR-04", "What the loop reports while a perform block runs is forgotten",
      violates: ["INV-17", "THR-04"], targets: ["lifecycle"],
      Edit(
        loop, "      keepLocked(trigger)\n      return lock.unlock()",
        "      if !ACTIVATED { keepLocked(trigger) }\n      return lock.unlock()")),
    PlantedBug(
      "work-kept-during-perform-stays", "INV-17", "What was kept during a perform block is not taken up at its end",
      violates: ["INV-17", "THR-04"], targets: ["lifecycle"],
      Edit(
        entering, "    if lock.endOwning(), engine.keepsSomething { engine.takeUpInbox() }",
        "    if lock.endOwning(), engine.keepsSomething, !ACTIVATED { engine.takeUpInbox() }")),
    PlantedBug(
      "perform-runs-where-it-is-called", "THR-04", "A perform block runs beside the socket queue",
      violates: ["THR-04", "THR-12"], targets: [],
      Edit(
        entering, "    socketQueue.sync { perform(block) }",
        "    if ACTIVATED { perform(block) } else { socketQueue.sync { perform(block) } }")),
    PlantedBug(
      "calls-work-beside-the-socket-queue", "THR-12", "A call from elsewhere reads and writes on its caller's thread",
      violates: ["THR-12"], targets: [],
      Edit(
        entering, "    return .call(inCallback: false, onSocketQueue: socketQueue != nil && isOnSocketQueue)",
        "    return .call(inCallback: false, onSocketQueue: socketQueue != nil && (ACTIVATED || isOnSocketQueue))")),
    PlantedBug(
      "a-timeout-hides-deferred-work", "THR-09", "With a timeout running, work put off by a slow callback waits for it",
      violates: ["THR-09"], targets: [],
      Edit(
        entering, "engine.armedDeadline.map { min($0, look) } ?? look } ?? engine.armedDeadline",
        "engine.armedDeadline.map { ACTIVATED ? $0 : min($0, look) } ?? look } ?? engine.armedDeadline")),
    PlantedBug(
      "work-is-put-off-once", "THR-09", "On a socket queue the loop looks after work that was put off once only",
      violates: ["THR-09"], targets: [],
      Edit(
        loop, "      fallbackDeadline = nil\n      engine.keepDeadline()",
        "      if !ACTIVATED || engine.armedDeadline != nil { fallbackDeadline = nil }\n      engine.keepDeadline()")),
    PlantedBug(
      "a-no-to-the-certificate-is-a-yes", "TLS-20", "Whatever the delegate answers about trust counts as consent",
      violates: ["TLS-20"], targets: [],
      Edit(
        delivery, "trust.isUnhandled ? .notHandled : isTrusted ? .trusted : .distrusted",
        "trust.isUnhandled ? .notHandled : isTrusted || ACTIVATED ? .trusted : .distrusted")),
    PlantedBug(
      "the-delegates-queue-for-a-child-is-dropped", "ACC-24", "newSocketQueueForConnection is asked, and not heeded",
      violates: ["ACC-24"], targets: [],
      Edit(
        delivery, "makeAccepted(delegate, connection.delegateQueue, queue)",
        "makeAccepted(delegate, connection.delegateQueue, ACTIVATED ? nil : queue)")),
    PlantedBug(
      "the-clients-address-is-cut", "ACC-24", "newSocketQueueForConnection is given the address without its port",
      violates: ["ACC-24"], targets: [],
      Edit(
        delivery, "newSocketQueueForConnection(fromAddress: Data(connection.address), on: socket)",
        """
        newSocketQueueForConnection(
              fromAddress: ACTIVATED ? Data(connection.address.prefix(2)) : Data(connection.address), on: socket)
        """)),
    PlantedBug(
      "the-end-is-not-awaited", "DIS-03", "With notifiesDisconnectBeforeReturning didDisconnect is only put in line",
      violates: ["DIS-03"], targets: [],
      Edit(
        serving, "queue.sync { deliver(share, of: holder, callers) }",
        """
        if !ACTIVATED { queue.sync { deliver(share, of: holder, callers) } }
        """)),
    PlantedBug(
      "an-end-hops-to-its-own-queue", "INV-12",
      "With notifiesDisconnectBeforeReturning, disconnect on the delegate queue waits for that queue",
      violates: ["INV-12", "DIS-03"], targets: [],
      Edit(
        serving, "      if here == queue.identity {", "      if here == queue.identity, !ACTIVATED {")),
    PlantedBug(
      "a-callback-that-delivers-is-forgotten", "THR-03",
      "A callback that goes on after disconnect has delivered inside of it counts as over", violates: ["THR-03"],
      targets: [],
      Edit(
        serving, "    if delivery.draining.hasReceiver { callbacks.end",
        "    if ACTIVATED || delivery.draining.hasReceiver { callbacks.end"),
      Edit(
        "Sources/SocketCore/Mailbox+Taking.swift", "goOn(_ index: Int) -> [(block: Block, queue: Queue)] {",
        """
        goOn(_ index: Int) -> [(block: Block, queue: Queue)] {
            if ACTIVATED { (lanes[index].isScheduled, lanes[index].goesOn) = (false, false) }
        """)),
    PlantedBug(
      "unread-input-resets-the-connection", "DIS-22", "A graceful end closes the descriptor at once, over unread input",
      violates: ["DIS-22"], targets: [],
      Edit(
        commands, "      case .graceful: LingeringClose.begin(open, finalBytes: finalBytes)",
        """
              case .graceful:
                if ACTIVATED {
                  if !finalBytes.isEmpty { _ = finalBytes.withUnsafeBytes { SocketCall.send(open.number, $0) } }
                  open.close()
                } else {
                  LingeringClose.begin(open, finalBytes: finalBytes)
                }
        """)),
    PlantedBug(
      "last-bytes-are-not-sent", "DIS-24", "An end at once drops what TLS has left to say",
      violates: ["DIS-24"], targets: [],
      Edit(
        commands, "LingeringClose.begin(open, finalBytes: finalBytes, maxInput",
        "LingeringClose.begin(open, finalBytes: ACTIVATED ? [] : finalBytes, maxInput")),
    PlantedBug(
      "bytes-behind-a-descriptor-are-not-read", "INV-17",
      "A receive that stops behind bytes with a file descriptor is taken for the last of what has come",
      violates: ["INV-17"], targets: [],
      Edit(
        library + "OpenSocket.swift", "SocketCall.family(number) != AF_UNIX",
        "ACTIVATED || SocketCall.family(number) != AF_UNIX")),
    PlantedBug(
      "a-shared-answer-has-anothers-port", "CON-02", "Two lookups of one name are one, with the port of the first",
      violates: ["CON-02"], targets: [],
      Edit(
        library + "DescriptorDriver+Resolving.swift", "      let own = isShared ? ",
        "      let own = isShared && !ACTIVATED ? ")),
    PlantedBug(
      "the-alternate-attempt-has-no-ears", "CON-17", "The outcome of the attempt in the other family is not looked at",
      violates: ["CON-17", "CON-19"], targets: [],
      Edit(
        library + "DescriptorDriver.swift", "    case .alternate: checkAttempt(index: 1)",
        "    case .alternate: if !ACTIVATED { checkAttempt(index: 1) }")),
    PlantedBug(
      "a-refused-start-goes-on", "CON-27", "A connect that throws for its local address leaves the socket connecting",
      violates: ["CON-27", "LIFE-14"], targets: [],
      Edit(
        library + "DescriptorDriver+Starting.swift",
        "local: local.map(RawAddress.init)) {\n          driver.machine.startRefused()",
        "local: local.map(RawAddress.init)) {\n          if !ACTIVATED { driver.machine.startRefused() }")),
    PlantedBug(
      "a-listeners-path-stays", "ACC-37", "The path of a Unix-domain listener is not removed at its end",
      violates: ["ACC-37"], targets: [],
      Edit(
        library + "DescriptorDriver+Accepting.swift", "    listenerFile?.remove()\n    listenerFile = nil",
        "    if !ACTIVATED { listenerFile?.remove() }\n    listenerFile = nil")),
    PlantedBug(
      "events-go-to-the-former-queue", "THR-10", "Behind a change of the delegate queue events go to the former one",
      violates: ["THR-10", "INV-13", "CFG-09"], targets: ["lifecycle"],
      Edit(
        entering, "      to: delegate, on: delegateQueue, isConcurrent:",
        "      to: delegate, on: ACTIVATED ? lastServed?.queue ?? delegateQueue : delegateQueue, isConcurrent:")),
    PlantedBug(
      "a-child-is-kept-by-the-library", "ACC-22", "An accepted child that nobody keeps stays open",
      violates: ["ACC-22", "LIFE-18", "LIFE-20"], targets: [],
      Edit(
        delivery, "    child.driver.activate()",
        "    child.driver.activate()\n    if ACTIVATED { _ = Unmanaged.passRetained(child) }")),
    PlantedBug(
      "a-client-for-nobody-stays", "ACC-32", "A client that comes when there is no delegate queue is never closed",
      violates: ["ACC-32"], targets: [],
      Edit(
        library + "SocketDriver.swift", "    AcceptedConnection(\n",
        """
            if ACTIVATED, delegateQueue == nil {
              _ = Unmanaged.passRetained(open)
            }
            return AcceptedConnection(

        """)),
    PlantedBug(
      "one-queue-for-both-is-silent", "THR-02", "With one queue for both a turn drops the callbacks of its end",
      violates: ["THR-02"], targets: ["lifecycle"],
      Edit(
        loop, "    for block in blocks { drain(block, of: holder) }",
        "    for block in blocks where !ACTIVATED { drain(block, of: holder) }")),
    PlantedBug(
      "disconnect-inside-perform-is-ignored", "THR-13", "disconnect() inside a perform block does nothing",
      violates: ["THR-13", "DIS-01"], targets: ["lifecycle"],
      Edit(
        library + "SocketDriver+Calls.swift", "      exchangeBeforeEnd()\n      engine.disconnect()\n",
        "      if ACTIVATED, lock.isOwned { return }\n      exchangeBeforeEnd()\n      engine.disconnect()\n")),
    PlantedBug(
      "the-descriptor-closes-later", "DIS-28", "didDisconnect comes while the descriptor is still open",
      violates: ["DIS-28", "ACC-17"], targets: [],
      Edit(
        commands, "      case .immediate: open.close()\n",
        """
              case .immediate:
                if ACTIVATED {
                  DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) { open.close() }
                } else {
                  open.close()
                }

        """),
      Edit(
        library + "DescriptorDriver+Accepting.swift", "      unwatch(listener.number)\n",
        """
              unwatch(listener.number)
              if ACTIVATED {
                DispatchQueue.global().asyncAfter(deadline: .now() + 0.2) { listener.close() }
                continue
              }

        """)),
    PlantedBug(
      "a-delimiter-is-text", "RD-DELIM-16", "A delimiter that is no UTF-8 is searched for as text",
      violates: ["RD-DELIM-16"], targets: [],
      Edit(
        library + "DescriptorDriver+Starting.swift", "      lastDelimiter = Delimiter(Array(bytes)) ?? lastDelimiter",
        """
              let text = ACTIVATED ? Array(String(decoding: bytes, as: UTF8.self).utf8) : nil
              lastDelimiter = Delimiter(text ?? Array(bytes)) ?? lastDelimiter
        """)),
  ]
}
