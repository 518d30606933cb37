import CoreFoundation
import DequeModule
import Foundation
import SocketPOSIX
import SocketValues

/// What one run loop waits for in one of its modes on behalf of sockets.
///
/// Two sources: the descriptor of a poller of its own, which is in the mode's port set, so that a descriptor's
/// readiness wakes the run loop's thread itself and no other; and one that is signalled when a turn was requested. In a
/// mode without them nothing happens: readiness waits in the poller until the mode runs again.
///
/// What was fetched is kept in `fetched` until it is served, one report at a time, because what a report brings about
/// may run the loop again: the inner run goes on with the rest.
final class RunLoopPort: @unchecked Sendable {
  // Unchecked: what changes is below `state`; `users` below the hub's lock, the batch on the run loop's thread.
  let mode: RunLoop.Mode
  /// How many are attached here. Below the hub's lock.
  var users = 0

  private weak var hub: RunLoopHub?
  private let poller: DescriptorPoller
  private let batch = EventBatch(capacity: 64, precision: .finest)
  private let state = LockedValue(State())
  /// They keep the port, until `leave`.
  private let sources = LockedValue<Sources?>(nil)

  private struct Sources: @unchecked Sendable {
    // Unchecked: a source may be asked from every thread what is asked of them here.
    var descriptor: CFRunLoopSource
    var turn: CFRunLoopSource
  }

  private struct State {
    var deadlines = DeadlineTable()
    /// When the timer goes off.
    var armed: Instant?
    /// Who has asked for a turn, in order.
    var turns = Deque<UInt64>()
    var waiting: Set<UInt64> = []
    /// Reports that were fetched and not made.
    var fetched = Deque<(token: UInt64, readiness: Readiness)>()
  }

  init(_ hub: RunLoopHub, _ mode: RunLoop.Mode) throws(SystemCallFailure) {
    self.hub = hub
    self.mode = mode
    poller = try DescriptorPoller()
    guard let descriptor = makeDescriptorSource(), let turn = makeTurnSource() else {
      preconditionFailure("no memory for a source")
    }
    let made = Sources(descriptor: descriptor, turn: turn)
    sources.withLock { $0 = made }
  }

  // MARK: In the run loop

  private var modeName: CFRunLoopMode { CFStringCreateWithCString(nil, mode.rawValue, 0x0800_0100) }

  /// Makes the port part of the run loop.
  func join(_ loop: CFRunLoop) {
    guard let sources = sources.withLock({ $0 }) else { return }
    CFRunLoopAddSource(loop, sources.descriptor, modeName)
    CFRunLoopAddSource(loop, sources.turn, modeName)
    CFRunLoopWakeUp(loop)
  }

  /// Takes the port out of the run loop for good.
  func leave() {
    guard let sources = sources.withLock({ $0.take() }) else { return }
    CFRunLoopSourceInvalidate(sources.descriptor)
    CFRunLoopSourceInvalidate(sources.turn)
  }

  private func makeDescriptorSource() -> CFRunLoopSource? {
    var context = CFRunLoopSourceContext1()
    context.version = 1
    context.info = Unmanaged.passUnretained(self).toOpaque()
    context.retain = Self.retain
    context.release = Self.release
    context.getPort = { info in
      guard let info else { return -1 }
      return Unmanaged<RunLoopPort>.fromOpaque(info).takeUnretainedValue().poller.descriptor
    }
    context.perform = { info in
      guard let info else { return }
      Unmanaged<RunLoopPort>.fromOpaque(info).takeUnretainedValue().serve()
    }
    return withUnsafeMutablePointer(to: &context) { context in
      context.withMemoryRebound(to: CFRunLoopSourceContext.self, capacity: 1) { CFRunLoopSourceCreate(nil, 0, $0) }
    }
  }

  private func makeTurnSource() -> CFRunLoopSource? {
    var context = CFRunLoopSourceContext()
    context.info = Unmanaged.passUnretained(self).toOpaque()
    context.retain = Self.retain
    context.release = Self.release
    context.perform = { info in
      guard let info else { return }
      Unmanaged<RunLoopPort>.fromOpaque(info).takeUnretainedValue().takeTurns()
    }
    return CFRunLoopSourceCreate(nil, 0, &context)
  }

