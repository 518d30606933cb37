import SocketValues

// Where one thread does everything in turns: the run-loop class. Its host gives the engine a socket queue that stands
// for that thread, begins each visit of it as a turn, and delivers events itself, one after the other, each to the
// delegate of its moment; lanes and services play no part.
//
//     turn ──▶ effects ──▶ event ──▶ callback ──▶ callbackReturned ──▶ effects ──▶ event …
extension SocketEngine {
  /// Records that a callback is about to run, with so many events waiting behind it. Operations queued inside it are
  /// deferred until it returns.
  package func runLoopCallbackBegins(eventsInLine: Int) {
    deferral.callbackBegins(coversAll: true, eventsInLine: eventsInLine)
  }

  /// Records that an event was dropped, because there is no delegate. Take the effects then.
  ///
  /// - Parameter eventsInLine: how many events wait behind it.
  package func runLoopDroppedEvent(eventsInLine: Int) {
    if eventsInLine == 0, machine.endAwaitsDelivery { requestPass() }
  }

  /// Whether `runLoopCallbackReturned` uses its argument `now`.
  package var timesRunLoopWrites: Bool { deferral.writes > 0 }

  /// Records that a callback has returned: deferred work is done, unless more callbacks are waiting and it has not
  /// waited long. Take the effects then.
  ///
  /// - Parameters:
  ///   - eventsInLine: how many events wait behind the callback.
  ///   - mayComplete: whether the next callback could run at once, where this one ran.
  ///   - now: matters only if `timesRunLoopWrites`.
  /// - Returns: A read that buffered bytes completed without a pass: its callback is the next one. The bytes stay in
  ///   place until the engine's next verb.
  package func runLoopCallbackReturned(eventsInLine: Int, mayComplete: Bool, now: Instant) -> Completion? {
    _ = beginTurn()
    if closingGrace.callbackIsOver() { requestPass() }
    if eventsInLine == 0 {
      if mayComplete, !isInactive, !needs.contains(.pass), let completion = completeFromBuffer(now: now) {
        return completion
      }
      if deferral.isPending || machine.endAwaitsDelivery { requestPass() }
    } else if deferral.isPending, deferral.isOverdue(at: now) {
      requestPass()
    }
    return nil
  }
}
