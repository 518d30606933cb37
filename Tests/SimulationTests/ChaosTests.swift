import ScenarioModel
import ScenarioRunner
import Testing

@testable import Simulation

/// Calls in any order at any moment, from anywhere, on several sockets at once, under faults worse than any host's.
/// Nothing is expected but what always holds: one end per start, nothing after the end, tags in order, nothing left
/// open.
@Suite struct ChaosTests {
  @Test(arguments: [QueueTopology.separate, .shared, .own], 0..<60 as Range<UInt64>)
  func invariantsHold(queues: QueueTopology, seed: UInt64) throws {
    var chaos = Chaos(queues: queues, seed: seed)
    try chaos.run()
    #expect(chaos.faults == [], "seed \(seed)")
    #expect(chaos.world.close() == [])
  }

  @Test func chaosIsDeterministic() throws {
    for queues in QueueTopology.allCases {
      var first = Chaos(queues: queues, seed: 3)
      var second = Chaos(queues: queues, seed: 3)
      try first.run()
      try second.run()
      #expect(first.events == second.events)
      #expect(!first.events.isEmpty)
    }
  }
}

struct Chaos {
  var world = SimulatedWorld(faults: .harsh)
  private(set) var events: [WorldEvent] = []
  private(set) var faults: [String] = []
  private var random: SeededRandom
  private var records: [Record]
  private var tag = 0
  private let queues: QueueTopology
  private let seed: UInt64

  /// What one socket did.
  private struct Record {
    var name: String
    var starts = 0
    var ends = 0
    var lastRead = -1
    var lastWrite = -1
    /// The delegate queue was changed: between queues there is no order but that the end comes last.
    var hasChangedQueue = false
  }

  init(queues: QueueTopology, seed: UInt64) {
    self.queues = queues
    self.seed = seed
    random = SeededRandom(seed: seed &* 131 &+ 7)
    records = ["socket", "second", "server"].map { Record(name: $0) }
  }

  mutating func run() throws {
    let here = SourcePosition(line: 1, column: 1)
    var scenario = Scenario(id: "chaos", title: "Chaos")
    scenario.peers = ["one", "two"].map { PeerLane(name: $0, steps: [Located(.accept, at: here)]) }
    scenario.peers.append(PeerLane(name: "three", steps: [Located(.connect(socket: "server"), at: here)]))
    scenario.subjects = records.map { SubjectLane(name: $0.name, steps: []) }
    scenario.reactions = reactions(at: here)
    let family: AddressFamily = [.ipv4, .ipv6, .unix][Int(random.pick(0...2))]
    try world.open(
      CaseSetup(
        scenario: scenario, variant: Variant(family: family, cut: .whole, queues: queues), seed: seed,
        reactions: ReactionBook(scenario.reactions)))
    for _ in 0..<200 {
      act()
      let limit = world.now + .microseconds(random.pick(0...3000))
      while let event = world.nextEvent(before: limit) { take(event) }
    }
    for record in records { _ = world.perform(.unblockDelegateQueue, on: record.name) }
    let end = world.now + .seconds(30)
    while let event = world.nextEvent(before: end) { take(event) }
  }

  /// Some callbacks take their time, some disconnect, some answer.
  private func reactions(at here: SourcePosition) -> [Reaction] {
    func reaction(_ kind: CallbackKind, times: Int?, _ steps: [SubjectStep]) -> Reaction {
      Reaction(
        pattern: CallbackPattern(kind: kind), socket: nil, times: times,
        steps: steps.map { LocatedStep($0, at: here) }, position: here)
    }
    return [
      reaction(.didRead, times: 3, [.hold(.milliseconds(2))]),
      reaction(.didAccept, times: 1, [.command(.disconnect, socket: "child", refusal: nil)]),
      reaction(.didAccept, times: 1, [.command(.release, socket: "child2", refusal: nil)]),
      reaction(
        .didConnect, times: 2, [.hold(.milliseconds(1)), .command(.disconnect, socket: "second", refusal: nil)]),
      reaction(.shouldTimeoutRead, times: 4, [.answer(TimeoutValue(seconds: 0.002))]),
      reaction(
        .didWrite, times: 2,
        [.command(.write(WriteCommand(payload: .bytes([1, 2]), tag: 1 << 40)), socket: "socket", refusal: nil)]),
    ]
  }

