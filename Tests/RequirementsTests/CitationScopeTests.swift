import ScenarioYAML
import Testing

@testable import Requirements

/// A scenario cites what binds the classes that play it.
@Suite struct CitationScopeTests {
  private static let area = """
    WR-01: { must: One., scope: any, sources: [S1] }
    WR-02: { must: Two., scope: gcd, sources: [S1] }
    WR-03: { must: Three., scope: run-loop, sources: [S1] }

    """

  @Test(arguments: [
    ("[gcd]", ["3:23"]), ("[run-loop]", ["3:23"]), ("[gcd, run-loop]", []), (nil, []),
  ])
  func whatBindsNobodyWhoPlaysIsRefused(_ subjects: String?, _ places: [String]) throws {
    let texts = ["index": "areas: { WR: Writing }\nsources: { S1: The wiki. }\n", "wr": Self.area]
    let files = texts.map { RegisterFile(path: "Requirements/\($0).yaml", bytes: Array($1.utf8)) }
    let register = try RegisterReader.register(of: files, in: "Requirements")
    let matrix = subjects.map { "matrix: { subject: \($0) }" } ?? "tags: [own]"
    let cited = subjects == "[run-loop]" ? "[WR-01, WR-02]" : "[WR-01, WR-03]"
    let text = "title: t\n\(matrix)\nrequirements: \(cited)\npeer: [accept]\nsubject: [connect]\nexpect: [connected]\n"
    let result = ScenarioReader.read(
      bytes: Array(text.utf8), id: "a", citations: register.citations, file: { _ in nil })
    #expect(result.diagnostics.map { "\($0.position.line):\($0.position.column)" } == places, "\(result.diagnostics)")
    #expect(result.diagnostics.allSatisfy { $0.code == "bad-requirement" })
  }
}
