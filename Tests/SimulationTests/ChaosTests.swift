import ScenarioModel
import ScenarioRunner
import Testing

@testable import Simulation

/// Calls in any order at any time, from anywhere, on several sockets at once, under faults worse than any host's.
/// Nothing is expected but what always holds: one end per start, nothing after the end, tags in order, nothing left
/// open.
@Suite struct ChaosTests {
  @Test(arguments: [QueueTopology.separate, .shared, .own], 0..<60 as Range<UInt64>)
  func invariantsHold(queues: QueueTopology, seed: UInt64) throws {
    var chaos = QueueChaos(queues: queues, seed: seed)
    try chaos.run()
    #expect(chaos.stage.faults == [], "seed \(seed)")
    #expect(chaos.stage.world.close() == [])
  }

  @Test func chaosIsDeterministic() throws {
    for queues in QueueTopology.allCases {
      var first = QueueChaos(queues: queues, seed: 3)
      var second = QueueChaos(queues: queues, seed: 3)
      try first.run()
      try second.run()
      #expect(first.stage.events == second.stage.events)
      #expect(!first.stage.events.isEmpty)
    }
  }
}

struct QueueChaos: Chaos {
  var stage: ChaosStage
  private var records = ChaosStage.sockets.map { Record(name: $0) }
  private let queues: QueueTopology

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
    stage = ChaosStage(seed: seed, salt: 7)
  }

  mutating func run() throws {
    let family: AddressFamily = [.ipv4, .ipv6, .unix][Int(stage.random.pick(0...2))]
    try stage.open(Variant(family: family, cut: .whole, queues: queues), Self.reactions)
    play()
    for name in ChaosStage.sockets { _ = stage.world.perform(.unblockDelegateQueue, on: name) }
    pass(.seconds(30))
  }

  /// Some callbacks take their time, some disconnect, some answer.
  private static let reactions = [
    ChaosStage.reaction(.didRead, times: 3, [.hold(.milliseconds(2))]),
    ChaosStage.reaction(.didAccept, times: 1, [ChaosStage.call(.disconnect, on: "child")]),
    ChaosStage.reaction(.didAccept, times: 1, [ChaosStage.call(.release, on: "child2")]),
    ChaosStage.reaction(
      .didConnect, times: 2, [.hold(.milliseconds(1)), ChaosStage.call(.disconnect, on: "second")]),
    ChaosStage.reaction(.shouldTimeoutRead, times: 4, [.answer(TimeoutValue(seconds: 0.002))]),
    ChaosStage.reaction(
      .didWrite, times: 2,
      [ChaosStage.call(.write(WriteCommand(payload: .bytes([1, 2]), tag: 1 << 40)), on: "socket")]),
  ]

  mutating func act() {
    let index = Int(stage.random.pick(0...2))
    let command = index == 2 ? serverCommand() : clientCommand()
    let name = records[index].name
    let result = stage.world.perform(command, on: name)
    switch (command, result) {
    case (.connect, .done), (.listen, .done): records[index].starts += 1
    case (.setDelegateQueue, _): records[index].hasChangedQueue = true
    case (_, .hung) where !command.mayHang: stage.faults.append("\(name).\(command) hung")
    default: break
    }
  }

  private mutating func clientCommand() -> SubjectCommand {
    let choice = stage.random.pick(0...15)
    if let command = stage.clientCommand(choice) { return command }
    switch choice {
    case 11: return .set(.autoDisconnectOnClosedReadStream(stage.random.chance(0.5)))
    case 12: return .setDelegate(stage.random.chance(0.2) ? nil : "delegate\(stage.random.pick(0...2))")
    case 13:
      // Half of the seeds stay on one queue, so that the order can be held to.
      guard stage.seed % 2 == 0 else { return .disconnectAfterReadingAndWriting }
      return .setDelegateQueue(stage.random.chance(0.1) ? nil : "queue\(stage.random.pick(0...2))")
    case 14: return stage.random.chance(0.3) ? .blockDelegateQueue : .unblockDelegateQueue
    default:
      guard stage.random.chance(0.3) else { return .perform([.disconnect]) }
      return .set(.notifiesDisconnectBeforeReturning(stage.random.chance(0.5)))
    }
  }

  private mutating func serverCommand() -> SubjectCommand {
    switch stage.random.pick(0...5) {
    case 0, 1, 2: return .listen(ListenCommand(place: .anywhere(port: .free)))
    case 3: return .disconnect
    case 4: return .setDelegate(stage.random.chance(0.3) ? nil : "delegate")
    default: return .setDelegateQueue(stage.random.chance(0.3) ? nil : "queue3")
    }
  }

  mutating func take(_ event: WorldEvent) {
    guard case .callback(let delivered) = event.kind,
      let index = records.firstIndex(where: { $0.name == delivered.socket })
    else { return }
    if records[index].ends >= records[index].starts {
      stage.faults.append("\(delivered) after the end of every start")
    }
    let isOrdered = !records[index].hasChangedQueue
    switch delivered.callback {
    case .didDisconnect: records[index].ends += 1
    case .didRead(let bytes, let tag):
      if bytes.isEmpty || isOrdered && tag <= records[index].lastRead {
        stage.faults.append("didRead \(tag) out of order, or empty")
      }
      records[index].lastRead = tag
    case .didWrite(let tag) where tag < 1 << 40:
      if isOrdered, tag <= records[index].lastWrite { stage.faults.append("didWrite \(tag) out of order") }
      records[index].lastWrite = tag
    case .didReadPartial(let count, _), .didWritePartial(let count, _):
      if count <= 0 { stage.faults.append("a progress of \(count)") }
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
