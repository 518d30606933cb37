import Foundation
import ScenarioModel
import Testing

@testable import Requirements

/// The page of the coverage: everything is on it once, in order of need, and what comes from files is data.
@Suite struct CoveragePageTests {
  private static func page() throws -> String {
    let hostile = "<script>alert('1')</script> \\\"&"
    let register = try RegisterReader.register(
      of: [
        ("index", "areas: { WR: Writing, RD: Reading }\nsources: { S1: Wiki. }\n"),
        ("wr", "WR-01: { must: \"\(hostile)\", scope: any, sources: [S1] }\n"),
        (
          "rd",
          "RD-01: { must: Read., scope: gcd, sources: [S1], upstream: Waits., upstreamUnseen: A race. }\n"
            + "RD-02: { may: B., scope: any, sources: [S1] }\n"
        ),
      ].map { RegisterFile(path: "R/\($0).yaml", bytes: Array($1.utf8)) }, in: "R")
    let witness = ScenarioWitness(
      scenario: "read/\"line\"", path: "Scenarios/read/line.yaml", worlds: [.loopback, .simulated],
      last: .init(cases: 4, asExpected: 4, verdict: "passed"))
    let coverage = RequirementCoverage(
      register, scenarios: [(witness, ["RD-01"])],
      tests: [("RD-02", TestWitness(path: "Tests/A.swift", line: 7, name: "<b>"))], everyCase: [], kills: nil,
      lastRun: nil)
    return String(decoding: CoveragePage(coverage, register) { "../\($0)" }.bytes, as: UTF8.self)
  }

  @Test func everyRequirementStandsOnItOnceWhatIsOpenFirst() throws {
    let page = try Self.page()
    let places = ["WR-01", "RD-01", "RD-02"].map { id in page.ranges(of: "id=\"\(id)\"") }
    #expect(places.map(\.count) == [1, 1, 1])
    let starts = places.compactMap { $0.first?.lowerBound }
    #expect(starts == starts.sorted())
    for part in [
      "Musts without one: 1.", "<li>The original: Waits. No scenario shows it. A race.</li>", "passed, 4 of 4",
      "GCDAsyncSocket",
    ] {
      #expect(page.contains(part), "\(part)")
    }
  }

  /// A page of one requirement, which this scenario cites.
  private static func page(asExpected: Int?) throws -> String {
    let register = try RegisterReader.register(
      of: [
        ("index", "areas: { WR: Writing }\nsources: { S1: Wiki. }\n"),
        ("wr", "WR-01: { must: Write., scope: any, sources: [S1] }\n"),
      ].map { RegisterFile(path: "R/\($0).yaml", bytes: Array($1.utf8)) }, in: "R")
    let witnesses = asExpected.map { count in
      ScenarioWitness(
        scenario: "write/a", path: "a.yaml", worlds: [.loopback, .simulated],
        last: .init(cases: 4, asExpected: count, verdict: count < 4 ? "failed" : "passed"))
    }
    let coverage = RequirementCoverage(
      register, scenarios: witnesses.map { [($0, ["WR-01"])] } ?? [], tests: [], everyCase: [], kills: nil,
      lastRun: nil)
    return String(decoding: CoveragePage(coverage, register) { $0 }.bytes, as: UTF8.self)
  }

  @Test func whatIsMissingOrFailsIsRed() throws {
    let rows: [(asExpected: Int?, tone: String, words: [String])] = [
      (
        4, "passed",
        ["<div class=\"verdict good\">", "Every must has one.", "<b class=\"badge passed\">passed, 4 of 4</b>"]
      ),
      (
        3, "failed",
        ["A scenario that cites it failed in the last run", "<b class=\"badge failed\">failed, 3 of 4</b>"]
      ),
      (0, "failed", ["<b class=\"badge failed\">failed, 0 of 4</b>"]),
      (nil, "failed", ["<div class=\"verdict look\">", "Musts without one: 1."]),
    ]
    for (asExpected, tone, words) in rows {
      let page = try Self.page(asExpected: asExpected)
      #expect(page.ranges(of: "<details class=\"panel \(tone)\">").count == 1, "\(asExpected ?? -1)")
      for word in words { #expect(page.contains(word), "\(word)") }
    }
  }

  @Test func everyWitnessIsALinkToItsFile() throws {
    let page = try Self.page()
    let links = page.matches(of: /href="([^"]*)"/).map { String($0.output.1) }
    #expect(
      Set(links) == ["../Scenarios/read/line.yaml", "../Tests/A.swift", "../R/wr.yaml", "../R/rd.yaml"])
  }

  @Test func textsAreData() throws {
    let page = try Self.page()
    #expect(!page.contains("<script>alert") && page.contains("&lt;script&gt;alert"))
    #expect(page.contains("read/&quot;line&quot;") && page.contains("&lt;b&gt;"))
  }
}
