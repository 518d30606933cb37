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
  enum Spoil: CaseIterable { case swallowsWrites, doublesReads, flipsABit, renumbers, hidesErrors }

  let spoil: Spoil
  private var world = SimulatedWorld()
  private var again: WorldEvent?

  init(spoil: Spoil) { self.spoil = spoil }

  var name: WorldName { world.name }
  var now: Duration { world.now }
  var lateness: Duration { world.lateness }

  mutating func open(_ setup: CaseSetup) throws(CaseObstacle) { try world.open(setup) }
  mutating func perform(_ command: SubjectCommand, on socket: String) -> CommandResult {
    world.perform(command, on: socket)
  }
  mutating func read(_ property: SubjectProperty, name: String?, of socket: String) -> PropertyValue {
    world.read(property, name: name, of: socket)
  }
  func port(_ reference: PortReference) -> UInt16? { world.port(reference) }
  mutating func perform(_ action: PeerAction, by peer: String) { world.perform(action, by: peer) }
  mutating func close() -> [String] { world.close() }

  mutating func nextEvent(before deadline: Duration) -> WorldEvent? {
    if let event = again {
      again = nil
      return event
    }
    while let event = world.nextEvent(before: deadline) {
      guard case .callback(var delivered) = event.kind else { return event }
      var spoiled = event
      switch (spoil, delivered.callback) {
      case (.swallowsWrites, .didWrite): continue
      case (.doublesReads, .didRead): again = event
      case (.flipsABit, .didRead(var bytes, let tag)) where !bytes.isEmpty:
        bytes[bytes.count - 1] ^= 1
        delivered.callback = .didRead(bytes: bytes, tag: tag)
      case (.renumbers, .didRead(let bytes, let tag)): delivered.callback = .didRead(bytes: bytes, tag: tag + 1)
      case (.hidesErrors, .didDisconnect): delivered.callback = .didDisconnect(nil)
      default: break
      }
      spoiled.kind = .callback(delivered)
      return spoiled
    }
    return nil
  }
}
