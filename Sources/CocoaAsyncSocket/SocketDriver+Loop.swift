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

  /// What the loop has to say.
  private enum Occasion {
    case readiness(Readiness, key: UInt16)
    case deadline
  }

  func handleReadiness(_ readiness: Readiness, key: UInt16, _ context: LoopContext) {
    guard let socketQueue, let shared = sharedSocketQueue else {
      return enterFromLoop(.readiness(readiness, key: key), context)
    }
    if context.isInLoan(to: shared) { return turn((readiness, key), context) }
    let loop = attachment.loop
    if loop.mayLend, shared.mayBeLent() {
      return loop.lend(to: shared, context) { goOn in
        socketQueue.sync {
          turn((readiness, key), context)
          goOn()
        }
      }
    }
    noteForTurn {
      if let index = pendingReadiness.firstIndex(where: { $0.key == key }) {
        pendingReadiness[index].readiness.formUnion(readiness)
      } else {
        pendingReadiness.append((readiness, key))
      }
    }
  }

  func handleDeadline(_ context: LoopContext) {
    guard socketQueue != nil else { return enterFromLoop(.deadline, context) }
    noteForTurn { isDeadlineDue = true }
  }

  /// Notes what the next turn on the socket queue has to do. A `perform(_:)` that is under way there has the queue.
  private func noteForTurn(_ body: () -> Void) {
    _ = lock.lockUnlessOwned()
    body()
    requestTurn()
    lock.unlock()
  }

  /// A lane that the loop's thread serves when it leaves.
  struct Errand {
    let lane: Box.LaneID
    let queue: DispatchQueue
    let shared: SharedQueue
    let socket: GCDAsyncSocket
  }

  /// Enters on the loop's thread, which afterwards serves the delegate queue if that has got work and may be lent.
  /// While another thread has the socket to itself, what came waits for the end of that.
  private func enterFromLoop(_ occasion: Occasion, _ context: LoopContext) {
    guard lock.lockUnlessOwned() else {
      postponed.append { _ = $0.take(occasion, nil) }
      return lock.unlock()
    }
    isServing = true
    isOnLoop = context.isInLoan || attachment.loop.mayLend
    if var draining = take(occasion, context) {
      isServing = false
      isOnLoop = false
      lock.unlock()
      return drain(&draining)
    }
    settle()
    isServing = false
    isOnLoop = false
    var work = ForeignWork(errand: errand.take(), held: releaseHeld())
    lock.unlock()
    serve(&work, context)
  }

  /// What is left for the loop's thread behind the lock, and runs foreign code, or may: to let go of a user's object
  /// can be its end.
  private struct ForeignWork {
    var errand: Errand?
    var held = Held()
  }

  private func serve(_ work: inout ForeignWork, _ context: LoopContext) {
    guard let shared = work.errand?.shared else {
      if !work.held.isEmpty { letGo(&work, context) }
      return
    }
    if context.isInLoan(to: shared) {
      if let errand = work.errand { drain(errand.lane, of: errand.socket, isLent: true) }
    } else if context.isInLoan {
      // On one queue the thread must not wait for another one: that may be waiting for the first.
      if let errand = work.errand { handOver(errand.lane, to: errand.queue, shared, of: errand.socket) }
    } else {
      attachment.loop.lend(to: shared, context) { goOn in
        if let errand = work.errand {
          errand.queue.sync {
            drain(errand.lane, of: errand.socket, isLent: true)
            goOn()
          }
        }
        work = ForeignWork()
      }
    }
  }

  /// Lets go of users' objects where their end may take its time.
  private func letGo(_ work: inout ForeignWork, _ context: LoopContext) {
    if context.isInLoan {
      work = ForeignWork()
    } else if attachment.loop.mayLend {
      attachment.loop.lend { work = ForeignWork() }
    } else {
      let last = LastReferences(work)
      work = ForeignWork()
      DispatchQueue.global().async { last.work = nil }
    }
  }

  private final class LastReferences: @unchecked Sendable {
    // Unchecked: handed over as a whole to the one block that empties it.
    var work: ForeignWork?

    init(_ work: ForeignWork) { self.work = work }
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
    isServing = true
    isTurnForCalls = isPassForCaller
    isPassForCaller = false
    if isTurnRequested { takeUpWhatWaited() }
    if let readiness, var draining = process(readiness.0, key: readiness.key, isTurnForCalls ? nil : context) {
      isInTurn = false
      isServing = false
      lock.unlock()
      return drain(&draining)
    }
    settle()
    isInTurn = false
    isServing = false
    isTurnForCalls = false
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
      processTime()
    } else if isPassDue {
      pass()
    }
    isDeadlineDue = false
    isPassDue = false
  }

  /// Does what there is to do. With a context, one read or write may be completed on the spot.
  private func take(_ occasion: Occasion, _ context: LoopContext?) -> Draining? {
    switch occasion {
    case .readiness(let readiness, let key): return process(readiness, key: key, context)
    case .deadline:
      processTime()
      return nil
    }
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
    armedDeadline = nil
    checkAttempts()
    let now = Self.now
    _ = closingGrace.isOver(at: now)
    if machine.tick(now: now) { acceptClients() }
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
