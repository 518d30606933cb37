import Dispatch
import Foundation
import SocketCore
import SocketPOSIX

/// Runs one `SocketMachine` on real descriptors: the rim around the pure core.
///
/// Laws
/// - Everything below `lock` is touched only with the lock held. The lock is never held while a callback or a
///   `perform(_:)` block runs, and never waits for a queue.
/// - The loop's thread never waits for user code: what it brings while a `perform(_:)` block has the socket is done
///   when the block is over (`enterWhenFree`), and foreign code runs on it only where the loop can go on without it
///   (`EventLoop.lend`).
/// - Calls of one thread take effect in order, whatever is put off for speed (SocketDriver+Ordering.swift).
/// - Without a socket queue of the caller's, whoever has work does it on his own thread: the loop on readiness, a
///   caller in an API call. With one, input and output happen on that queue only (THR-12); what was written before a
///   plain disconnect leaves where that is called.
/// - After each verb: commands first, events after. So a descriptor is closed before anybody can hear of it (DIS-28).
/// - Callbacks leave through the mailbox and run on their delegate queue. A delegate queue that is also the socket
///   queue is served without a hop, and so is any queue by the loop's thread while that is quick (`SharedQueue`).
/// - No reference to a user's object is let go under the lock: its end may run any code (see `enter`).
/// - The loop holds the driver until the socket lets go of it, the driver holds the socket weakly, blocks that run
///   callbacks hold the socket: an idle socket that nobody refers to is freed (LIFE-20), one with callbacks under way
///   is not.
final class SocketDriver: EventHandler, @unchecked Sendable {
  // Unchecked: this is the box that holds the confined state; see the first law.
  typealias Delegate = any GCDAsyncSocketDelegate
  typealias Box = Mailbox<DispatchQueue, Delegate, SocketEvent>

  let lock = SocketLock()
  let socketQueue: DispatchQueue?
  let sharedSocketQueue: SharedQueue?
  /// Set on the delegate queue, to its own identity, while `notifiesDisconnectBeforeReturning` needs to know it.
  let delegateQueueKey = DispatchSpecificKey<ObjectIdentifier>()

  // MARK: Below the lock

  @exclusivity(unchecked) weak var socket: GCDAsyncSocket?
  @exclusivity(unchecked) weak var delegate: Delegate? {
    didSet {
      isDelegateHeld = false
      delegateVersion += 1
    }
  }
  @exclusivity(unchecked) var delegateQueue: DispatchQueue?
  @exclusivity(unchecked) var userData: Any?
  @exclusivity(unchecked) var notifiesDisconnectBeforeReturning = false
  /// Whether TCP connections get TCP_NODELAY (D-33).
  @exclusivity(unchecked) var isNoDelayEnabled = true
  /// Target queues of the socket queue that the user marked (THR-11).
  var markedTargets: [DispatchQueue] = []
  /// The queues that carry `delegateQueueKey`.
  @exclusivity(unchecked) var markedQueues: [DispatchQueue] = []
  @exclusivity(unchecked) var resolver: any HostResolving = SystemResolver()

