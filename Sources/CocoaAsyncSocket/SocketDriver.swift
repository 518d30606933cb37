import Dispatch
import Foundation
import SocketCore
import SocketPOSIX
import SocketValues

/// Hosts one `SocketEngine` on real descriptors and real queues.
///
/// Laws
/// - Everything below `lock` is touched only with the lock held. The lock is never held while a callback or a
///   `perform(_:)` block runs, and never waits for a queue.
/// - Before the lock is left, the engine's effects are carried out until there are none.
/// - The loop's thread never waits for user code: input that it brings while a `perform(_:)` block owns the socket is
///   kept by the engine until the block is over, and foreign code runs on it only where the loop can go on without it
///   (`EventLoop.lend`).
/// - No reference to a user's object is released under the lock: its deinitialiser may run any code (see `Held`).
/// - The loop holds the driver until the socket releases it, the driver refers to the socket weakly, blocks that run
///   callbacks hold the socket: an idle socket without references is freed (LIFE-20), one with running callbacks is
///   not.
final class SocketDriver: DescriptorDriver, EventHandler, @unchecked Sendable {
  // Unchecked: this is the box that holds the confined state; see the first law.
  typealias Delegate = any GCDAsyncSocketDelegate
  typealias LaneID = SocketEngine.Box.LaneID
  typealias Block = SocketEngine.Box.Block

  let lock = SocketLock()
  let socketQueue: DispatchQueue?
  let sharedSocketQueue: SharedQueue?
  /// Set on the delegate queue, to its own identity, while `notifiesDisconnectBeforeReturning` needs to know it.
  let delegateQueueKey = DispatchSpecificKey<UInt>()

  // MARK: Below the lock

  @exclusivity(unchecked) weak var socket: GCDAsyncSocket?
  @exclusivity(unchecked) weak var delegate: Delegate? {
    didSet {
      held.isDelegateKnown = false
      engine.delegateChanged()
    }
  }
  @exclusivity(unchecked) var delegateQueue: DispatchQueue?
  @exclusivity(unchecked) var userData: Any?
  @exclusivity(unchecked) var notifiesDisconnectBeforeReturning = false
  /// Target queues of the socket queue that the user marked (THR-11).
  var markedTargets: [DispatchQueue] = []
  /// The queues that carry `delegateQueueKey`.
  @exclusivity(unchecked) var markedQueues: [DispatchQueue] = []
  @exclusivity(unchecked) private var attachmentIfMade: Attachment?
  /// The `SharedQueue` of the socket queue, or of the delegate queue where there is no socket queue.
  @exclusivity(unchecked) private(set) var loanGroup: SharedQueue?
  @exclusivity(unchecked) var callbacks = RunningCallbacks()
  /// How many writes are copying their bytes without the lock, and the lanes that wait for that.
  @exclusivity(unchecked) var copyingWrites = 0
  @exclusivity(unchecked) var heldBack: [SocketEngine.Service] = []
  /// When the loop does work that was deferred for too long; nil: none was deferred since the last time.
  @exclusivity(unchecked) var fallbackDeadline: Instant?
  /// Lanes to drain at the end of the turn on the socket queue.
  @exclusivity(unchecked) var turnBlocks: [Block] = []
  /// The object by which the loop's thread was last asked to drain a lane, kept for the next time.
  @exclusivity(unchecked) var laneWork: LaneWork?
  /// The loop's thread drains a lane when it has left this entry.
  @exclusivity(unchecked) var drainsNext = false
  /// The delegate queue that was last served, and its `SharedQueue`.
  @exclusivity(unchecked) var lastServed: (queue: DispatchQueue, shared: SharedQueue?)?
  @exclusivity(unchecked) var held = Held()

  init(delegate: Delegate?, delegateQueue: DispatchQueue?, socketQueue: DispatchQueue?) {
    self.delegate = delegate
    self.delegateQueue = delegateQueue
    self.socketQueue = socketQueue
    sharedSocketQueue = socketQueue.flatMap(SharedQueue.of)
    super.init(
      engine: SocketEngine(socketQueue: socketQueue) { one, other in
        unsafeDowncast(one, to: DispatchQueue.self).isSame(as: unsafeDowncast(other, to: DispatchQueue.self))
      })
  }

