import ScenarioModel
import ScenarioRunner
import Testing

@testable import Simulation

/// Calls in any order at any moment on sockets of several run loops, which move, change their modes and are run nested,
/// under faults worse than any host's. Nothing is expected but what always holds: one end per start, nothing after the
/// end, tags in order, callbacks on the socket's loop and in its modes, nothing left open.
@Suite struct RunLoopChaosTests {
  @Test(arguments: 0..<120 as Range<UInt64>)
  func invariantsHold(seed: UInt64) throws {
    var chaos = RunLoopChaos(seed: seed)
    try chaos.run()
    #expect(chaos.faults == [], "seed \(seed)")
    #expect(chaos.world.close() == [])
  }

  @Test func chaosIsDeterministic() throws {
    var first = RunLoopChaos(seed: 3)
    var second = RunLoopChaos(seed: 3)
    try first.run()
    try second.run()
    #expect(first.events == second.events)
    #expect(!first.events.isEmpty)
  }
}

struct RunLoopChaos {
  var world = SimulatedWorld(faults: .harsh)
  private(set) var events: [WorldEvent] = []
  private(set) var faults: [String] = []
  private var random: SeededRandom
  private var records: [Record]
  private var tag = 0
  private let seed: UInt64

  /// What one socket did.
  private struct Record {
    var name: String
    var loop = "main"
    var modes: Set<String> = ["default"]
    var starts = 0
    var ends = 0
    var isEnding = false
    var lastRead = -1
    var lastWrite = -1
  }

  init(seed: UInt64) {
    self.seed = seed
    random = SeededRandom(seed: seed &* 131 &+ 11)
    records = ["socket", "second", "server"].map { Record(name: $0) }
  }

  mutating func run() throws {
    let here = SourcePosition(line: 1, column: 1)
    var scenario = Scenario(id: "chaos", title: "Chaos")
    scenario.peers = ["one", "two"].map { PeerLane(name: $0, steps: [Located(.accept, at: here)]) }
    scenario.peers.append(PeerLane(name: "three", steps: [Located(.connect(socket: "server"), at: here)]))
    scenario.subjects = records.map { SubjectLane(name: $0.name, steps: []) }
    scenario.reactions = reactions(at: here)
    let family: AddressFamily = random.chance(0.5) ? .ipv4 : .ipv6
    try world.open(
      CaseSetup(
        scenario: scenario, variant: Variant(subject: .runLoop, family: family, cut: .whole, queues: .separate),
        seed: seed, reactions: ReactionBook(scenario.reactions)))
    for _ in 0..<200 {
      act()
      let limit = world.now + .microseconds(random.pick(0...3000))
      while let event = world.nextEvent(before: limit) { take(event) }
    }
    let end = world.now + .seconds(30)
    while let event = world.nextEvent(before: end) { take(event) }
    guard isAlwaysHeard else { return }
    for index in records.indices {
      _ = world.perform(.disconnect, on: records[index].name)
      while let event = world.nextEvent(before: world.now + .seconds(1)) { take(event) }
      let (starts, ends) = (records[index].starts, records[index].ends)
      if starts != ends { faults.append("\(records[index].name): \(starts) starts and \(ends) ends") }
    }
  }

  /// In every other course each socket has a delegate all the time.
  private var isAlwaysHeard: Bool { seed % 2 == 0 }

  /// Some callbacks take their time, some run the loop, some disconnect, some answer.
  private func reactions(at here: SourcePosition) -> [Reaction] {
    func reaction(_ kind: CallbackKind, of socket: String? = nil, times: Int?, _ steps: [SubjectStep]) -> Reaction {
      Reaction(
        pattern: CallbackPattern(kind: kind), socket: socket, times: times,
        steps: steps.map { LocatedStep($0, at: here) }, position: here)
    }
    func call(_ command: SubjectCommand, on socket: String) -> SubjectStep {
      .command(command, socket: socket, refusal: nil)
    }
    func nested(_ mode: String, on socket: String) -> SubjectStep {
      call(.runLoop(RunLoopCommand(.run(mode: mode, duration: .milliseconds(4)))), on: socket)
    }
    let read = SubjectCommand.read(ReadCommand(boundary: .available(limit: 0), tag: 1 << 40))
    return [
      reaction(.didRead, of: "socket", times: 3, [.hold(.milliseconds(2)), nested("private", on: "socket")]),
      reaction(.didWrite, of: "second", times: 3, [nested("default", on: "second")]),
      reaction(.didAccept, times: 1, [call(.disconnect, on: "child")]),
      reaction(.didAccept, times: 1, [call(.release, on: "child2")]),
      reaction(.wantsRunLoop, times: 2, [.decide(.runLoop("worker"))]),
      reaction(.willConnect, of: "child3", times: 1, [.decide(.connect(false))]),
      reaction(.willConnect, of: "second", times: 1, [.hold(.milliseconds(1)), .decide(.connect(false))]),
      reaction(.didConnect, times: 2, [.hold(.milliseconds(1)), call(.disconnect, on: "second")]),
      reaction(.willDisconnect, of: "socket", times: 2, [call(read, on: "socket"), nested("default", on: "socket")]),
      reaction(.willDisconnect, of: "second", times: 1, [call(.disconnect, on: "second")]),
      reaction(.shouldTimeoutRead, times: 4, [.answer(TimeoutValue(seconds: 0.002))]),
      reaction(
        .didWrite, times: 2,
        [call(.write(WriteCommand(payload: .bytes([1, 2]), tag: 1 << 40)), on: "socket")]),
    ]
  }

