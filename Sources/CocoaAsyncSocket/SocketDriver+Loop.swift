import Dispatch
import SocketCore
import SocketPOSIX

// The loop's calls, and what the socket queue does for them.
extension SocketDriver {
  /// What readiness is about.
  enum WatchedPart: UInt16 { case stream, listener, preferred, alternate }

  /// The part, and the generation it belongs to: readiness that is on its way when a connection ends must not meet the
  /// next one (INV-18).
  func key(_ part: WatchedPart) -> UInt16 { UInt16(truncatingIfNeeded: machine.generation << 2) | part.rawValue }

  func handleReadiness(_ readiness: Readiness, key: UInt16, _ context: LoopContext) -> Bool {
    guard let socketQueue, let shared = sharedSocketQueue else {
      return enterFromLoop(context) { process(readiness, key: key, context) }
    }
    if context.isInLoan(to: shared) {
      turn((readiness, key), context)
      return true
    }
    let loop = attachment.loop
    if loop.mayLend, shared.mayBeLent() {
      loop.lend(to: shared, context) { goOn in
        socketQueue.sync {
          turn((readiness, key), context)
          goOn()
        }
      }
      return true
    }
    enter {
      if let index = pendingReadiness.firstIndex(where: { $0.key == key }) {
        pendingReadiness[index].readiness.formUnion(readiness)
      } else {
        pendingReadiness.append((readiness, key))
      }
      requestTurn()
    }
    return true
  }

  func handleDeadline(_ context: LoopContext) {
    if socketQueue == nil {
      _ = enterFromLoop(context) {
        armedDeadline = nil
        processTime()
        return nil
      }
    } else {
      enter {
        isDeadlineDue = true
        requestTurn()
      }
    }
  }

  /// A lane that the loop's thread serves when it leaves.
  struct Errand {
    let lane: Box.LaneID
    let queue: DispatchQueue
    let shared: SharedQueue
    let socket: GCDAsyncSocket
  }

  /// Enters on the loop's thread, which afterwards serves the delegate queue if that has got work and may be lent. In a
  /// loan, where the thread is on a delegate queue already, it doesn't wait for the lock: who has it may wait for that
  /// queue.
  private func enterFromLoop(_ context: LoopContext, _ body: () -> Draining?) -> Bool {
    if context.isInLoan {
      guard lock.lockIfFree() else { return false }
    } else {
      lock.lock()
    }
    isOnLoop = context.isInLoan || attachment.loop.mayLend
    if var draining = body() {
      isOnLoop = false
      lock.unlock()
      drain(&draining)
      return true
    }
    settle()
    isOnLoop = false
    let errand = errand.take()
    let held = releaseHeld()
    lock.unlock()
    withExtendedLifetime(held) {}
    guard let errand else { return true }
    if context.isInLoan(to: errand.shared) {
      drain(errand.lane, of: errand.socket, isLent: true)
    } else if context.isInLoan {
      // On one queue the thread must not wait for another one: that may be waiting for the first.
      handOver(errand.lane, to: errand.queue, errand.shared, of: errand.socket)
    } else {
      attachment.loop.lend(to: errand.shared, context) { goOn in
        errand.queue.sync {
          drain(errand.lane, of: errand.socket, isLent: true)
          goOn()
        }
      }
    }
    return true
  }

  func requestTurn() {
    guard !isTurnRequested, let socketQueue, let shared = sharedSocketQueue else { return }
    isTurnRequested = true
    shared.willHandOver()
    // The driver is held, not the socket: that may end meanwhile, and the turn finds nothing to do.
    socketQueue.async { [self] in
      turn(nil, nil)
      shared.didServeHandedOver()
    }
  }

  /// On the socket queue: what has come now, everything that waited, then the callbacks that need no hop.
  private func turn(_ readiness: (Readiness, key: UInt16)?, _ context: LoopContext?) {
    lock.lock()
    isInTurn = true
    if isTurnRequested { takeUpWhatWaited() }
    if let readiness, var draining = process(readiness.0, key: readiness.key, context) {
      isInTurn = false
      lock.unlock()
      return drain(&draining)
    }
    settle()
    isInTurn = false
    let lanes = (first: inlineLane.take(), others: moreInlineLanes)
    if !lanes.others.isEmpty { moreInlineLanes = [] }
    let holder = lanes.first == nil ? nil : heldSocket ?? socket
    let held = releaseHeld()
    lock.unlock()
    withExtendedLifetime(held) {}
    guard let holder, let first = lanes.first else { return }
    drain(first, of: holder)
    for lane in lanes.others { drain(lane, of: holder) }
  }

  private func takeUpWhatWaited() {
    isTurnRequested = false
    var waiting: [(readiness: Readiness, key: UInt16)] = []
    swap(&waiting, &pendingReadiness)
    for entry in waiting { _ = process(entry.readiness, key: entry.key, nil) }
    if isDeadlineDue {
      armedDeadline = nil
      processTime()
    } else if isPassDue {
      pass()
    }
    isDeadlineDue = false
    isPassDue = false
  }

  /// Does what the readiness allows. With a context, for the only thing that is left to do in this entry, one read or
  /// write may be completed on the spot: then that is all that was done.
  private func process(_ readiness: Readiness, key: UInt16, _ context: LoopContext?) -> Draining? {
    guard let part = WatchedPart(rawValue: key & 3), key == self.key(part) else { return nil }
    switch part {
    case .stream:
      machine.note(ReadinessHints(readiness))
      if let context, let served = serveOnTheSpot(context) { return served }
      pass()
    case .listener: acceptClients()
    case .preferred:
      takeUpLookup()
      checkAttempt(index: 0)
    case .alternate: checkAttempt(index: 1)
    }
    return nil
  }

  private func processTime() {
    checkAttempts()
    if machine.tick(now: Self.now) { acceptClients() }
    pass()
  }
}

extension ReadinessHints {
  /// A hint for each of the loop's words, by their bits: both types are of other modules, which makes asking them for
  /// each bit anew a dozen calls.
  private static let ofReadiness: [ReadinessHints] = (0...UInt8.max).map { bits in
    let readiness = Readiness(rawValue: bits)
    var hints: ReadinessHints = []
    if readiness.contains(.readable) { hints.insert(.readable) }
    if readiness.contains(.writable) { hints.insert(.writable) }
    if readiness.contains(.peerClosed) { hints.insert(.peerClosed) }
    if readiness.contains(.urgent) { hints.insert(.urgent) }
    if !readiness.isDisjoint(with: [.error, .hangup]) { hints.insert(.broken) }
    return hints
  }

  fileprivate init(_ readiness: Readiness) { self = Self.ofReadiness[Int(readiness.rawValue)] }
}
