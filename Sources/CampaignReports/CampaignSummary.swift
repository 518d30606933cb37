import FuzzCampaign
import FuzzHarness
import ReportMarkup
import ScenarioModel

/// `summary.md`: the campaign on one screen, for a pull request or a job summary.
enum CampaignSummary {
  private static let most = 25

  /// UTF-8, ending with a line feed.
  static func make(_ campaign: Campaign) -> [UInt8] {
    let escape = MarkdownText.escape
    var text = "# Fuzzing: \(escape(CampaignWords.headline(campaign)))\n\n"
    text += "\(escape(CampaignWords.outcome(campaign))) \(escape(campaign.mode)) \(escape(campaign.id)), "
    text += "\(escape(campaign.startedAt)), took \(CampaignWords.seconds(campaign.wallSeconds)), "
    text += "commit \(escape(campaign.provenance.commit.map { String($0.prefix(12)) } ?? "not known"))"
    text += "\(campaign.provenance.isDirty == true ? " with changes" : ""), "
    text += "SocketLab \(escape(campaign.provenance.version)) on \(escape(campaign.provenance.system))\n\n"
    text += "| Gate | | Seen | Asked for |\n|:--|:--|:--|:--|\n"
    for gate in campaign.gates {
      text += "| \(CampaignWords.title(gate.name)) | \(CampaignWords.glyph(gate.state)) \(gate.state.rawValue) | "
      text += "\(escape(gate.actual)) | \(escape(gate.threshold)) |\n"
    }
    for gate in campaign.gates where gate.state == .failed && !gate.reasons.isEmpty && gate.name != .findings {
      text += "\n## Why \(CampaignWords.title(gate.name)) failed\n\n"
      for reason in gate.reasons.prefix(most) { text += "- \(escape(VisibleText.clipped(reason, to: 300)))\n" }
      if gate.reasons.count > most { text += "\nand \(gate.reasons.count - most) more\n" }
    }
    text += findings(campaign) + targets(campaign) + comparison(campaign)
    return Array(text.utf8)
  }

  private static func findings(_ campaign: Campaign) -> String {
    guard !campaign.findings.isEmpty else { return "" }
    let escape = MarkdownText.escape
    var text = "\n## Findings\n\n"
    for finding in campaign.findings.sorted(by: { $0.isNews && !$1.isNews }).prefix(most) {
      text += "- **\(finding.status.rawValue)** \(finding.kind.rawValue) **\(escape(finding.subject))** in "
      text += "\(escape(finding.target)): \(escape(VisibleText.clipped(finding.detail, to: 300)))\n"
      text += "  \(MarkdownText.code(finding.reproduce))\n"
    }
    if campaign.findings.count > most { text += "\nand \(campaign.findings.count - most) more, see index.html\n" }
    return text
  }

  private static func targets(_ campaign: Campaign) -> String {
    guard !campaign.targets.isEmpty else { return "" }
    var text = "\n## Targets\n\n| Target | Lane | Runs | Executions | exec/s | Edges | Ends |\n"
    text += "|:--|:--|--:|--:|--:|--:|:--|\n"
    for target in campaign.targets {
      for lane in target.lanes {
        let runs = target.runs.filter { $0.lane == lane }
        let edges = Spread(runs.compactMap { $0.final.map { Double($0.coverage) } })
        let ends = Dictionary(grouping: runs, by: \.exit.kind).map { "\($1.count) \($0.rawValue)" }.sorted()
        text += "| \(MarkdownText.escape(target.name)) | \(lane.rawValue) | \(runs.count) | "
        text += "\(QuantityText.count(runs.compactMap(\.executions).total)) | "
        text += "\(CampaignWords.spread(Spread(runs.compactMap(\.rate)))) | \(CampaignWords.spread(edges)) | "
        text += "\(ends.joined(separator: ", ")) |\n"
      }
    }
    if let zoo = campaign.validation {
      text += "\nBug zoo: \(zoo.found.count) of \(zoo.counted.count) found, "
      text += "\(zoo.counted.count { $0.isFoundByFuzzing }) by fuzzing.\n"
    }
    return text
  }

  private static func comparison(_ campaign: Campaign) -> String {
    guard let comparison = campaign.comparison else { return "" }
    let escape = MarkdownText.escape
    var text = "\n## Against \(escape(comparison.base))\n\n"
    if comparison.isEmpty { return text + "Nothing changed.\n" }
    for caveat in comparison.caveats { text += "- \(escape(caveat))\n" }
    for (word, keys) in [("new", comparison.findings.new), ("gone", comparison.findings.gone)] {
      for key in keys.prefix(most) { text += "- \(word): \(MarkdownText.code(key))\n" }
    }
    for measure in comparison.measures where measure.change != .same {
      let place = measure.lane.map { "\(measure.target), \($0.rawValue)" } ?? measure.target
      text += "- \(escape(place)): \(escape(measure.measure.rawValue)) \(measure.change.rawValue), "
      text += "\(CampaignWords.spread(measure.before)) before, \(CampaignWords.spread(measure.after)) now"
      text += (measure.note.map { " (\(escape($0)))" } ?? "") + "\n"
    }
    return text
  }
}