  private mutating func act() {
    tag += 1
    if random.chance(0.35) { return actPeer() }
    let index = Int(random.pick(0...2))
    let command = index == 2 ? serverCommand() : clientCommand()
    let name = records[index].name
    let start = events.count
    let result = world.perform(command, on: name)
    // What a call brings about, or waits for, comes first.
    let called = world.now
    while let event = world.nextEvent(before: called) { take(event) }
    switch (command, result) {
    case (.connect, .done), (.listen, .done):
      records[index].starts += 1
      records[index].isEnding = false
    case (_, .hung): faults.append("\(name).\(command) hung after event \(start)")
    case (.runLoop(let command), .returned(true)): note(command.call, index)
    default: break
    }
    if records[index].ends > records[index].starts { faults.append("\(name) ended more often than it started") }
  }

  private mutating func note(_ call: RunLoopCommand.Call, _ index: Int) {
    switch call {
    case .move(let name?): records[index].loop = name
    case .setModes(let modes): records[index].modes = Set(modes)
    case .addMode(let mode?): records[index].modes.insert(mode)
    case .removeMode(let mode?): records[index].modes.remove(mode)
    case .move, .addMode, .removeMode, .enablePrebuffering, .run: break
    }
  }

  private mutating func clientCommand() -> SubjectCommand {
    let timeout = TimeoutValue(seconds: random.chance(0.5) ? -1 : Double(random.pick(0...4)) / 1000)
    switch random.pick(0...14) {
    case 0, 1, 2, 3:
      return .connect(ConnectCommand(target: .peer(random.chance(0.5) ? "one" : "two"), timeout: timeout))
    case 4, 5: return .read(ReadCommand(boundary: .exactly(Int(random.pick(1...50))), timeout: timeout, tag: tag))
    case 6: return .read(ReadCommand(boundary: .available(limit: 0), timeout: timeout, tag: tag))
    case 7, 8:
      let payload = Payload.pattern(seed: 1, count: Int(random.pick(1...200_000)))
      return .write(WriteCommand(payload: payload, timeout: timeout, tag: tag))
    case 9: return .disconnect
    case 10: return random.chance(0.5) ? .disconnectAfterWriting : .disconnectAfterReading
    case 11: return .setDelegate(random.chance(0.2) && !isAlwaysHeard ? nil : "delegate\(random.pick(0...2))")
    default: return runLoopCommand()
    }
  }

  private mutating func serverCommand() -> SubjectCommand {
    switch random.pick(0...5) {
    case 0, 1, 2: .listen(ListenCommand(place: .anywhere(port: .free)))
    case 3: .disconnect
    case 4: .setDelegate(random.chance(0.3) && !isAlwaysHeard ? nil : "delegate")
    default: runLoopCommand()
    }
  }

  private mutating func runLoopCommand() -> SubjectCommand {
    let mode = random.chance(0.6) ? "default" : "private"
    let call: RunLoopCommand.Call =
      switch random.pick(0...4) {
      case 0: .move(to: ["main", "worker", nil][Int(random.pick(0...2))])
      case 1: .setModes(random.chance(0.8) ? [mode] : [])
      case 2: .addMode(random.chance(0.9) ? mode : nil)
      case 3: .removeMode(mode)
      default: .run(mode: mode, duration: .milliseconds(random.pick(0...5)))
      }
    return .runLoop(RunLoopCommand(call))
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
    let record = records[index]
    switch delivered.callback {
    case .willConnect: return
    case .didDisconnect:
      records[index].ends += 1
      records[index].isEnding = false
      return
    default: break
    }
    // Only didDisconnect comes inside a call, in whatever mode that was made.
    if delivered.runLoop != record.loop { faults.append("\(delivered) not on \(record.loop)") }
    if !record.modes.contains(delivered.mode ?? "") { faults.append("\(delivered) in no mode of \(record.modes)") }
    if record.ends >= record.starts { faults.append("\(delivered) after the end of every start") }
    switch delivered.callback {
    case .willDisconnect:
      if record.isEnding { faults.append("a second willDisconnect") }
      records[index].isEnding = true
    case .didRead(let bytes, let tag):
      if bytes.isEmpty || tag <= record.lastRead { faults.append("didRead \(tag) out of order, or empty") }
      if tag < 1 << 40 { records[index].lastRead = tag }
    case .didWrite(let tag) where tag < 1 << 40:
      if tag <= record.lastWrite { faults.append("didWrite \(tag) out of order") }
      records[index].lastWrite = tag
    default:
      if record.isEnding { faults.append("\(delivered) behind willDisconnect") }
    }
  }
}
