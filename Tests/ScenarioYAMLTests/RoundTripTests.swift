import ScenarioModel
import ScenarioYAML
import Testing

@Suite struct RoundTripTests {
  @Test(arguments: Samples.all) func sampleIsGood(sample: Samples.Sample) {
    let result = Fixture.read(Fixture.file(sample.fragment))
    #expect(result.diagnostics.isEmpty)
    #expect(result.scenario != nil)
  }

  @Test(arguments: Samples.all) func sampleComesBack(sample: Samples.Sample) throws {
    let scenario = try #require(Fixture.read(Fixture.file(sample.fragment)).scenario)
    expectToComeBack(scenario)
  }

  @Test(arguments: 0..<300) func generatedScenarioComesBack(seed: Int) {
    var generator = ScenarioGenerator(seed: UInt64(seed))
    expectToComeBack(generator.scenario())
  }

  /// What a check compares with stays as short as its author wrote it.
  @Test func aLargeBufferIsPrintedShort() throws {
    let check = "check: { buffer.page: { pattern: { seed: 1, size: 60MiB } } }"
    let file = Fixture.file(
      "subject:\n  - connect\n  - read: { tag: 1, buffer: { name: page, size: 9B } }\n  - \(check)")
    let scenario = try #require(Fixture.read(file).scenario)
    #expect(ScenarioWriter.yaml(scenario).utf8.count < 1000)
    expectToComeBack(scenario)
  }

  private func expectToComeBack(_ scenario: Scenario) {
    let text = ScenarioWriter.yaml(scenario)
    let back = ScenarioReader.read(text, id: scenario.id)
    let path = DiagnosticPrinter(path: "written.yaml", source: text)
    #expect(back.scenario != nil, "\(path.text(back.diagnostics))\n\(text)")
    // The order in which a set is dumped is not its own.
    var (read, written) = (back.scenario, scenario)
    #expect(read?.schedule == written.schedule, "\(text)")
    read?.schedule = nil
    written.schedule = nil
    #expect(dump(read) == dump(written), "\(text)")
    if let scenario = back.scenario { #expect(ScenarioWriter.yaml(scenario) == text) }
  }
}
