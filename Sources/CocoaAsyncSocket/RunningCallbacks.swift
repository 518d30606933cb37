import SocketCore

/// Which threads run callbacks of a socket, for which lanes. Mostly it is one: two lanes are delivered at the same time
/// while events of a former delegate queue are left, or inside a `disconnect()` that delivers before it returns.
struct RunningCallbacks {
  struct Callback {
    let lane: SocketEngine.Box.LaneID
    let thread: UInt
    /// It runs on the socket queue.
    let isOnSocketQueue: Bool
    /// It runs on the loop's thread.
    let isLent: Bool
  }

  /// The one that began last of those that have not ended.
  private(set) var last: Callback?
  /// Those before it, in the order in which they began.
  private var others: [Callback] = []

  /// Notes that a thread runs a callback from now on, which may be inside of another one.
  mutating func begin(_ callback: Callback) {
    if let last { others.append(last) }
    last = callback
  }

  /// Notes that the lane's innermost callback has returned.
  mutating func end(_ lane: SocketEngine.Box.LaneID) {
    if last?.lane == lane {
      last = others.popLast()
    } else if let place = others.lastIndex(where: { $0.lane == lane }) {
      others.remove(at: place)
    }
  }

  /// The thread that runs the lane's callback; nil: none does.
  func thread(of lane: SocketEngine.Box.LaneID) -> UInt? {
    if let last, last.lane == lane { return last.thread }
    return others.last { $0.lane == lane }?.thread
  }

  /// The callback that the thread runs, the innermost one; nil: it runs none.
  func callback(on thread: UInt) -> Callback? {
    if let last, last.thread == thread { return last }
    return others.last { $0.thread == thread }
  }

  /// The lanes of all callbacks that the thread runs.
  func lanes(on thread: UInt) -> [SocketEngine.Box.LaneID] {
    (others + [last].compactMap(\.self)).filter { $0.thread == thread }.map(\.lane)
  }
}
