import FuzzHarness
import FuzzPrograms
import ReferenceModel
import ScenarioModel
import ScenarioRunner
import Simulation
import SimulationFuzzing
import Testing

@Suite struct RunnerTests {
  private func input(_ seed: Int) -> [UInt8] { RandomInput.bytes(8 + seed % 90, seed: seed) }

  @Test(arguments: 0..<200) func randomInputsPass(seed: Int) {
    let violation = input(seed).withUnsafeBytes { RunnerFuzzing.body($0) }
    #expect(violation == nil, "\(violation?.description ?? "")")
  }

  private func law(_ spoil: BrokenWorld.Spoil) -> Set<String> {
    var found: Set<String> = []
    for seed in 0..<200 {
      let violation = input(seed).withUnsafeBytes { bytes in
        RunnerFuzzing.check(bytes, world: { BrokenWorld(spoil: spoil) })
      }
      if let violation { found.insert(violation.invariant) }
    }
    return found
  }

  @Test(arguments: BrokenWorld.Spoil.allCases) func brokenWorldIsFound(spoil: BrokenWorld.Spoil) {
    #expect(law(spoil).contains("runner/trace"))
  }
}

/// The simulated world with one thing wrong in it.
struct BrokenWorld: World {
  enum Spoil: CaseIterable {
    case swallowsWrites, doublesReads, flipsABit, renumbers, hidesErrors
    case renumbersWrites, doublesEnds, asksLate, asksOfMore, losesSentBytes, changesSentBytes
  }

  let spoil: Spoil
  private var world = SimulatedWorld()
  private var again: WorldEvent?

  init(spoil: Spoil) { self.spoil = spoil }

  var name: WorldName { world.name }
  var now: Duration { world.now }
  var lateness: Duration { world.lateness }
  var processorWait: Duration { world.processorWait }

  mutating func open(_ setup: CaseSetup) throws(CaseObstacle) { try world.open(setup) }
  mutating func perform(_ command: SubjectCommand, on socket: String) -> CommandResult {
    world.perform(command, on: socket)
  }
  mutating func read(_ property: SubjectProperty, name: String?, of socket: String) -> PropertyValue? {
    world.read(property, name: name, of: socket)
  }
  func port(_ reference: PortReference) -> UInt16? { world.port(reference) }
  mutating func perform(_ action: PeerAction, by peer: String) { world.perform(action, by: peer) }
  mutating func close() -> [ClosingRemark] { world.close() }

  mutating func nextEvent(before deadline: Duration) -> WorldEvent? {
    if let event = again {
      again = nil
      return event
    }
    while let event = world.nextEvent(before: deadline) {
      var spoiled = event
      if case .peer(let peer, .received(var bytes)) = event.kind, !bytes.isEmpty {
        if spoil == .losesSentBytes { continue }
        if spoil == .changesSentBytes { bytes[0] ^= 1 }
        spoiled.kind = .peer(peer, .received(bytes))
        return spoiled
      }
      guard case .callback(var delivered) = event.kind else { return event }
      switch (spoil, delivered.callback) {
      case (.swallowsWrites, .didWrite): continue
      case (.doublesReads, .didRead), (.doublesEnds, .didDisconnect): again = event
      case (.flipsABit, .didRead(var bytes, let tag)) where !bytes.isEmpty:
        bytes[bytes.count - 1] ^= 1
        delivered.callback = .didRead(bytes: bytes, tag: tag)
      case (.renumbers, .didRead(let bytes, let tag)): delivered.callback = .didRead(bytes: bytes, tag: tag + 1)
      case (.renumbersWrites, .didWrite(let tag)): delivered.callback = .didWrite(tag: tag + 1)
      case (.asksLate, .shouldTimeoutRead(let tag, let elapsed, let done)):
        delivered.callback = .shouldTimeoutRead(tag: tag, elapsed: elapsed + 0.001, bytesDone: done)
      case (.asksOfMore, .shouldTimeoutRead(let tag, let elapsed, let done)):
        delivered.callback = .shouldTimeoutRead(tag: tag, elapsed: elapsed, bytesDone: done + 1)
      case (.hidesErrors, .didDisconnect): delivered.callback = .didDisconnect(nil)
      default: break
      }
      spoiled.kind = .callback(delivered)
      return spoiled
    }
    return nil
  }
}
