import RunComparison
import RunReports
import ScenarioModel

/// Runs for comparisons, as they come back from their reports.
enum SampleRuns {
  static func scenario(_ id: String) -> Scenario {
    var scenario = Scenario(id: id, title: "Title of \(id)")
    scenario.requirements = ["RD-LEN-01"]
    return scenario
  }

  static func result(
    _ id: String, _ verdict: Verdict = .passed, world: WorldName = .loopback, family: AddressFamily = .ipv4,
    cut: Variant.Cut = .whole, seed: UInt64 = 1, milliseconds: Int = 2, saw actual: String = "didRead { tag: 2 }",
    kind: Deviation.Kind = .wrongContent, line: Int = 3, canary: Bool = false
  ) -> CaseResult {
    var scenario = scenario(id)
    scenario.canary = canary
    var result = CaseResult(
      scenario: scenario, variant: Variant(family: family, cut: cut, queues: .separate), world: world, seed: seed)
    result.verdict = verdict
    result.duration = .milliseconds(milliseconds)
    result.traceHash = "\(id) \(verdict)"
    result.trace = Trace(events: trace(isWrong: !verdict.isAsExpected))
    if [.failed, .crash, .timeout, .inconclusive].contains(verdict) {
      result.deviations = [
        Deviation(
          kind: kind, expected: "didRead { tag: 1 }", actual: actual,
          position: SourcePosition(line: line, column: 5), traceIndex: 3)
      ]
    }
    return result
  }

  private static func trace(isWrong: Bool) -> [TraceEvent] {
    func event(_ milliseconds: Int, _ kind: TraceKind) -> TraceEvent {
      TraceEvent(at: .milliseconds(milliseconds), kind: kind)
    }
    let read = SubjectCommand.read(ReadCommand(boundary: .exactly(4), tag: 1))
    let delivered = DeliveredCallback(
      socket: "socket", delegate: "delegate", callback: .didRead(bytes: Array("abcd".utf8), tag: isWrong ? 2 : 1))
    return [
      event(0, .peerAction(.accept, peer: "peer")),
      event(1, .command(read, socket: "socket", result: .done, inCallback: false)),
      event(2, .peerAction(.send(Array("abcd".utf8)), peer: "peer")), event(3, .callback(delivered)),
    ]
  }

  static func report(
    _ cases: [CaseResult], seeds: Int = 1, rounds: Int = 1, subject: String = "GCDAsyncSocket",
    text: String = "title: t\n",
    profile: Profile = .documented
  ) -> RunReport {
    var sources: [String: ScenarioSource] = [:]
    for result in cases {
      sources[result.scenario] = ScenarioSource(
        path: "Scenarios/\(result.scenario).yaml", text: Self.text(of: result.scenario, text))
    }
    var report = RunReport(
      startedAt: "2026-03-14T09:26:53Z", version: "0.1.0", subject: subject, profile: profile,
      host: HostFacts(system: "Linux", processors: 2, jitter: .zero), seed: 1, seeds: seeds, duration: .seconds(1),
      cases: cases, sources: sources)
    report.rounds = rounds
    report.subjectCommit = "0123456789abcdef"
    return report
  }

  /// No two scenarios have the same file.
  static func text(of id: String, _ text: String = "title: t\n") -> String { "\(text)# \(id)\n" }

  /// The run as it is read back.
  static func read(_ report: RunReport) throws -> ComparedRun { try ReportReader.read(ReportJSON.encode(report)) }

  static func compare(_ old: [CaseResult], _ new: [CaseResult]) throws -> RunComparison {
    try RunComparison(old: read(report(old)), new: read(report(new)))
  }
}
