import ScenarioModel

extension ScenarioCheck {
  /// Calls that a world of the scenario does not have: its cases would be unsupported there, and prove nothing.
  mutating func checkWorlds() {
    for call in calls {
      if let (world, word) = lacking(call.command) { reportLacking(word, in: world, at: call.position) }
    }
  }

  /// The same of the peers' steps: the simulated wire carries no urgent data.
  mutating func checkWorldsOfPeers() {
    for peer in scenario.peers { checkWorlds(of: peer.steps) }
  }

  private mutating func checkWorlds(of steps: [Located<PeerStep>]) {
    for step in steps {
      switch step.value {
      case .sendUrgent: reportLacking("sendUrgent", in: .simulated, at: step.position)
      case .repeated(_, let inner): checkWorlds(of: inner)
      default: break
      }
    }
  }

  private mutating func reportLacking(_ word: String, in world: WorldName, at position: SourcePosition) {
    guard scenario.worlds.contains(world) else { return }
    let other: WorldName = world == .simulated ? .loopback : .simulated
    report(
      .lackingWorld, at: position, "the world `\(world.rawValue)` has no `\(word)`",
      help: scenario.worlds.contains(other)
        ? "write `worlds: { only: \(other.rawValue), because: \"\(world.rawValue) has no \(word)\" }`"
        : "play it in `\(other.rawValue)`, or leave `\(word)` out")
  }

  /// A schedule says what is drawn in simulated time, so that it says nothing where the scenario is not played there.
  mutating func checkSchedule() {
    guard scenario.schedule != nil, !scenario.worlds.contains(.simulated), let entry = keys.entry("schedule") else {
      return
    }
    report(
      .conflictingKeys, at: entry.position, "a `schedule` is one of simulated time, where this scenario is not played",
      help: "leave `schedule` out")
  }

  private func lacking(_ command: SubjectCommand) -> (WorldName, String)? {
    switch command {
    case .set(.keepAlive): (.simulated, "keepAlive")
    case .set(.userTimeout): (.simulated, "userTimeout")
    case .set(.linger): (.simulated, "linger")
    case .exhaustDescriptors: (.loopback, command.name)
    default: nil
    }
  }

  /// Queues that stay blocked: nobody would be told of the callbacks that wait there, and so nobody could object.
  mutating func checkBlockedQueues() {
    for socket in uses.keys.sorted() {
      let own = calls.filter { $0.socket == socket }
      let blocks = own.filter { $0.command == .blockDelegateQueue }
      // Callbacks may come on another queue meanwhile.
      let hasMoved = own.contains { if case .setDelegateQueue = $0.command { true } else { false } }
      guard let last = blocks.last, !hasMoved, own.count(where: { $0.command == .unblockDelegateQueue }) < blocks.count
      else {
        continue
      }
      report(
        .blockedToTheEnd, at: last.position,
        "the delegate queue of `\(socket)` stays blocked: callbacks that wait there are never seen",
        help: "add `unblockDelegateQueue` where the queue has been blocked for long enough")
    }
  }
}
