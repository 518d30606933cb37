import SocketValues

/// What a handler is told about the moment of its call.
package struct LoopContext {
  /// Memory of the calling thread's, for what is received and cut up at once. It is free again when foreign code runs.
  package let scratch: UnsafeMutableRawBufferPointer
  /// Whose loan the call is made in; nil: in none.
  let group: ObjectIdentifier?
  /// Which of the loop's threads makes it.
  let thread: LoopThread

  /// Whether the call is made in a loan.
  package var isInLoan: Bool { group != nil }

  /// Whether the call is made in a loan to this group (`EventLoop.lend`).
  package func isInLoan(to group: some LoanGroup) -> Bool { self.group == ObjectIdentifier(group) }
}

/// Somebody who is told by an event loop.
///
/// Both calls come on the loop's thread, one at a time for this handler, with no lock of the loop held: every call on
/// the loop and its attachments is allowed inside. Work done here holds up everybody else on the same loop.
package protocol EventHandler: AnyObject, Sendable {
  /// A watched descriptor became ready, or `requestWakeup` was called (then `readiness` is empty).
  ///
  /// Edge-triggered: after this nothing more is said until the kernel answered "would block", or `rearm` asked again.
  /// A report is a hint, and may be out of date.
  func handleReadiness(_ readiness: Readiness, key: UInt16, _ context: LoopContext)

  /// The attachment's deadline has passed; it is not armed any more. Never in a loan.
  func handleDeadline(_ context: LoopContext)
}

/// Those who can be served in one loan, because the same foreign code runs for all of them.
package protocol LoanGroup: AnyObject, Sendable {
  /// Whether a loan may begin; asked once for each.
  func mayBegin() -> Bool

  /// Told after each few calls that were made in the loan, with the nanoseconds they took: whether more may be.
  func mayGoOn(after took: Int64) -> Bool
}

/// Foreign code that a call on the loop's thread has brought up, and that runs where its group does.
package protocol LentWork: AnyObject, Sendable {
  /// Whose foreign code it is: the loop does the work of one group in one loan.
  var group: any LoanGroup { get }

  /// Gets the calling thread to where the group runs, for the body.
  func insideGroup(_ body: () -> Void)

  /// Does the work, there. Nothing foreign may be left to be let go of with the work itself.
  func run()

  /// Has the work done by another thread than the loop's.
  func handOver()
}
