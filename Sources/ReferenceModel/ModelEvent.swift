/// What a delegate must see, as the model says it.
package enum ModelEvent: Hashable, Sendable {
  case connected
  /// The bytes are `SocketModel.arrived` at these places; never empty (RD-ANY-02).
  case read(Range<Int>, tag: Int)
  /// An increment, more than 0 (INV-15, INV-16).
  case readPartial(count: Int, tag: Int)
  case wrote(tag: Int)
  case wrotePartial(count: Int, tag: Int)
  /// The delegate is asked about an expired clock. `elapsed`: milliseconds, the timeout and all extensions so far
  /// (TMO-06). `bytesDone`: what the operation has gathered (TMO-09).
  case readTimeout(tag: Int, elapsed: Int, bytesDone: Int)
  case writeTimeout(tag: Int, elapsed: Int, bytesDone: Int)
  case readClosed
  /// The class on a run loop: an end that the local side did not ask for is about to be told (RL-01), and these places
  /// of `SocketModel.arrived` are what it leaves unread (RL-03).
  case willDisconnect(Reason, unread: Range<Int>)
  /// The last of a connection (INV-02).
  case disconnected(Reason)

  /// Why a connection or a start has ended.
  package enum Reason: Hashable, Sendable {
    /// No error: the local side wanted it (DIS-05).
    case wish
    case closedByPeer
    /// An error of the system: the peer reset the connection, or a send failed (RD-LEN-08, WR-08).
    case broken
    /// The peer finished and then broke the connection: either may be told (HALF-08, WR-09).
    case closedOrBroken
    case readMaxedOut
    case readTimeout
    case writeTimeout
    case connectTimeout
    /// Nothing could be connected to; with an error of its own (CON-19, CON-45).
    case connectFailed
  }

  /// Whether it tells of progress only, and completes nothing.
  package var isPartial: Bool {
    switch self {
    case .readPartial, .wrotePartial: true
    default: false
    }
  }
}
