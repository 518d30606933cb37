/// The calls that a delegate makes while it is asked whether its socket may connect (CON-41). They take effect after
/// the start, in order; a disconnect refuses the start.
package struct StartQuestion<Call> {
  /// nil: the delegate is not being asked.
  private var calls: [Call]?
  private var isDisconnected = false

  /// No delegate is being asked.
  package init() {}

  /// Whether the delegate is being asked.
  package var isOpen: Bool { calls != nil }

  /// Begins to ask.
  package mutating func open() { (calls, isDisconnected) = ([], false) }

  /// Puts a call off until the start. Returns false if no delegate is being asked: the call takes effect now.
  package mutating func putOff(_ call: Call) -> Bool {
    calls?.append(call)
    return isOpen
  }

  /// Records a disconnect.
  package mutating func disconnect() { isDisconnected = true }

  /// Records the answer.
  ///
  /// - Returns: Whether the socket may start (CON-41, DIS-07), and the deferred calls, in order. Perform them after the
  ///   start; if it was refused, release them outside the lock.
  package mutating func close(mayConnect: Bool) -> (mayStart: Bool, putOff: [Call]) {
    (mayConnect && !isDisconnected, calls.take() ?? [])
  }
}
