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

  private func expectToComeBack(_ scenario: Scenario) {
    let text = ScenarioWriter.yaml(scenario)
    let back = ScenarioReader.read(text, id: scenario.id)
    let path = DiagnosticPrinter(path: "written.yaml", source: text)
    #expect(back.scenario != nil, "\(path.text(back.diagnostics))\n\(text)")
    #expect(dump(back.scenario) == dump(scenario), "\(text)")
    if let scenario = back.scenario { #expect(ScenarioWriter.yaml(scenario) == text) }
  }
}
