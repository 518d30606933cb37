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

  /// The one that began last, if it has not ended.
  private(set) var last: Callback?
  private var others: [SocketEngine.Box.LaneID: UInt] = [:]

  /// Notes that a thread runs a callback of the lane from now on.
  mutating func begin(_ callback: Callback) {
    if let last, last.lane != callback.lane { others[last.lane] = last.thread }
    last = callback
  }

  /// Notes that the lane's callback has returned, or delivers the rest of the lane itself.
  mutating func end(_ lane: SocketEngine.Box.LaneID) {
    if last?.lane == lane { last = nil }
    if !others.isEmpty { others[lane] = nil }
  }

  /// The thread that runs the lane's callback; nil: none does.
  func thread(of lane: SocketEngine.Box.LaneID) -> UInt? {
    if let last, last.lane == lane { return last.thread }
    return others.isEmpty ? nil : others[lane]
  }
}
