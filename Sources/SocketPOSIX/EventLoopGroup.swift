import Glibc

/// The event loops that all connections of the process share: half a loop for each core, at least one, at most two. For
/// connections that want no polling there are as many others, made when they are first asked for.
package enum EventLoopGroup {
  private struct State {
    var loops: [EventLoop?]
    var turn = 0
  }

  private static let polling = LockedValue(State(loops: Array(repeating: nil, count: loopCount)))
  private static let sleeping = LockedValue(State(loops: Array(repeating: nil, count: loopCount)))

  /// How many loops there are once all are made.
  package static let loopCount = max(1, min(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 4) / 2)

  /// The next loop, round robin; made on its first use. A loop that failed to start is returned with its
  /// `startFailure`, and its next turn makes a new one.
  package static func next(mayPoll: Bool = true) -> EventLoop {
    (mayPoll ? polling : sleeping).withLock { state in
      let index = state.turn
      state.turn = (index + 1) % state.loops.count
      if let loop = state.loops[index] { return loop }
      let loop = EventLoop(name: mayPoll ? "socket-loop-\(index)" : "sleeping-loop-\(index)", mayPoll: mayPoll)
      if loop.startFailure == nil { state.loops[index] = loop }
      return loop
    }
  }
}
