import CocoaAsyncSocket
import Dispatch
import Foundation
import FuzzHarness
import Glibc
import SocketPOSIX
import SocketValues

/// One socket from its birth to its end, and everybody who uses it.
final class LifecycleRun: LifecycleStage<GCDAsyncSocket, LifecycleObserver>, @unchecked Sendable {
  // Unchecked: as its superclass.

  /// The thread, the two queues, and the two delegates in their callbacks. Delegates don't write.
  static let actorCount = 5
  static let firstDelegate = 3
  static let queueKey = DispatchSpecificKey<Int>()
  /// They live as long as the process: making queues would cost more than an input.
  private static let homes: [DispatchQueue] = (0..<2).map { number in
    let queue = DispatchQueue(label: "delegate \(number)")
    queue.setSpecific(key: queueKey, value: number)
    return queue
  }
  private static let actors = (0..<2).map { DispatchQueue(label: "actor \($0)") }
  private static let socketQueue = DispatchQueue(label: "socket")
  /// Longer than anything but a hang.
  static let timeout = 5.0

  /// A byte of a stream tells where it belongs.
  static func next(_ byte: UInt8) -> UInt8 { byte == 250 ? 0 : byte + 1 }

  static func perform(_ program: LifecycleProgram) -> Violation? {
    guard let ends = pair() else { return Violation("lifecycle/setup", "no socket pair: errno \(errno)") }
    let run = LifecycleRun(program, peer: LifecyclePeer(ends.peers))
    weak var freed: GCDAsyncSocket?
    weak var observer: LifecycleObserver?
    let violation: Violation?
    do {
      violation = try run.live(ends.own) { socket, delegate in
        freed = socket
        observer = delegate
      }
    } catch {
      close(ends.own)
      return Violation("lifecycle/setup", "the descriptor is not adopted: \(error)")
    }
    if let violation { return violation }
    let isFreed = waits { freed == nil && observer == nil }
    run.peer.close()
    guard isFreed else {
      return Violation("lifecycle/freed", "still alive: \(freed == nil ? "a delegate" : "the socket")")
    }
    return run.judge()
  }

  /// Looks until it is so; false after the timeout. Gives the processor away between looks, and mostly needs none.
  static func waits(for condition: () -> Bool) -> Bool {
    if condition() { return true }
    let deadline = Instant.now().nanoseconds + Int64(timeout * 1e9)
    while Instant.now().nanoseconds < deadline {
      sched_yield()
      if condition() { return true }
    }
    return condition()
  }

  // MARK: Living

  private func live(_ descriptor: Int32, _ note: (GCDAsyncSocket, LifecycleObserver) -> Void) throws -> Violation? {
    let delegates = (0..<2).map { LifecycleObserver($0, log: log) { self.answer($0, $1) } }
    try begin(descriptor, delegates[0], note)
    observers.withLock { $0 = delegates }
    for step in program.steps {
      switch step.actor {
      case .thread, .sameThread: act(step, 0)
      case .one: Self.actors[0].async { self.act(step, 1) }
      case .two: Self.actors[1].async { self.act(step, 2) }
      }
    }
    for actor in Self.actors { actor.sync {} }
    let violation = end(delegates)
    letGo()
    letObserversGo()
    return violation
  }

  private func begin(
    _ descriptor: Int32, _ delegate: LifecycleObserver, _ note: (GCDAsyncSocket, LifecycleObserver) -> Void
  ) throws {
    let queue = program.sharesQueue ? Self.homes[0] : Self.socketQueue
    let socket = try GCDAsyncSocket(
      adoptingStream: descriptor, delegate: delegate, delegateQueue: Self.homes[0],
      socketQueue: program.hasSocketQueue ? queue : nil)
    socket.autoDisconnectOnClosedReadStream = !program.staysHalfOpen
    note(socket, delegate)
    held.withLock { $0 = socket }
  }

  private func end(_ delegates: [LifecycleObserver]) -> Violation? {
    guard program.end != .letGo, let socket = held.withLock({ $0 }) else {
      letGo()
      drain()
      return nil
    }
    switch program.end {
    case .letGo: break
    case .disconnect: socket.disconnect()
    case .peerCloses, .peerClosesAndDisconnect:
      log.withLock { $0.readsOn = true }
      socket.setDelegate(delegates[0], delegateQueue: Self.homes[0])
      socket.readData(withTimeout: -1, tag: tag(0, 0))
      peer.close()
      if program.end == .peerClosesAndDisconnect || program.staysHalfOpen {
        socket.disconnect()
      } else if !Self.waits(for: { socket.isDisconnected }) {
        return Violation("lifecycle/hang", "the peer has closed and the socket has not: \(socket)")
      }
    }
    drain()
    // A socket says that it is disconnected from the moment it is; its loop brings the news to the queue a bit later.
    guard program.silences || Self.waits(for: { log.withLock { $0.disconnects > 0 } }) else {
      return Violation("lifecycle/hang", "didDisconnect is missing: \(socket)")
    }
    // What would come behind it is on its way by now.
    drain()
    return nil
  }

  /// When it returns, callbacks that were under way have run. A callback may make others on the other queue.
  private func drain() {
    for _ in 0..<2 {
      if program.hasSocketQueue, !program.sharesQueue { Self.socketQueue.sync {} }
      for home in Self.homes { home.sync {} }
    }
  }

  // MARK: Acting

  private func act(_ step: LifecycleProgram.Step, _ actor: Int) {
    if act(withPeer: step) { return }
    guard let socket = held.withLock({ $0 }) else { return }
    switch step.act {
    case .disconnect: socket.disconnect()
    case .becomeOther: become(Int(step.argument & 1), socket)
    case .becomeNobody: socket.setDelegate(nil, delegateQueue: nil)
    case .perform: socket.perform { _ = socket.socketFD() }
    default: act(step, actor, on: socket)
    }
  }

  private func become(_ number: Int, _ socket: GCDAsyncSocket) {
    guard let observer = observers.withLock({ $0.isEmpty ? nil : $0[number] }) else { return }
    socket.setDelegate(observer, delegateQueue: Self.homes[number])
  }

  /// What the program says about a callback like this one.
  private func answer(_ socket: GCDAsyncSocket, _ delegate: Int) {
    switch react(socket, delegate).0 {
    case .disconnect: socket.disconnect()
    case .becomeOther: become(1 - delegate, socket)
    case .look: _ = socket.isConnected
    default: break
    }
  }
}
