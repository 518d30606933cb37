import Foundation
import SocketCore
import SocketPOSIX
import SocketRunLoop
import SocketValues

// Callbacks: on the run loop's thread, without the lock.
extension RunLoopDriver {
  /// The addressee of an event; released without the lock, because deinitialisers may run any code.
  private struct Target {
    var delegate: Delegate
    var socket: AsyncSocket
  }

  /// What is delivered next.
  private enum Item {
    case event(SocketEvent)
    /// A read that was completed without an event.
    case read(Data, tag: Int)

    var event: SocketEvent? {
      if case .event(let event) = self { return event }
      return nil
    }
  }

  /// How long one socket may keep the run loop, in nanoseconds, before the others on it get their turn.
  private static let longestStay: Int64 = 1_000_000

  /// Delivers the waiting events, with the lock held except during callbacks; stops when a callback has moved the
  /// socket to another run loop or to other modes, or when the others on the run loop must get their turn: a peer may
  /// send as fast as its lines are read. An end does not wait for that (DIS-02).
  func deliver() {
    let place = attachment
    let end = Instant.atLastTick().advanced(by: Self.longestStay)
    var completed: Item?
    while mayDeliver, attachment == nil || attachment === place,
      let item = completed.take() ?? runLoopEngine.nextEvent().map({ .event($0) })
    {
      var target = target()
      if target != nil {
        completed = call(&target, about: item, on: place, until: end)
      } else if case .event(let event) = item {
        undeliverable(event)
      }
      if completed == nil, !runLoopEngine.nextIsEnd, .atLastTick() >= end { break }
    }
    // A run loop that a callback has moved the socket to did nothing before the callback had returned.
    if runLoopEngine.hasEvents || attachment !== place { requestTurn() }
  }

  /// The addressee of an event of this moment; nil: nobody is there to hear of it.
  private func target() -> Target? {
    guard let delegate else { return nil }
    guard let socket else {
      hold(delegate)
      return nil
    }
    return Target(delegate: delegate, socket: socket)
  }

  /// Calls the target and empties it. Returns the read that comes next, if buffered bytes have completed it already.
  private func call(
    _ target: inout Target?, about item: Item, on place: RunLoopAttachment?, until end: Instant
  ) -> Item? {
    let followUp = runLoopEngine.callbackBegins(item.event)
    if runLoopEngine.wantsTurn(during: followUp) { requestTurn() }
    let outerPlace = callbackPlace
    callbackPlace = place
    unlock()
    let moreTime = target.map { tell(item, to: $0.delegate, of: $0.socket) } ?? 0
    // A socket that the callback has released is deinitialised here, with its waiting events.
    target = nil
    lock.lock()
    callbackPlace = outerPlace
    let finished = runLoopEngine.callbackReturned(
      followUp, mayComplete: mayDeliver && attachment === place && .atLastTick() < end,
      now: runLoopEngine.usesTimeOnReturn ? Self.now : .irrelevant)
    var completed: Item?
    // The bytes stay in place only until the engine's next verb.
    if case .read(let bytes, let tag)? = finished { completed = .read(Data(bytes), tag: tag) }
    switch followUp {
    case .nothing, .activate: break
    case .answer(let question):
      let answer = SocketEngine.Answer.timeout(question, extension: moreTime)
      if engine.enforcesTimeout(answer) { exchangeBeforeEnd() }
      engine.answer(answer, at: Self.now)
    case .concludeEnd(let generation):
      var transport = stream?.transport
      runLoopEngine.concludeEnd(generation: generation, &transport)
    }
    settle()
    return completed
  }

  /// Disposes of an event that no delegate can receive (CFG-11, CFG-12).
  private func undeliverable(_ event: SocketEvent) {
    CallerBuffer.fill(for: event)
    runLoopEngine.drop(event, now: Self.now)
    settle()
    runLoopEngine.dropped()
    settle()
  }

  /// How much more time the delegate grants, if that was the question.
  private func tell(_ item: Item, to delegate: Delegate, of socket: AsyncSocket) -> TimeInterval {
    switch item {
    case .event(let event): return tell(event, to: delegate, of: socket)
    case .read(let data, let tag):
      delegate.onSocket(socket, didRead: data, withTag: tag)
      return 0
    }
  }

