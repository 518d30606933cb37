import SocketPOSIX

/// Contexts by what they depend on, so that not every connection makes its own. Safe from any thread.
///
/// Making a context draws randomness (ticket keys): where runs must be reproducible, sessions are made without a cache.
package final class TLSContextCache: Sendable {
  private let contexts = LockedValue<[TLSContext.Key: TLSContext]>([:])
  private static let limit = 32

  package init() {}

  func context(_ key: TLSContext.Key) -> TLSContext? { contexts.withLock { $0[key] } }

  /// Whoever comes second with the same key may replace the first: both work.
  func keep(_ context: TLSContext, _ key: TLSContext.Key) {
    contexts.withLock { contexts in
      if contexts.count >= TLSContextCache.limit { contexts.removeAll() }
      contexts[key] = context
    }
  }
}
