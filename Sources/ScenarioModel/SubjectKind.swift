/// Which class of the library is under test.
package enum SubjectKind: String, CaseIterable, Hashable, Sendable, Codable {
  /// GCDAsyncSocket: callbacks on dispatch queues.
  case gcd
  /// AsyncSocket: everything happens on the socket's run loop, in its modes.
  case runLoop = "run-loop"

  /// Whether a scenario that does not say so is played with every class that its requirements bind
  /// (`Scenario.boundSubjects(scope:)`), not with the first one alone.
  package static let isDerived = true

  /// What the class is called where it is documented.
  package var className: String { self == .gcd ? "GCDAsyncSocket" : "AsyncSocket" }
}

/// Names of run loops and modes with a meaning.
package enum RunLoopName {
  /// The loop that sockets live on unless a scenario says another one.
  package static let main = "main"
  /// The mode that sockets have unless a scenario says others.
  package static let defaultMode = "default"
  /// Stands for the default mode and whatever else a program has made a common one, which no scenario does.
  package static let commonModes = "common"
}

/// Which classes a requirement binds, as the register of requirements says it.
package enum RequirementScope: Hashable, Sendable {
  /// Any stream socket.
  case any
  case gcd
  case runLoop
}
