import SocketValues

/// The receiver of a run loop's reports, in certain of its modes.
///
/// Every call comes on the run loop's thread while it runs in one of the modes that the handler is attached in, and may
/// come while an earlier one has not returned: a call may run the loop again (a modal loop). It must not be made with a
/// lock held.
package protocol RunLoopHandler: AnyObject, Sendable {
  /// A watched descriptor became ready. Edge-triggered, as with `EventHandler`; a report is a hint.
  func runLoopReports(_ readiness: Readiness, key: UInt16)

  /// The attachment's deadline has passed; it is not armed any more.
  func runLoopReachesDeadline()

  /// A turn was requested (`RunLoopAttachment.requestTurn`).
  func runLoopTakesTurn()
}
