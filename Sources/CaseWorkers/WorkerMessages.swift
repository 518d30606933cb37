import ScenarioModel

/// What the run tells a worker.
package enum WorkerRequest: Hashable, Sendable, Codable {
  /// The first message, once.
  case setUp(WorkerSetUp)
  /// Cases of one scenario, to be run in this order, `width` of them at a time together with those of other blocks.
  case run(CaseBlock)
  /// To be answered when no case is under way, with what the process holds then. The worker waits up to `settleTimeout`
  /// for resources that are being released, those of subjects that are programs first. They are ended then, unless it
  /// is they that are measured.
  case measure(baseline: ResourceReading?, settleTimeout: Duration, keepsPrograms: Bool)
}

/// What a worker has to know before its first case.
package struct WorkerSetUp: Hashable, Sendable, Codable {
  /// Which profile's alternatives apply.
  package var profile: Profile
  /// The largest oversleep measured on this host.
  package var jitter: Duration
  /// Cases at the same time.
  package var width: Int
  /// Whether the worker plays its cases in a network that only it is in.
  package var hasOwnNetwork: Bool
  /// The subjects that are programs of their own, by name: the absolute path of each.
  package var programs: [String: String]

  package init(
    profile: Profile, jitter: Duration, width: Int, hasOwnNetwork: Bool = false, programs: [String: String] = [:]
  ) {
    self.programs = programs
    self.profile = profile
    self.jitter = jitter
    self.width = width
    self.hasOwnNetwork = hasOwnNetwork
  }
}

/// Cases of one scenario, which is sent once for all of them.
package struct CaseBlock: Hashable, Sendable, Codable {
  /// One case.
  package struct Item: Hashable, Sendable, Codable {
    /// The run's own number of it.
    package var number: Int
    /// The point of the matrix it runs at.
    package var variant: Variant
    /// The world it runs in.
    package var world: WorldName
    /// The seed it runs with.
    package var seed: UInt64
    /// Whether the trace is wanted even if everything went as expected.
    package var keepsTrace: Bool

    package init(number: Int, variant: Variant, world: WorldName, seed: UInt64, keepsTrace: Bool) {
      self.number = number
      self.variant = variant
      self.world = world
      self.seed = seed
      self.keepsTrace = keepsTrace
    }
  }

  /// The scenario of all the cases.
  package var scenario: Scenario
  /// In the order in which they are to begin.
  package var items: [Item]

  package init(scenario: Scenario, items: [Item]) {
    self.scenario = scenario
    self.items = items
  }
}

/// What a worker answers.
package enum WorkerReply: Hashable, Sendable, Codable {
  case finished(number: Int, CaseFindings)
  case measured(ResourceReading)
  /// How subjects have ended, by their names.
  case exits([String: SubjectExit])
}

/// What a worker adds to what the run knows of a case: a `CaseResult` without what the scenario and the plan say, and
/// without what is empty, because of most cases there is little else to tell.
package struct CaseFindings: Hashable, Sendable, Codable {
  private var verdict: Verdict
  private var reason: String?
  private var deviations: [Deviation]?
  private var trace: Trace?
  private var hasWholeTrace: Bool
  private var traceHash: String
  private var duration: Duration
  private var matches: [Int: SourcePosition]?
  private var forms: [Int]?
  /// Of a subject that is a program of its own; what the worker itself says as it ends, the run hears.
  private var backtrace: [String]?
  private var late: Duration?

  /// How late the lab itself was at most.
  package var lateness: Duration { late ?? .zero }

  package init(_ result: CaseResult, lateness: Duration = .zero) {
    late = lateness > .zero ? lateness : nil
    verdict = result.verdict
    reason = result.reason
    deviations = result.deviations.isEmpty ? nil : result.deviations
    trace = result.trace.events.isEmpty && result.trace.keyLog.isEmpty ? nil : result.trace
    hasWholeTrace = result.hasWholeTrace
    traceHash = result.traceHash
    duration = result.duration
    matches = result.matches.isEmpty ? nil : result.matches
    forms = result.forms.isEmpty ? nil : result.forms
    backtrace = result.backtrace.isEmpty ? nil : result.backtrace
  }

  /// The result, given one of the case that nothing is known of.
  package func result(of blank: CaseResult) -> CaseResult {
    var result = blank
    result.verdict = verdict
    result.reason = reason
    result.deviations = deviations ?? []
    result.trace = trace ?? Trace()
    result.hasWholeTrace = hasWholeTrace
    result.traceHash = traceHash
    result.duration = duration
    result.matches = matches ?? [:]
    result.forms = forms ?? []
    result.backtrace = backtrace ?? []
    return result
  }
}

extension CaseResult {
  /// What the reports need of a case that went as expected and whose trace they do not show: how its handshakes went,
  /// which every case's record tells. Traces are most of what travels.
  package var withoutTrace: CaseResult {
    var result = self
    let isOfTLS = trace.events.contains(where: \.isTLS)
    result.trace = Trace(events: isOfTLS ? trace.events.filter(\.isOfConnection) : [])
    result.matches = [:]
    result.hasWholeTrace = false
    return result
  }
}

extension TraceEvent {
  fileprivate var isTLS: Bool {
    switch kind {
    case .tls: true
    case .callback(let delivered):
      if case .didDisconnect(let error?) = delivered.callback { error.domain == .ssl } else { false }
    default: false
    }
  }

  /// What a handshake's story is made of: remarks of the peer's TLS, how both sides ended, errors.
  fileprivate var isOfConnection: Bool {
    switch kind {
    case .tls(.plainSent, _), .tls(.plainReceived, _), .tls(.messageSent, _), .tls(.messageReceived, _): false
    case .tls: true
    case .peerAction(.send, _), .peerAction(.setReading, _): false
    case .peerAction, .peerSaw(.endOfStream, _), .peerSaw(.broken, _): true
    case .callback(let delivered): delivered.callback.kind == .didDisconnect
    default: false
    }
  }
}
