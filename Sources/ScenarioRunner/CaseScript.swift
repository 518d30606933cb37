import ScenarioModel
import ScriptedPeer

/// A scenario made ready to be run many times: what does not depend on variant and seed is worked out once.
package struct CaseScript: Sendable {
  /// With its lanes' payloads written out.
  package let scenario: Scenario
  package let profile: Profile
  /// A case with more events than this does not come to rest: virtual time may stand still for ever.
  package var mostEvents = 1_000_000
  let program: ExpectationProgram
  /// All lanes' moments are watched from the start.
  let moments: MomentBoard

  /// Pure; costs about as much as one short case. The script holds all bytes that its lanes send.
  package init(_ scenario: Scenario, profile: Profile) {
    self.scenario = PayloadMaker.writtenOut(scenario)
    self.profile = profile
    program = ExpectationProgram(scenario.expectations, profile: profile)
    var moments = MomentBoard()
    for lane in scenario.peers { Self.watch(lane.steps, &moments) }
    for lane in scenario.subjects { Self.watch(lane.steps, &moments) }
    self.moments = moments
  }

  private static func watch(_ steps: [Located<PeerStep>], _ moments: inout MomentBoard) {
    for step in steps {
      switch step.value {
      case .after(let moment): moments.watch(moment)
      case .repeated(_, let inner): watch(inner, &moments)
      default: break
      }
    }
  }

  private static func watch(_ steps: [LocatedStep], _ moments: inout MomentBoard) {
    for step in steps {
      switch step.step {
      case .after(let moment): moments.watch(moment)
      case .repeated(_, let inner): watch(inner, &moments)
      default: break
      }
    }
  }
}
