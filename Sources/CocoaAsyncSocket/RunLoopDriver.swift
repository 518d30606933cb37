import Foundation
import SocketCore
import SocketPOSIX
import SocketRunLoop
import SocketValues
import Synchronization

/// Hosts one `RunLoopEngine` on a run loop: input, output, timers and callbacks happen on its thread, while it runs in
/// one of the socket's modes.
///
/// Laws
/// - Everything below `lock` is touched only with the lock held, which is never held while a callback runs. The socket
///   belongs to one thread (THR-16); the lock is there so that a call from another one is late instead of fatal.
/// - Events are delivered one by one, each to the delegate of that moment (RL-12). Whoever runs the loop delivers, so a
///   callback may run it again; nothing is delivered on another thread, or in another mode, than those of the present
///   attachment. A callback that has moved the socket returns before anything is done on the new run loop: no two
///   threads run callbacks at a time.
/// - A call is carried out in a later turn of the run loop, apart from what must have happened when it returns:
///   `disconnect()` and its didDisconnect (DIS-02), starts, moves.
/// - No reference to a user's object is released under the lock.
final class RunLoopDriver: DescriptorDriver, RunLoopHandler, @unchecked Sendable {
  // Unchecked: this is the box that holds the confined state; see the first law.
  typealias Delegate = any AsyncSocketDelegate

  let lock = SocketLock()
  let runLoopEngine: RunLoopEngine

  // MARK: Below the lock

  @exclusivity(unchecked) weak var socket: AsyncSocket?
  @exclusivity(unchecked) weak var delegate: Delegate?
  @exclusivity(unchecked) var userData = 0
  @exclusivity(unchecked) var modes: [RunLoop.Mode] = [.default]
  /// The place on the run loop while the socket is started; nil before, and for a child whose run loop is not chosen.
  @exclusivity(unchecked) var attachment: RunLoopAttachment?
  /// The place where the innermost callback runs, also if that has moved the socket since; nil: there is none.
  @exclusivity(unchecked) var callbackPlace: RunLoopAttachment?
  /// The present attachment was asked for a turn that has not come.
  @exclusivity(unchecked) var isTurnRequested = false
  /// The addresses of the connection, which outlive it for as long as its end is announced (RL-02).
  @exclusivity(unchecked) var addresses: (remote: SocketAddress?, local: SocketAddress?)
  /// The run loop that an accepted child is to work on, until it does; nil: the present one.
  @exclusivity(unchecked) var wantedRunLoop: RunLoop?
  /// Whether the delegate is being asked about a start, and what it has called since.
  @exclusivity(unchecked) var startQuestion = StartQuestion<() -> Void>()
  /// Strong references that this entry has taken from weak ones; see `hold`.
  @exclusivity(unchecked) private var held: [AnyObject] = []
  /// Whether it is open, without the lock.
  let isAskedAboutStart = Atomic<Bool>(false)

  init(delegate: Delegate?) {
    self.delegate = delegate
    runLoopEngine = RunLoopEngine()
    super.init(engine: runLoopEngine.engine)
  }

  /// Whether the caller may deliver events: on the run loop's thread, or before there is one, and not while a callback
  /// that has moved the socket there is still running.
  var mayDeliver: Bool { !runLoopEngine.isCalledElsewhere && attachment?.isCurrentThread ?? true }

