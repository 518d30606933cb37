import CocoaAsyncSocket
import Dispatch
import Foundation
import FuzzHarness
import Glibc
import SocketPOSIX

/// One socket of the class on a run loop from its birth to its end: moved between two run loops and in and out of their
/// modes, with calls inside its callbacks and while a callback runs the loop again.
final class RunLoopLifecycleRun: LifecycleStage<AsyncSocket, RunLoopLifecycleObserver>, @unchecked Sendable {
  // Unchecked: as its superclass.

  /// Where the socket lives.
  struct Place {
    var loop = 0
    /// Calls of disconnect() that have not returned.
    var disconnects = 0
    /// How many callbacks are under way on each loop.
    var callbacks = [0, 0]
    /// How often it has left a loop while a callback was under way there. It does nothing on the other one before that
    /// has returned: disconnect() may return first (THR-16).
    var movesInCallbacks = 0
    /// How many of them are known to be of callbacks that have returned.
    var settledMoves = 0
  }

  private static let loops = (0..<2).map { LifecycleLoop($0) }

  private let place = LockedValue(Place())
  /// Steps that were posted and have not been carried out.
  private let posted = DispatchGroup()

  static func perform(_ program: LifecycleProgram) -> Violation? {
    guard let ends = pair() else { return Violation("lifecycle/setup", "no socket pair: errno \(errno)") }
    let run = RunLoopLifecycleRun(program, peer: LifecyclePeer(ends.peers))
    let freed = Weak()
    if let violation = run.live(ends.own, freed) { return violation }
    let isFreed = LifecycleRun.waits { freed.isEmpty }
    run.peer.close()
    guard isFreed else { return Violation("lifecycle/freed", "the socket or a delegate is still alive") }
    return run.judgeWithLoops()
  }

  /// What is to be freed.
  private final class Weak: @unchecked Sendable {
    // Unchecked: set before anybody else looks.
    weak var socket: AsyncSocket?
    weak var observer: RunLoopLifecycleObserver?
    var isEmpty: Bool { socket == nil && observer == nil }
  }

  // MARK: Living

  private func live(_ descriptor: Int32, _ freed: Weak) -> Violation? {
    let setup = LockedValue<Violation?>(nil)
    post { [self] in
      let delegates = (0..<2).map { RunLoopLifecycleObserver($0, log: log, place: place) { self.answer($0, $1) } }
      do {
        let socket = try AsyncSocket(adoptingStream: descriptor, delegate: delegates[0])
        (freed.socket, freed.observer) = (socket, delegates[0])
        held.withLock { $0 = socket }
        observers.withLock { $0 = delegates }
      } catch {
        close(descriptor)
        setup.withLock { $0 = Violation("lifecycle/setup", "the descriptor is not adopted: \(error)") }
      }
    }
    posted.wait()
    if let violation = setup.withLock({ $0 }) { return violation }
    for step in program.steps {
      if act(withPeer: step) { continue }
      post { [self] in act(step) }
      switch step.actor {
      case .thread, .sameThread: posted.wait()
      case .one, .two: break
      }
    }
    posted.wait()
    let violation = end()
    post { [self] in letGo() }
    drain()
    letObserversGo()
    return violation
  }

  /// Has the body run where the socket lives, behind what was posted before.
  private func post(_ body: @escaping @Sendable () -> Void) {
    posted.enter()
    visit(body)
  }

  private func visit(_ body: @escaping @Sendable () -> Void) {
    let loop = place.withLock { $0.loop }
    Self.loops[loop].perform { [self] in
      // It has moved meanwhile.
      guard place.withLock({ $0.loop }) == loop else { return visit(body) }
      body()
      posted.leave()
    }
  }

  /// When it returns, what was on its way to the socket's callbacks has come, and their threads hold nothing of it.
  private func drain() {
    for _ in 0..<2 {
      posted.wait()
      for loop in Self.loops {
        posted.enter()
        loop.perform { [self] in posted.leave() }
      }
      posted.wait()
    }
  }

