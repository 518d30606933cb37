import DequeModule
import Foundation
import SocketCore
import SocketPOSIX
import SocketRunLoop
import SocketValues
import Synchronization

/// Hosts one `SocketEngine` on a run loop: input, output, timers and callbacks happen on its thread, while it runs in
/// one of the socket's modes.
///
/// Laws
/// - Everything below `lock` is touched only with the lock held, which is never held while a callback runs. The socket
///   belongs to one thread (THR-16); the lock is there so that a call from another one is late instead of fatal.
/// - Events are delivered one by one from `undelivered`, each to the delegate of that moment (RL-12). Whoever runs the
///   loop delivers, so a callback may run it again; nothing is delivered on another thread, or in another mode, than
///   those of the present attachment.
/// - A call is carried out in a later turn of the run loop, apart from what must have happened when it returns:
///   `disconnect()` and its didDisconnect (DIS-02), starts, moves.
/// - No reference to a user's object is released under the lock.
final class RunLoopDriver: DescriptorDriver, RunLoopHandler, @unchecked Sendable {
  // Unchecked: this is the box that holds the confined state; see the first law.
  typealias Delegate = any AsyncSocketDelegate

  /// Stands for the run loop's thread where the engine expects a queue.
  private final class RunLoopToken {}

  let lock = SocketLock()

  // MARK: Below the lock

  @exclusivity(unchecked) weak var socket: AsyncSocket?
  @exclusivity(unchecked) weak var delegate: Delegate?
  @exclusivity(unchecked) var userData = 0
  @exclusivity(unchecked) var modes: [RunLoop.Mode] = [.default]
  /// The place on the run loop while the socket is started; nil before, and for a child whose run loop is not chosen.
  @exclusivity(unchecked) var attachment: RunLoopAttachment?
  @exclusivity(unchecked) var undelivered = Deque<SocketEvent>()
  /// The present attachment was asked for a turn that has not come.
  @exclusivity(unchecked) var isTurnRequested = false
  /// How many callbacks of this socket are under way, one inside the other.
  @exclusivity(unchecked) var callbackDepth = 0
  /// The addresses of the connection, which outlive it for as long as its end is announced (RL-02).
  @exclusivity(unchecked) var addresses: (remote: SocketAddress?, local: SocketAddress?)
  /// The last start was `connectToAddress`, and has not succeeded (CON-33).
  @exclusivity(unchecked) var startsWithAddress = false
  /// A read-any that was made in the running willDisconnect (RL-07).
  @exclusivity(unchecked) var lateRead: ReadRequest?
  /// The run loop that an accepted child is to work on, until it does; nil: the present one.
  @exclusivity(unchecked) var wantedRunLoop: RunLoop?
  /// What has been called since the delegate was asked whether to connect; nil: it is not being asked.
  @exclusivity(unchecked) var callsAtQuestion: CallsAtQuestion?
  /// The same without the lock.
  let isAskedAboutStart = Atomic<Bool>(false)
  /// The running willDisconnect.
  @exclusivity(unchecked) var isAnnouncingEnd = false

  init(delegate: Delegate?) {
    self.delegate = delegate
    let engine = SocketEngine(socketQueue: RunLoopToken())
    engine.machine.configuration.announcesEnds = true
    super.init(engine: engine)
  }

  /// Whether an end was found, of which the delegate has not heard.
  var isEndPending: Bool { undelivered.contains(where: \.isTerminal) }

  /// Whether the caller may deliver events: on the run loop's thread, or before there is one.
  var mayDeliver: Bool { attachment?.isCurrentThread ?? true }

  /// Has the run loop call; once until it does.
  func requestTurn() {
    guard !isTurnRequested, let attachment else { return }
    isTurnRequested = true
    attachment.requestTurn()
  }

  // MARK: Entering

