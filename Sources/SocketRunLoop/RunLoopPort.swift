import CoreFoundation
import DequeModule
import Foundation
import SocketPOSIX
import SocketValues

/// The sources of one run loop in one of its modes that sockets need.
///
/// Two sources: the descriptor of a poller of its own, which is in the mode's port set, so that a descriptor's
/// readiness wakes the run loop's thread itself and no other; and one that is signalled when a turn was requested. In a
/// mode without them nothing happens: readiness waits in the poller until the mode runs again. An observer keeps the
/// run loop awake while the second one is signalled: other observers may make calls right before it sleeps, and when a
/// source is taken out in the midst of an iteration, Foundation forgets that others are signalled.
///
/// Fetched events are kept in `fetched` until they are reported, one at a time, because a handler may run the loop
/// again: the inner run continues with the rest, and fetches what did not fit into the batch.
final class RunLoopPort: @unchecked Sendable {
  // Unchecked: what changes is below `state`; `users` below the hub's lock, the batch on the run loop's thread.
  let mode: RunLoop.Mode
  /// How many are attached here. Below the hub's lock.
  var users = 0

  private weak var hub: RunLoopHub?
  private let poller: DescriptorPoller
  private let batch = EventBatch(capacity: 64, precision: .finest)
  /// The last fetch filled the batch: more events may be pending, for which epoll does not signal again. Used on the
  /// run loop's thread only.
  private var mayHaveMore = false
  private let state = LockedValue(State())
  // Unsafe: set once, before another thread has the port; a source may be signalled from every thread.
  private nonisolated(unsafe) var descriptorSource: CFRunLoopSource?
  private nonisolated(unsafe) var turnSource: CFRunLoopSource?  // Unsafe: the same.
  private nonisolated(unsafe) var sleepObserver: CFRunLoopObserver?  // Unsafe: the same.

  private struct State {
    var deadlines = DeadlineTable()
    /// When the timer goes off.
    var armed: Instant?
    /// The handlers that have requested a turn, in order.
    var turns = Deque<UInt64>()
    var waiting: Set<UInt64> = []
    /// Events that were fetched and not reported.
    var fetched = Deque<(token: UInt64, readiness: Readiness)>()
  }

  init(_ hub: RunLoopHub, _ mode: RunLoop.Mode) throws(SystemCallFailure) {
    self.hub = hub
    self.mode = mode
    poller = try DescriptorPoller()
    descriptorSource = makeDescriptorSource()
    turnSource = makeTurnSource()
    sleepObserver = makeSleepObserver()
  }

  // MARK: In the run loop

  private var modeName: CFRunLoopMode {
    // CoreFoundation recognises the common modes by the constant itself; another string with the same text would be a
    // mode that is never run.
    mode == .common ? kCFRunLoopCommonModes : CFStringCreateWithCString(nil, mode.rawValue, 0x0800_0100)
  }

  /// Makes the port part of the run loop.
  func join(_ loop: CFRunLoop) {
    CFRunLoopAddSource(loop, descriptorSource, modeName)
    CFRunLoopAddSource(loop, turnSource, modeName)
    CFRunLoopAddObserver(loop, sleepObserver, modeName)
    CFRunLoopWakeUp(loop)
  }

  /// Takes the port out of the run loop for good: on its thread, or when that has ended. nil: it never joined one.
  func leave(_ loop: CFRunLoop?) {
    CFRunLoopSourceInvalidate(descriptorSource)
    CFRunLoopSourceInvalidate(turnSource)
    if let loop { CFRunLoopRemoveObserver(loop, sleepObserver, modeName) }
  }

  /// What the sources hold instead of the port, which holds them.
  private final class Link: Sendable {
    weak let port: RunLoopPort?
    let descriptor: Int32

    init(_ port: RunLoopPort) {
      self.port = port
      descriptor = port.poller.descriptor
    }

    static func of(_ info: UnsafeRawPointer) -> Unmanaged<Link> { Unmanaged.fromOpaque(info) }
  }

  private func makeDescriptorSource() -> CFRunLoopSource? {
    var context = CFRunLoopSourceContext1()
    context.version = 1
    context.retain = { info in info.map { UnsafeRawPointer(Link.of($0).retain().toOpaque()) } }
    context.release = { info in if let info { Link.of(info).release() } }
    context.getPort = { info in info.map { Link.of($0).takeUnretainedValue().descriptor } ?? -1 }
    context.perform = { info in if let info { Link.of(info).takeUnretainedValue().port?.serve() } }
    let link = Link(self)
    return withExtendedLifetime(link) {
      context.info = Unmanaged.passUnretained(link).toOpaque()
      return withUnsafeMutablePointer(to: &context) {
        $0.withMemoryRebound(to: CFRunLoopSourceContext.self, capacity: 1) { CFRunLoopSourceCreate(nil, 0, $0) }
      }
    }
  }

