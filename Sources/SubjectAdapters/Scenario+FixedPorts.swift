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
    let sought = calls.compactMap { call -> String? in
      if case .connect(let connect) = call.command, case .host(_, .listener(let name)) = connect.target {
        name
      } else {
        nil
      }
    }
    return Set(again + sought)
  }

  private var listenPorts: [ListenCommand.ListenPort] {
    calls.compactMap { call in
      guard case .listen(let listen) = call.command else { return nil }
      switch listen.place {
      case .anywhere(let port), .interface(_, let port): return port
      case .path: return nil
      }
    }
  }
}
