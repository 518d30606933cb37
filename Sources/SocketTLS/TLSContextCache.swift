import SocketCore
import SocketPOSIX
import SocketValues

/// Contexts by what they depend on, so that not every connection makes its own, and servers can resume sessions. Safe
/// from any thread.
///
/// A context holds a copy of a private key, and the keys of tickets: it stays while its identity is in use anywhere (in
/// settings, or by a connection), and some minutes longer, for those who read their identity anew for each connection.
///
/// Making a context draws randomness: where runs must be reproducible, sessions are made without a cache.
package final class TLSContextCache: Sendable {
  /// Calls back once, after a number of nanoseconds, on any thread.
  package typealias Schedule = TimedCache<Int, Int>.Schedule

  private let contexts: TimedCache<TLSContext.Parameters, TLSContext>
  private let now: @Sendable () -> Instant
  /// How long a context is kept without a user, in nanoseconds.
  package static let lifetime: Int64 = 300 * 1_000_000_000
  /// The most contexts that are kept; the least recently used go first.
  package static let limit = 32

  /// Without a schedule, unused contexts are removed when a new one is kept. The clock also drives the ticket keys;
  /// with a clock that stands still nothing expires, and random values are drawn once.
  package init(
    now: @escaping @Sendable () -> Instant = Instant.now, schedule: Schedule? = nil
  ) {
    self.now = now
    contexts = TimedCache(
      limit: TLSContextCache.limit, lifetime: TLSContextCache.lifetime, now: now, schedule: schedule,
      tidy: { $0.tickets.dropExpired() })
  }

  /// How many contexts are kept now.
  package var count: Int { contexts.count }

  /// The context that is known, or a new one.
  func context(_ key: TLSContext.Key) throws(SocketFailure) -> TLSContext {
    if let known = known(key) { return known }
    let made = try TLSContext(key, tickets: TicketKeys(now: now))
    keep(made, key)
    return made
  }

  func known(_ key: TLSContext.Key) -> TLSContext? { contexts.value(key.parameters, user: key.identity?.key) }

  /// A second context with the same key may replace the first one: both work.
  func keep(_ context: TLSContext, _ key: TLSContext.Key) {
    contexts.keep(context, key.parameters, user: key.identity?.key)
  }
}
