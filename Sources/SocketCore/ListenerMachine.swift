import SocketValues

/// Decides what a listening socket does when accepting fails.
///
/// Transient failures concern one client and are skipped. When descriptors or memory run out, clients stay in the
/// kernel's backlog and accepting is retried a little later, without spinning (ACC-31, UB-14).
package struct ListenerMachine {
  private static let pause = 0.1
  /// What Linux reports for a connection that failed before it was accepted; see accept(2).
  private static let concernsOneClient: Set<Int32> = [
    4,  // EINTR
    64,  // ENONET
    71,  // EPROTO
    92,  // ENOPROTOOPT
    95,  // EOPNOTSUPP
    100,  // ENETDOWN
    101,  // ENETUNREACH
    103,  // ECONNABORTED
    112,  // EHOSTDOWN
    113,  // EHOSTUNREACH
  ]

  /// When accepting resumes after a pause; nil: it is not paused.
  private(set) package var retryAt: Instant?

  package init() {}

  /// Whether to accept the next client after a failure.
  package enum Decision: Hashable, Sendable {
    case goOn
    /// Stop accepting until `retryAt`.
    case pause
  }

  /// Accepting failed with this errno: `goOn` if that concerns one client only, otherwise a pause of 0.1 s (ACC-31).
  package mutating func acceptFailed(_ errno: Int32, now: Instant) -> Decision {
    guard !Self.concernsOneClient.contains(errno) else { return .goOn }
    retryAt = now.after(seconds: Self.pause)
    return .pause
  }

  /// Returns true once when the pause is over.
  package mutating func resume(now: Instant) -> Bool {
    guard let due = retryAt, due <= now else { return false }
    retryAt = nil
    return true
  }
}