  /// What a callback that has returned has moved is at home.
  private func settleMoves() {
    let moves = place.withLock { $0.callbacks.allSatisfy { $0 == 0 } ? $0.movesInCallbacks : 0 }
    guard moves > 0 else { return }
    // The library has its threads back behind what is posted now.
    drain()
    place.withLock { $0.settledMoves = moves }
  }

  private func end() -> Violation? {
    let found = LockedValue<Violation?>(nil)
    settleMoves()
    post { [self] in
      guard let socket = held.withLock({ $0 }) else { return }
      socket.setRunLoopModes([RunLoop.Mode.default.rawValue])
      switch program.end {
      case .letGo: letGo()
      case .disconnect:
        disconnect(socket)
        guard !program.silences, place.withLock({ $0.movesInCallbacks == $0.settledMoves }) else { return }
        guard log.withLock({ $0.disconnects == 0 }) else { return }
        found.withLock { $0 = Violation("lifecycle/once", "disconnect() returns without didDisconnect") }
      case .peerCloses, .peerClosesAndDisconnect:
        log.withLock { $0.readsOn = true }
        socket.setDelegate(observers.withLock { $0[0] })
        socket.readData(withTimeout: -1, tag: tag(0, 0))
        peer.close()
        if program.end == .peerClosesAndDisconnect { disconnect(socket) }
      }
    }
    posted.wait()
    if let violation = found.withLock({ $0 }) { return violation }
    guard program.end != .letGo, let socket = held.withLock({ $0 }) else { return nil }
    guard LifecycleRun.waits(for: { socket.isDisconnected() }) else {
      return Violation("lifecycle/hang", "the peer has closed and the socket has not: \(socket)")
    }
    drain()
    guard program.silences || log.withLock({ $0.disconnects > 0 }) else {
      return Violation("lifecycle/hang", "didDisconnect is missing: \(socket)")
    }
    return nil
  }

  // MARK: Acting

  private func act(_ step: LifecycleProgram.Step) {
    guard let socket = held.withLock({ $0 }) else { return }
    switch step.act {
    case .disconnect: disconnect(socket)
    case .becomeOther: become(Int(step.argument & 1), socket)
    case .becomeNobody: socket.setDelegate(nil)
    case .perform: change(Int(step.argument & 3), socket)
    default: act(step, Int(step.actor.rawValue) / 2, on: socket)
    }
  }

  /// Run loops and modes.
  private func change(_ choice: Int, _ socket: AsyncSocket) {
    let inner = LifecycleLoop.innerMode
    switch choice {
    case 0: move(socket)
    case 1: socket.addRunLoopMode(inner.rawValue)
    case 2: socket.removeRunLoopMode(RunLoop.Mode.default.rawValue)
    default: LifecycleLoop.runInside(inner)
    }
  }

  private func move(_ socket: AsyncSocket) {
    place.withLock { place in
      guard socket.moveToRunLoop(Self.loops[1 - place.loop].runLoop) else { return }
      if place.callbacks[place.loop] > 0 { place.movesInCallbacks += 1 }
      place.loop = 1 - place.loop
    }
  }

  private func disconnect(_ socket: AsyncSocket) {
    place.withLock { $0.disconnects += 1 }
    socket.disconnect()
    place.withLock { $0.disconnects -= 1 }
  }

  private func become(_ number: Int, _ socket: AsyncSocket) {
    guard let observer = observers.withLock({ $0.isEmpty ? nil : $0[number] }) else { return }
    socket.setDelegate(observer)
  }

  /// What the program says about a callback like this one.
  private func answer(_ socket: AsyncSocket, _ delegate: Int) {
    switch react(socket, delegate) {
    case (.disconnect, _): disconnect(socket)
    case (.becomeOther, _): become(1 - delegate, socket)
    case (.look, let number) where number % 2 == 0: move(socket)
    case (.look, _): LifecycleLoop.runInside(.default)
    default: break
    }
  }

  // MARK: Judging

  private func judgeWithLoops() -> Violation? {
    let strays = log.withLock { $0.strays }
    guard strays == 0 else {
      return Violation("lifecycle/loop", "\(strays) callbacks on another run loop, or in another mode")
    }
    return judge()
  }
}