  /// Enters for a call.
  func enter<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    lock.lock()
    engine.begin(.call(inCallback: callbackDepth > 0 && mayDeliver, onSocketQueue: false))
    defer { leave() }
    return try body()
  }

  private func leave() {
    settle()
    if !undelivered.isEmpty { requestTurn() }
    detachIfIdle()
    lock.unlock()
  }

  /// Enters to look only.
  func look<Result>(_ body: () -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body()
  }

  /// Enters to queue an operation, which begins in a later turn.
  func enterToQueue(_ body: (_ mayWait: Bool) -> Bool) {
    lock.lock()
    let mayDeliver = mayDeliver
    engine.begin(.call(inCallback: callbackDepth > 0 && mayDeliver, onSocketQueue: false))
    guard body(mayDeliver) else { return leave() }
    // An inner run of the loop is to find what waits for the running callback.
    requestTurn()
    lock.unlock()
  }

  /// Ends everything without callbacks; the socket is being deinitialised (LIFE-18).
  func abandon() {
    lock.lock()
    engine.begin(.call(inCallback: false, onSocketQueue: false))
    sendBeforeClosing()
    delegate = nil
    machine.disconnect()
    settle()
    undelivered.removeAll()
    let last = attachment
    attachment = nil
    lock.unlock()
    withExtendedLifetime(last) {}
  }

  // MARK: The run loop's calls

  func runLoopReports(_ readiness: Readiness, key: UInt16) {
    serve {
      if let part = part(of: key) { engine.takeUp(readiness, for: part) }
    }
  }

  func runLoopReachesDeadline() { serve { engine.deadlineCame() } }

  func runLoopTakesTurn() {
    look { isTurnRequested = false }
    // Inside a callback that runs the loop, deferred work would wait until the callback returns.
    serve { engine.performDeferredWork() }
  }

  private func serve(_ body: () -> Void) {
    lock.lock()
    guard mayDeliver else { return lock.unlock() }
    if engine.beginTurn() { settle() }
    body()
    settle()
    deliver()
    detachIfIdle()
    lock.unlock()
  }

  // MARK: Effects

  /// Carries out what the engine asks for, until it is at rest.
  func settle() {
    while let effect = engine.nextEffect() {
      switch effect {
      case .carryOut:
        let command = engine.takeCommand()
        carryOut(command)
        if case .establish = command {
          noteAddresses()
          // What the kernel says of a connection is told as it is (RL-01).
          startsWithAddress = false
        }
      case .watch: watchStream()
      case .advance: advance()
      case .post: machine.drainEvents { undelivered.append($0) }
      case .serve: _ = engine.takeService()
      case .check: check(engine.takePartToCheck())
      case .time:
        checkAttempts()
        engine.tick(now: Self.now)
      case .requestTurn: requestTurn()
      case .wake, .armFallback: engine.keep([], for: .stream)
      case .arm: attachment?.setDeadline(engine.armedDeadline)
      }
    }
  }

  private func advance() {
    guard let stream else { return }
    var transport = stream.transport
    engine.advance(
      &transport, now: machine.usesTime ? Self.now : .irrelevant, canAskDelegate: delegate != nil,
      hasUndelivered: !undelivered.isEmpty)
  }

  /// Remembers where the connection is, for as long as its end is announced.
  func noteAddresses() {
    guard let stream else { return }
    let peer = stream.peer ?? SocketCall.peerAddress(stream.number)
    addresses = (peer?.ip, SocketCall.localAddress(stream.number)?.ip)
  }

  // MARK: What the base class needs

  override func watch(
    _ descriptor: Int32, key: UInt16, interest: Readiness = [.readable, .writable]
  ) throws(SystemCallFailure) { try attachment?.watch(descriptor, key: key, interest: interest) }

  override func unwatch(_ descriptor: Int32) { attachment?.unwatch(descriptor) }

  override func wakeup(key: UInt16) -> @Sendable () -> Void {
    // The lookup may take longer than the socket lives, and than its place on this run loop.
    { [weak self] in
      guard let self else { return }
      look {
        if let part = part(of: key) { engine.keep([], for: part) }
        requestTurn()
      }
    }
  }

  override func connection(_ open: OpenSocket, from address: RawAddress?) -> any AnyObject & Sendable {
    AcceptedConnection(
      socket: open, address: address?.bytes ?? [], delegateQueue: nil, isNoDelayEnabled: isNoDelayEnabled)
  }

  override func start(_ body: (DescriptorDriver) throws(SocketFailure) -> Void) throws {
    do {
      try enter { () throws(SocketFailure) in
        guard !isEndPending else {
          throw SocketFailure.badConfig("The socket's delegate has not heard of its last end yet. Start it afterwards.")
        }
        if machine.isDisconnected {
          startsWithAddress = false
          try attach(to: .current)
        }
        try body(self)
      }
    } catch {
      throw error.runLoopError(toAddress: true) ?? AsyncSocketError.socket("\(error)")
    }
  }

  override var startContext: StartContext {
    StartContext(hasDelegate: delegate != nil, hasDelegateQueue: true, now: Self.now, interfaces: Self.interfaces)
  }
}
