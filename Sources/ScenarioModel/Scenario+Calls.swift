extension Scenario {
  /// What the subject's sockets are told, by lanes and then by reactions, each call of a `perform` and of a `repeat`
  /// once, in the order of the file.
  package var calls: [(command: SubjectCommand, socket: String)] {
    (subjects.flatMap(\.steps) + reactions.flatMap(\.steps)).flatMap { Self.calls($0.step) }
  }

  private static func calls(_ step: SubjectStep) -> [(command: SubjectCommand, socket: String)] {
    switch step {
    case .command(let command, let socket, _): flat(command).map { ($0, socket) }
    case .repeated(_, let steps): steps.flatMap { calls($0.step) }
    default: []
    }
  }

  private static func flat(_ command: SubjectCommand) -> [SubjectCommand] {
    if case .perform(let commands) = command { commands.flatMap(flat) } else { [command] }
  }
}