  let machine = SocketMachine()
  @exclusivity(unchecked) var mailbox = Box(isSameQueue: ===)
  @exclusivity(unchecked) var stream: OpenSocket?
  @exclusivity(unchecked) var pendingLookup: PendingLookup?
  @exclusivity(unchecked) var attempts: [AttemptID: OpenSocket] = [:]
  /// IPv4 first, then IPv6; or one Unix-domain listener.
  @exclusivity(unchecked) var listeners: [OpenSocket] = []
  @exclusivity(unchecked) var listenerFile: UnixListenerFile?
  /// The Unix-domain path a client connected to.
  @exclusivity(unchecked) var connectedPath: String?
  /// An accepted child does nothing before didAcceptNewSocket has returned (ACC-23).
  var isCorked = false
  /// What waits for the end of a running `perform(_:)` block.
  @exclusivity(unchecked) var postponed: [(SocketDriver) -> Void] = []
  /// When the present start was made, as long as nothing has been told of it.
  @exclusivity(unchecked) var untoldStart: Instant?
  /// Lanes that wait to be put on their queues; see `handOverBehindCaller`.
  @exclusivity(unchecked) var delayedLanes: [(lane: Box.LaneID, queue: DispatchQueue)] = []
  /// An orderly end that waits for a wish to close.
  @exclusivity(unchecked) var closingGrace = ClosingGrace()
  /// Readiness that waits for the socket queue.
  @exclusivity(unchecked) var pendingReadiness: [(readiness: Readiness, key: UInt16)] = []
  @exclusivity(unchecked) var isTurnRequested = false
  /// A pass was asked for elsewhere, and waits for the socket queue.
  @exclusivity(unchecked) var isPassDue = false
  /// It was asked for in a call outside of callbacks.
  @exclusivity(unchecked) var isPassForCaller = false
  /// The armed deadline has come and waits for the socket queue; armed again before that, it would come again at once.
  @exclusivity(unchecked) var isDeadlineDue = false
  @exclusivity(unchecked) private var needsPass = false
  @exclusivity(unchecked) private var attachmentIfMade: Attachment?
  /// What is shared about the socket queue; without one, about the delegate queue.
  @exclusivity(unchecked) private(set) var loanGroup: SharedQueue?
  @exclusivity(unchecked) var armedDeadline: Instant?
  /// Lanes to serve without a hop when the current turn ends.
  @exclusivity(unchecked) var inlineLane: Box.LaneID?
  @exclusivity(unchecked) var moreInlineLanes: [Box.LaneID] = []
  @exclusivity(unchecked) var isInTurn = false
  /// The turn does what such calls have asked for: what comes of it must stand behind what those callers have put on
  /// the delegate queue since.
  @exclusivity(unchecked) var isTurnForCalls = false
  /// Somebody is inside `disconnect()`.
  @exclusivity(unchecked) var isDisconnecting = false
  /// Events are posted by the loop, a turn or between callbacks, not inside somebody's call.
  @exclusivity(unchecked) var isServing = false
  /// The loop's thread is in here, and can serve a delegate queue when it leaves.
  @exclusivity(unchecked) var isOnLoop = false
  @exclusivity(unchecked) var errand: Errand?
  /// What calls inside the running callback have put off.
  @exclusivity(unchecked) var deferral = Deferral()
  /// The delegate queue that was last scheduled, and what is shared about it.
  @exclusivity(unchecked) var lastScheduled: (queue: DispatchQueue, shared: SharedQueue?)?
  /// The delimiter of the last read that had one: usually the next one's, too.
  @exclusivity(unchecked) var lastDelimiter: Delimiter?
  /// What this entry has seen of the delegate and of the socket; see `enter`.
  @exclusivity(unchecked) private var heldDelegate: Delegate?
  @exclusivity(unchecked) private var isDelegateHeld = false
  @exclusivity(unchecked) private var heldFormerDelegates: [Delegate] = []
  @exclusivity(unchecked) var heldSocket: GCDAsyncSocket?
  /// Counts the changes of the delegate.
  @exclusivity(unchecked) private(set) var delegateVersion = 0
  /// Its count when the last event was posted.
  @exclusivity(unchecked) var lastPostedVersion = 0

  init(delegate: Delegate?, delegateQueue: DispatchQueue?, socketQueue: DispatchQueue?) {
    self.delegate = delegate
    self.delegateQueue = delegateQueue
    self.socketQueue = socketQueue
    sharedSocketQueue = socketQueue.flatMap(SharedQueue.of)
  }

  deinit {
    for target in markedTargets { sharedSocketQueue?.mark(target, by: -1) }
    for queue in markedQueues { queue.setSpecific(key: delegateQueueKey, value: nil) }
  }

  /// The clock's reading.
  static var now: Instant { Instant(nanoseconds: MonotonicInstant.now().nanoseconds) }

  var attachment: Attachment {
    if let attachmentIfMade { return attachmentIfMade }
    let loop = EventLoopGroup.next()
    // A loop that could not start is not kept: the next start tries again (LIFE-14).
    guard loop.startFailure == nil else { return loop.attach(self) }
    let made = loop.attach(self, keepingIt: true)
    attachmentIfMade = made
    joinLoans()
    return made
  }

  /// Tells the loop in whose loans it can serve this socket.
  func joinLoans() {
    guard let attachmentIfMade else { return }
    loanGroup = sharedSocketQueue ?? delegateQueue.flatMap(SharedQueue.of)
    attachmentIfMade.join(loanGroup)
  }

