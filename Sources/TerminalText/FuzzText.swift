import Foundation
import FuzzCampaign
import FuzzHarness
import HostTools
import ScenarioModel

/// Campaigns in words, for the terminal.
package enum FuzzText {
  /// One finding in lines without a last line end: its key, what was seen, the stack and how to see it again.
  package static func describe(_ finding: Finding) -> String {
    let mark = finding.isNews ? Console.styled("✗", .bad) : Console.styled("·", .caution)
    var lines = ["\(mark) \(Console.styled(finding.key, .strong))  \(finding.status.rawValue)"]
    let detail = finding.detail.split(separator: "\n", omittingEmptySubsequences: false).prefix(6)
    lines += detail.map { "    \($0)" }
    lines += finding.stack.prefix(3).map { Console.styled("      \($0)", .quiet) }
    if finding.input.originalPath == nil {
      lines.append("    its input was not written" + (finding.input.base64.map { "; in base64: \($0)" } ?? ""))
    }
    lines.append(Console.styled("    again: \(finding.reproduce)", .quiet))
    return lines.joined(separator: "\n")
  }

  /// What a replay has shown: the key, what was seen, and the innermost functions of the stack.
  package static func crash(_ crash: CrashReport, _ key: FindingKey, stack: [String]) -> [String] {
    let detail = crash.detail.split(separator: "\n", omittingEmptySubsequences: false).prefix(12)
    return ["    \(Console.styled(key.text, .strong))"] + detail.map { "    \($0)" }
      + stack.prefix(6).map { Console.styled("      \($0)", .quiet) }
  }

  /// The table by file, the most missed first. `only` keeps files whose paths contain it; `functions` adds the
  /// functions that were never entered.
  package static func coverage(_ target: FuzzTarget, _ table: CoverageTable, only: String?, functions: Bool) -> [String]
  {
    let files = table.files.filter { file in only.map { file.path.contains($0) } ?? true }
    var lines = [
      "\(Console.styled(target.name, .strong))  \(share(table.covered, table.total)) of "
        + "\(QuantityText.count(table.total)) \(table.unit.rawValue)"
    ]
    // What is missing most stands first.
    for file in files.sorted(by: { ($1.missed, $0.path) < ($0.missed, $1.path) }) {
      let never = file.neverEntered.count
      lines.append(
        "  \(share(file.covered, file.total))  \(file.path)  \(QuantityText.count(file.covered)) of "
          + QuantityText.count(file.total)
          + (never > 0 ? ", \(QuantityText.count(never, "function")) never entered" : ""))
      guard functions else { continue }
      lines += file.neverEntered.map { Console.styled("          \($0.name):\($0.line)", .quiet) }
    }
    return lines
  }

  private static func share(_ part: Int, _ whole: Int) -> String {
    String(format: "%5.1f %%", whole > 0 ? 100 * Double(part) / Double(whole) : 0)
  }

  /// What differs between the campaigns, whose names are `before` and `after`, and what is the same in a number.
  package static func comparison(_ comparison: CampaignComparison, _ before: String, _ after: String) -> [String] {
    var lines = [Console.styled("\(before) → \(after)", .strong)]
    for measure in comparison.measures where measure.change != .same {
      let place = "\(measure.target)\(measure.lane.map { " \($0.rawValue)" } ?? "")"
        .padding(toLength: 18, withPad: " ", startingAt: 0)
      let name = measure.measure.rawValue.padding(toLength: 8, withPad: " ", startingAt: 0)
      lines.append(
        "  \(place)\(name)\(figure(measure.before)) → \(figure(measure.after))  \(measure.change.rawValue)"
          + (measure.note.map { " (\($0))" } ?? ""))
    }
    let same = comparison.measures.filter { $0.change == .same }.count
    if same > 0 { lines.append("  \(QuantityText.count(same, "measure")) the same") }
    for change in comparison.functions {
      lines.append("  \(change.isEnteredNow ? "entered now" : "not entered any more"): \(change.name), \(change.path)")
    }
    lines += comparison.findings.new.map { "\(Console.styled("✗", .bad)) new: \($0)" }
    lines += comparison.findings.gone.map { "\(Console.styled("✓", .good)) gone: \($0)" }
    lines += comparison.findings.still.map { "  still: \($0)" }
    lines += comparison.caveats.map { "\(Console.styled("!", .caution)) \($0)" }
    return lines
  }

  private static func figure(_ spread: Spread?) -> String {
    guard let spread else { return "–" }
    let median = QuantityText.count(Int(spread.median.rounded()))
    guard spread.count > 1 else { return median }
    return "\(median) (\(QuantityText.count(Int(spread.low)))…\(QuantityText.count(Int(spread.high))))"
  }

  /// The end of a campaign: its targets in figures, then its gates.
  package static func summary(_ campaign: Campaign) -> [String] {
    var lines = [
      "",
      Console.styled("SocketLab \(campaign.provenance.version)", .strong) + "  fuzz campaign \(campaign.id)"
        + (campaign.provenance.commit.map { ", commit \($0.prefix(12))" } ?? "")
        + (campaign.provenance.isDirty == true ? " with changes" : ""),
    ]
    for target in campaign.targets {
      let executions = target.runs.compactMap(\.executions).reduce(0, +)
      let name = target.name.padding(toLength: 12, withPad: " ", startingAt: 0)
      let rate = target.speeds.first?.rates.first.map { "  \(QuantityText.count(Int($0)))/s" } ?? ""
      let coverage =
        target.coverage.map { "  \(QuantityText.count($0.covered)) of \(QuantityText.count($0.total)) edges" } ?? ""
      lines.append("  \(name)\(QuantityText.count(executions, "execution"))\(rate)\(coverage)")
    }
    lines.append("")
    for gate in campaign.gates {
      let mark: String =
        switch gate.state {
        case .passed: Console.styled("✓", .good)
        case .failed: Console.styled("✗", .bad)
        case .skipped: "–"
        }
      let name = gate.name.rawValue.padding(toLength: 13, withPad: " ", startingAt: 0)
      lines.append("\(mark) \(name)\(gate.actual)")
      if gate.state == .failed { lines += gate.reasons.prefix(10).map { "    \($0)" } }
    }
    return lines
  }
}
