import ScenarioModel

/// How exactly a world can be held to time. One-sided: early is always wrong, late is a matter of the host.
package struct Tolerance: Hashable, Sendable {
  /// How much before its window an event may come, for timers that round.
  package var early: Duration
  /// The same for a window that is counted from an earlier callback: what is measured from its delivery began before
  /// it.
  package var earlyAfterDelivery: Duration
  /// How much after its window an event may come.
  package var late: Duration
  /// A case in which the lab itself was later than this proves nothing about lateness.
  package var lateness: Duration
  /// How long the expected ending is waited for once everything else is done.
  package var ending: Duration

  /// All of them durations, none negative.
  package init(
    early: Duration, earlyAfterDelivery: Duration? = nil, late: Duration, lateness: Duration = .milliseconds(50),
    ending: Duration = .seconds(1)
  ) {
    self.early = early
    self.earlyAfterDelivery = earlyAfterDelivery ?? early
    self.late = late
    self.lateness = lateness
    self.ending = ending
  }

  /// Virtual time is exact; the little that is allowed is the simulated wire's own delay, and that of a callback on its
  /// way to the delegate: what is measured from its delivery began before it.
  package static let simulated = Tolerance(early: .milliseconds(1), late: .milliseconds(10))

  /// A loaded host may be a quarter of a second late without the subject's doing, and may take some milliseconds to
  /// hand a callback to its queue. `jitter` is the largest oversleep the lab measured on this host; more of it widens
  /// the tolerance.
  package static func loopback(jitter: Duration) -> Tolerance {
    Tolerance(
      early: .milliseconds(1), earlyAfterDelivery: .milliseconds(15) + min(jitter * 4, .milliseconds(100)),
      late: .milliseconds(250) + min(jitter * 8, .seconds(1)))
  }
}
