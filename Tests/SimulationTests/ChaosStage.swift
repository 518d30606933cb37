import ScenarioModel
import ScenarioRunner

@testable import Simulation

/// Three peers and three sockets under faults worse than any host's. What they do is drawn from a seed.
struct ChaosStage {
  static let sockets = ["socket", "second", "server"]
  static let here = SourcePosition(line: 1, column: 1)

  var world = SimulatedWorld(faults: .harsh)
  var random: SeededRandom
  fileprivate(set) var events: [WorldEvent] = []
  /// What broke a law.
  var faults: [String] = []
  /// Of the next operation; greater than those before.
  fileprivate(set) var tag = 0
  let seed: UInt64

  /// `salt` keeps the classes' draws apart.
  init(seed: UInt64, salt: UInt64) {
    self.seed = seed
    random = SeededRandom(seed: seed &* 131 &+ salt)
  }

  mutating func open(_ variant: Variant, _ reactions: [Reaction]) throws {
    var scenario = Scenario(id: "chaos", title: "Chaos")
    scenario.peers = ["one", "two"].map { PeerLane(name: $0, steps: [Located(.accept, at: Self.here)]) }
    scenario.peers.append(PeerLane(name: "three", steps: [Located(.connect(socket: "server"), at: Self.here)]))
    scenario.subjects = Self.sockets.map { SubjectLane(name: $0, steps: []) }
    scenario.reactions = reactions
    try world.open(
      CaseSetup(scenario: scenario, variant: variant, seed: seed, reactions: ReactionBook(scenario.reactions)))
  }

  static func reaction(
    _ kind: CallbackKind, of socket: String? = nil, times: Int?, _ steps: [SubjectStep]
  ) -> Reaction {
    Reaction(
      pattern: CallbackPattern(kind: kind), socket: socket, times: times,
      steps: steps.map { LocatedStep($0, at: here) },
      position: here)
  }

  static func call(_ command: SubjectCommand, on socket: String) -> SubjectStep {
    .command(command, socket: socket, refusal: nil)
  }

  /// A call that clients of both classes make, by a number from 0 to 10; nil for others.
  mutating func clientCommand(_ choice: Int64) -> SubjectCommand? {
    let timeout = TimeoutValue(seconds: random.chance(0.5) ? -1 : Double(random.pick(0...4)) / 1000)
    switch choice {
    case 0, 1, 2, 3:
      return .connect(ConnectCommand(target: .peer(random.chance(0.5) ? "one" : "two"), timeout: timeout))
    case 4, 5: return .read(ReadCommand(boundary: .exactly(Int(random.pick(1...50))), timeout: timeout, tag: tag))
    case 6: return .read(ReadCommand(boundary: .available(limit: 0), timeout: timeout, tag: tag))
    case 7, 8:
      let payload = Payload.pattern(seed: 1, count: Int(random.pick(1...200_000)))
      return .write(WriteCommand(payload: payload, timeout: timeout, tag: tag))
    case 9: return .disconnect
    case 10: return random.chance(0.5) ? .disconnectAfterWriting : .disconnectAfterReading
    default: return nil
    }
  }

  fileprivate mutating func actAsPeer() {
    let peer = ["one", "two", "three"][Int(random.pick(0...2))]
    switch random.pick(0...11) {
    case 0, 1, 2: world.perform(peer == "three" ? .connect(socket: "server") : .accept, by: peer)
    case 3, 4, 5: world.perform(.send(PatternBytes.make(seed: seed, count: Int(random.pick(1...300)))), by: peer)
    case 6: world.perform(.finish, by: peer)
    case 7: world.perform(.close, by: peer)
    case 8: world.perform(.reset, by: peer)
    case 9: world.perform(.setReading(random.chance(0.5) ? .everything : .paused), by: peer)
    case 10: world.perform(.stopListening, by: peer)
    default: world.perform(.listenAgain, by: peer)
    }
  }
}

/// What one class does on the stage, and holds its callbacks to.
protocol Chaos {
  var stage: ChaosStage { get set }

  /// Makes a call on a socket.
  mutating func act()
  /// Looks at an event of the world.
  mutating func take(_ event: WorldEvent)
}

extension Chaos {
  /// Two hundred acts of peers and calls, with some time after each.
  mutating func play() {
    for _ in 0..<200 {
      stage.tag += 1
      if stage.random.chance(0.35) { stage.actAsPeer() } else { act() }
      pass(.microseconds(stage.random.pick(0...3000)))
    }
  }

  /// Lets the time pass and takes what happens meanwhile.
  mutating func pass(_ duration: Duration) {
    let end = stage.world.now + duration
    while let event = stage.world.nextEvent(before: end) {
      stage.events.append(event)
      take(event)
    }
  }
}
