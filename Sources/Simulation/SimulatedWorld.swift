import ScenarioModel
import ScenarioRunner
import SocketCore

/// The world in virtual time: the library's own state machine against scripted peers, over a simulated wire with seeded
/// faults.
///
/// Laws
/// - Scenario, variant and seed decide everything: equal ones give equal traces.
/// - Time moves only in `nextEvent` and in calls that take time.
/// - What the simulated host does now and then is what a Linux host does now and then; see `SimulatedLink`,
///   `SimulatedNetwork` and `SimulatedPeer`.
package struct SimulatedWorld: World {
  private let faults: LinkFaults
  private let shortcuts: SocketEngine.Shortcuts?
  private var execution: SimulatedCase?

  /// `shortcuts`: those that all sockets take; nil: drawn for each (`LinkFaults.fewerShortcuts`).
  package init(faults: LinkFaults = .standard, shortcuts: SocketEngine.Shortcuts? = nil) {
    self.faults = faults
    self.shortcuts = shortcuts
  }

  package var name: WorldName { .simulated }

  package var now: Duration { .nanoseconds(execution?.timeline.now ?? 0) }

  /// The lab is never late in virtual time.
  package var lateness: Duration { .zero }
  package var processorWait: Duration { .zero }

  package mutating func open(_ setup: CaseSetup) throws(CaseObstacle) {
    let execution = SimulatedCase(setup, faults: faults, shortcuts: shortcuts)
    execution.open()
    self.execution = execution
  }

  package mutating func perform(_ command: SubjectCommand, on socket: String) -> CommandResult {
    execution?.perform(command, on: socket) ?? .unsupported("The case is not open.")
  }

  package mutating func read(_ property: SubjectProperty, name: String?, of socket: String) -> PropertyValue? {
    execution?.read(property, name: name, of: socket) ?? PropertyValue.none
  }

  package func port(_ reference: PortReference) -> UInt16? { execution?.port(reference) }

  package mutating func perform(_ action: PeerAction, by peer: String) { execution?.perform(action, by: peer) }

  package func takenUnderWay(by peer: String) -> Int { execution?.takenUnderWay(by: peer) ?? 0 }

  package mutating func nextEvent(before deadline: Duration) -> WorldEvent? {
    execution?.nextEvent(before: deadline.clampedNanoseconds)
  }

  package mutating func uninvited() -> [String] { execution?.uninvited ?? [] }

  package mutating func close() -> [ClosingRemark] {
    defer { execution = nil }
    // Nothing that the case came to is drawn behind its end.
    let isTold = execution?.setup.scenario.schedule?.isTold == true
    let told = isTold ? execution?.draws.counts.map { [Schedule.note($0)] } : nil
    return (execution?.close() ?? []).map { ClosingRemark($0, isFault: true) }
      + (told ?? []).map { ClosingRemark($0, isFault: false) }
  }
}
