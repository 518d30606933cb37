import ScenarioModel

extension Scenario {
  /// The port numbers that subject sockets are told to listen on.
  var fixedPorts: Set<UInt16> {
    let steps = subjects.flatMap(\.steps) + reactions.flatMap(\.steps)
    return Set(steps.flatMap { Self.fixedPorts($0.step) })
  }

  private static func fixedPorts(_ step: SubjectStep) -> [UInt16] {
    switch step {
    case .command(let command, _, _): fixedPorts(command)
    case .repeated(_, let steps): steps.flatMap { fixedPorts($0.step) }
    default: []
    }
  }

  private static func fixedPorts(_ command: SubjectCommand) -> [UInt16] {
    switch command {
    case .listen(let listen):
      switch listen.place {
      case .anywhere(.number(let port)), .interface(_, .number(let port)): port == 0 ? [] : [port]
      default: []
      }
    case .perform(let commands): commands.flatMap(fixedPorts)
    default: []
    }
  }
}