  deinit {
    for target in markedTargets { sharedSocketQueue?.mark(target, by: -1) }
    for queue in markedQueues { queue.setSpecific(key: delegateQueueKey, value: nil) }
  }

  var attachment: Attachment {
    if let attachmentIfMade { return attachmentIfMade }
    let loop = EventLoopGroup.next(mayPoll: engine.shortcuts.contains(.polling))
    // A loop that could not start is not kept: the next start tries again (LIFE-14).
    guard loop.startFailure == nil else { return loop.attach(self) }
    let made = loop.attach(self, keepingIt: true)
    attachmentIfMade = made
    joinLoans()
    return made
  }

  /// Sets the group in whose loans the loop can serve this socket.
  func joinLoans() {
    guard let attachmentIfMade, engine.shortcuts.contains(.lending) else { return }
    loanGroup = sharedSocketQueue ?? delegateQueue.flatMap(SharedQueue.of)
    attachmentIfMade.join(loanGroup)
  }

  /// Ends everything without callbacks; the socket is being deinitialised (LIFE-18, LIFE-19).
  func abandon() {
    // The driver may outlive the socket for the time of a lookup; what users gave it does not.
    var userData: Any?
    enter {
      exchangeBeforeEnd()
      delegate = nil
      swap(&userData, &self.userData)
      machine.disconnect()
    }
    look { attachmentIfMade }?.detach()
  }

  // MARK: What the base class needs

  override func watch(
    _ descriptor: Int32, key: UInt16, interest: Readiness = [.readable, .writable]
  ) throws(SystemCallFailure) { try attachment.watch(descriptor, key: key, interest: interest) }

  override func unwatch(_ descriptor: Int32) { attachment.unwatch(descriptor) }

  override func wakeup(key: UInt16) -> @Sendable () -> Void {
    let attachment = attachment
    return { attachment.requestWakeup(key: key) }
  }

  override var startFailure: SystemCallFailure? { attachment.loop.startFailure }

  override func connection(_ open: OpenSocket, from address: RawAddress?) -> any AnyObject & Sendable {
    AcceptedConnection(
      socket: open, address: address?.bytes ?? [], delegateQueue: delegateQueue, isNoDelayEnabled: isNoDelayEnabled)
  }

  override func start(_ body: (DescriptorDriver) throws(SocketFailure) -> Void) throws {
    do {
      try enter { () throws(SocketFailure) in
        if machine.isDisconnected { connectedPath = nil }
        try body(self)
        engine.started(at: Self.now)
      }
    } catch {
      throw error.error
    }
  }

  override var startContext: StartContext {
    StartContext(
      hasDelegate: holdDelegate() != nil, hasDelegateQueue: delegateQueue != nil, now: Self.now,
      interfaces: Self.interfaces)
  }

  // MARK: Users' objects

  /// What an entry has seen of users' objects, which are referred to weakly: whoever looks at them may become the last
  /// to hold them. They are held until the lock is free again; and a delegate that was there when a pass began is there
  /// when its events are posted, so that no question to it gets lost.
  struct Held {
    var delegate: Delegate?
    /// Whether `delegate` was looked up in this entry; nil then means that there is none.
    var isDelegateKnown = false
    var former: [Delegate] = []
    var socket: GCDAsyncSocket?

    var isEmpty: Bool { delegate == nil && socket == nil && former.isEmpty }
  }

  func holdDelegate() -> Delegate? {
    if held.isDelegateKnown { return held.delegate }
    let current = delegate
    hold(current)
    return current
  }

  /// Holds the delegate of this moment until the lock is free again; nil: there is none.
  func hold(_ current: Delegate?) {
    if let former = held.delegate, former !== current { held.former.append(former) }
    held.delegate = current
    held.isDelegateKnown = true
  }

  /// Leaves the lock, and then lets go of what the entry has held.
  @inline(__always)
  func unlock() {
    let held = takeHeld()
    lock.unlock()
    withExtendedLifetime(held) {}
  }

  /// What the entry has held, to be let go of without the lock.
  func takeHeld() -> Held {
    var taken = Held()
    swap(&taken, &held)
    return taken
  }
}
