import ScenarioModel
import ScenarioRunner

// Inside callbacks, on the thread that delivers them.
extension SubjectStage {
  /// Writes the callback down and runs the scenario's reaction to it; returns the reaction's answer to a timeout.
  func deliver(_ delivered: DeliveredCallback) -> TimeoutValue? {
    guard !isClosed else { return nil }
    log.append(.callback(delivered))
    return run(setup.reactions.steps(for: delivered))
  }

  private func run(_ steps: [LocatedStep]) -> TimeoutValue? {
    var answer: TimeoutValue?
    for step in steps {
      guard !isClosed else { break }
      answer = run(step) ?? answer
    }
    return answer
  }

  private func run(_ located: LocatedStep) -> TimeoutValue? {
    switch located.step {
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
    case .hold(let duration), .wait(let duration): log.noteLateness(gate.hold(for: duration))
    case .reach(let point): log.append(.point(point), position: located.position)
    case .answer(let value): return value
    case .decide:
      log.append(.note("GCDAsyncSocket does not ask: step left out"), position: located.position)
    case .repeated(let times, let steps):
      var answer: TimeoutValue?
      for _ in 0..<max(times, 0) where !isClosed { answer = run(steps) ?? answer }
      return answer
    case .after:
      // Waiting here for what another callback brings would wait for ever: it comes on this very queue.
      log.append(.note("a reaction can't wait for a moment: step left out"), position: located.position)
    }
    return nil
  }
}
