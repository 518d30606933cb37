import ScenarioModel
import ScenarioRunner
import Testing

/// A list of expectations that is written and empty.
@Suite struct NothingExpectedTests {
  @Test("an empty list that was written lets no callback pass, one that was not judges none", arguments: [true, false])
  func emptyList(isWritten: Bool) {
    var judge = Judge(
      scenario: scenario { $0.expectsNothing = isWritten }, profile: .documented,
      tolerance: Tolerance(early: .zero, late: .zero))
    judge.observe(callback(.didConnect(host: "127.0.0.1", port: 80), at: 5), index: 0)
    judge.finish()
    #expect(judge.deviations.map(\.kind) == (isWritten ? [.unexpected] : []))
  }
}
