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
  /// Those before it, of other lanes.
  private var others: [Callback] = []

  /// Notes that a thread runs a callback of the lane from now on.
  mutating func begin(_ callback: Callback) {
    if let last, last.lane != callback.lane { others.append(last) }
    if !others.isEmpty { others.removeAll { $0.lane == callback.lane } }
    last = callback
  }

  /// Notes that the lane's callback has returned, or delivers the rest of the lane itself.
  mutating func end(_ lane: SocketEngine.Box.LaneID) {
    if last?.lane == lane {
      last = others.popLast()
    } else if !others.isEmpty {
      others.removeAll { $0.lane == lane }
    }
  }

  /// The thread that runs the lane's callback; nil: none does.
  func thread(of lane: SocketEngine.Box.LaneID) -> UInt? {
    if let last, last.lane == lane { return last.thread }
    return others.first { $0.lane == lane }?.thread
  }

  /// The callback that the thread runs, the innermost one; nil: it runs none.
  func callback(on thread: UInt) -> Callback? {
    if let last, last.thread == thread { return last }
    return others.last { $0.thread == thread }
  }
}
