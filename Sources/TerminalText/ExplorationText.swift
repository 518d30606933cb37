import ExplorationRunner
import Foundation
import FuzzCampaign
import ScenarioModel
import Synchronization

/// Explorations in words, for the terminal.
package enum ExplorationText {
  /// What was played, what was explored and what never.
  package static func summary(_ summary: ExplorationSummary) -> [String] {
    let cases = summary.cases.values.reduce(0, +)
    let played = summary.trials.values.reduce(0, +)
    var lines = [
      "",
      "\(count(summary.drawn, "trial")) drawn with seed \(summary.seed), \(count(played)) played as "
        + "\(count(cases, "case")) in \(String(format: "%.0f", summary.seconds)) s, \(count(summary.discarded)) "
        + "discarded",
    ]
    let judges = [("model", "the reference model"), ("expectations", "committed scenarios"), ("laws", "laws alone")]
    lines.append(
      "  judged by " + judges.map { "\($0.1): \(count(summary.trials[$0.0] ?? 0))" }.joined(separator: ", "))
    lines.append(
      "  worlds: "
        + summary.cases.sorted { $0.key < $1.key }.map { "\($0.key) \(count($0.value))" }
        .joined(separator: ", ") + "; \(count(summary.scenarios, "committed scenario"))")
    if summary.void + summary.unconfirmed + summary.unsupported > 0 {
      lines.append(
        "  \(count(summary.void)) proved nothing (the lab was late or failed), \(count(summary.unconfirmed)) did not "
          + "show again, \(count(summary.unsupported)) not offered by subject or host")
    }
    if summary.onRecord > 0 {
      lines.append("  \(count(summary.onRecord, "case")) showed what is on record of the subject")
    }
    lines += coverage(summary)
    let changes = summary.changes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    if !changes.isEmpty {
      lines.append("  changes: " + changes.map { "\($0.key) \(count($0.value))" }.joined(separator: ", "))
    }
    return lines.map { $0.hasPrefix("  ") ? Console.styled($0, .quiet) : $0 }
  }

  private static func coverage(_ summary: ExplorationSummary) -> [String] {
    let states = summary.reached.count + summary.unreached.count
    var lines = [
      "  states of the model: \(count(summary.reached.count)) of \(count(states)), "
        + "\(count(summary.transitions, "transition"))"
    ]
    if !summary.unreached.isEmpty { lines.append("    never: " + summary.unreached.joined(separator: ", ")) }
    let known = summary.judged.count + summary.touched.count + summary.never.count
    lines.append(
      "  requirements: judged by \(count(summary.judged.count)) of \(count(known)), at work without being judged "
        + count(summary.touched.count))
    if !summary.never.isEmpty {
      let shown = summary.never.prefix(12).joined(separator: ", ")
      let more = summary.never.count > 12 ? " and \(count(summary.never.count - 12)) more" : ""
      lines.append("    never: \(shown)\(more)")
    }
    return lines
  }

  private static func count(_ number: Int, _ noun: String? = nil) -> String {
    noun.map { QuantityText.count(number, $0) } ?? QuantityText.count(number)
  }
}

/// What is seen of an exploration while it works.
package final class ExplorationDisplay: Sendable {
  private let isQuiet: Bool
  private let isSilent: Bool
  private let lastLine = Mutex(Duration.zero)
  /// Between two lines on how far it is.
  private static let pause = Duration.seconds(10)

  /// - Parameters:
  ///   - isQuiet: only findings are printed.
  ///   - isSilent: nothing is printed.
  package init(isQuiet: Bool, isSilent: Bool = false) {
    self.isQuiet = isQuiet
    self.isSilent = isSilent
  }

  /// Prints what there is to tell.
  package func show(_ event: ExplorationRun.Event) {
    guard !isSilent else { return }
    switch event {
    case .step(let text): if !isQuiet { Console.print(Console.styled("… \(text)", .quiet)) }
    case .round(let tally, let elapsed): if !isQuiet { showRound(tally.allTrials, tally.allCases, elapsed) }
    case .found(let finding): Console.print(ExplorationText.describe(finding))
    case .unconfirmed(let text): if !isQuiet { Console.print(Console.styled("· not shown again: \(text)", .quiet)) }
    }
  }

  private func showRound(_ trials: Int, _ cases: Int, _ elapsed: Duration) {
    let isDue = lastLine.withLock { last in
      guard elapsed - last >= Self.pause else { return false }
      last = elapsed
      return true
    }
    guard isDue else { return }
    Console.print(
      Console.styled(
        "… \(QuantityText.count(trials, "trial")), \(QuantityText.count(cases, "case")), "
          + "\(elapsed.components.seconds) s", .quiet))
  }
}

extension ExplorationText {
  /// One finding in lines without a last line end.
  package static func describe(_ finding: Finding) -> String {
    var lines = ["\(Console.styled("✗", .bad)) \(Console.styled(Console.visible(finding.key), .strong))"]
    lines += finding.detail.split(separator: "\n").map { "    \(Console.quotation(String($0)))" }
    if let path = finding.scenarioPath { lines.append("    kept: \(Console.visible(path))") }
    lines.append(Console.styled("    again: \(Console.visible(finding.reproduce))", .quiet))
    return lines.joined(separator: "\n")
  }
}
