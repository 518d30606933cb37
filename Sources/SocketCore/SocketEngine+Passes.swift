import SocketValues

// Moving bytes: by passes, or on the fast path.
extension SocketEngine {
  /// One pass over the connection. While the machine does not use time, `now` and `canAskDelegate` do not matter.
  ///
  /// - Parameter hasUndelivered: the host has events of earlier passes that the delegate has not heard of yet. It
  ///   matters only where ends are announced.
  package func advance<Transport: StreamTransport>(
    _ transport: inout Transport, now: Instant, canAskDelegate: Bool, hasUndelivered: Bool = false
  ) {
    machine.advance(
      &transport, now: now, canAskDelegate: canAskDelegate, holdsEnd: closingGrace.holdsEnd,
      holdsFailures: closingGrace.holdsFailures, hasUndelivered: hasUndelivered)
    if machine.needsAnotherPass { needs.insert(.wakeup) }
  }

  /// Whether the pass that was just made has left an end to a later one, which needs the time: `endIsHeld`.
  package var holdsEnd: Bool { closingGrace.holdsEnd && machine.isEndHeld }

  /// Records that the pass made at this instant has left an end to a later one: when the callback that has
  /// written returns, 100 ms after the first such instant at the latest, or, if another thread has written, 10 ms after
  /// it (DIS-05).
  package func endIsHeld(at now: Instant) { closingGrace.endIsHeld(at: now) }

  // MARK: On the fast path

  /// A read or a write that was completed on the fast path, and is reported without an event.
  package enum Completion {
    /// The bytes stay in place until the engine's next method is called.
    case read(UnsafeRawBufferPointer, tag: Int)
    case wrote(tag: Int)
  }

  /// Larger reads are handed over with their memory instead of being copied.
  static let largestCopy = 2048

  /// Completes one write or one read without a pass and without the mailbox, if its event would be the next to leave.
  /// For readiness of the connection, on the delegate queue. The completion must then be delivered, and the lane be
  /// drained further. nil: a pass must follow.
  ///
  /// - Parameters:
  ///   - queue: the delegate queue, on which the caller is.
  ///   - scratch: room for the bytes.
  package func serveOnFastPath<Transport: StreamTransport>(
    _ transport: inout Transport, on queue: AnyObject, scratch: UnsafeMutableRawBufferPointer
  ) -> (completion: Completion, draining: Draining)? {
    guard let lane = mailbox.idleLane(on: queue),
      let completion = sendOnFastPath(&transport).map({ .wrote(tag: $0) }) ?? receiveOnFastPath(&transport, scratch)
    else { return nil }
    switch completion {
    case .read: closingGrace.observeOtherEvent()
    case .wrote: closingGrace.observeCompletion()
    }
    isDelegateUnchanged = true
    mailbox.begin(lane)
    deferral.callbackBegins(coversAll: true, eventsInLine: 0)
    var isOnSocketQueue = false
    if case .turn = entry { isOnSocketQueue = true }
    var draining = Draining(lane: lane, coversAll: true, isOnSocketQueue: isOnSocketQueue)
    draining.hasReceiver = true
    draining.owesPass = true
    return (completion, draining)
  }

  /// Whether `serveOnFastPath` may succeed after these hints were recorded: only bytes are to be moved.
  package func mayServeOnFastPath(with hints: Readiness) -> Bool {
    shortcuts.contains(.fastPath) && !isInactive && !needs.contains(.pass) && machine.isPlain
      && hints.isDisjoint(with: .unusual)
  }

  /// Sends the only write, if nothing else is going on; returns its tag if that completes it.
  func sendOnFastPath<Transport: StreamTransport>(_ transport: inout Transport) -> Int? {
    guard shortcuts.contains(.fastPath), let bytes = machine.outputOnFastPath else { return nil }
    return withUnsafePointer(to: bytes) { piece in
      machine.sent(transport.send(UnsafeBufferPointer(start: piece, count: 1)))
    }
  }

  /// Receives for the active read, if nothing else is going on.
  private func receiveOnFastPath<Transport: StreamTransport>(
    _ transport: inout Transport, _ scratch: UnsafeMutableRawBufferPointer
  ) -> Completion? {
    guard machine.wantsInput(atMost: Self.largestCopy) else { return nil }
    let result = transport.receive(into: scratch)
    let room = UnsafeRawBufferPointer(scratch)
    guard
      let read = machine.received(
        result, in: room, shortMeansEmpty: transport.shortReceiveMeansEmpty, atMost: Self.largestCopy)
    else { return nil }
    return .read(UnsafeRawBufferPointer(rebasing: room[..<read.count]), tag: read.tag)
  }
}
