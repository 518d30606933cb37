import FuzzHarness
import ScenarioModel
import ScenarioYAML
import Testing

@testable import TextFuzzing

@Suite struct ScenarioTests {
  private static let good = """
    title: x
    requirements: [RD-LEN-01]
    peer:
      - accept
      - send: "abc"
    subject:
      - connect
      - read: { length: 3B, timeout: 5s, tag: 1 }
      - check: { isConnected: true }
    expect:
      - didConnect
      - didRead: { tag: 1, bytes: "abc" }
    ending: open

    """

  private func law(_ text: String, writing: (Scenario) -> String = ScenarioWriter.yaml) -> String? {
    Array(text.utf8).withUnsafeBytes { ScenarioFuzzing.check($0, writing: writing)?.invariant }
  }

  @Test(arguments: ["", "a", "[", "title: x", "\u{FEFF}", "\u{FEFF}a\r\n\u{85}b\u{2028}- c: [", good, good + "x: y"])
  func textsPass(text: String) { #expect(law(text) == nil) }

  // MARK: What a broken printer does

  @Test func printerThatLosesATagIsFound() {
    #expect(law(Self.good) { ScenarioWriter.yaml($0).replacing(", tag: 1", with: "") } == "scenario/print")
  }

  @Test func printerThatMakesNonsenseIsFound() {
    #expect(law(Self.good) { _ in "nonsense" } == "scenario/print")
  }

  @Test func printerThatIsNeverAtRestIsFound() {
    var calls = 0
    #expect(
      law(Self.good) {
        calls += 1
        return ScenarioWriter.yaml($0) + String(repeating: "\n", count: calls)
      } == "scenario/print")
  }

  @Test func printerThatBlowsUpIsFound() {
    #expect(
      law(Self.good) { ScenarioWriter.yaml($0) + "#" + String(repeating: "x", count: 20_000) } == "scenario/proportion")
  }

  // MARK: What a broken reader does

  private func law(_ diagnostics: [Diagnostic], scenario: Bool = false, _ text: String = "ab\ncd") -> String? {
    var result = ScenarioReader.read("", id: "x")
    result.scenarios = scenario ? [Scenario(id: "x", title: "x")] : []
    result.diagnostics = diagnostics
    return ScenarioFuzzing.check(result, of: Array(text.utf8))?.invariant
  }

  private func remark(_ line: Int, _ column: Int, code: LintCode = .unknownKey, message: String = "x") -> Diagnostic {
    Diagnostic(
      code: code.rawValue, severity: code.severity, position: SourcePosition(line: line, column: column),
      message: message)
  }

  @Test func placesInsideAreFine() {
    #expect(law([remark(1, 1), remark(1, 3), remark(2, 1), remark(2, 3)]) == nil)
    #expect(law([remark(3, 1)], "ab\ncd\n") == nil)
    #expect(law([remark(2, 2)], "a\r\nb") == nil)
    #expect(law([remark(1, 2)], "\u{FEFF}a") == nil)
  }

  @Test(arguments: [(0, 1), (1, 0), (1, 4), (3, 1), (2, 4), (-1, -1)]) func placesOutsideAreFound(
    line: Int, column: Int
  ) {
    #expect(law([remark(line, column)]) == "scenario/place")
  }

  @Test func disorderIsFound() { #expect(law([remark(2, 1), remark(1, 1)]) == "scenario/place") }

  @Test func refusalWithoutReasonIsFound() {
    #expect(law([]) == "scenario/answer")
    #expect(law([remark(1, 1)], scenario: true) == "scenario/answer")
    #expect(law([remark(1, 1, code: .judgesNothing)]) == "scenario/answer")
  }

  @Test func wordlessRemarkIsFound() {
    #expect(law([remark(1, 1, message: "")]) == "scenario/words")
    var unknown = remark(1, 1)
    unknown.code = "no-such-code"
    #expect(law([unknown]) == "scenario/words")
  }

  // MARK: The mutator

  @Test func mutatorIsDeterministicAndKeepsTheLimit() {
    let text = Array(Self.good.utf8)
    for seed in 0..<500 {
      let once = ScenarioMutator.mutated(text, limit: 300, seed: UInt64(seed))
      #expect(once == ScenarioMutator.mutated(text, limit: 300, seed: UInt64(seed)))
      #expect(once.count <= 300)
    }
    #expect(ScenarioMutator.mutated([], limit: 10, seed: 1).count <= 10)
  }

  /// Else it would be no better than bytes changed at random.
  @Test func mutantsOftenAreScenarios() {
    var accepted = 0
    var texts: Set<[UInt8]> = []
    for seed in 0..<500 {
      let mutant = ScenarioMutator.mutated(Array(Self.good.utf8), limit: 4096, seed: UInt64(seed))
      texts.insert(mutant)
      if ScenarioReader.read(bytes: mutant, id: "x", file: { _ in nil }).scenario != nil { accepted += 1 }
      #expect(mutant.withUnsafeBytes { ScenarioFuzzing.body($0) } == nil)
    }
    #expect(texts.count > 400)
    #expect(accepted > 50, "\(accepted)")
  }

  /// Each is a step or expectation of the language in some place.
  @Test(arguments: ScenarioMutator.steps) func stepsOfTheMutatorAreSteps(step: String) {
    let misplaced: Set<String> = [
      "unknown-step", "unknown-callback", "unknown-key", "syntax", "bad-quantity", "missing-key",
    ]
    let flow = step.contains(": ") ? "{ \(step) }" : step
    let frames = [
      "peer: [accept, tls, \(flow)]\nsubject: [connect]", "subject: [connect, \(flow)]",
      "subject: [connect]\nexpect: [\(flow)]", "subject: [connect]\nreactions: [{ when: didConnect, do: [\(flow)] }]",
    ]
    let best = frames.map { frame in
      let codes = ScenarioReader.read("title: x\nrequirements: [RD-LEN-01]\n\(frame)", id: "x").diagnostics.map(\.code)
      return codes.filter(misplaced.contains)
    }
    #expect(best.contains([]), "\(step): \(best)")
  }

  @Test(arguments: ScenarioMutator.sections) func sectionsOfTheMutatorAreSections(section: String) {
    let codes = ScenarioReader.read("title: x\nrequirements: [RD-LEN-01]\n\(section)", id: "x").diagnostics.map(\.code)
    #expect(
      Set(codes).isDisjoint(with: ["unknown-key", "unknown-word", "syntax", "unknown-ending", "wrong-type"]), "\(codes)"
    )
  }
}