  private mutating func act() {
    tag += 1
    if random.chance(0.35) { return actPeer() }
    let index = Int(random.pick(0...2))
    let command = index == 2 ? serverCommand() : clientCommand()
    let name = records[index].name
    let result = world.perform(command, on: name)
    switch (command, result) {
    case (.connect, .done), (.listen, .done): records[index].starts += 1
    case (.setDelegateQueue, _): records[index].hasChangedQueue = true
    case (_, .hung) where !command.mayHang: faults.append("\(name).\(command) hung")
    default: break
    }
  }

  private mutating func clientCommand() -> SubjectCommand {
    let timeout = TimeoutValue(seconds: random.chance(0.5) ? -1 : Double(random.pick(0...4)) / 1000)
    switch random.pick(0...15) {
    case 0, 1, 2, 3:
      return .connect(ConnectCommand(target: .peer(random.chance(0.5) ? "one" : "two"), timeout: timeout))
    case 4, 5: return .read(ReadCommand(boundary: .exactly(Int(random.pick(1...50))), timeout: timeout, tag: tag))
    case 6: return .read(ReadCommand(boundary: .available(limit: 0), timeout: timeout, tag: tag))
    case 7, 8:
      let payload = Payload.pattern(seed: 1, count: Int(random.pick(1...200_000)))
      return .write(WriteCommand(payload: payload, timeout: timeout, tag: tag))
    case 9: return .disconnect
    case 10: return random.chance(0.5) ? .disconnectAfterWriting : .disconnectAfterReading
    case 11: return .set(.autoDisconnectOnClosedReadStream(random.chance(0.5)))
    case 12: return .setDelegate(random.chance(0.2) ? nil : "delegate\(random.pick(0...2))")
    case 13:
      // Half of the courses stay on one queue, so that the order can be held to.
      guard seed % 2 == 0 else { return .disconnectAfterReadingAndWriting }
      return .setDelegateQueue(random.chance(0.1) ? nil : "queue\(random.pick(0...2))")
    case 14: return random.chance(0.3) ? .blockDelegateQueue : .unblockDelegateQueue
    default:
      guard random.chance(0.3) else { return .perform([.disconnect]) }
      return .set(.notifiesDisconnectBeforeReturning(random.chance(0.5)))
    }
  }

  private mutating func serverCommand() -> SubjectCommand {
    switch random.pick(0...5) {
    case 0, 1, 2: return .listen(ListenCommand(place: .anywhere(port: .free)))
    case 3: return .disconnect
    case 4: return .setDelegate(random.chance(0.3) ? nil : "delegate")
    default: return .setDelegateQueue(random.chance(0.3) ? nil : "queue3")
    }
  }

  private mutating func actPeer() {
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

  private mutating func take(_ event: WorldEvent) {
    events.append(event)
    guard case .callback(let delivered) = event.kind,
      let index = records.firstIndex(where: { $0.name == delivered.socket })
    else { return }
    if records[index].ends >= records[index].starts {
      faults.append("\(delivered) after the end of every start")
    }
    let isOrdered = !records[index].hasChangedQueue
    switch delivered.callback {
    case .didDisconnect: records[index].ends += 1
    case .didRead(let bytes, let tag):
      if bytes.isEmpty || isOrdered && tag <= records[index].lastRead {
        faults.append("didRead \(tag) out of order, or empty")
      }
      records[index].lastRead = tag
    case .didWrite(let tag) where tag < 1 << 40:
      if isOrdered, tag <= records[index].lastWrite { faults.append("didWrite \(tag) out of order") }
      records[index].lastWrite = tag
    case .didReadPartial(let count, _), .didWritePartial(let count, _):
      if count <= 0 { faults.append("a progress of \(count)") }
    default: break
    }
  }
}

extension SubjectCommand {
  /// Waits for queues, which a scenario may have blocked.
  fileprivate var mayHang: Bool {
    switch self {
    case .disconnect, .perform: true
    default: false
    }
  }
}