  private func tell(_ event: SocketEvent, to delegate: Delegate, of socket: AsyncSocket) -> TimeInterval {
    CallerBuffer.fill(for: event)
    switch event {
    case .didConnect(let address):
      delegate.onSocket(socket, didConnectToHost: address.host, port: address.port)
    case .didAccept(let handle):
      if let connection = handle as? AcceptedConnection { accept(connection, delegate, of: socket) }
    case .didRead(let block, let tag, _): delegate.onSocket(socket, didRead: Data(taking: block), withTag: tag)
    case .didReadPartial(let count, let tag, _):
      delegate.onSocket(socket, didReadPartialDataOfLength: UInt(count), tag: tag)
    case .didWrite(let tag): delegate.onSocket(socket, didWriteDataWithTag: tag)
    case .didWritePartial(let count, let tag):
      delegate.onSocket(socket, didWritePartialDataOfLength: UInt(count), tag: tag)
    case .shouldTimeoutRead(_, let tag, let elapsed, let done):
      return delegate.onSocket(socket, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: UInt(done))
    case .shouldTimeoutWrite(_, let tag, let elapsed, let done):
      return delegate.onSocket(socket, shouldTimeoutWriteWithTag: tag, elapsed: elapsed, bytesDone: UInt(done))
    case .didSecure: delegate.onSocketDidSecure(socket)
    case .willDisconnect(let failure):
      let toAddress = look { runLoopEngine.startsWithAddress }
      delegate.onSocket(socket, willDisconnectWithError: failure.runLoopError(toAddress: toAddress))
    case .didDisconnect: delegate.onSocketDidDisconnect(socket)
    // A run-loop socket connects to no path, has no half-close, and asks nobody about trust.
    case .didConnectToPath, .didCloseRead, .didReceiveTrust: break
    }
    return 0
  }

  // MARK: The end

  /// The bytes that an announced end leaves unread; nil at other times (RL-03, RL-04).
  func unread() -> Data? {
    guard var transport = stream?.transport else { return nil }
    return runLoopEngine.unread(&transport).map { Data($0) }
  }

  // MARK: Accepting

  /// A client: it is handed over, its run loop is chosen, and it comes to life there (ACC-19, RL-14). In each of the
  /// calls the delegate may end either socket, start it again, or leave it to another delegate: nothing of a life is
  /// told after its end (INV-02, INV-18).
  private func accept(_ connection: AcceptedConnection, _ delegate: Delegate, of socket: AsyncSocket) {
    let life = look { machine.generation }
    let child = type(of: socket).makeAccepted(delegate)
    let (modes, isNoDelayEnabled) = look { (self.modes, connection.isNoDelayEnabled) }
    child.driver.adopt(connection.socket, modes: modes, isNoDelayEnabled: isNoDelayEnabled)
    let childsLife = child.driver.look { child.driver.machine.generation }
    delegate.onSocket(socket, didAcceptNewSocket: child)
    guard child.driver.isConnected(in: childsLife) else { return }
    let asked = look { machine.generation == life && !machine.isDisconnected ? self.delegate : nil }
    let wanted: RunLoop? = asked?.onSocket(socket, wantsRunLoopForNewSocket: child)
    guard child.driver.isConnected(in: childsLife) else { return }
    let judge = child.driver.look {
      if let wanted { child.driver.wantedRunLoop = wanted }
      return child.driver.delegate
    }
    let isWanted = judge?.onSocketWillConnect(child) ?? true
    guard child.driver.isConnected(in: childsLife) else { return }
    if isWanted { child.driver.openAccepted() } else { child.disconnect() }
  }

  private func isConnected(in life: UInt64) -> Bool { look { machine.generation == life && machine.isConnected } }

  /// Takes over a connection that does nothing yet.
  func adopt(_ open: OpenSocket, modes: [RunLoop.Mode], isNoDelayEnabled: Bool) {
    enter {
      self.modes = modes
      self.isNoDelayEnabled = isNoDelayEnabled
      stream = open
      engine.adoptConnection(announcing: nil, inactive: true)
      noteAddresses()
    }
  }

  /// Begins to work on the run loop that was chosen, with didConnect. If it can't be had, the end is announced here and
  /// now.
  func openAccepted() {
    enter {
      guard machine.isConnected, engine.isInactive else { return }
      do throws(SocketFailure) {
        try attach(to: wantedRunLoop ?? .current)
        if let remote = addresses.remote { machine.announce(.didConnect(remote)) } else { runLoopEngine.activate() }
      } catch {
        machine.disconnect(because: error)
      }
      wantedRunLoop = nil
    }
    lock.lock()
    if attachment == nil { deliver() }
    detachIfIdle()
    unlock()
  }
}
