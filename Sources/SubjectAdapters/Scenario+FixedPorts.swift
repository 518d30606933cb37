import ScenarioModel

extension Scenario {
  /// The port numbers that subject sockets are told to listen on.
  var fixedPorts: Set<UInt16> {
    Set(listenPorts.compactMap { if case .number(let port) = $0, port != 0 { port } else { nil } })
  }

  /// The sockets whose port a socket is told to listen on once more.
  var portsTakenAgain: Set<String> {
    Set(listenPorts.compactMap { if case .of(let name) = $0 { name } else { nil } })
  }

  private var listenPorts: [ListenCommand.ListenPort] {
    (subjects.flatMap(\.steps) + reactions.flatMap(\.steps)).flatMap { Self.listenPorts($0.step) }
  }

  private static func listenPorts(_ step: SubjectStep) -> [ListenCommand.ListenPort] {
    switch step {
    case .command(let command, _, _): listenPorts(command)
    case .repeated(_, let steps): steps.flatMap { listenPorts($0.step) }
    default: []
    }
  }

  private static func listenPorts(_ command: SubjectCommand) -> [ListenCommand.ListenPort] {
    switch command {
    case .listen(let listen):
      switch listen.place {
      case .anywhere(let port), .interface(_, let port): [port]
      case .path: []
      }
    case .perform(let commands): commands.flatMap(listenPorts)
    default: []
    }
  }
}
