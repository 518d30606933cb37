import ScenarioModel

/// A run with one of everything a report can show: all verdicts, canaries that did and did not do their duty, worlds
/// that disagree, drips, children, two peers, big payloads and every kind of deviation.
enum SampleReport {
  static var report: RunReport {
    let cases = reading + accepting + ending + timing + unjudged + canaries + securing + bothClasses
    return RunReport(
      startedAt: "2026-03-14T09:26:53Z", version: "0.1.0", subject: "CocoaAsyncSocket", profile: .documented,
      host: HostFacts(system: "Linux 6.8.0 x86_64", processors: 2, jitter: .microseconds(740)), seed: 1, seeds: 3,
      duration: .milliseconds(8_412), cases: cases, sources: sources(of: cases))
  }

  static let empty = RunReport(
    startedAt: "2026-03-14T09:26:53Z", version: "0.1.0", subject: "CocoaAsyncSocket", profile: .documented,
    host: HostFacts(system: "Linux", processors: 1, jitter: .zero), seed: 1, seeds: 1, duration: .zero, cases: [],
    sources: [:])

  /// A report with these cases only.
  static func report(_ cases: [CaseResult], sources: [String: ScenarioSource] = [:]) -> RunReport {
    var report = empty
    report.cases = cases
    report.sources = sources
    return report
  }

  static func sources(of cases: [CaseResult]) -> [String: ScenarioSource] {
    var sources: [String: ScenarioSource] = [:]
    for result in cases {
      let text = SampleSources.text[result.scenario] ?? "title: \(result.title)\nrequirements: [XX-01]\n"
      sources[result.scenario] = ScenarioSource(path: "Scenarios/\(result.scenario).yaml", text: text)
    }
    return sources
  }

  // MARK: Building blocks

  static func scenario(_ id: String, _ title: String, _ requirements: [String], tags: [String] = []) -> Scenario {
    var scenario = Scenario(id: id, title: title)
    scenario.requirements = requirements
    scenario.tags = tags
    return scenario
  }

  static func result(
    _ scenario: Scenario, _ verdict: Verdict, world: WorldName = .loopback, subject: SubjectKind = .gcd,
    family: AddressFamily = .ipv4, cut: Variant.Cut = .whole, queues: QueueTopology = .separate, seed: UInt64 = 1,
    milliseconds: Double = 2, trace: [TraceEvent] = [], met: [Int: Int] = [:], deviations: [Deviation] = [],
    reason: String? = nil
  ) -> CaseResult {
    var result = CaseResult(
      scenario: scenario, variant: Variant(subject: subject, family: family, cut: cut, queues: queues),
      world: world, seed: seed)
    result.verdict = verdict
    result.duration = .microseconds(Int64(milliseconds * 1000))
    result.trace = Trace(events: trace)
    result.traceHash = ContentHash(of: Array("\(result.name) \(seed)".utf8)).text
    result.matches = met.mapValues { SourcePosition(line: $0, column: 5) }
    result.deviations = deviations
    result.reason = reason
    return result
  }

  static func deviation(
    _ kind: Deviation.Kind, expected: String, actual: String, line: Int? = nil, requirement: String? = nil,
    at index: Int? = nil
  ) -> Deviation {
    Deviation(
      kind: kind, expected: expected, actual: actual, position: line.map { SourcePosition(line: $0, column: 5) },
      requirement: requirement, traceIndex: index)
  }
}

/// Writes a trace, event by event.
struct TraceBuilder {
  private(set) var events: [TraceEvent] = []
  private var clock = Duration.zero

  /// Lets time pass.
  mutating func wait(_ milliseconds: Double) { clock += .microseconds(Int64(milliseconds * 1000)) }

  mutating func add(_ kind: TraceKind, after milliseconds: Double = 0, line: Int? = nil) {
    wait(milliseconds)
    events.append(
      TraceEvent(at: clock, kind: kind, position: line.map { SourcePosition(line: $0, column: 5) }))
  }

  mutating func call(
    _ command: SubjectCommand, on socket: String = "socket", _ result: CommandResult = .done, inCallback: Bool = false,
    after milliseconds: Double = 0
  ) {
    add(.command(command, socket: socket, result: result, inCallback: inCallback), after: milliseconds)
  }

  mutating func back(_ callback: Callback, on socket: String = "socket", after milliseconds: Double = 0) {
    add(.callback(DeliveredCallback(socket: socket, delegate: "delegate", callback: callback)), after: milliseconds)
  }

  mutating func act(_ action: PeerAction, by peer: String = "peer", after milliseconds: Double = 0) {
    add(.peerAction(action, peer: peer), after: milliseconds)
  }

  mutating func tls(_ remark: TLSEvent, by peer: String = "peer", after milliseconds: Double = 0) {
    add(.tls(remark, peer: peer), after: milliseconds)
  }

  mutating func see(_ observation: PeerObservation, by peer: String = "peer", after milliseconds: Double = 0) {
    add(.peerSaw(observation, peer: peer), after: milliseconds)
  }

  /// A send and its receipt.
  mutating func send(_ bytes: [UInt8], by peer: String = "peer", after milliseconds: Double = 0) {
    act(.send(bytes), by: peer, after: milliseconds)
    see(.sent(bytes.count), by: peer)
  }

  /// Accept, connect, connected and didConnect: four events.
  mutating func open(peer: String = "peer", socket: String = "socket", port: UInt16 = 40_001) {
    act(.accept, by: peer)
    call(.connect(ConnectCommand(target: .peer(peer))), on: socket)
    see(.connected, by: peer, after: 0.21)
    back(.didConnect(host: "127.0.0.1", port: port), on: socket, after: 0.06)
  }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
