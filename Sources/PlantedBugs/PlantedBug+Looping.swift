// Bugs in what all sockets share: the loop and its tables, threads that look after others, lookups, addresses.
extension PlantedBug {
  private static let posix = "Sources/SocketPOSIX/"
  private static let lending = posix + "EventLoop+Lending.swift"
  private static let turns = posix + "EventLoop+Iterations.swift"

  static let looping: [PlantedBug] = [
    PlantedBug(
      "a-slow-callback-stops-its-socket", "THR-09",
      "What a callback puts off waits for its end, because the loop goes on without looking after its socket",
      violates: ["THR-09"], targets: [],
      Edit(lending, "        state.repeatCurrentCall()", "        if !ACTIVATED { state.repeatCurrentCall() }")),
    PlantedBug(
      "the-watchdog-sleeps-for-ever", "THR-09", "Once it has slept, nobody looks after loops that wait for a callback",
      violates: ["THR-09"], targets: [],
      Edit(
        posix + "LoopWatchdog.swift", "      isAwake.store(false, ordering: .sequentiallyConsistent)",
        "      if !ACTIVATED { isAwake.store(false, ordering: .sequentiallyConsistent) }")),
    PlantedBug(
      "a-strangers-event-in-a-loan-is-forgotten", "INV-17",
      "A loan that comes upon an event of another queue's socket drops it", violates: ["INV-17", "THR-15"], targets: [],
      Edit(
        turns, "        guard state.handlers.group(at: index) == group else { return nil }",
        """
                guard state.handlers.group(at: index) == group else {
                  if ACTIVATED { state.takeNext(token, readiness) }
                  return nil
                }
        """)),
    PlantedBug(
      "polling-never-sleeps", "INV-10", "A loop that has polled in vain polls on instead of sleeping",
      violates: ["INV-10"], targets: [],
      Edit(turns, "    polling.polled(inVain: true)", "    if ACTIVATED { return }\n    polling.polled(inVain: true)")),
    PlantedBug(
      "an-earlier-deadline-is-ignored", "TMO-04", "A timeout that ends before the last one that was set ends with that",
      violates: ["TMO-04", "TMO-18", "CON-17"], targets: [],
      Edit(
        posix + "DeadlineTable.swift", "if let slot = slots[id], slot.queued <= deadline {",
        "if let slot = slots[id], ACTIVATED || slot.queued <= deadline {")),
    PlantedBug(
      "an-end-overtakes-a-running-callback", "INV-02",
      "didDisconnect does not wait for a callback that still runs on the former queue", violates: ["INV-02"],
      targets: ["lifecycle"],
      Edit(
        "Sources/SocketCore/Mailbox.swift", "!lane.isBusy && !(lane.goesOn",
        "(ACTIVATED || !lane.isBusy) && !(lane.goesOn")),
    PlantedBug(
      "an-end-runs-beside-a-callback-of-its-queue", "THR-03",
      "didDisconnect does not wait for a callback on its concurrent queue that goes on behind its own disconnect",
      violates: ["THR-03"], targets: [],
      Edit(
        "Sources/SocketCore/Mailbox.swift", " && isSameQueue(lane.queue, queue))",
        " && !ACTIVATED && isSameQueue(lane.queue, queue))")),
    PlantedBug(
      "an-end-that-has-begun-is-not-awaited", "DIS-03",
      "With notifiesDisconnectBeforeReturning, disconnect does not wait for a didDisconnect that is running",
      violates: ["DIS-03"], targets: [],
      Edit(
        "Sources/SocketCore/Mailbox+Taking.swift", "|| lane.isBusy && (lane.isEnding",
        "|| lane.isBusy && (lane.isEnding && !ACTIVATED")),
    PlantedBug(
      "an-end-does-not-await-the-callbacks-before-it", "DIS-03",
      "With notifiesDisconnectBeforeReturning, disconnect returns while a callback on a former queue holds up the end",
      violates: ["DIS-03"], targets: [],
      Edit("Sources/SocketCore/Mailbox+Taking.swift", "|| index < lastEnd)", "|| !ACTIVATED && index < lastEnd)")),
    PlantedBug(
      "a-callback-holds-up-its-own-end", "DIS-03",
      "With notifiesDisconnectBeforeReturning, an end on another queue waits for the callback that disconnects",
      violates: ["DIS-03"], targets: [],
      Edit(
        "Sources/SocketCore/Mailbox.swift", "return callers.contains(lane.id) ||",
        "return !ACTIVATED && callers.contains(lane.id) ||")),
    PlantedBug(
      "callbacks-wait-for-each-other", "INV-12",
      "With notifiesDisconnectBeforeReturning, two callbacks that disconnect wait for each other's queue",
      violates: ["INV-12"], targets: [],
      Edit(
        "Sources/CocoaAsyncSocket/DeliveringThreads.swift", "{ held.contains {", "{ !ACTIVATED && held.contains {"),
      Edit(
        "Sources/Simulation/SimulatedCase+Delivering.swift", "share.queue === currentQueue || !(held",
        "share.queue === currentQueue || ACTIVATED || !(held")),
    PlantedBug(
      "a-block-that-is-left-over-delivers", "CON-01",
      "With notifiesDisconnectBeforeReturning a block that disconnect has made needless tells of the next start",
      violates: ["CON-01"], targets: [],
      Edit(
        "Sources/SocketCore/Mailbox.swift", "    if first == block.number { return true }",
        "    if ACTIVATED || first == block.number { return true }")),
    PlantedBug(
      "a-callback-that-goes-on-tells-of-the-next-start", "CON-01",
      "A callback inside of which a disconnect has delivered takes what was left to a later block",
      violates: ["CON-01"], targets: [],
      Edit(
        "Sources/SocketCore/Mailbox+Taking.swift", "    if lanes[index].envelopes.isEmpty {",
        "    if ACTIVATED || lanes[index].envelopes.isEmpty {")),
    PlantedBug(
      "a-disconnect-that-waits-tells-of-the-next-start", "CON-01",
      "With notifiesDisconnectBeforeReturning a disconnect that waits for the delegate queue delivers what came later",
      violates: ["CON-01"], targets: [],
      Edit(
        "Sources/SocketCore/Mailbox+Taking.swift", "if lanes[index].leftCount < taking.end, mayLeave",
        "if ACTIVATED || lanes[index].leftCount < taking.end, mayLeave"),
      Edit(
        "Sources/SocketCore/Mailbox+Taking.swift", "lanes[index].leftCount < end else { return nil }",
        "ACTIVATED || lanes[index].leftCount < end else { return nil }")),
    PlantedBug(
      "a-disconnect-that-waits-moves-a-start-forward", "CON-01",
      "With notifiesDisconnectBeforeReturning a disconnect has a running block deliver what was left to a later one",
      violates: ["CON-01"], targets: [],
      Edit(
        "Sources/SocketCore/SocketEngine+Draining.swift", "-> [Box.Share] { mailbox.undelivered(isReachable) }",
        """
        -> [Box.Share] {
            if ACTIVATED { mailbox.limits = [:] }
            return mailbox.undelivered(isReachable)
          }
        """)),
    PlantedBug(
      "an-end-makes-all-blocks-needless", "THR-10",
      "What waits in blocks when a connection ends is told no earlier than disconnect delivers it",
      violates: ["THR-10"], targets: [],
      Edit(
        "Sources/SocketCore/Mailbox.swift", "    if isTerminal { lanes[index].endCount += 1 }\n    let isApart",
        """
            if isTerminal { lanes[index].endCount += 1 }
            if ACTIVATED, isTerminal { for place in lanes.indices { lanes[place].block = 0 } }
            let isApart
        """)),
    PlantedBug(
      "an-end-inside-a-delivered-end-loses-its-place", "DIS-03",
      "Where disconnect delivers inside of a callback, a later end loses the block that it has in line",
      violates: ["DIS-03"], targets: [],
      Edit(
        "Sources/SocketCore/Mailbox+Taking.swift", "    return releaseLanes()\n  }\n\n  /// The share has been",
        """
            if ACTIVATED, !lanes[index].envelopes.isEmpty { limits[id] = [Limit(envelopesLeft: 0)] }
            return releaseLanes()
          }

          /// The share has been
        """)),
    PlantedBug(
      "what-a-long-block-leaves-is-forgotten", "INV-01",
      "A block that ends, because it has run for long, has no other one follow", violates: ["INV-01"], targets: [],
      Edit(
        "Sources/SocketCore/SocketEngine+Draining.swift",
        "services.append(Service(block: block.block, queue: block.queue, manner: .handOver))",
        """
        if !ACTIVATED { services.append(Service(block: block.block, queue: block.queue, manner: .handOver)) }
        """)),
    PlantedBug(
      "lingering-never-gives-up", "INV-08", "A peer that never reads keeps a closed connection's descriptor for ever",
      violates: ["INV-08"], targets: [],
      Edit(
        "Sources/SocketCore/LingerLimit.swift", "let end = deadline(), now < end else",
        "let end = deadline(), ACTIVATED || now < end else")),
    PlantedBug(
      "lingering-ends-while-the-peer-sends", "classic",
      "A peer that has everything and still sends is answered with a reset in the place of the end of the stream",
      violates: ["DIS-22"], targets: [],
      Edit(
        "Sources/SocketCore/LingerLimit.swift", "guard let inputAt else", "guard let inputAt, !ACTIVATED else")),
    PlantedBug(
      "a-place-is-given-on-with-its-wake-up", "INV-17",
      "A socket that takes the place of one that was to be woken is never woken itself", violates: ["INV-17"],
      targets: [],
      Edit(
        posix + "HandlerTable.swift", "    places[index] = Place(count: places[index].count + 1)",
        """
            let pending = places[index].wakeupKey
            places[index] = Place(count: places[index].count + 1)
            if ACTIVATED { places[index].wakeupKey = pending }
        """)),
    PlantedBug(
      "resolver-threads-never-end", "LIFE-20", "Threads that look names up stay when there is nothing to look up",
      violates: ["LIFE-20"], targets: [],
      Edit(
        posix + "LookupPool.swift", "if next == nil, !waitForWork() {",
        "if next == nil, !waitForWork(), !ACTIVATED {")),
    PlantedBug(
      "a-scope-in-the-host", "DIAG-04", "The text of a host names its scope", violates: ["DIAG-04"],
      targets: ["address"],
      Edit(
        "Sources/SocketValues/SocketAddress.swift", "case .ipv6: NumericHost.text(ipv6: Array(bytes[8..<24]))",
        """
        case .ipv6:
              NumericHost.text(ipv6: Array(bytes[8..<24])) + (ACTIVATED && bytes[24] != 0 ? "%\\(bytes[24])" : "")
        """)),
    PlantedBug(
      "the-longest-path-is-too-long", "ACC-35", "A Unix-domain path of 107 bytes is refused",
      violates: ["ACC-34", "ACC-35"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Starting.swift", "guard path.utf8.count < 108 else",
        "guard path.utf8.count < (ACTIVATED ? 107 : 108) else")),
    PlantedBug(
      "the-whole-of-a-write-is-what-is-left", "DIAG-13",
      "The progress of a write counts against what is still to be sent", violates: ["DIAG-13", "WR-17"], targets: [],
      Edit(
        "Sources/SocketCore/SocketMachine+Streaming.swift",
        "done: operation.done, total: operation.request.bytes.count)",
        "done: operation.done, total: operation.request.bytes.count - (ACTIVATED ? operation.done : 0))")),
  ]
}
