import ScenarioModel
import ScriptedPeer

/// A scenario made ready to be run many times: what does not depend on variant and seed is worked out once.
package struct CaseScript: Sendable {
  /// With its lanes' payloads written out.
  package let scenario: Scenario
  /// Which profile's alternatives apply.
  package let profile: Profile
  /// A case with more events than this does not come to rest: virtual time may stand still for ever.
  package var maxEvents = 1_000_000
  let program: ExpectationProgram
  let disputes: Disputes
  let connectedPeers: ConnectedPeers
  /// Whether nothing in the story keeps a read back whose bytes are there.
  let readsAreFree: Bool
  /// The sync points of all lanes, which are watched from the start.
  let sync: SyncBoard
  /// The same story as other variants play it, for those that the matrix names.
  private var forms: [Form: CaseScript] = [:]

  /// What of a variant changes the story or how it is judged.
  private struct Form: Hashable {
    var security: Security
    var subject: SubjectKind

    static let usual = Form(security: .plain, subject: .gcd)
  }

  /// Pure; costs about as much as one short case for every security of the matrix. The script holds all bytes that its
  /// lanes send.
  package init(_ scenario: Scenario, profile: Profile) {
    let written = PayloadMaker.writtenOut(scenario)
    self.init(written: written, profile: profile, .usual)
    for subject in scenario.subjectKinds {
      for security in scenario.matrix.securities {
        let form = Form(security: security, subject: subject)
        if form != .usual { forms[form] = CaseScript(written: written, profile: profile, form) }
      }
    }
  }

  /// The script as this variant plays it.
  func form(of variant: Variant) -> CaseScript {
    let form = Form(security: variant.security, subject: variant.subject)
    guard form != .usual else { return self }
    var script = forms[form] ?? CaseScript(written: scenario, profile: profile, form)
    script.maxEvents = maxEvents
    return script
  }

  private init(written scenario: Scenario, profile: Profile, _ form: Form) {
    let version = form.security.version
    self.scenario = version.map { scenario.secured(with: $0) } ?? scenario
    self.profile = profile
    var program = ExpectationProgram(
      scenario.expectations, profile: profile, passing: version == nil || scenario.hasOwnTLS ? [] : [.didSecure],
      subject: form.subject)
    program.expectsNothing = scenario.expectsNothing
    self.program = program
    disputes = Disputes(in: scenario, profile: profile)
    connectedPeers = ConnectedPeers(scenario: scenario)
    readsAreFree = version == nil && Self.leavesReadsAlone(scenario)
    var sync = SyncBoard()
    for lane in self.scenario.peers { Self.watch(lane.steps, &sync) }
    for lane in self.scenario.subjects { Self.watch(lane.steps, &sync) }
    if let network = self.scenario.network { Self.watch(network.steps, &sync) }
    self.sync = sync
  }

  private static func leavesReadsAlone(_ scenario: Scenario) -> Bool {
    guard scenario.network == nil, scenario.sockets.allSatisfy({ $0.runLoop == nil && $0.modes == nil }) else {
      return false
    }
    return !scenario.calls.contains { call in
      switch call.command {
      case .blockDelegateQueue, .setDelegate, .setDelegateQueue, .startTLS, .runLoop, .release: true
      default: false
      }
    }
  }

  private static func watch(_ steps: [Located<PeerStep>], _ sync: inout SyncBoard) {
    for step in steps {
      switch step.value {
      case .after(let syncPoint): sync.watch(syncPoint)
      case .repeated(_, let inner): watch(inner, &sync)
      default: break
      }
    }
  }

  private static func watch(_ steps: [LocatedStep], _ sync: inout SyncBoard) {
    for step in steps {
      switch step.step {
      case .after(let syncPoint): sync.watch(syncPoint)
      case .repeated(_, let inner): watch(inner, &sync)
      default: break
      }
    }
  }
}
