import SocketValues

/// The circumstances of a call of a handler.
package struct LoopContext {
  /// Memory of the calling thread, for bytes that are received and split up at once. Its content is lost when foreign
  /// code runs.
  package let scratch: UnsafeMutableRawBufferPointer
  /// The group that the loan is for in which the call is made; nil: it is made in none.
  let group: ObjectIdentifier?
  /// The loop's thread that makes the call.
  let thread: LoopThread

  /// Whether the call is made in a loan.
  package var isInLoan: Bool { group != nil }

  /// Whether the call is made in a loan to this group (`EventLoop.lend`).
  package func isInLoan(to group: some LoanGroup) -> Bool { self.group == ObjectIdentifier(group) }
}

/// The receiver of an event loop's reports.
///
/// Both calls come on the loop's thread, one at a time for this handler, with no lock of the loop held: every call on
/// the loop and its attachments is allowed inside. Work done here delays all other handlers of the loop.
package protocol EventHandler: AnyObject, Sendable {
  /// A watched descriptor became ready, or `requestWakeup` was called (then `readiness` is empty).
  ///
  /// Edge-triggered: nothing more is reported until a system call has returned "would block", or `rearm` asked for
  /// another report. A report is a hint, and may be out of date.
  func handleReadiness(_ readiness: Readiness, key: UInt16, _ context: LoopContext)

  /// The attachment's deadline has passed; it is not armed any more. Never in a loan.
  func handleDeadline(_ context: LoopContext)
}

/// The handlers that can be served in one loan, because the same foreign code runs for all of them.
package protocol LoanGroup: AnyObject, Sendable {
  /// Whether a loan may begin; called once for each.
  func mayBegin() -> Bool

  /// Called after each few calls that were made in the loan, with the nanoseconds they took. Returns whether more may
  /// be made.
  func mayGoOn(after took: Int64) -> Bool
}

/// Work that a call on the loop's thread has caused, that runs foreign code, and that is done where its group runs.
package protocol LentWork: AnyObject, Sendable {
  /// The group whose foreign code it runs: the loop does the work of one group in one loan.
  var group: any LoanGroup { get }

  /// Runs the body where the group runs, on the calling thread.
  func insideGroup(_ body: () -> Void)

  /// Does the work, there. The last reference to a foreign object must not be released together with the work itself.
  func run()

  /// Has the work done by another thread than the loop's.
  func handOver()
}
