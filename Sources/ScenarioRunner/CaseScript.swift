import ScenarioModel
import ScriptedPeer

/// A scenario made ready to be run many times: what does not depend on variant and seed is worked out once.
package struct CaseScript: Sendable {
  /// With its lanes' payloads written out.
  package let scenario: Scenario
  /// Which profile's alternatives apply.
  package let profile: Profile
  /// A case with more events than this does not come to rest: virtual time may stand still for ever.
  package var mostEvents = 1_000_000
  let program: ExpectationProgram
  let disputes: Disputes
  /// All lanes' moments are watched from the start.
  let moments: MomentBoard
  /// The same story over TLS of one version, for those that the matrix names.
  private var secured: [Security: CaseScript] = [:]

  /// Pure; costs about as much as one short case for every security of the matrix. The script holds all bytes that its
  /// lanes send.
  package init(_ scenario: Scenario, profile: Profile) {
    let written = PayloadMaker.writtenOut(scenario)
    self.init(written: written, profile: profile, passing: [])
    for security in scenario.matrix.securities where security.version != nil {
      secured[security] = Self.secured(written, security, profile: profile)
    }
  }

  /// The script as a variant of this security plays it.
  func form(of security: Security) -> CaseScript {
    guard security.version != nil else { return self }
    var form = secured[security] ?? Self.secured(scenario, security, profile: profile)
    form.mostEvents = mostEvents
    return form
  }

  private static func secured(_ scenario: Scenario, _ security: Security, profile: Profile) -> CaseScript {
    let secured = security.version.map { scenario.secured(with: $0) } ?? scenario
    return CaseScript(written: secured, profile: profile, passing: scenario.hasOwnTLS ? [] : [.didSecure])
  }

  private init(written scenario: Scenario, profile: Profile, passing: Set<CallbackKind>) {
    self.scenario = scenario
    self.profile = profile
    program = ExpectationProgram(scenario.expectations, profile: profile, passing: passing)
    disputes = Disputes(in: scenario, profile: profile)
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