  var isOnSocketQueue: Bool { sharedSocketQueue?.isCurrent ?? false }

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

  func holdDelegate() -> Delegate? {
    if isDelegateHeld { return heldDelegate }
    let current = delegate
    hold(current)
    return current
  }

  /// Lets go of what `delegate` said just now only when the lock is free again.
  func hold(_ current: Delegate?) {
    if let heldDelegate, heldDelegate !== current { heldFormerDelegates.append(heldDelegate) }
    heldDelegate = current
    isDelegateHeld = true
  }

  /// What an entry has held, to be let go of without the lock.
  struct Held {
    var delegate: Delegate?
    var former: [Delegate] = []
    var socket: GCDAsyncSocket?

    var isEmpty: Bool { delegate == nil && socket == nil && former.isEmpty }
  }

  func releaseHeld() -> Held {
    defer {
      heldDelegate = nil
      isDelegateHeld = false
      if !heldFormerDelegates.isEmpty { heldFormerDelegates = [] }
      heldSocket = nil
    }
    return Held(delegate: heldDelegate, former: heldFormerDelegates, socket: heldSocket)
  }

  /// Enters to queue an operation, followed by a pass; inside a callback that may wait (`Deferral`).
  func enterToQueue(isWrite: Bool, _ body: () -> Void) {
    lock.lock()
    let isInCallback = deferral.isOnItsThread
    if isWrite { noteWrite(inCallback: isInCallback) }
    body()
    if isInCallback, !lock.isOwned,
      deferral.covers(isWrite: isWrite, hasBufferedInput: machine.hasBufferedInput), mayWaitForCallback
    {
      if deferral.putOff(isWrite: isWrite) { attachment.requestWakeup(key: key(.stream)) }
      return lock.unlock()
    }
    pass()
    settle()
    let held = releaseHeld()
    lock.unlock()
    withExtendedLifetime(held) {}
  }

  /// Whether somebody does what was put off if the running callback takes long, or nobody could: not once it has taken
  /// so long that the loop has gone on without its thread.
  private var mayWaitForCallback: Bool { socketQueue != nil || !attachment.loop.isThreadAway }

  /// Enters to look only.
  func look<Result>(_ body: () -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }

  /// One pass over the connection, here if this is the place for it, otherwise soon on the socket queue.
  func pass() {
    deferral.end()
    guard machine.isConnected, !isCorked, let stream else { return }
    guard socketQueue == nil || isInTurn || isOnSocketQueue else {
      isPassDue = true
      if !isServing, !deferral.isOnItsThread { isPassForCaller = true }
      return requestTurn()
    }
    var transport = DescriptorTransport(number: stream.number)
    let holdsEnd = closingGrace.holdsEnd
    if machine.usesTime {
      let canAskDelegate = holdDelegate() != nil && delegateQueue != nil
      machine.advance(&transport, now: Self.now, canAskDelegate: canAskDelegate, holdsEnd: holdsEnd)
    } else {
      machine.advance(&transport, now: .irrelevant, canAskDelegate: false, holdsEnd: holdsEnd)
    }
    if holdsEnd, machine.isEndHeld { closingGrace.endIsHeld(at: Self.now) }
    if machine.needsAnotherPass { attachment.requestWakeup(key: key(.stream)) }
  }

  /// Asks for a pass when the current commands are done.
  func passSoon() { needsPass = true }

  func settle() {
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
    var deadline = isCorked || !machine.usesTime ? nil : machine.nextDeadline
    if machine.isEndHeld {
      // Timeouts don't count any more.
      deadline = closingGrace.end
    } else if let graceEnd = closingGrace.end {
      deadline = min(deadline ?? graceEnd, graceEnd)
    }
    if deadline != armedDeadline {
      armedDeadline = deadline
      attachment.setDeadline(deadline.map { MonotonicInstant(nanoseconds: $0.nanoseconds) })
    }
  }

  /// Ends everything silently; the socket is going away (LIFE-18, LIFE-19).
  func abandon() {
    // The driver may outlive the socket for the time of a lookup; what users gave it does not.
    var userData: Any?
    enter {
      sendBeforeClosing()
      delegate = nil
      swap(&userData, &self.userData)
      machine.disconnect()
    }
    look { attachmentIfMade }?.detach()
  }
}
