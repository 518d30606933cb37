import Glibc
import ScenarioModel
import ScenarioRunner
import SubjectAdapters
import Testing

/// A loopback world driven by hand, and all that came out of it.
final class LoopbackWorldBench {
  static let nowhere = SourcePosition(line: 0, column: 0)

  let world: LoopbackWorld
  private(set) var events: [WorldEvent] = []

  init(
    _ variant: Variant = Variant(family: .ipv4, cut: .whole, queues: .separate), peers: [PeerLane] = [.listening()],
    sockets: [SocketSetup] = [], hosts: [HostEntry] = [], reactions: [Reaction] = [],
    callTimeout: Duration = .seconds(5), limit: Duration = .seconds(10)
  ) throws(CaseObstacle) {
    world = LoopbackWorld(callTimeout: callTimeout)
    var scenario = Scenario(id: "test/case", title: "A case")
    scenario.peers = peers
    scenario.sockets = sockets
    scenario.hosts = hosts
    scenario.limit = limit
    try world.open(CaseSetup(scenario: scenario, variant: variant, seed: 1, reactions: ReactionBook(reactions)))
  }

  @discardableResult
  func call(_ command: SubjectCommand, on socket: String = "socket") -> CommandResult {
    world.perform(command, on: socket)
  }

  /// Connects `socket` to `peer`, which accepts.
  func connect() {
    peer(.accept)
    #expect(call(.connect(ConnectCommand(target: .peer("peer")))) == .done)
    #expect(
      sees { kind in
        guard case .callback(let delivered) = kind else { return false }
        return delivered.callback.kind == .didConnect || delivered.callback.kind == .didConnectToURL
      })
    #expect(peerSees(.connected))
  }

  func peer(_ action: PeerAction, _ name: String = "peer") { world.perform(action, by: name) }

  func read(_ property: SubjectProperty, name: String? = nil, of socket: String = "socket") -> PropertyValue {
    world.read(property, name: name, of: socket) ?? PropertyValue.none
  }

  /// The next event, at most two seconds from now.
  @discardableResult
  func next(within limit: Duration = .seconds(2)) -> WorldEvent? {
    guard let event = world.nextEvent(before: world.now + limit) else { return nil }
    events.append(event)
    return event
  }

  /// Until an event like this has been seen, however long ago.
  func sees(within limit: Duration = .seconds(5), _ wanted: (WorldEvent.Kind) -> Bool) -> Bool {
    if events.contains(where: { wanted($0.kind) }) { return true }
    let deadline = world.now + limit
    while let event = world.nextEvent(before: deadline) {
      events.append(event)
      if wanted(event.kind) { return true }
    }
    return false
  }

  func waits(
    for kind: CallbackKind, count: Int = 1, of socket: String = "socket", within limit: Duration = .seconds(5)
  ) -> Bool {
    sees(within: limit) { _ in callbacks(of: socket).filter { $0.kind == kind }.count >= count }
  }

  func sees(_ callback: Callback, of socket: String = "socket") -> Bool {
    sees { kind in
      if case .callback(let delivered) = kind {
        delivered.socket == socket && delivered.callback == callback
      } else {
        false
      }
    }
  }

  func peerSees(_ observation: PeerObservation, _ name: String = "peer") -> Bool {
    sees { $0 == .peer(name, observation) }
  }

  /// All that was seen so far.
  func callbacks(of socket: String = "socket") -> [Callback] {
    events.compactMap {
      if case .callback(let delivered) = $0.kind, delivered.socket == socket { delivered.callback } else { nil }
    }
  }

  func watch(for duration: Duration) {
    let deadline = world.now + duration
    while let event = world.nextEvent(before: deadline) { events.append(event) }
  }
}

extension PeerLane {
  static func listening(
    _ name: String = "peer", first: PeerStep = .accept, family: AddressFamily? = nil, samePortAs: String? = nil,
    receiveBuffer: Int? = nil
  ) -> PeerLane {
    PeerLane(
      name: name, family: family, samePortAs: samePortAs, receiveBuffer: receiveBuffer,
      steps: [Located(first, at: LoopbackWorldBench.nowhere)])
  }

  static func connecting(_ name: String = "peer", to socket: String = "socket") -> PeerLane {
    .listening(name, first: .connect(socket: socket))
  }
}

extension Reaction {
  init(to kind: CallbackKind, of socket: String? = nil, times: Int? = 1, _ steps: [SubjectStep]) {
    let nowhere = LoopbackWorldBench.nowhere
    self.init(
      pattern: CallbackPattern(kind: kind), socket: socket, times: times,
      steps: steps.map { LocatedStep($0, at: nowhere) }, position: nowhere)
  }
}

extension SubjectCommand {
  static func read(_ boundary: ReadCommand.Boundary, timeout: TimeoutValue = .never, tag: Int = 0) -> SubjectCommand {
    .read(ReadCommand(boundary: boundary, timeout: timeout, tag: tag))
  }

  static func write(_ text: String, tag: Int = 0) -> SubjectCommand {
    .write(WriteCommand(payload: .bytes(Array(text.utf8)), tag: tag))
  }
}

extension Variant {
  /// Every family with every topology.
  static let all = AddressFamily.allCases.flatMap { family in
    QueueTopology.allCases.map { Variant(family: family, cut: .whole, queues: $0) }
  }
}

extension LoopbackWorldBench {
  /// How many descriptors of this process are open, among the first thousands.
  static func openDescriptors() -> Int { (0..<4096).count { fcntl(Int32($0), F_GETFD) >= 0 } }
}
