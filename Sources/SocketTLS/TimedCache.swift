import SocketPOSIX
import SocketValues

/// A cache of at most `limit` values, from which the least recently used are removed first. A value whose user is
/// deallocated is removed `lifetime` after its last use, at the latest one more `lifetime` later (the next sweep).
///
/// Safe from any thread. Values end outside the lock.
package final class TimedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// Calls back once, after a number of nanoseconds, on any thread; false: it can't now, and does not.
  package typealias Schedule = @Sendable (_ nanoseconds: Int64, _ body: @escaping @Sendable () -> Void) -> Bool

  private struct Entry {
    var value: Value
    var lastUse: Instant
    /// As long as the user is there, so is the value.
    weak var user: (AnyObject & Sendable)?
  }

  private struct State {
    var entries: [Key: Entry] = [:]
    var isSweepDue = false
  }

  private let state = LockedValue(State())
  private let limit: Int
  private let lifetime: Int64
  private let now: @Sendable () -> Instant
  private let schedule: Schedule?
  private let tidy: @Sendable (Value) -> Void

  /// `lifetime` in nanoseconds. Without a schedule, values whose time is over go only when others come. `tidy` gets the
  /// values that stay once in each lifetime.
  package init(
    limit: Int, lifetime: Int64, now: @escaping @Sendable () -> Instant = Instant.now,
    schedule: Schedule? = nil, tidy: @escaping @Sendable (Value) -> Void = { _ in }
  ) {
    self.limit = limit
    self.lifetime = lifetime
    self.now = now
    self.schedule = schedule
    self.tidy = tidy
  }

  /// How many values are kept now.
  package var count: Int { state.withLock { $0.entries.count } }

  /// The value of that key, which counts as used now; nil: there is none. `user`, if given, keeps it from now on as
  /// long as it lives itself.
  package func value(_ key: Key, user: (AnyObject & Sendable)? = nil) -> Value? {
    let time = now()
    return state.withLock { state in
      guard let index = state.entries.index(forKey: key) else { return nil }
      state.entries.values[index].lastUse = time
      if let user { state.entries.values[index].user = user }
      return state.entries.values[index].value
    }
  }

  /// Keeps a value from now on, in place of another with the same key; `user` keeps it as long as it lives itself.
  package func keep(_ value: Value, _ key: Key, user: (AnyObject & Sendable)? = nil) {
    let time = now()
    let (dropped, isFirst) = state.withLock { state -> ([Entry], Bool) in
      var dropped = drop(&state, at: time)
      let former = state.entries.updateValue(Entry(value: value, lastUse: time, user: user), forKey: key)
      if let former { dropped.append(former) }
      while state.entries.count > limit, let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
        dropped.append(oldest.value)
        state.entries[oldest.key] = nil
      }
      defer { state.isSweepDue = true }
      return (dropped, !state.isSweepDue)
    }
    withExtendedLifetime(dropped) {}
    if isFirst { scheduleSweep() }
  }

  private func scheduleSweep() {
    guard let schedule, !schedule(lifetime, { [weak self] in self?.sweep() }) else { return }
    // The next value that is kept asks again.
    state.withLock { $0.isSweepDue = false }
  }

  private func sweep() {
    let time = now()
    let (dropped, kept) = state.withLock { state -> ([Entry], [Value]) in
      let dropped = drop(&state, at: time)
      state.isSweepDue = !state.entries.isEmpty
      return (dropped, state.entries.values.map(\.value))
    }
    withExtendedLifetime(dropped) {}
    for value in kept { tidy(value) }
    if !kept.isEmpty { scheduleSweep() }
  }

  /// Removes the values that are no longer used; the caller releases them outside the lock.
  private func drop(_ state: inout State, at time: Instant) -> [Entry] {
    let idle = state.entries.filter { $0.value.user == nil && $0.value.lastUse.nanoseconds(until: time) >= lifetime }
    for key in idle.keys { state.entries[key] = nil }
    return Array(idle.values)
  }
}
