import CaseReduction
import HostTools
import ScenarioModel
import SuiteRunner

/// How a case gets smaller, line by line.
package final class ShrinkDisplay {
  private let isQuiet: Bool
  private var shown: (stage: String, size: ReductionSize)?
  private var isOpen = false

  package init(isQuiet: Bool) { self.isQuiet = isQuiet }

  /// Shows where the search is: a line for each stage, and on a terminal the last one moves.
  package func show(_ progress: CaseReducer.Progress) {
    guard !isQuiet else { return }
    let text = "  without \(progress.stage): \(progress.size.text)"
    if Console.isTerminal {
      Console.write("\r\u{1B}[K\(text)  (\(QuantityText.count(progress.trials, "trial")))")
      isOpen = true
    } else if shown?.size != progress.size {
      Console.print(text)
    }
    shown = (progress.stage, progress.size)
  }

  /// Leaves the line.
  package func end() { if isOpen { Console.write("\r\u{1B}[K") } }
}

/// What came of making a case smaller, for the terminal.
package enum ShrinkText {
  /// In lines.
  package static func lines(
    _ outcome: CaseShrinker.Outcome, path: String, command: String, took: Duration
  ) -> [String] {
    var lines = [
      "\(Console.styled("smaller", .strong))  \(outcome.before.text)", "     now  \(outcome.best.size.text)",
      "   shows  \(Console.visible(outcome.identity.text))",
    ]
    if outcome.hits < outcome.runs {
      lines.append("    only  in \(outcome.hits) of \(outcome.runs) runs, so trials were repeated")
    }
    let seconds = Double(took.components.seconds) + Double(took.components.attoseconds) * 1e-18
    let tenths = Double(Int(seconds * 10)) / 10
    lines.append("    took  \(QuantityText.count(outcome.trials, "trial")), \(tenths) s")
    if outcome.isInterrupted { lines.append("Interrupted: this is the best so far.") }
    lines.append("Scenario: \(Console.visible(path))")
    lines.append("again: \(Console.visible(command))")
    return lines
  }
}