  private func makeTurnSource() -> CFRunLoopSource? {
    var context = CFRunLoopSourceContext()
    context.retain = { info in info.map { UnsafeRawPointer(Link.of($0).retain().toOpaque()) } }
    context.release = { info in if let info { Link.of(info).release() } }
    context.perform = { info in if let info { Link.of(info).takeUnretainedValue().port?.takeTurns() } }
    let link = Link(self)
    return withExtendedLifetime(link) {
      context.info = Unmanaged.passUnretained(link).toOpaque()
      return CFRunLoopSourceCreate(nil, 0, &context)
    }
  }

  private func makeSleepObserver() -> CFRunLoopObserver? {
    var context = CFRunLoopObserverContext()
    context.retain = { info in info.map { UnsafeRawPointer(Link.of($0).retain().toOpaque()) } }
    context.release = { info in if let info { Link.of(info).release() } }
    let link = Link(self)
    return withExtendedLifetime(link) {
      context.info = Unmanaged.passUnretained(link).toOpaque()
      return CFRunLoopObserverCreate(
        nil, Self.beforeWaiting, true, CFIndex.max,
        { _, _, info in if let info { Link.of(info).takeUnretainedValue().port?.loopIsAboutToSleep() } }, &context)
    }
  }

  private static let beforeWaiting = CFRunLoopActivity.beforeWaiting.rawValue

  private func loopIsAboutToSleep() {
    guard mayHaveMore || state.withLock({ !$0.turns.isEmpty || !$0.fetched.isEmpty }) else { return }
    CFRunLoopWakeUp(CFRunLoopGetCurrent())
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

  /// Has `takeTurns` called in the next iteration.
  func signalTurn() { CFRunLoopSourceSignal(turnSource) }

  func forget(_ id: UInt64) {
    state.withLock { state in
      state.deadlines.remove(id)
      if state.waiting.remove(id) != nil { state.turns.removeAll { $0 == id } }
    }
  }

  // MARK: Serving

  /// The number of fetches, and of nanoseconds, after which the run loop gets the thread back for its other work: its
  /// timers, and turns that other sockets have requested.
  private static let maxFetches = 16
  private static let maxNanoseconds: Int64 = 1_000_000

  private func serve() {
    let end = Instant.atLastTick().advanced(by: Self.maxNanoseconds)
    for _ in 0..<Self.maxFetches {
      fetch()
      guard serveFetched(until: end) else { return }
      if .atLastTick() >= end { break }
    }
    // More events may be pending, and epoll reports an edge once.
    poller.wake()
  }

  private func fetch() {
    poller.fetch(into: batch)
    mayHaveMore = batch.isFull
    guard batch.count > 0 else { return }
    state.withLock { state in
      for index in 0..<batch.count { state.fetched.append(batch[index]) }
    }
  }

  /// Makes the reports that were fetched, until that instant; false: there were none.
  private func serveFetched(until end: Instant) -> Bool {
    var isFirst = true
    while isFirst || .atLastTick() < end, let report = state.withLock({ $0.fetched.popFirst() }) {
      isFirst = false
      // The next iteration, or an inner run of the loop, is to find what is left.
      if mayHaveMore || state.withLock({ !$0.fetched.isEmpty }) { CFRunLoopSourceSignal(turnSource) }
      switch report.token {
      case DescriptorPoller.wakeupToken: break
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
    // One that is set again to an instant that has come waits for the next iteration, as others' events do.
    var left = state.withLock { $0.deadlines.count }
    while left > 0, let id = nextDue(at: now) {
      left -= 1
      hub?.handler(id)?.runLoopReachesDeadline()
    }
    state.withLock { arm(&$0) }
  }

  /// Takes out a deadline that has come. The timer is set for the rest: an inner run of the loop is to find it.
  private func nextDue(at now: Instant) -> UInt64? {
    state.withLock { state in
      let id = state.deadlines.popDue(at: now)
      if id != nil { arm(&state) }
      return id
    }
  }

  private func nextTurn() -> UInt64? {
    state.withLock { state in
      guard let id = state.turns.popFirst() else { return nil }
      state.waiting.remove(id)
      return id
    }
  }

  private func takeTurns() {
    // As many as there are now: a repeated request waits for the next iteration of the run loop.
    var left = state.withLock { $0.turns.count }
    while left > 0, let id = nextTurn() {
      left -= 1
      if left > 0 { CFRunLoopSourceSignal(turnSource) }
      hub?.handler(id)?.runLoopTakesTurn()
    }
    if mayHaveMore { serve() } else { _ = serveFetched(until: .atLastTick().advanced(by: Self.maxNanoseconds)) }
    if state.withLock({ !$0.turns.isEmpty }) { CFRunLoopSourceSignal(turnSource) }
    hub?.leaveIfUnused(self)
  }
}
