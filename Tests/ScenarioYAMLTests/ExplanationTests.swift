import ScenarioModel
import ScenarioYAML
import Testing

@Suite struct ExplanationTests {
  @Test(arguments: LintCode.allCases) func explainsItself(code: LintCode) {
    #expect(code.explanation.hasPrefix("\(code.rawValue) (\(code.severity.rawValue))\n"))
    #expect(code.details.meaning != "No more is known about it.")
    #expect(!code.rawValue.isEmpty && code.rawValue.utf8.allSatisfy { $0 == 0x2D || $0 >= 0x30 })
  }

  @Test(arguments: LintCode.allCases) func wrongExampleEarnsTheCode(code: LintCode) throws {
    guard let wrong = code.details.wrong else { return }
    let result = Fixture.read(Fixture.file(wrong))
    #expect(result.diagnostics.map(\.code).contains(code.rawValue), "\(result.diagnostics)")
    #expect(result.scenarios.isEmpty == (code.severity == .error))
  }

  @Test(arguments: LintCode.allCases) func rightExampleIsClean(code: LintCode) throws {
    guard let right = code.details.right else { return }
    let result = Fixture.read(Fixture.file(right))
    #expect(result.diagnostics.isEmpty)
    #expect(!result.scenarios.isEmpty)
  }
}
