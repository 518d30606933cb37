import ScenarioModel
import ScenarioYAML
import Testing

@testable import Requirements

/// Which of the original's own ways scenarios show.
@Suite struct UpstreamCoverageTests {
  private static let area = """
    WR-01: { must: One., upstream: Other., scope: any, sources: [S1] }
    WR-02: { must: Two., upstream: Other., upstreamUnseen: Nobody looks., scope: any, sources: [S1] }
    WR-03: { must: Three., scope: any, sources: [S1] }

    """

  private static func sight(_ expectations: [String], canary: Bool = false) throws -> UpstreamCoverage {
    let texts = ["index": "areas: { WR: Writing }\nsources: { S1: The wiki. }\n", "wr": area]
    let files = texts.map { RegisterFile(path: "Requirements/\($0).yaml", bytes: Array($1.utf8)) }
    let register = try RegisterReader.register(of: files, in: "Requirements")
    let scenarios = try zip(["WR-01", "WR-02", "WR-03"], expectations).map { id, expectation in
      let text = """
        title: t
        requirements: [\(id)]
        canary: \(canary)
        peer: [accept]
        subject: [connect]
        expect: [\(expectation)]
        """
      let result = ScenarioReader.read(
        bytes: Array(text.utf8), id: "a", citations: register.citations, file: { _ in nil })
      return try #require(result.scenario, "\(result.diagnostics)")
    }
    return UpstreamCoverage(register, scenarios: scenarios)
  }

  private static let forOriginal = "oneOf: [[didConnect], { profile: upstream, events: [] }]"

  @Test func whatNothingShowsNeedsAReason() throws {
    let sight = try Self.sight(["didConnect", "didConnect", "didConnect"])
    #expect(sight.unexplained == ["WR-01"])
  }

  @Test func whatIsShownNeedsNone() throws {
    let sight = try Self.sight([Self.forOriginal, Self.forOriginal, Self.forOriginal])
    #expect(sight.unexplained == [])
  }

  @Test(
    "an alternative counts wherever it stands, and no other one does",
    arguments: [
      ("anyOrder: [\(forOriginal)]", true), ("oneOf: [[\(forOriginal)], [didConnect]]", true),
      ("oneOf: [[didConnect], { profile: documented, events: [] }]", false),
      ("oneOf: [[didConnect], { grade: nonStrict, events: [] }]", false),
    ])
  func places(_ expectation: String, _ counts: Bool) throws {
    let sight = try Self.sight([expectation, "didConnect", "didConnect"])
    #expect(sight.unexplained == (counts ? [] : ["WR-01"]))
  }

  @Test func aCanaryShowsNothing() throws {
    let sight = try Self.sight([Self.forOriginal, "didConnect", "didConnect"], canary: true)
    #expect(sight.unexplained == ["WR-01"])
  }
}
