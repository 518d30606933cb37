/// What a delegate calls while it is asked whether its socket may connect (CON-41) takes effect when the start has, in
/// the same order; a disconnect refuses the start.
package struct StartQuestion<Call> {
  /// nil: the delegate is not being asked.
  private var calls: [Call]?
  private var isDisconnected = false

  /// Nobody is being asked.
  package init() {}

  /// Whether the delegate is being asked.
  package var isOpen: Bool { calls != nil }

  /// Begins to ask.
  package mutating func open() { (calls, isDisconnected) = ([], false) }

  /// Puts a call off until the start. false: nobody is being asked, and the call takes effect now.
  package mutating func putOff(_ call: Call) -> Bool {
    calls?.append(call)
    return isOpen
  }

  /// Records a disconnect.
  package mutating func disconnect() { isDisconnected = true }

  /// Records the answer.
  ///
  /// - Returns: Whether the socket may start (CON-41, DIS-07), and what was put off, in order: for when it has, or to
  ///   be let go of where a user's object may end.
  package mutating func close(mayConnect: Bool) -> (mayStart: Bool, putOff: [Call]) {
    (mayConnect && !isDisconnected, calls.take() ?? [])
  }
}
