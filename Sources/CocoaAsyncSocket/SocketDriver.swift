import Dispatch
import Foundation
import SocketCore
import SocketPOSIX

/// Runs one `SocketMachine` on real descriptors: the rim around the pure core.
///
/// Laws
/// - Everything below `lock` is touched only with the lock held. The lock is never held while a callback runs, and
///   never waits for a queue.
/// - Without a socket queue of the caller's, whoever has work does it on his own thread: the loop on readiness, a
///   caller in an API call. With one, input and output happen on that queue only (THR-12).
/// - After each verb: commands first, events after. So a descriptor is closed before anybody can hear of it (DIS-28).
/// - Callbacks leave through the mailbox and run on their delegate queue. Only a delegate queue that is also the socket
///   queue is served without a hop.
/// - No reference to a user's object is let go under the lock: its end may run any code (see `enter`).
/// - The loop holds the driver weakly, the driver holds the socket weakly, blocks on queues hold the socket strongly:
///   an idle socket that nobody refers to is freed (LIFE-20), one with callbacks under way is not.
final class SocketDriver: EventHandler, @unchecked Sendable {
  // Unchecked: this is the box that holds the confined state; see the first law.
  typealias Delegate = any GCDAsyncSocketDelegate
  typealias Box = Mailbox<DispatchQueue, Delegate, SocketEvent>

  private let lock = SocketLock()
  let socketQueue: DispatchQueue?
  /// Set on the socket queue, and on its target queues that the user marked (THR-11).
  let socketQueueKey = DispatchSpecificKey<Bool>()
  /// Set on the delegate queue, to its own identity, while `notifiesDisconnectBeforeReturning` needs to know it.
  let delegateQueueKey = DispatchSpecificKey<ObjectIdentifier>()

  // MARK: Below the lock

  weak var socket: GCDAsyncSocket?
  weak var delegate: Delegate?
  var delegateQueue: DispatchQueue?
  var userData: Any?
  var notifiesDisconnectBeforeReturning = false
  /// The queues that carry `delegateQueueKey`.
  var markedQueues: [DispatchQueue] = []
  var resolver: any HostResolving = SystemResolver()

  var machine = SocketMachine()
  var mailbox = Box(isSameQueue: ===)
  var stream: OpenSocket?
  var attempts: [AttemptID: OpenSocket] = [:]
  /// IPv4 first, then IPv6; or one Unix-domain listener.
  var listeners: [OpenSocket] = []
  var listenerPath: String?
  /// The Unix-domain path a client connected to.
  var connectedPath: String?
  /// An accepted child does nothing before didAcceptNewSocket has returned (ACC-23).
  var isCorked = false
  /// How many `perform(_:)` blocks are running.
  var performDepth = 0
  /// Readiness that waits for the socket queue.
  var pendingReadiness: [(readiness: Readiness, key: UInt16)] = []
  private var isTurnRequested = false
  /// The armed deadline has come and waits for the socket queue; armed again before that, it would come again at once.
  private var isDeadlineDue = false
  private var needsPass = false
  private var attachmentIfMade: Attachment?
  private var armedDeadline: Instant?
  /// Lanes to serve without a hop when the current turn ends.
  private var inlineLanes: [Box.LaneID] = []
  private var isInTurn = false
  /// What this entry has seen of the delegate and of the socket; see `enter`.
  private var heldDelegate: Delegate?
  private var heldFormerDelegates: [Delegate] = []
  private var heldSocket: GCDAsyncSocket?

  init(delegate: Delegate?, delegateQueue: DispatchQueue?, socketQueue: DispatchQueue?) {
    self.delegate = delegate
    self.delegateQueue = delegateQueue
    self.socketQueue = socketQueue
    socketQueue?.setSpecific(key: socketQueueKey, value: true)
  }

  deinit {
    // A key is known by its address, which another socket's key may get next.
    socketQueue?.setSpecific(key: socketQueueKey, value: nil)
    for queue in markedQueues { queue.setSpecific(key: delegateQueueKey, value: nil) }
  }

  static var now: Instant { Instant(nanoseconds: MonotonicInstant.now().nanoseconds) }

  var attachment: Attachment {
    if let attachmentIfMade { return attachmentIfMade }
    let made = EventLoopGroup.next().attach(self)
    // A loop that could not start is not kept: the next start tries again (LIFE-14).
    if made.loop.startFailure == nil { attachmentIfMade = made }
    return made
  }

  var isOnSocketQueue: Bool { socketQueue != nil && DispatchQueue.getSpecific(key: socketQueueKey) != nil }

  // MARK: Entering

