import CaseReduction
import HostTools
import ScenarioFiles
import ScenarioModel
import ScenarioRunner
import ScenarioYAML
import Simulation
import Testing

/// What is left of a scenario is right: a sound socket passes it.
@Suite struct ScenarioUnitsTests {
  static let library = Result { try ScenarioLibrary(folder: "Scenarios") }

  private static let story = """
    title: two lines and an answer
    requirements: [RD-DELIM-04]
    peer:
      - accept
      - send: "a\\r\\nbc\\r\\n"
      - expect: "xyz"
      - close
    subject:
      - connect
      - after: didConnect
      - read: { through: crlf, tag: 1 }
      - read: { through: crlf, tag: 2 }
      - write: { bytes: "xyz", tag: 3 }
    expect:
      - didConnect
      - didRead: { bytes: "a\\r\\n", tag: 1 }
      - didRead: { bytes: "bc\\r\\n", tag: 2 }
      - didWrite: { tag: 3 }
      - didDisconnect: { error: Closed }
    ending: peer fin
    """

  private func scenario(_ text: String) throws -> Scenario {
    let result = ScenarioReader.read(text, id: "test")
    return try #require(result.scenario, "\(result.diagnostics)")
  }

  @Test("a read goes with its callback and its bytes, and nothing else does") func oneRead() throws {
    let units = ScenarioUnits(try scenario(Self.story.replacing("crlf", with: "\"\\r\\n\"")))
    let texts = units.removable.map { ScenarioWriter.yaml(units.scenario(without: [$0])) }
    let withoutFirst = texts.first { !$0.contains("tag: 1") }
    let text = try #require(withoutFirst)
    #expect(text.contains("send: \"bc\\r\\n\""), "\(text)")
    #expect(text.contains("tag: 2") && text.contains("tag: 3") && text.contains("close"), "\(text)")
  }

  @Test("the end goes with what is expected of it") func theEnd() throws {
    let units = ScenarioUnits(try scenario(Self.story.replacing("crlf", with: "\"\\r\\n\"")))
    for unit in units.removable {
      let rest = units.scenario(without: [unit])
      let closes = rest.peers[0].steps.contains { $0.value == .close }
      #expect(closes == (rest.ending != nil))
      #expect(closes == ScenarioWriter.yaml(rest).contains("didDisconnect"))
    }
  }

  @Test("a wait goes only where nothing depends on time") func waits() throws {
    let text = Self.story.replacing("crlf", with: "\"\\r\\n\"")
    let units = ScenarioUnits(try scenario(text))
    let ordering = units.removable.filter { !units.admits(without: [$0]) }
    #expect(!ordering.isEmpty)
    let all = Set(units.removable)
    #expect(units.admits(without: all))
    let rest = units.scenario(without: all)
    #expect(rest.peers[0].steps.map(\.value) == [.accept])
    #expect(rest.expectations.count == 1)
  }

  @Test("random units left out of scenarios leave ones that pass, but for a few odd ones")
  func soundness() throws {
    var random = SeededRandom(seed: 7)
    var tried = 0
    var wrong: [String] = []
    let all = try Self.library.get().scenarios.filter { $0.worlds.contains(.simulated) && !$0.canary }
    for scenario in stride(from: 0, to: all.count, by: 4).map({ all[$0] }) {
      guard let variant = scenario.variants.first, variant.subject == .gcd else { continue }
      let units = ScenarioUnits(scenario)
      let removable = units.removable
      guard !removable.isEmpty else { continue }
      for share in [0.3, 0.8] {
        let left = Set(removable.filter { _ in random.chance(share) })
        guard !left.isEmpty, units.admits(without: left) else { continue }
        let rest = units.scenario(without: left)
        guard ScenarioReader.read(ScenarioWriter.yaml(rest), id: rest.id).scenario != nil else { continue }
        tried += 1
        var world = SimulatedWorld()
        let result = CaseRunner.run(
          rest, variant: variant, seed: 1, profile: .documented, in: &world, tolerance: .simulated)
        if !result.isAsExpected {
          let deviation = result.deviations.first.map { "\($0.kind): \($0.expected); \($0.actual)" }
          wrong.append("\(scenario.id): \(deviation ?? result.reason ?? result.verdict.rawValue)")
        }
      }
    }
    #expect(tried > 100, "\(tried)")
    #expect(wrong.count * 25 <= tried, "\(wrong.count) of \(tried):\n\(wrong.joined(separator: "\n"))")
  }
}
