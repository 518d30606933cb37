import HostTools
import RunReports
import ScenarioModel
import TerminalText

/// Whether programs were judged as the library that comes with the lab is, case by case: what is proved of the protocol
/// that way is that nothing gets lost in it.
enum SubjectAgreement {
  /// More cases than these are not printed.
  private static let maxShown = 20

  /// Prints what differs, and returns whether nothing does; without a single case that can be compared there is no
  /// agreement.
  static func holds(_ report: RunReport) -> Bool {
    let programs = Set(report.cases.compactMap { $0.variant.program == nil ? nil : $0.variant.label }).sorted()
    if programs.isEmpty { Console.error("No program was judged that could agree with the library.") }
    return !programs.isEmpty && programs.map { holds($0, report.cases) }.allSatisfy { $0 }
  }

  private static func holds(_ program: SubjectLabel, _ cases: [CaseResult]) -> Bool {
    let reference = SubjectLabel(program.kind)
    let (pairs, compared) = SubjectMatrix.disagreements(cases, between: reference, and: program)
    let count = QuantityText.count(compared, "case")
    guard !pairs.isEmpty || compared == 0 else {
      Console.print("\(program.name) and \(reference.name) agree in \(count)")
      return true
    }
    Console.print(
      Console.styled("\(program.name) and \(reference.name) differ in \(pairs.count) of \(count)", .bad))
    for pair in pairs.prefix(maxShown) {
      let (one, other) = (cases[pair.left], cases[pair.right])
      Console.print("  \(other.name): \(other.verdict.rawValue), and \(reference.name) \(one.verdict.rawValue)")
      if let deviation = (other.deviations + one.deviations).first {
        Console.print("    expected \(deviation.expected); \(deviation.actual)")
      }
      Console.print("    \(ReproCommand.text(other))")
    }
    if pairs.count > maxShown { Console.print("  and \(pairs.count - maxShown) more") }
    return false
  }
}
