import ScenarioModel
import ScenarioRunner
import Testing

@testable import Simulation

/// Calls in any order at any time on sockets of several run loops, which move, change their modes and are run nested,
/// under faults worse than any host's. Nothing is expected but what always holds: one end per start, nothing after the
/// end, tags in order, callbacks on the socket's loop and in its modes, nothing left open.
@Suite struct RunLoopChaosTests {
  @Test(arguments: 0..<120 as Range<UInt64>)
  func invariantsHold(seed: UInt64) throws {
    var chaos = RunLoopChaos(seed: seed)
    try chaos.run()
    #expect(chaos.stage.faults == [], "seed \(seed)")
    #expect(chaos.stage.world.close() == [])
  }

  @Test func chaosIsDeterministic() throws {
    var first = RunLoopChaos(seed: 3)
    var second = RunLoopChaos(seed: 3)
    try first.run()
    try second.run()
    #expect(first.stage.events == second.stage.events)
    #expect(!first.stage.events.isEmpty)
  }
}

struct RunLoopChaos: Chaos {
  var stage: ChaosStage
  private var records = ChaosStage.sockets.map { Record(name: $0) }

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

  init(seed: UInt64) { stage = ChaosStage(seed: seed, salt: 11) }

  mutating func run() throws {
    let family: AddressFamily = stage.random.chance(0.5) ? .ipv4 : .ipv6
    try stage.open(
      Variant(subject: .runLoop, family: family, cut: .whole, queues: .separate), Self.reactions)
    play()
    pass(.seconds(30))
    guard isAlwaysHeard else { return }
    for index in records.indices {
      _ = stage.world.perform(.disconnect, on: records[index].name)
      pass(.seconds(1))
      let (starts, ends) = (records[index].starts, records[index].ends)
      if starts != ends { stage.faults.append("\(records[index].name): \(starts) starts and \(ends) ends") }
    }
  }

  /// With every other seed each socket has a delegate all the time.
  private var isAlwaysHeard: Bool { stage.seed % 2 == 0 }

  /// Some callbacks take their time, some run the loop, some disconnect, some answer.
  private static let reactions: [Reaction] = {
    typealias Stage = ChaosStage
    func nested(_ mode: String, on socket: String) -> SubjectStep {
      Stage.call(.runLoop(RunLoopCommand(.run(mode: mode, duration: .milliseconds(4)))), on: socket)
    }
    let read = SubjectCommand.read(ReadCommand(boundary: .available(limit: 0), tag: 1 << 40))
    return [
      Stage.reaction(.didRead, of: "socket", times: 3, [.hold(.milliseconds(2)), nested("private", on: "socket")]),
      Stage.reaction(.didWrite, of: "second", times: 3, [nested("default", on: "second")]),
      Stage.reaction(.didAccept, times: 1, [Stage.call(.disconnect, on: "child")]),
      Stage.reaction(.didAccept, times: 1, [Stage.call(.release, on: "child2")]),
      Stage.reaction(.wantsRunLoop, times: 2, [.decide(.runLoop("worker"))]),
      Stage.reaction(.willConnect, of: "child3", times: 1, [.decide(.connect(false))]),
      Stage.reaction(.willConnect, of: "second", times: 1, [.hold(.milliseconds(1)), .decide(.connect(false))]),
      Stage.reaction(.didConnect, times: 2, [.hold(.milliseconds(1)), Stage.call(.disconnect, on: "second")]),
      Stage.reaction(
        .willDisconnect, of: "socket", times: 2, [Stage.call(read, on: "socket"), nested("default", on: "socket")]),
      Stage.reaction(.willDisconnect, of: "second", times: 1, [Stage.call(.disconnect, on: "second")]),
      Stage.reaction(.shouldTimeoutRead, times: 4, [.answer(TimeoutValue(seconds: 0.002))]),
      Stage.reaction(
        .didWrite, times: 2,
        [Stage.call(.write(WriteCommand(payload: .bytes([1, 2]), tag: 1 << 40)), on: "socket")]),
    ]
  }()

  mutating func act() {
    let index = Int(stage.random.pick(0...2))
    let command = index == 2 ? serverCommand() : clientCommand()
    let name = records[index].name
    let start = stage.events.count
    let result = stage.world.perform(command, on: name)
    // What a call brings about, or waits for, comes first.
    pass(.zero)
    switch (command, result) {
    case (.connect, .done), (.listen, .done):
      records[index].starts += 1
      records[index].isEnding = false
    case (_, .hung): stage.faults.append("\(name).\(command) hung after event \(start)")
    case (.runLoop(let command), .returned(true)): note(command.call, index)
    default: break
    }
    if records[index].ends > records[index].starts { stage.faults.append("\(name) ended more often than it started") }
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
    let choice = stage.random.pick(0...14)
    if let command = stage.clientCommand(choice) { return command }
    switch choice {
    case 11:
      return .setDelegate(stage.random.chance(0.2) && !isAlwaysHeard ? nil : "delegate\(stage.random.pick(0...2))")
    default: return runLoopCommand()
    }
  }

  private mutating func serverCommand() -> SubjectCommand {
    switch stage.random.pick(0...5) {
    case 0, 1, 2: .listen(ListenCommand(place: .anywhere(port: .free)))
    case 3: .disconnect
    case 4: .setDelegate(stage.random.chance(0.3) && !isAlwaysHeard ? nil : "delegate")
    default: runLoopCommand()
    }
  }

  private mutating func runLoopCommand() -> SubjectCommand {
    let mode = stage.random.chance(0.6) ? "default" : "private"
    let call: RunLoopCommand.Call =
      switch stage.random.pick(0...4) {
      case 0: .move(to: ["main", "worker", nil][Int(stage.random.pick(0...2))])
      case 1: .setModes(stage.random.chance(0.8) ? [mode] : [])
      case 2: .addMode(stage.random.chance(0.9) ? mode : nil)
      case 3: .removeMode(mode)
      default: .run(mode: mode, duration: .milliseconds(stage.random.pick(0...5)))
      }
    return .runLoop(RunLoopCommand(call))
  }

  mutating func take(_ event: WorldEvent) {
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
    if delivered.runLoop != record.loop { stage.faults.append("\(delivered) not on \(record.loop)") }
    if !record.modes.contains(delivered.mode ?? "") {
      stage.faults.append("\(delivered) in no mode of \(record.modes)")
    }
    if record.ends >= record.starts { stage.faults.append("\(delivered) after the end of every start") }
    switch delivered.callback {
    case .willDisconnect:
      if record.isEnding { stage.faults.append("a second willDisconnect") }
      records[index].isEnding = true
    case .didRead(let bytes, let tag):
      if bytes.isEmpty || tag <= record.lastRead { stage.faults.append("didRead \(tag) out of order, or empty") }
      if tag < 1 << 40 { records[index].lastRead = tag }
    case .didWrite(let tag) where tag < 1 << 40:
      if tag <= record.lastWrite { stage.faults.append("didWrite \(tag) out of order") }
      records[index].lastWrite = tag
    default:
      if record.isEnding { stage.faults.append("\(delivered) behind willDisconnect") }
    }
  }
}
