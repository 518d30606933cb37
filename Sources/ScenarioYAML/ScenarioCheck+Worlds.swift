import ScenarioModel

extension ScenarioCheck {
  /// Calls that a world of the scenario does not have: its cases would be unsupported there, and prove nothing.
  mutating func checkWorlds() {
    for call in calls {
      guard let (world, word) = lacking(call.command), scenario.worlds.contains(world) else { continue }
      let other: WorldName = world == .simulated ? .loopback : .simulated
      report(
        .lackingWorld, at: call.position, "the world `\(world.rawValue)` has no `\(word)`",
        help: scenario.worlds.contains(other)
          ? "write `worlds: { only: \(other.rawValue), because: \"\(world.rawValue) has no \(word)\" }`"
          : "play it in `\(other.rawValue)`, or leave `\(word)` out")
    }
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
