import CoreFoundation
import Foundation
import Glibc
import SocketPOSIX
import SocketValues
import Synchronization

/// The sockets' part of one run loop: a port for each mode in which a handler is attached.
///
/// A run loop of another thread is reached by a timer: Foundation has no other way to run code on it from outside that
/// wakes it. When its thread first gets here, the ports join it, and the thread keeps the hub until it ends: Foundation
/// on Linux never frees a timer, and the next socket from outside shall not need another one. Only that thread takes a
/// port out again: it may be reading from the port's descriptor, whose number must not become another one's meanwhile.
/// A run loop whose thread has ended never calls a handler; handlers that are attached there stay silent until they are
/// detached.
final class RunLoopHub: @unchecked Sendable {
  // Unchecked: what changes is below `state`; the run loop is only asked what it allows from every thread.
  let runLoop: RunLoop
  /// The run loop's thread; 0: not known yet; `ended`: it is over. Read for each call on a socket.
  private let thread = Atomic<UInt>(0)
  /// No thread's.
  private static let ended = UInt.max
  private let state = LockedValue(State())

  private struct State {
    var ports: [RunLoop.Mode: RunLoopPort] = [:]
    var handlers: [UInt64: WeakHandler] = [:]
    var lastID: UInt64 = 0
    /// The run loop, once its own thread has joined the ports.
    var native: NativeLoop?
    /// The modes in which the run loop was asked to run a timer that joins the ports.
    var modesOfTimers: Set<RunLoop.Mode> = []
  }

  /// A run loop as CoreFoundation knows it.
  private struct NativeLoop {
    var loop: CFRunLoop
  }

  /// What the run loop's thread keeps: it ends with the thread, whose number the system may then give to another one.
  private final class ThreadMark {
    private let hub: RunLoopHub

    init(_ hub: RunLoopHub) { self.hub = hub }

    deinit { hub.thread.store(RunLoopHub.ended, ordering: .relaxed) }
  }

  private struct WeakHandler {
    weak var handler: (any RunLoopHandler)?
  }

  // MARK: Hubs

  private struct WeakHub {
    weak var hub: RunLoopHub?
  }

  private static let hubs = LockedValue<[ObjectIdentifier: WeakHub]>([:])

  /// The hub of a run loop; one for each, as long as a handler is attached or the thread that has joined runs.
  static func of(_ runLoop: RunLoop) -> RunLoopHub {
    let hub = hubs.withLock { hubs in
      if let known = hubs[ObjectIdentifier(runLoop)]?.hub { return known }
      let made = RunLoopHub(runLoop)
      hubs[ObjectIdentifier(runLoop)] = WeakHub(hub: made)
      return made
    }
    if RunLoop.current === runLoop { hub.joinPorts() }
    return hub
  }

  private init(_ runLoop: RunLoop) { self.runLoop = runLoop }

  deinit {
    // Whoever has the last reference: the thread has ended, or never joined.
    state.withLock { state in for port in state.ports.values { port.leave(state.native?.loop) } }
    let id = ObjectIdentifier(runLoop)
    // Another one may have been made meanwhile. This may be the last reference to it, so it outlives the lock.
    let other = Self.hubs.withLock { hubs in
      let other = hubs[id]?.hub
      if other == nil { hubs[id] = nil }
      return other
    }
    withExtendedLifetime(other) {}
  }

  // MARK: Attaching

  func attach(
    _ handler: any RunLoopHandler, in modes: [RunLoop.Mode]
  ) throws(SystemCallFailure) -> (id: UInt64, ports: [RunLoopPort]) {
    let (id, ports) = try state.withLock { state throws(SystemCallFailure) in
      var ports: [RunLoopPort] = []
      for mode in modes {
        if let known = state.ports[mode] { ports.append(known) } else { ports.append(try RunLoopPort(self, mode)) }
      }
      for port in ports {
        port.users += 1
        if state.ports.updateValue(port, forKey: port.mode) !== port, let native = state.native {
          port.join(native.loop)
        }
      }
      state.lastID += 1
      state.handlers[state.lastID] = WeakHandler(handler: handler)
      return (state.lastID, ports)
    }
    requestJoin()
    return (id, ports)
  }

  func detach(_ id: UInt64, from ports: [RunLoopPort]) {
    for port in ports { port.forget(id) }
    let mayLeaveHere = isCurrentThread || hasEnded
    let waking = state.withLock { state -> CFRunLoop? in
      state.handlers[id] = nil
      var waking: CFRunLoop?
      for port in ports {
        port.users -= 1
        guard port.users == 0 else { continue }
        if let native = state.native, !mayLeaveHere {
          port.signalTurn()
          waking = native.loop
        } else {
          Self.remove(port, &state)
        }
      }
      return waking
    }
    if let waking { CFRunLoopWakeUp(waking) }
  }

  /// On the run loop's thread: takes out a port that nobody uses any more. Without its sources the run loop has nothing
  /// to wait for, and its `run` returns.
  func leaveIfUnused(_ port: RunLoopPort) {
    state.withLock { state in
      if port.users == 0, state.ports[port.mode] === port { Self.remove(port, &state) }
    }
  }

  private static func remove(_ port: RunLoopPort, _ state: inout State) {
    port.leave(state.native?.loop)
    if state.ports[port.mode] === port { state.ports[port.mode] = nil }
  }

  func handler(_ id: UInt64) -> (any RunLoopHandler)? { state.withLock { $0.handlers[id]?.handler } }

  // MARK: The thread

  /// Whether the caller is on the run loop's thread, which may get here before the request to join does.
  var isCurrentThread: Bool {
    let known = thread.load(ordering: .relaxed)
    guard known == 0 else { return known == UInt(pthread_self()) }
    guard RunLoop.current === runLoop else { return false }
    joinPorts()
    return true
  }

  /// Whether the run loop's thread is over: it calls nobody any more.
  var hasEnded: Bool { thread.load(ordering: .relaxed) == Self.ended }

  /// Wakes the run loop, if it may sleep and the caller is not its thread.
  func wake() {
    guard !isCurrentThread, let loop = state.withLock({ $0.native?.loop }) else { return }
    CFRunLoopWakeUp(loop)
  }

  /// On the run loop's thread: makes the ports part of it.
  private func joinPorts() {
    let isFirst = state.withLock { state in
      guard state.native == nil, let loop = CFRunLoopGetCurrent() else { return false }
      state.native = NativeLoop(loop: loop)
      thread.store(UInt(pthread_self()), ordering: .relaxed)
      for port in state.ports.values { port.join(loop) }
      return true
    }
    if isFirst { Self.threadMark.pointer = Unmanaged.passRetained(ThreadMark(self)).toOpaque() }
  }

  /// Not in the thread's dictionary, which belongs to its user.
  private static let threadMark = ThreadValue { mark in
    if let mark { Unmanaged<ThreadMark>.fromOpaque(mark).release() }
  }

  /// Has the run loop's thread make the ports part of it, unless they are.
  private func requestJoin() {
    let modes = state.withLock { state -> [RunLoop.Mode] in
      guard state.native == nil else { return [] }
      return state.ports.keys.filter { state.modesOfTimers.insert($0).inserted }
    }
    guard !modes.isEmpty else { return }
    // Foundation on Linux never releases a timer's block.
    let timer = Timer(timeInterval: 0, repeats: false) { [weak self] _ in self?.joinPorts() }
    for mode in modes { runLoop.add(timer, forMode: mode) }
  }
}
