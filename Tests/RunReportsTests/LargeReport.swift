import ScenarioModel

/// Runs of any size, for bounds on the size of the reports.
enum LargeReport {
  /// So many cases over a fifth as many scenarios; the given share of them fails, evenly spread, with busy traces.
  static func make(cases count: Int, failing: Double) -> RunReport {
    let scenarios = (0..<max(1, count / 5)).map { index in
      SampleReport.scenario(
        "area\(index % 12)/a-scenario-with-a-long-sentence-for-a-name-\(index)",
        "A scenario with a sentence for a title, number \(index)", ["RD-DELIM-04", "WR-0\(index % 9)"], tags: ["slow"])
    }
    let trace = busyTrace
    let cases = (0..<count).map { index in
      let fails = failing > 0 && Double(index % 100) < failing * 100
      return SampleReport.result(
        scenarios[index % scenarios.count], fails ? .failed : .passed, world: index % 2 == 0 ? .loopback : .simulated,
        cut: .split(at: index % 60), seed: UInt64(index), trace: trace, met: [3: 14],
        deviations: fails ? deviations : [])
    }
    var sources: [String: ScenarioSource] = [:]
    let text = String(repeating: "  - didRead: { tag: 7, bytes: \"a line of a scenario's source\" }\n", count: 40)
    for scenario in scenarios {
      sources[scenario.id] = ScenarioSource(path: "Scenarios/\(scenario.id).yaml", text: text)
    }
    return SampleReport.report(cases, sources: sources)
  }

  private static var deviations: [Deviation] {
    (0..<8).map {
      SampleReport.deviation(
        .wrongContent, expected: String(repeating: "expected ", count: 100),
        actual: String(repeating: "actual ", count: 100), line: $0 + 1, requirement: "RD-DELIM-04", at: $0 * 9)
    }
  }

  private static var busyTrace: [TraceEvent] {
    var trace = TraceBuilder()
    trace.open()
    for round in 0..<60 {
      trace.call(.read(ReadCommand(boundary: .exactly(512), tag: round)))
      trace.send(PatternBytes.make(seed: UInt64(round), count: 512), after: 1)
      trace.back(.didRead(bytes: PatternBytes.make(seed: UInt64(round), count: 512), tag: round), after: 0.1)
    }
    return trace.events
  }
}
