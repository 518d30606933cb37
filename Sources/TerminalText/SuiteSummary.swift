import Foundation
import HostTools
import RunReports
import ScenarioModel
import SuiteRunner

/// What a run came to, in words for the terminal.
package struct SuiteSummary {
  private let outcome: SuiteOutcome
  private let tellsCauses: Bool
  private var report: RunReport { outcome.report }

  /// - Parameter tellsCauses: whether the causes of what went wrong are told: there was more of it than could be told
  ///   case by case.
  package init(_ outcome: SuiteOutcome, tellsCauses: Bool = false) {
    self.outcome = outcome
    self.tellsCauses = tellsCauses
  }

  /// The lines that end the output of a run.
  package var lines: [String] {
    var lines = [
      "",
      Console.styled("SocketLab \(report.version)", .strong) + "  \(report.subject), profile "
        + "\(report.profile.rawValue), seed \(report.seed)"
        + (report.seeds > 1 ? "…\(report.seed &+ UInt64(report.seeds - 1))" : ""),
    ]
    for world in WorldName.allCases.reversed() where outcome.counts[world] != nil { lines.append(line(for: world)) }
    let scenarios = Set(report.cases.filter { !$0.canary }.map(\.scenario))
    let bad = Set(report.cases.filter { !$0.canary && !$0.isAsExpected }.map(\.scenario))
    let canaries = report.cases.filter(\.canary)
    lines.append("")
    lines += failedControls
    if tellsCauses { lines += CauseText.lines(report) }
    if bad.isEmpty {
      lines.append(Console.styled("✓ \(QuantityText.count(scenarios.count, "scenario")), all as expected", .good))
    } else {
      lines.append(
        Console.styled("✗ \(bad.count) of \(QuantityText.count(scenarios.count, "scenario")) not as expected", .bad))
    }
    if let line = line(forCanaries: canaries) { lines.append(line) }
    let skipped = Dictionary(grouping: report.cases.filter { $0.verdict == .skipped }, by: { $0.reason ?? "" })
    for (reason, cases) in skipped.sorted(by: { $0.key < $1.key }) {
      lines.append(Console.styled("  \(QuantityText.count(cases.count, "case")) skipped: \(reason)", .caution))
    }
    if outcome.isInterrupted {
      let left = report.casesNotJudged
      let text = left > 0 ? "; \(QuantityText.count(left, "case")) \(left == 1 ? "was" : "were") not judged" : ""
      lines.append(Console.styled("  interrupted: not everything ran\(text)", .caution))
    }
    lines.append("  \(QuantityText.duration(report.duration)) in all")
    return lines
  }

  /// Failed controls come first: what hangs on them says nothing of the subject.
  private var failedControls: [String] {
    let controls = FailedControl.all(in: report.cases)
    guard !controls.isEmpty else { return [] }
    var lines = [Console.styled("✗ \(QuantityText.count(controls.count, "control")) did not pass", .bad)]
    for control in controls {
      let absence = control.cases.isEmpty ? " did not run" : ""
      lines.append("    \(Console.styled(control.scenario, .strong))\(absence): \(control.cost)")
      guard let remainder = control.remainder, let first = control.deviating.first else { continue }
      let result = report.cases[first]
      let deviation = result.deviations.first.map { CaseSummary.headline($0) } ?? ""
      lines.append("      \(remainder), see the reports; the first is \(result.name)")
      if !deviation.isEmpty { lines.append("      \(deviation)") }
    }
    return lines
  }

  private func line(forCanaries canaries: [CaseResult]) -> String? {
    guard !canaries.isEmpty else { return nil }
    let failing = canaries.filter(\.isAsExpected).count
    let unjudged = canaries.filter { $0.verdict == .error }.count
    if failing == canaries.count {
      return "  canary: \(QuantityText.count(canaries.count, "case")) failed, as they must"
    }
    if failing + unjudged < canaries.count {
      return Console.styled("  canary: \(canaries.count - failing - unjudged) did not fail: the judge is blind", .bad)
    }
    return Console.styled("  canary: \(unjudged) could not be judged, so nobody knows what the judge sees", .bad)
  }

  private func line(for world: WorldName) -> String {
    let cases = report.cases.filter { $0.world == world && !$0.canary }
    let verdicts = Verdict.allCases.compactMap { verdict -> String? in
      var count = cases.filter { $0.verdict == verdict }.count
      if verdict == .passed { count += report.unlistedCases[world] ?? 0 }
      return count > 0 ? "\(QuantityText.count(count)) \(verdict.rawValue)" : nil
    }
    var line =
      "  \(world.rawValue.padding(toLength: 10, withPad: " ", startingAt: 0))  "
      + verdicts.joined(separator: ", ")
    if world == .simulated, let spent = outcome.spent[world], let count = outcome.counts[world], spent > .zero {
      line += "  (\(QuantityText.count(Int(Double(count) / spent.inSeconds))) case-runs a second and core)"
    }
    return line
  }
}
