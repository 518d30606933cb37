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

  func handleReadiness(_ readiness: Readiness, key: UInt16) {
    guard let socketQueue, let shared = sharedSocketQueue else {
      return enterFromLoop { process(readiness, key: key) }
    }
    let loop = attachment.loop
    if loop.mayLend, shared.mayBeLent() {
      return shared.wasLent(for: loop.lend { socketQueue.sync { turn((readiness, key)) } })
    }
    enter {
      if let index = pendingReadiness.firstIndex(where: { $0.key == key }) {
        pendingReadiness[index].readiness.formUnion(readiness)
      } else {
        pendingReadiness.append((readiness, key))
      }
      requestTurn()
    }
  }

  func handleDeadline() {
    if socketQueue == nil {
      enterFromLoop {
        armedDeadline = nil
        processTime()
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

  /// Enters on the loop's thread, which afterwards serves the delegate queue if that has got work and may be lent.
  private func enterFromLoop(_ body: () -> Void) {
    lock.lock()
    let loop = attachment.loop
    isOnLoop = loop.mayLend
    body()
    settle()
    isOnLoop = false
    let errand = errand.take()
    let held = releaseHeld()
    lock.unlock()
    withExtendedLifetime(held) {}
    if let errand {
      errand.shared.wasLent(for: loop.lend { errand.queue.sync { drain(errand.lane, of: errand.socket) } })
    }
  }

  func requestTurn() {
    guard !isTurnRequested, let socketQueue, let shared = sharedSocketQueue else { return }
    isTurnRequested = true
    shared.willHandOver()
    socketQueue.async { [weak self] in
      self?.turn(nil)
      shared.didServeHandedOver()
    }
  }

  /// On the socket queue: what has come now, everything that waited, then the callbacks that need no hop.
  private func turn(_ readiness: (Readiness, key: UInt16)?) {
    lock.lock()
    isInTurn = true
    if isTurnRequested { takeUpWhatWaited() }
    if let readiness { process(readiness.0, key: readiness.key) }
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
    for entry in waiting { process(entry.readiness, key: entry.key) }
    if isDeadlineDue {
      armedDeadline = nil
      processTime()
    } else if isPassDue {
      pass()
    }
    isDeadlineDue = false
    isPassDue = false
  }

  private func process(_ readiness: Readiness, key: UInt16) {
    guard let part = WatchedPart(rawValue: key & 3), key == self.key(part) else { return }
    switch part {
    case .stream:
      machine.note(ReadinessHints(readiness))
      pass()
    case .listener: acceptClients()
    case .preferred: checkAttempt(index: 0)
    case .alternate: checkAttempt(index: 1)
    }
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