  /// Whether the caller is on the thread that a callback runs on, or on that of the run loop which the callback has
  /// moved the socket to.
  var isInCallback: Bool { callbackPlace?.isCurrentThread ?? false || attachment?.isCurrentThread ?? false }

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
    runLoopEngine.beginCall(mayDeliver: mayDeliver)
    defer { leave() }
    return try body()
  }

  private func leave() {
    settle()
    if runLoopEngine.wantsTurn { requestTurn() }
    detachIfIdle()
    unlock()
  }

  /// Enters to look only.
  func look<Result>(_ body: () -> Result) -> Result {
    lock.lock()
    defer { unlock() }
    return body()
  }

  /// Leaves the lock, and then lets go of users' objects.
  func unlock() {
    var released: [AnyObject] = []
    if !held.isEmpty { swap(&released, &held) }
    lock.unlock()
    withExtendedLifetime(released) {}
  }

  /// Keeps a user's object until the lock is left: this reference may have become the last one.
  func hold(_ object: AnyObject) {
    if held.last !== object { held.append(object) }
  }

  /// Whether there is a delegate, which is held then.
  private var hasDelegate: Bool {
    guard let delegate else { return false }
    hold(delegate)
    return true
  }

  /// Enters to queue an operation, which begins in a later turn.
  func enterToQueue(_ body: (_ mayWait: Bool) -> Bool) {
    lock.lock()
    let mayDeliver = mayDeliver
    runLoopEngine.beginCall(mayDeliver: mayDeliver)
    guard body(mayDeliver) else { return leave() }
    // An inner run of the loop is to find what waits for the running callback.
    requestTurn()
    unlock()
  }

  /// Ends everything without callbacks; the socket is being deinitialised (LIFE-18).
  func abandon() {
    lock.lock()
    engine.begin(.call(inCallback: false, onSocketQueue: false))
    exchangeBeforeEnd()
    delegate = nil
    machine.disconnect()
    settle()
    runLoopEngine.abandon()
    let last = attachment
    attachment = nil
    runLoopEngine.attached(to: nil)
    unlock()
    withExtendedLifetime(last) {}
  }

  // MARK: The run loop's calls

  func runLoopReports(_ readiness: Readiness, key: UInt16) {
    serve {
      if let part = part(of: key) { engine.takeUp(readiness, for: part) }
    } orKeep: {
      if let part = part(of: key) { engine.keep(readiness, for: part) }
    }
  }

  func runLoopReachesDeadline() {
    serve {
      engine.deadlineCame()
    } orKeep: {
      engine.keepDeadline()
    }
  }

  func runLoopTakesTurn() {
    look { isTurnRequested = false }
    // Inside a callback that runs the loop, deferred work would wait until the callback returns.
    serve {
      runLoopEngine.takeTurn()
    } orKeep: {
      // It is requested again when the callback has returned (`deliver`).
    }
  }

  /// Enters from the run loop.
  ///
  /// - Parameter keep: is called instead of `body` while the callback that has moved the socket here is still running:
  ///   nothing is reported twice.
  private func serve(_ body: () -> Void, orKeep keep: () -> Void) {
    lock.lock()
    guard mayDeliver else {
      if runLoopEngine.isCalledElsewhere {
        keep()
        settle()
      }
      return unlock()
    }
    if engine.beginTurn() { settle() }
    body()
    settle()
    deliver()
    detachIfIdle()
    unlock()
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
          runLoopEngine.established()
        }
      case .watch: watchStream()
      case .advance: advance()
      case .post: runLoopEngine.post()
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
    let usesTime = machine.usesTime
    engine.advance(
      &transport, now: usesTime ? Self.now : .irrelevant, canAskDelegate: usesTime && hasDelegate,
      hasUndelivered: runLoopEngine.hasEvents)
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
        guard !startQuestion.isOpen else {
          throw .badConfig("The delegate is being asked whether the socket may connect. Answer first.")
        }
        leaveEndedThread()
        // Before the arguments are looked at, as in the original (LIFE-04, LIFE-07).
        try machine.checkStart(startContext, needsFamily: false)
        if try runLoopEngine.beginStart() { try attach(to: .current) }
        try body(self)
      }
    } catch {
      throw error.runLoopError(toAddress: true) ?? AsyncSocketError.socket("\(error)")
    }
  }

  override var startContext: StartContext {
    StartContext(hasDelegate: hasDelegate, hasDelegateQueue: true, now: Self.now, interfaces: Self.interfaces)
  }
}
