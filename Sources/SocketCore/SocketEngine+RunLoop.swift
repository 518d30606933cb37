import SocketValues

// Where one thread does everything in turns: the run-loop class. Its host gives the engine a socket queue that stands
// for that thread, begins each visit of it as a turn, and delivers events itself, one after the other, each to the
// delegate of its moment; lanes and services play no part.
//
//     turn ──▶ effects ──▶ event ──▶ callback ──▶ callbackReturned ──▶ effects ──▶ event …
extension SocketEngine {
  /// A callback is about to run, behind which so many events are in line. What calls inside it ask for waits for its
  /// return.
  package func runLoopCallbackBegins(eventsInLine: Int) {
    deferral.callbackBegins(coversAll: true, eventsInLine: eventsInLine)
  }

  /// Whether `runLoopCallbackReturned` looks at the time; otherwise its `now` does not matter.
  package var timesRunLoopWrites: Bool { deferral.writes > 0 }

  /// A callback has returned: what was put off is done, or waits for the callbacks in line if it has not waited long.
  /// A read that buffered bytes complete without a pass is returned and comes next; a callback must begin for it. Take
  /// the effects then.
  ///
  /// - Parameters:
  ///   - eventsInLine: how many events wait behind the callback.
  ///   - mayComplete: whether the next callback could run at once, where this one ran.
  ///   - now: matters only if `timesRunLoopWrites`.
  package func runLoopCallbackReturned(eventsInLine: Int, mayComplete: Bool, now: Instant) -> Completion? {
    _ = beginTurn()
    if closingGrace.callbackIsOver() { requestPass() }
    if eventsInLine == 0 {
      if mayComplete, !isCorked, !needs.contains(.pass), let completion = completeFromBuffer(now: now) {
        return completion
      }
      if deferral.isPending || machine.endAwaitsDelivery { requestPass() }
    } else if deferral.isPending, deferral.isOverdue(at: now) {
      requestPass()
    }
    return nil
  }
}
