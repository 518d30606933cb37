import ScenarioModel

/// A peer's lane as it is played without a scenario around it.
///
/// Laws
/// - Steps that wait for the subject or for another lane are left out, because there is none, and are reported.
/// - Step by step, the lane waits before each of its own steps; those inside a `repeat` go with it.
package struct SoloLane: Hashable, Sendable {
  /// The lane to play.
  package let lane: PeerLane
  /// How many steps were left out.
  package let leftOut: Int
  /// What holds the lane's steps back, in their order; empty: it runs by itself.
  let gates: [Gate]

  /// A point that one step waits for, and where that step stands.
  struct Gate: Hashable, Sendable {
    var point: String
    var position: SourcePosition
  }

  /// `stepByStep`: each step but the first waits until its gate is opened.
  package init(_ lane: PeerLane, stepByStep: Bool) {
    var leftOut = 0
    var own = lane
    own.steps = Self.alone(lane.steps, &leftOut)
    var gates: [Gate] = []
    if stepByStep {
      // The first step makes the connection: there is nothing to see before it.
      let gated = own.steps.dropFirst().flatMap { step -> [Located<PeerStep>] in
        let gate = Gate(point: "step \(gates.count + 1)", position: step.position)
        gates.append(gate)
        return [Located(.after(.point(gate.point)), at: step.position), step]
      }
      own.steps = own.steps.prefix(1) + gated
    }
    self.lane = own
    self.leftOut = leftOut
    self.gates = gates
  }

  private static func alone(_ steps: [Located<PeerStep>], _ leftOut: inout Int) -> [Located<PeerStep>] {
    var kept: [Located<PeerStep>] = []
    for step in steps {
      switch step.value {
      case .after, .reach: leftOut += 1
      case .repeated(let times, let inner):
        let inner = alone(inner, &leftOut)
        if !inner.isEmpty { kept.append(Located(.repeated(times: times, steps: inner), at: step.position)) }
      default: kept.append(step)
      }
    }
    return kept
  }
}
