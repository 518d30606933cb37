import Foundation
import FuzzHarness
import FuzzPrograms
import ReferenceModel
import ScenarioModel
import ScenarioYAML
import Testing

@Suite struct FindingTests {
  private func target(_ name: String) throws -> FuzzTarget { try #require(FuzzTarget.named(name)) }

  @Test func findingSaysWhereItComesFrom() throws {
    var program = SocketProgram()
    program.room = 3
    program.steps = [.call(.write([65, 66], timeout: nil)), .makeRoom(7), .wait(20)]
    let input = try #require(ProgramCode.named("writequeue")?.write(program))
    let text = try FindingScenario.text(
      target: target("writequeue"), input: input, id: "found/a", violation: Violation("INV-05", "lost\n  - b: c"))
    let read = ScenarioReader.read(text, id: "found/a")
    #expect(read.scenario?.requirements == ["INV-05"], "\(read.diagnostics)\n\(text)")
    let comments = text.split(separator: "\n").filter { $0.hasPrefix("#") }
    #expect(comments.first?.contains("schema.json") == true)
    for piece in ["writequeue", "INV-05: lost", "it took 3 bytes at first", "is a second here"] {
      #expect(comments.contains { $0.contains(piece) }, "\(piece): \(comments)")
    }
  }

  @Test func lawsOfATargetAreNoRequirements() throws {
    let told = try FindingScenario.scenario(
      target: target("runner"), input: [], id: "found/a", violation: Violation("runner/trace", "x"))
    #expect(told.scenario.requirements == ["INV-03"])
    #expect(told.scenario.title.contains("runner/trace"))
  }

  @Test(arguments: FuzzTarget.all.filter(\.tellsScenarios).map(\.name)) func everyTellingTargetTells(name: String)
    throws
  {
    for length in 0..<64 {
      let input = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length) }
      let text = try FindingScenario.text(target: target(name), input: input, id: "found/a")
      let read = ScenarioReader.read(text, id: "found/a")
      #expect(read.scenario != nil, "\(read.diagnostics)\n\(text)")
    }
  }

  @Test(arguments: FuzzTarget.all.filter { !$0.tellsScenarios }.map(\.name)) func othersSayWhyNot(name: String) throws {
    #expect(throws: FindingScenario.Obstacle.noProgram(target: name)) {
      try FindingScenario.text(target: target(name), input: [1], id: "x")
    }
  }

  // MARK: Seeds

  private static func scenarios() throws -> [Scenario] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Scenarios/read")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".yaml") }
    return try names.sorted().compactMap { name in
      let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      return ScenarioReader.read(text, id: "read/" + name.dropLast(5)).scenario
    }
  }

  @Test(arguments: ["scenario", "readqueue", "writequeue", "connection", "runner"])
  func scenariosBecomeSeeds(name: String) throws {
    let target = try target(name)
    let scenarios = try Self.scenarios()
    let made = SeedMaker.seeds(for: target, from: scenarios)
    #expect(
      made.seeds.count > (name == "writequeue" ? 5 : 20),
      "\(made.seeds.count) of \(scenarios.count): \(made.omissions.prefix(5))")
    #expect(Set(made.seeds.map(\.bytes)).count == made.seeds.count)
    #expect(made.seeds.allSatisfy { $0.bytes.count <= target.maxLength && !$0.name.contains("/") })
    #expect(made.omissions.allSatisfy { !$0.reason.isEmpty })
  }

  @Test func otherTargetsTakeNoScenarios() throws {
    let made = SeedMaker.seeds(for: try target("scanner"), from: try Self.scenarios())
    #expect(made.seeds.isEmpty && !made.omissions.isEmpty)
  }

  @Test func whyAScenarioIsNoProgram() throws {
    func obstacle(_ text: String) throws -> ScenarioProgram.Obstacle? {
      let scenario = try #require(
        ScenarioReader.read("title: x\nrequirements: [INV-01]\n\(text)", id: "x").scenario)
      guard case .failure(let obstacle) = ScenarioProgram.program(scenario) else { return nil }
      return obstacle
    }
    #expect(
      try obstacle("worlds: { only: loopback, because: x }\npeer: [accept]\nsubject: [connect]") == .runsElsewhere)
    #expect(try obstacle("peer: [accept, tls]\nsubject: [connect, startTLS: { peerName: good.example }]") == .speaksTLS)
    #expect(try obstacle("peer: [refuse]\nsubject: [connect]") == .neverConnects)
    #expect(try obstacle("peer: [accept, accept]\nsubject: [connect, other.connect]") == .severalSockets)
    #expect(
      try obstacle("peer: [accept, send: { pattern: { seed: 1, size: 5000B } }]\nsubject: [connect]") == .tooLarge(5000)
    )
    #expect(try obstacle("peer: [accept, send: x]\nsubject: [connect, read]") == nil)
  }
}
