import ScenarioModel
import Testing

/// Timeouts as the API takes them, absurd ones among them.
@Suite struct TimeoutValueTests {
  @Test func everyValueEqualsItselfAndNoOther() {
    let absurd: [Double] = [.nan, .infinity, -.infinity, -1, 0, .leastNonzeroMagnitude, 1, .greatestFiniteMagnitude]
    for (place, seconds) in absurd.enumerated() {
      for (other, others) in absurd.enumerated() {
        let isSame = TimeoutValue(seconds: seconds) == TimeoutValue(seconds: others)
        #expect(isSame == (place == other), "\(seconds) and \(others)")
      }
    }
    #expect(Set(absurd.map(TimeoutValue.init(seconds:)) + [TimeoutValue(seconds: .nan)]).count == absurd.count)
  }

  /// A search for what a change has done begins with it. Made twice: an array equals itself whatever is in it.
  @Test func aScenarioWithATimeoutThatIsNoNumberEqualsItsLike() {
    func scenario(_ timeout: TimeoutValue) -> Scenario {
      var scenario = Scenario(id: "a/b", title: "t")
      let command = SubjectCommand.connect(ConnectCommand(target: .peer("peer"), timeout: timeout))
      let step = LocatedStep(
        .command(command, socket: "socket", refusal: nil), at: SourcePosition(line: 3, column: 5))
      scenario.subjects = [SubjectLane(name: "socket", steps: [step])]
      return scenario
    }
    #expect(scenario(TimeoutValue(seconds: .nan)) == scenario(TimeoutValue(seconds: .nan)))
    #expect(scenario(TimeoutValue(seconds: .nan)) != scenario(.never))
  }
}
