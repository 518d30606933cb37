import ScenarioModel

extension Scenario {
  /// The port numbers that subject sockets are told to listen on.
  var fixedPorts: Set<UInt16> {
    Set(listenPorts.compactMap { if case .number(let port) = $0, port != 0 { port } else { nil } })
  }

  /// The sockets whose port is used again, perhaps when they no longer listen: a socket listens on it, or connects to
  /// it.
  var portsTakenAgain: Set<String> {
    let again = listenPorts.compactMap { if case .of(let name) = $0 { name } else { nil } }
    let sought = commands.compactMap { command -> String? in
      if case .connect(let connect) = command, case .host(_, .listener(let name)) = connect.target { name } else { nil }
    }
    return Set(again + sought)
  }

  private var listenPorts: [ListenCommand.ListenPort] {
    commands.compactMap { command in
      guard case .listen(let listen) = command else { return nil }
      switch listen.place {
      case .anywhere(let port), .interface(_, let port): return port
      case .path: return nil
      }
    }
  }

  /// What the subject's sockets are told, by lanes and reactions, blocks of `perform` taken apart.
  private var commands: [SubjectCommand] {
    (subjects.flatMap(\.steps) + reactions.flatMap(\.steps)).flatMap { Self.commands($0.step) }
  }

  private static func commands(_ step: SubjectStep) -> [SubjectCommand] {
    switch step {
    case .command(let command, _, _): commands(command)
    case .repeated(_, let steps): steps.flatMap { commands($0.step) }
    default: []
    }
  }

  private static func commands(_ command: SubjectCommand) -> [SubjectCommand] {
    if case .perform(let commands) = command { commands.flatMap(self.commands) } else { [command] }
  }
}