  /// Enters the socket; on the way out everything the machine asked for is done.
  ///
  /// Delegate and socket are referred to weakly, so whoever looks at them may become the last to hold them. What an
  /// entry has looked at is held until the lock is free again; and a delegate that was there when a pass began is there
  /// when its events are posted, so that no question to it gets lost.
  func enter<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    lock.lock()
    defer {
      settle()
      let held = releaseHeld()
      lock.unlock()
      withExtendedLifetime(held) {}
    }
    return try body()
  }

  private func holdDelegate() -> Delegate? {
    let current = delegate
    if let heldDelegate, heldDelegate !== current { heldFormerDelegates.append(heldDelegate) }
    heldDelegate = current
    return current
  }

  private func releaseHeld() -> (Delegate?, [Delegate], GCDAsyncSocket?) {
    // Inside `perform` the lock is not free yet.
    guard performDepth == 0 else { return (nil, [], nil) }
    defer {
      heldDelegate = nil
      if !heldFormerDelegates.isEmpty { heldFormerDelegates = [] }
      heldSocket = nil
    }
    return (heldDelegate, heldFormerDelegates, heldSocket)
  }

  /// Enters to look only.
  func look<Result>(_ body: () -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }

  /// One pass over the connection, here if this is the place for it, otherwise soon on the socket queue.
  func pass() {
    guard machine.isConnected, !isCorked, let stream else { return }
    guard socketQueue == nil || isOnSocketQueue else { return requestTurn() }
    var transport = DescriptorTransport(number: stream.number)
    let canAskDelegate = holdDelegate() != nil && delegateQueue != nil
    machine.advance(&transport, now: Self.now, canAskDelegate: canAskDelegate)
    if machine.needsAnotherPass { attachment.requestWakeup(key: key(.stream)) }
  }

  /// Asks for a pass when the current commands are done.
  func passSoon() { needsPass = true }

  private func settle() {
    while true {
      let commands = machine.takeCommands()
      if commands.isEmpty {
        guard needsPass else { break }
        needsPass = false
        pass()
      }
      for command in commands { carryOut(command) }
    }
    machine.drainEvents(post)
    let deadline = isCorked ? nil : machine.nextDeadline
    if deadline != armedDeadline {
      armedDeadline = deadline
      attachment.setDeadline(deadline.map { MonotonicInstant(nanoseconds: $0.nanoseconds) })
    }
  }

  // MARK: The loop's calls

  /// What readiness is about.
  enum WatchedPart: UInt16 { case stream, listener, preferred, alternate }

  /// The part, and the generation it belongs to: readiness that is on its way when a connection ends must not meet the
  /// next one (INV-18).
  func key(_ part: WatchedPart) -> UInt16 { UInt16(truncatingIfNeeded: machine.generation << 2) | part.rawValue }

  func handleReadiness(_ readiness: Readiness, key: UInt16) {
    enter {
      if socketQueue == nil {
        process(readiness, key: key)
      } else {
        if let index = pendingReadiness.firstIndex(where: { $0.key == key }) {
          pendingReadiness[index].readiness.formUnion(readiness)
        } else {
          pendingReadiness.append((readiness, key))
        }
        requestTurn()
      }
    }
  }

  func handleDeadline() {
    enter {
      if socketQueue == nil {
        armedDeadline = nil
        processTime()
      } else {
        isDeadlineDue = true
        requestTurn()
      }
    }
  }

  private func requestTurn() {
    guard !isTurnRequested, let socketQueue else { return }
    isTurnRequested = true
    socketQueue.async { [weak self] in self?.turn() }
  }

  /// On the socket queue: everything that waited for it, then the callbacks that need no hop.
  private func turn() {
    enter {
      isTurnRequested = false
      isInTurn = true
      if isDeadlineDue {
        isDeadlineDue = false
        armedDeadline = nil
      }
      let waiting = pendingReadiness
      pendingReadiness.removeAll(keepingCapacity: true)
      for entry in waiting { process(entry.readiness, key: entry.key) }
      processTime()
    }
    let (lanes, holder) = look { () -> ([Box.LaneID], GCDAsyncSocket?) in
      isInTurn = false
      defer { inlineLanes.removeAll(keepingCapacity: true) }
      return (inlineLanes, socket)
    }
    guard let holder else { return }
    for lane in lanes { drain(lane, of: holder) }
  }

  private func process(_ readiness: Readiness, key: UInt16) {
    guard let part = WatchedPart(rawValue: key & 3), key == self.key(part) else { return }
    switch part {
    case .stream:
      var hints: ReadinessHints = []
      if readiness.contains(.readable) { hints.insert(.readable) }
      if readiness.contains(.writable) { hints.insert(.writable) }
      if readiness.contains(.peerClosed) { hints.insert(.peerClosed) }
      if readiness.contains(.urgent) { hints.insert(.urgent) }
      if !readiness.isDisjoint(with: [.error, .hangup]) { hints.insert(.broken) }
      machine.note(hints)
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

  // MARK: Delivery

  private func post(_ event: SocketEvent) {
    // Without a delegate or queue a completion is discarded, and an accepted client closes with its box (ACC-32).
    guard let delegate = holdDelegate(), let delegateQueue else { return }
    if let scheduled = mailbox.post(event, to: delegate, on: delegateQueue, isTerminal: event.isTerminal) {
      heldSocket = socket
      if let heldSocket { schedule(scheduled.lane, on: scheduled.queue, of: heldSocket) }
    }
  }

  private func schedule(_ lane: Box.LaneID, on queue: DispatchQueue, of socket: GCDAsyncSocket) {
    if isInTurn, queue === socketQueue {
      inlineLanes.append(lane)
    } else {
      queue.async { [self] in drain(lane, of: socket) }
    }
  }

  /// Delivers the lane's events one by one until there is none for now; runs on the lane's queue.
  func drain(_ lane: Box.LaneID, of socket: GCDAsyncSocket) {
    while let letter = nextLetter(in: lane, of: socket) { deliver(letter, of: socket) }
  }

  private func nextLetter(in lane: Box.LaneID, of socket: GCDAsyncSocket) -> Box.Letter? {
    look {
      let (letter, ready) = mailbox.next(in: lane)
      for entry in ready { schedule(entry.lane, on: entry.queue, of: socket) }
      return letter
    }
  }

  /// Ends everything silently; the socket is going away (LIFE-18, LIFE-19).
  func abandon() {
    enter {
      delegate = nil
      machine.disconnect()
    }
    look { attachmentIfMade }?.detach()
  }
}

extension SocketEvent {
  var isTerminal: Bool {
    if case .didDisconnect = self { return true }
    return false
  }
}
