import ScenarioModel
import ScenarioRunner
import ScriptedPeer
import SocketPOSIX

/// What happens in one case, in order: written by the runner's thread and by the subject's delegate queues, read by the
/// runner's thread.
///
/// Laws
/// - An event gets its instant and its place in one step, under the lock: instants never go back along the log.
/// - A reader that waits is woken by a bell, a descriptor that can stand in a `ReadinessSet` next to the peers'. It is
///   rung once per wait, and only if somebody waits.
final class WorldEventLog: Sendable {
  private struct State {
    var events: [WorldEvent] = []
    var head = 0
    var origin = MonotonicInstant.now()
    var isAwaited = false
    /// When the bell was rung for the present wait.
    var rungAt: MonotonicInstant?
    var lateness: Int64 = 0

    var elapsed: Duration { .nanoseconds(origin.nanoseconds(until: .now())) }
  }

  private let state = LockedValue(State())
  private let bell: DescriptorPair

  /// Throws when the process has no descriptors left.
  init() throws(SystemCallFailure) { bell = try SocketCall.pair() }

  /// Since the last `restart`.
  var now: Duration { state.withLock { $0.elapsed } }

  /// The instant at which `time` on the case's clock comes.
  func instant(of time: Duration) -> MonotonicInstant {
    state.withLock { $0.origin.advanced(by: time.nanoseconds) }
  }

  /// Time counts from here; nothing has happened yet.
  func restart() { state.withLock { $0 = State() } }

  func append(_ kind: WorldEvent.Kind, position: SourcePosition? = nil) {
    let mustRing = state.withLock { state -> Bool in
      state.events.append(WorldEvent(at: state.elapsed, kind: kind, position: position))
      guard state.isAwaited, state.rungAt == nil else { return false }
      state.rungAt = MonotonicInstant.now()
      return true
    }
    guard mustRing else { return }
    withUnsafeBytes(of: UInt8(1)) { _ = SocketCall.send(bell.first.rawValue, $0) }
  }

  /// The first event that nobody has taken yet, if it happened before the deadline.
  func next(before deadline: Duration) -> WorldEvent? {
    state.withLock { state in
      guard state.head < state.events.count, state.events[state.head].at < deadline else { return nil }
      let event = state.events[state.head]
      state.head += 1
      if state.head == state.events.count {
        state.events.removeAll(keepingCapacity: true)
        state.head = 0
      } else if state.head > 1024, state.head * 2 > state.events.count {
        state.events.removeFirst(state.head)
        state.head = 0
      }
      return event
    }
  }

  /// Says that the reader is about to wait: adds the bell to what it waits for. False: there are events not taken yet
  /// that happened before the deadline, so do not wait.
  func beginWait(before deadline: Duration, on set: inout ReadinessSet) -> Bool {
    let mayWait = state.withLock { state -> Bool in
      guard state.head == state.events.count || state.events[state.head].at >= deadline else { return false }
      state.isAwaited = true
      return true
    }
    if mayWait { set.add(bell.second.rawValue, reading: true, writing: false) }
    return mayWait
  }

  /// The wait is over; `bellIsReady` when it found the bell rung. Whoever rings may not have got to it yet: then the
  /// ring ends a later wait early, which does no harm.
  func endWait(bellIsReady: Bool) {
    state.withLock { state in
      if let rungAt = state.rungAt { state.lateness = max(state.lateness, rungAt.nanoseconds(until: .now())) }
      state.rungAt = nil
      state.isAwaited = false
    }
    guard bellIsReady else { return }
    withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) {
      _ = SocketCall.receive(bell.second.rawValue, into: $0)
    }
  }

  /// The lab came that much too late to something (nanoseconds).
  func noteLateness(_ nanoseconds: Int64) { state.withLock { $0.lateness = max($0.lateness, nanoseconds) } }

  /// The worst of what was noted.
  var lateness: Duration { .nanoseconds(state.withLock { $0.lateness }) }
}

extension Duration {
  /// Whole nanoseconds; stops at the ends of the scale.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, spill) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return spill ? (seconds < 0 ? .min : .max) : sum
  }
}
