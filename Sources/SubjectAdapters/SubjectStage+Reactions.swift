import ScenarioModel
import ScenarioRunner

// Inside callbacks, on the thread that delivers them.
extension SubjectStage {
  /// What a reaction has the delegate return.
  struct ReactionAnswer {
    var timeout: TimeoutValue?
    var decision: SubjectStep.Decision?
  }

  /// Writes the callback down and runs the scenario's reaction to it; returns the reaction's answer.
  func deliver(_ delivered: DeliveredCallback) -> ReactionAnswer {
    guard !isClosed else { return ReactionAnswer() }
    return run(setup.reactions.steps(for: delivered) { log.append(.callback(delivered)) })
  }

  private func run(_ steps: [LocatedStep]) -> ReactionAnswer {
    var answer = ReactionAnswer()
    for step in steps where !isClosed { run(step, &answer) }
    return answer
  }

  private func run(_ located: LocatedStep, _ answer: inout ReactionAnswer) {
    switch located.step {
    case .command(.disconnect, let socket, let refusal) where setup.variant.subject == .runLoop:
      // Its didDisconnect comes inside the call, and is written down before it (DIS-02).
      let result = execute(.disconnect, on: socket)
      log.append(.command(.disconnect, socket: socket, result: result, refusal: refusal), position: located.position)
    case .command(let command, let socket, let refusal):
      _ = log.appendCall(position: located.position) {
        execute(command, on: socket)
      } as: {
        .command(command, socket: socket, result: $0, refusal: refusal)
      }
    case .check(let checks, let socket):
      for check in checks {
        let actual = read(check.property, name: check.name, of: socket)
        log.append(.checked(check, socket: socket, actual: actual), position: check.position)
      }
    case .hold(let duration), .wait(let duration):
      log.noteLateness(holding(at: located.position) { gate.hold(for: duration) })
    case .reach(let point): log.append(.point(point), position: located.position)
    case .answer(let value): answer.timeout = value
    case .decide(let decision): answer.decision = decision
    case .repeated(let times, let steps):
      for _ in 0..<max(times, 0) {
        for step in steps where !isClosed { run(step, &answer) }
      }
    case .network: break
    case .after:
      // A wait here for another callback would never end, because that callback comes on this very thread.
      log.append(.note("a reaction can't wait for a moment: step left out"), position: located.position)
    }
  }
}