  private static let retain: @convention(c) (UnsafeRawPointer?) -> UnsafeRawPointer? = { info in
    if let info { _ = Unmanaged<RunLoopPort>.fromOpaque(info).retain() }
    return info
  }

  private static let release: @convention(c) (UnsafeRawPointer?) -> Void = { info in
    if let info { Unmanaged<RunLoopPort>.fromOpaque(info).release() }
  }

  // MARK: Asking

  func watch(_ descriptor: Int32, token: UInt64, interest: Readiness) throws(SystemCallFailure) {
    try poller.add(descriptor, token: token, interest: interest)
  }

  func unwatch(_ descriptor: Int32) { poller.remove(descriptor) }

  func setDeadline(_ id: UInt64, to instant: Instant?) {
    state.withLock { state in
      state.deadlines.set(id, to: instant)
      arm(&state)
    }
  }

  /// The timer is set only for something earlier than it is set for already.
  private func arm(_ state: inout State) {
    guard let earliest = state.deadlines.earliest, state.armed.map({ earliest < $0 }) ?? true else { return }
    state.armed = earliest
    poller.setTimer(earliest)
  }

  func requestTurn(_ id: UInt64) {
    let isNew = state.withLock { state in
      guard state.waiting.insert(id).inserted else { return false }
      state.turns.append(id)
      return true
    }
    if isNew { signalTurn() }
  }

  /// Has `takeTurns` called by whatever run of the loop comes next.
  private func signalTurn() {
    if let source = sources.withLock({ $0?.turn }) { CFRunLoopSourceSignal(source) }
  }

  func forget(_ id: UInt64) {
    state.withLock { state in
      state.deadlines.remove(id)
      if state.waiting.remove(id) != nil { state.turns.removeAll { $0 == id } }
    }
  }

  // MARK: Serving

  /// After so many fetches the run loop gets the thread back, for all else that it has to do.
  private static let mostFetches = 16

  private func serve() {
    for _ in 0..<Self.mostFetches {
      fetch()
      guard serveFetched() else { return }
    }
    // There may be more, and an edge is told once.
    poller.ring()
  }

  private func fetch() {
    poller.fetch(into: batch)
    guard batch.count > 0 else { return }
    state.withLock { state in
      for index in 0..<batch.count { state.fetched.append(batch[index]) }
    }
  }

  /// Makes all reports that were fetched; false: there were none.
  private func serveFetched() -> Bool {
    var isFirst = true
    while let report = state.withLock({ $0.fetched.popFirst() }) {
      isFirst = false
      // An inner run of the loop is to find what is left.
      if state.withLock({ !$0.fetched.isEmpty }) { signalTurn() }
      switch report.token {
      case DescriptorPoller.bellToken: break
      case DescriptorPoller.timerToken: reachDeadlines()
      default:
        let key = UInt16(truncatingIfNeeded: report.token)
        hub?.handler(report.token >> 16)?.runLoopReports(report.readiness, key: key)
      }
    }
    return !isFirst
  }

  private func reachDeadlines() {
    let now = Instant.now()
    state.withLock { $0.armed = nil }
    while let id = state.withLock({ $0.deadlines.popDue(at: now) }) { hub?.handler(id)?.runLoopReachesDeadline() }
    state.withLock { arm(&$0) }
  }

  private func nextTurn() -> UInt64? {
    state.withLock { state in
      guard let id = state.turns.popFirst() else { return nil }
      state.waiting.remove(id)
      return id
    }
  }

  private func takeTurns() {
    // As many as there are now: one who asks again waits for the next turn of the run loop.
    var left = state.withLock { $0.turns.count }
    while left > 0, let id = nextTurn() {
      left -= 1
      if left > 0 { signalTurn() }
      hub?.handler(id)?.runLoopTakesTurn()
    }
    _ = serveFetched()
    if state.withLock({ !$0.turns.isEmpty }) { signalTurn() }
  }
}
