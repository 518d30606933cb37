import ScenarioModel
import ScenarioRunner
import Testing

@testable import Simulation

/// Random programs of reads and writes against random peers, under faults worse than any host's: whatever happens,
/// every operation completes, in order, with the right bytes. A lost wake-up shows as a case that comes to a halt.
@Suite struct StormTests {
  @Test(arguments: [QueueTopology.separate, .shared, .own], 0..<60 as Range<UInt64>)
  func everyOperationCompletes(queues: QueueTopology, seed: UInt64) throws {
    try completes(Storm(queues: queues, seed: seed))
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func everyOperationCompletesOnARunLoop(seed: UInt64) throws {
    try completes(Storm(subject: .runLoop, queues: .separate, seed: seed))
  }

  private func completes(_ storm: Storm) throws {
    var storm = storm
    try storm.run()
    #expect(storm.received == storm.sentByPeer)
    #expect(storm.peerReceived == storm.written)
    #expect(storm.writesDone == Array(0..<storm.writeCount))
    #expect(storm.readsDone == Array(0..<storm.readsDone.count))
    #expect(storm.world.close() == [])
  }

  @Test func stormsAreDeterministic() throws {
    var first = Storm(queues: .own, seed: 7)
    var second = Storm(queues: .own, seed: 7)
    try first.run()
    try second.run()
    #expect(first.events == second.events)
    #expect(first.world.now == second.world.now)
  }
}

struct Storm {
  var world = SimulatedWorld(faults: .harsh)
  var random: SeededRandom
  let sentByPeer: [UInt8]
  private(set) var received: [UInt8] = []
  private(set) var written: [UInt8] = []
  private(set) var peerReceived: [UInt8] = []
  private(set) var writesDone: [Int] = []
  private(set) var readsDone: [Int] = []
  private(set) var writeCount = 0
  private(set) var events: [WorldEvent] = []
  private var readCount = 0
  private let subject: SubjectKind
  private let queues: QueueTopology
  private let seed: UInt64

  init(subject: SubjectKind = .gcd, queues: QueueTopology, seed: UInt64) {
    self.subject = subject
    self.queues = queues
    self.seed = seed
    random = SeededRandom(seed: seed &* 31 &+ 5)
    // Few different bytes, so that delimiters are frequent.
    sentByPeer = PatternBytes.make(seed: seed, count: 3000 + Int(seed) * 211).map { $0 & 3 }
  }

  mutating func run() throws {
    var scenario = Scenario(id: "storm", title: "Storm")
    scenario.peers = [
      PeerLane(
        name: "peer", receiveBuffer: Int(random.pick(1...9000)),
        steps: [Located(.accept, at: SourcePosition(line: 1, column: 1))])
    ]
    let family: AddressFamily = random.chance(0.3) && subject == .gcd ? .unix : .ipv4
    try world.open(
      CaseSetup(
        scenario: scenario, variant: Variant(subject: subject, family: family, cut: .whole, queues: queues),
        seed: seed, reactions: ReactionBook([])))
    world.perform(.accept, by: "peer")
    try #require(world.perform(.connect(ConnectCommand(target: .peer("peer"))), on: "socket") == .done)
    var sent = 0
    var isSending = false
    var isConnected = false
    var isPaused = false
    while received.count < sentByPeer.count || sent < sentByPeer.count || writesDone.count < writeCount
      || peerReceived.count < written.count || writeCount < 20
    {
      if readCount - readsDone.count < 3, received.count < sentByPeer.count { read() }
      if writeCount < 20, random.chance(0.3) { write() }
      if isConnected, !isSending, sent < sentByPeer.count {
        let end = min(sentByPeer.count, sent + Int(random.pick(1...800)))
        isSending = true
        world.perform(.send(Array(sentByPeer[sent..<end])), by: "peer")
        sent = end
      }
      guard let event = world.nextEvent(before: world.now + .seconds(2)) else {
        try #require(isPaused, "the storm came to a halt")
        isPaused = false
        world.perform(.setReading(.everything), by: "peer")
        continue
      }
      events.append(event)
      switch event.kind {
      case .peer(_, .connected): isConnected = true
      case .peer(_, .sent): isSending = false
      case .peer(_, .received(let bytes)): peerReceived += bytes
      case .peer(_, let other): Issue.record("the peer saw \(other)")
      case .callback(let delivered): take(delivered.callback)
      default: break
      }
      guard isConnected, random.chance(0.2) else { continue }
      isPaused = random.chance(0.5)
      let reading = isPaused ? PeerAction.Reading.atMost(Int(random.pick(0...500))) : .everything
      world.perform(.setReading(reading), by: "peer")
    }
  }

  private mutating func take(_ callback: Callback) {
    switch callback {
    case .didRead(let bytes, let tag):
      received += bytes
      readsDone.append(tag)
    case .didWrite(let tag): writesDone.append(tag)
    case .willConnect, .didConnect, .didConnectToURL, .didReadPartial, .didWritePartial: break
    default: Issue.record("unexpected: \(callback)")
    }
  }

  /// Only reads that the rest of the stream can satisfy, whatever the reads before take: the last bytes are fetched by
  /// reads of whatever is there.
  private mutating func read() {
    let isNearEnd = sentByPeer.count - received.count < 400
    let boundary: ReadCommand.Boundary
    switch isNearEnd ? 0 : random.pick(0...2) {
    case 1: boundary = .exactly(Int(random.pick(1...60)))
    case 2: boundary = .through(.bytes([UInt8(random.pick(0...3))]), limit: 0)
    default: boundary = .available(limit: Int(random.pick(1...90)))
    }
    let command = ReadCommand(boundary: boundary, tag: readCount)
    readCount += 1
    #expect(world.perform(.read(command), on: "socket") == .done)
  }

  private mutating func write() {
    let payload = Payload.pattern(seed: UInt64(writeCount), count: Int(random.pick(1...3000)))
    #expect(world.perform(.write(WriteCommand(payload: payload, tag: writeCount)), on: "socket") == .done)
    written += payload.materialised
    writeCount += 1
  }
}
