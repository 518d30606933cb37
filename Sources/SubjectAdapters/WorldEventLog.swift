import ScenarioModel
import ScenarioRunner
import ScriptedPeer
import SocketPOSIX
import SocketValues

/// What happens in one case, in order: written by the runner's thread and by the subject's delegate queues, read by the
/// runner's thread.
///
/// Laws
/// - An event gets its instant and its place in one step, under the lock: instants never go back along the log.
/// - A call inside a callback gets its place before it is made, so that its effects come behind it. The reader waits
///   for its end, but not for long: a call that does not return must not hide what happens meanwhile.
/// - A reader that waits is woken by a descriptor of `wakeupPair`, which can stand in a `ReadinessSet` next to the
///   peers'. It becomes readable once per wait, and only if the reader waits.
final class WorldEventLog: Sendable {
  private struct Entry {
    var at: Duration
    /// What has happened; nil: the entry is a call that has not returned yet.
    var event: WorldEvent?
  }

  /// How long the reader waits for the end of a call whose entry comes next.
  private static let callEndTimeout: Duration = .milliseconds(50)

  private struct State {
    var entries: [Entry] = []
    var head = 0
    /// Entries that were taken and are not kept any more.
    var dropped = 0
    var origin = Instant.now()
    var isAwaited = false
    /// When the reader was woken from the present wait.
    var wokenAt: Instant?
    var lateness: Int64 = 0
    /// Until when the reader knows of everything that happened.
    var told = Duration.zero

    var elapsed: Duration { .nanoseconds(origin.nanoseconds(until: .now())) }

    /// Calls that take too long lose their place.
    mutating func passOverdueCalls() {
      while head < entries.count, entries[head].event == nil, elapsed - entries[head].at >= callEndTimeout { head += 1 }
    }

    mutating func dropTaken() {
      guard head == entries.count || head > 1024 && head * 2 > entries.count else { return }
      dropped += head
      entries.removeFirst(head)
      head = 0
    }
  }

  private let state = LockedValue(State())
  private let wakeupPair: DescriptorPair

  /// Throws when the process has no descriptors left.
  init() throws(SystemCallFailure) { wakeupPair = try SocketCall.pair() }

  /// The time since the last `restart`.
  var now: Duration { state.withLock { $0.elapsed } }

  /// The instant at which `time` on the case's clock comes.
  func instant(of time: Duration) -> Instant {
    state.withLock { $0.origin.advanced(by: time.nanoseconds) }
  }

  /// The time of an instant on the case's clock.
  func time(of instant: Instant) -> Duration { state.withLock { .nanoseconds($0.origin.nanoseconds(until: instant)) } }

  /// Sets the clock to zero and forgets all entries but callbacks: nothing has been called yet, so whoever tells of
  /// something tells it out of turn.
  func restart() {
    state.withLock { state in
      let early = state.entries[state.head...].compactMap { entry -> Entry? in
        guard var event = entry.event, case .callback = event.kind else { return nil }
        event.at = .zero
        return Entry(at: .zero, event: event)
      }
      state = State()
      state.entries = early
    }
  }

  func append(_ kind: WorldEvent.Kind, position: SourcePosition? = nil) {
    write { state in
      let now = state.elapsed
      state.entries.append(Entry(at: now, event: WorldEvent(at: now, kind: kind, position: position)))
    }
  }

  /// Records an event that happened before it became known. It is appended now, with an instant that is neither before
  /// the previous entry's nor before the time up to which the reader has been served.
  func append(_ kind: WorldEvent.Kind, at instant: Instant, position: SourcePosition? = nil) {
    write { state in
      let claimed = Duration.nanoseconds(state.origin.nanoseconds(until: instant))
      let at = max(claimed, state.entries.last?.at ?? .zero, state.told, .zero)
      state.entries.append(Entry(at: at, event: WorldEvent(at: at, kind: kind, position: position)))
    }
  }

  /// Runs a call and writes it down where it began.
  func appendCall<Result>(
    position: SourcePosition?, _ body: () -> Result, as kind: (Result) -> WorldEvent.Kind
  ) -> Result {
    let number = state.withLock { state in
      state.entries.append(Entry(at: state.elapsed, event: nil))
      return state.dropped + state.entries.count - 1
    }
    let result = body()
    write { state in
      let index = number - state.dropped
      if index >= state.head {
        let at = state.entries[index].at
        state.entries[index].event = WorldEvent(at: at, kind: kind(result), position: position)
      } else {
        // The reader has not waited.
        let now = state.elapsed
        state.entries.append(Entry(at: now, event: WorldEvent(at: now, kind: kind(result), position: position)))
      }
    }
    return result
  }

  private func write(_ body: (inout State) -> Void) {
    let mustWake = state.withLock { state -> Bool in
      body(&state)
      guard state.isAwaited, state.wokenAt == nil else { return false }
      state.wokenAt = Instant.now()
      return true
    }
    guard mustWake else { return }
    withUnsafeBytes(of: UInt8(1)) { _ = SocketCall.send(wakeupPair.first.rawValue, $0) }
  }

  /// Takes the first event that is left, if it happened before the deadline.
  func next(before deadline: Duration) -> WorldEvent? {
    state.withLock { state in
      state.passOverdueCalls()
      guard state.head < state.entries.count, state.entries[state.head].at < deadline,
        let event = state.entries[state.head].event
      else {
        if state.elapsed >= deadline { state.told = max(state.told, deadline) }
        return nil
      }
      state.told = max(state.told, event.at)
      state.head += 1
      state.dropTaken()
      return event
    }
  }

  /// Until when the reader waits for a call whose place is next; nil: it waits for none.
  var waitsForCallUntil: Duration? {
    state.withLock { state in
      guard state.head < state.entries.count, state.entries[state.head].event == nil else { return nil }
      return state.entries[state.head].at + Self.callEndTimeout
    }
  }

  /// The reader is about to wait: adds the wake-up descriptor to `set`. False: events that happened before the deadline
  /// are not taken yet, so do not wait.
  func beginWait(before deadline: Duration, on set: inout ReadinessSet) -> Bool {
    let mayWait = state.withLock { state -> Bool in
      state.passOverdueCalls()
      if state.head < state.entries.count {
        let first = state.entries[state.head]
        guard first.event == nil || first.at >= deadline else { return false }
      }
      state.isAwaited = true
      return true
    }
    if mayWait { set.add(wakeupPair.second.rawValue, reading: true, writing: false) }
    return mayWait
  }

  /// The wait is over; `wakeupIsReady`: the wake-up descriptor was readable. The thread that wakes may not have written
  /// its byte yet; the byte then ends a later wait early, which does no harm.
  func endWait(wakeupIsReady: Bool) {
    state.withLock { state in
      if let wokenAt = state.wokenAt { state.lateness = max(state.lateness, wokenAt.nanoseconds(until: .now())) }
      state.wokenAt = nil
      state.isAwaited = false
    }
    guard wakeupIsReady else { return }
    withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) {
      _ = SocketCall.receive(wakeupPair.second.rawValue, into: $0)
    }
  }

  /// Notes that the lab was late for something, by that many nanoseconds.
  func noteLateness(_ nanoseconds: Int64) { state.withLock { $0.lateness = max($0.lateness, nanoseconds) } }

  /// The most that the lab was late by.
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
