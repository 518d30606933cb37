import ScenarioModel

extension SampleReport {
  /// Scenarios that are played with both classes: one that both fulfil, and one that only GCDAsyncSocket does.
  static var bothClasses: [CaseResult] {
    let line = scenario("classes/a-line-is-read", "A line is read", ["RD-DELIM-01"])
    let late = scenario("classes/a-late-read-gets-the-rest", "A read behind the end gets the rest", ["RDQ-09"])
    var trace = TraceBuilder()
    trace.open()
    trace.call(.read(ReadCommand(boundary: .exactly(3), tag: 1)), after: 0.1)
    trace.send(bytes("abc"), after: 1)
    trace.back(.didRead(bytes: bytes("abc"), tag: 1), after: 0.1)
    let missing = deviation(.missing, expected: "didRead \"abc\"", actual: "not seen", line: 9, requirement: "RDQ-09")
    let lines = CaseColumn.all.map {
      result(line, .passed, world: $0.world, subject: $0.subject.kind, trace: trace.events)
    }
    return lines + WorldName.allCases.map { result(late, .passed, world: $0, trace: trace.events) } + [
      result(late, .failed, world: .simulated, subject: .runLoop, deviations: [missing])
    ]
  }
}
