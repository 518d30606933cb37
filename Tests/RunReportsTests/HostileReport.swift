import ReportTestSupport
import ScenarioModel

/// A run in which every text that can come from outside tries to break out of its format.
enum HostileReport {
  static var report: RunReport {
    var cases: [CaseResult] = []
    var sources: [String: ScenarioSource] = [:]
    for (index, text) in HostileText.all.enumerated() {
      let id = "area\(index)/\(text)"
      var scenario = Scenario(id: id, title: text)
      scenario.requirements = [text]
      scenario.tags = [text]
      scenario.canary = index == 3
      for verdict in [Verdict.failed, .error, .skipped, .passed] {
        var result = CaseResult(
          scenario: scenario, variant: Variant(family: .ipv4, cut: .whole, queues: .separate), world: .loopback,
          seed: .max)
        result.verdict = verdict
        result.reason = text
        result.traceHash = text
        result.backtrace = ["0 0x1 \(text) + 1 in x at /\(text):1", text]
        if verdict == .error { result.voided = VoidedCase(control: text, controlVerdict: .failed, verdict: .passed) }
        result.trace = trace(text)
        result.matches = [
          0: SourcePosition(line: 0, column: 0), 1: SourcePosition(line: 4_000, column: 9),
          99: SourcePosition(line: 1, column: 1),
        ]
        result.deviations = [
          Deviation(
            kind: .wrongContent, expected: text, actual: text, position: SourcePosition(line: 1, column: 1),
            requirement: text, traceIndex: 0),
          Deviation(
            kind: .missing, expected: text, actual: text, position: SourcePosition(line: 4_000, column: 4_000),
            traceIndex: 4_000),
        ]
        cases.append(result)
      }
      sources[id] = ScenarioSource(path: text, text: text + "\n" + text)
    }
    var report = SampleReport.report(cases, sources: sources)
    (report.startedAt, report.version, report.subject) = (HostileText.all[0], HostileText.all[1], HostileText.all[2])
    report.host = HostFacts(system: HostileText.all[7], processors: 0, jitter: .seconds(Int64.max / 4))
    return report
  }

  private static func trace(_ text: String) -> Trace {
    var trace = TraceBuilder()
    let raw = bytes(text) + [0, 255, 60]
    trace.back(.didRead(bytes: raw, tag: .min), on: text)
    trace.act(.send(raw), by: text)
    trace.act(.connect(socket: text), by: text)
    trace.see(.broken(.min), by: text)
    trace.back(.didConnectToURL(path: text), on: text)
    trace.back(.didDisconnect(SubjectError(domain: .other, code: .min, message: text)), on: text)
    trace.back(.shouldTimeoutRead(tag: 0, elapsed: .nan, bytesDone: .max), on: text)
    trace.call(.set(.userData(text)), on: text)
    trace.call(.set(.alternateAddressDelay(.infinity)), on: text)
    trace.call(.connect(ConnectCommand(target: .path(text), timeout: TimeoutValue(seconds: 1e300), interface: text)))
    trace.call(
      .write(WriteCommand(payload: .repeated(unit: .pattern(seed: 1, count: .max), times: .max))), .unsupported(text))
    trace.call(.read(ReadCommand(boundary: .through(.bytes(raw), limit: .max), timeout: TimeoutValue(seconds: .nan))))
    trace.add(
      .checked(
        PropertyCheck(property: .buffer, name: text, expected: .present, position: SourcePosition(line: 0, column: 0)),
        socket: text, actual: .text(text), holds: false))
    trace.tls(.began(.client), by: text)
    trace.tls(.presents(.leaf, text), by: text)
    trace.tls(.messageSent(text), by: text)
    trace.tls(.certificates([text, text]), by: text)
    trace.tls(.alertReceived(TLSAlert(level: 255, description: 255)), by: text)
    trace.tls(
      .established(TLSFacts(version: nil, cipher: text, serverName: text, alpn: text, isResumed: true)), by: text)
    trace.tls(.plainSent(raw), by: text)
    trace.act(.send([22, 3, 1, 255, 255] + raw), by: text)
    trace.tls(.forged(text), by: text)
    trace.tls(.failed(text), by: text)
    trace.see(.received([22, 3, 1] + raw), by: text)
    trace.back(.didDisconnect(SubjectError(domain: .ssl, code: -9814, message: text)), on: text)
    trace.add(.point(text))
    trace.add(.note(text))
    return Trace(events: trace.events)
  }
}
