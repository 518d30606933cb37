import Foundation
import HostTools
import RunReports
import ScenarioModel
import SuiteRunner
import TerminalText

/// Tells whether programs were judged as the library that comes with the lab is.
enum SubjectAgreement {
  /// More cases than these are not printed.
  private static let maxShown = 20

  /// Puts into the outcome that the programs do not agree with the library, or that it could not be found out.
  ///
  /// An interrupt ends the search: what was not seen to agree by then counts as different, and the reports are written.
  static func check(_ outcome: inout SuiteOutcome, of run: SuiteRun) {
    let stop = StopFlag()
    let interrupts = InterruptWatch(flag: stop)
    defer { interrupts.end() }
    let report = outcome.report
    do {
      if try holds(report, replay: { try run.replay($0, stop: stop) }) { return }
      outcome.fellShort(RunShortfall(.disagreement, "the subjects do not agree with the library case by case"))
    } catch {
      Console.error(error.localizedDescription)
      outcome.fellShort(RunShortfall(.disagreement, "whether the subjects agree could not be found out"))
    }
  }

  /// Prints what differs and still does when it is played again, and returns whether nothing does; without a single
  /// case that can be compared there is no agreement.
  static func holds(_ report: RunReport, replay: ([CaseResult]) throws -> [CaseResult]) throws -> Bool {
    let programs = Set(report.cases.compactMap { $0.variant.program == nil ? nil : $0.variant.label }).sorted()
    if programs.isEmpty { Console.error("No program was judged that could agree with the library.") }
    for facts in report.leftOut { Console.error("\(facts.name) was left out, and has agreed in nothing.") }
    return try programs.map { try holds($0, report.cases, replay) }.allSatisfy { $0 } && !programs.isEmpty
      && report.leftOut.isEmpty
  }

  private static func holds(
    _ program: SubjectLabel, _ cases: [CaseResult], _ replay: ([CaseResult]) throws -> [CaseResult]
  ) throws -> Bool {
    let reference = SubjectLabel(program.kind)
    let (found, compared) = SubjectMatrix.disagreements(cases, between: reference, and: program)
    let count = QuantityText.count(compared, "case")
    guard compared > 0 else {
      Console.print(
        Console.styled("\(program.name) and \(reference.name) have no case in common that could agree", .bad))
      return false
    }
    let pairs = try AgreementCheck.lasting(
      found.map { .init(library: cases[$0.left], program: cases[$0.right]) }, replay: replay)
    let chance = found.count - pairs.count
    if chance > 0 {
      Console.print("\(QuantityText.count(chance, "difference")) did not show again when both were played alone")
    }
    guard !pairs.isEmpty else {
      Console.print("\(program.name) and \(reference.name) agree in \(count)")
      return true
    }
    Console.print(
      Console.styled("\(program.name) and \(reference.name) differ in \(pairs.count) of \(count)", .bad))
    for pair in pairs.prefix(maxShown) {
      let (one, other) = (pair.library, pair.program)
      Console.print("  \(other.name): \(other.verdict.rawValue), and \(reference.name) \(one.verdict.rawValue)")
      if let deviation = (other.deviations + one.deviations).first {
        Console.print("    expected \(Console.visible("\(deviation.expected); \(deviation.actual)"))")
      }
      Console.print("    \(Console.visible(ReproCommand.text(other)))")
    }
    if pairs.count > maxShown { Console.print("  and \(pairs.count - maxShown) more") }
    return false
  }
}
