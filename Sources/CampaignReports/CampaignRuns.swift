import FuzzCampaign
import FuzzHarness
import ReportMarkup
import ScenarioModel

/// What ran, how fast, how it ended, and how to do it again.
enum CampaignRuns {
  static let maxRuns = 200

  /// nil: nothing ran.
  static func table(_ campaign: Campaign) -> Markup? {
    let runs = campaign.targets.flatMap { target in target.runs.map { (target, $0) } }
    guard !runs.isEmpty else { return nil }
    var html: Markup = "<table><thead><tr><th>Target</th><th>Trial</th><th>End</th><th class=\"n\">executions</th>"
    html += "<th class=\"n\">exec/s</th><th class=\"n\">slow tenth</th><th class=\"n\">floor</th>"
    html += "<th class=\"n\">time</th><th class=\"n\">corpus</th><th class=\"n\">memory</th></tr></thead><tbody>"
    for (target, run) in runs.prefix(maxRuns) { html += row(target, run) }
    html += "</tbody></table>" + CampaignTables.more(runs.count - maxRuns, "runs")
    return html
  }

  private static func row(_ target: CampaignTarget, _ run: FuzzRun) -> Markup {
    let hints = CampaignWords.hints(run, target).joined(separator: "; ")
    var html: Markup = "<tr><th scope=\"row\" class=\"whole\">\(CampaignTables.text(target.name)), \(run.lane.rawValue)"
    html += "</th><td>\(run.trial)</td><td>"
    html += CampaignTables.badge(CampaignWords.tone(run.exit.kind), run.exit.kind.rawValue)
    if let reason = run.exit.reason { html += " <span class=\"quiet\">\(CampaignTables.text(reason))</span>" }
    if !hints.isEmpty { html += "<br><span class=\"hints\">\(CampaignTables.text(hints))</span>" }
    html += "</td>"
    let numbers = [
      run.executions.map { QuantityText.count($0) }, run.rate.map(CampaignWords.short),
      run.rateP10.map(CampaignWords.short),
      target.floor(run.lane).map { CampaignWords.short(Double($0)) }, CampaignWords.seconds(run.wallSeconds),
      run.final.map { QuantityText.count($0.corpusFiles) }, run.peakRssBytes.map(QuantityText.size),
    ]
    return html + "\(numbers.map { "<td class=\"n\">\($0 ?? "–")</td>" })</tr>"
  }

  static func targets(_ campaign: Campaign) -> Markup {
    var html: Markup = "<table><thead><tr><th>Target</th><th>Promise</th><th>Speed</th><th>Corpus</th><th>Replayed</th>"
    html += "</tr></thead><tbody>"
    for target in campaign.targets {
      html += "<tr><th scope=\"row\">\(CampaignTables.text(target.name))</th><td>\(CampaignTables.text(target.promise))"
      if !target.invariants.isEmpty {
        let ids = CampaignTables.text(target.invariants.joined(separator: ", "), to: 600)
        html += "<br><span class=\"quiet\">\(ids)</span>"
      }
      html += "</td><td>\(speeds(campaign, target))</td><td>\(corpus(target))</td><td>\(replay(target))</td></tr>"
    }
    return html + "</tbody></table>"
  }

  private static func speeds(_ campaign: Campaign, _ target: CampaignTarget) -> Markup {
    let lines = FuzzTarget.Lane.allCases.compactMap { lane in
      campaign.speed(of: target, lane).map { speed in
        let floor = target.floor(lane)
        let tone = floor.map { speed.median >= Double($0) ? "passed" : "failed" } ?? "skipped"
        let asked = (target.goal(lane) ?? floor).map { " of \(CampaignWords.short(Double($0)))" } ?? ""
        return CampaignTables.badge(tone, "\(lane.rawValue) \(CampaignWords.short(speed.median))\(asked)/s")
      }
    }
    return lines.isEmpty ? "–" : lines.joined(separator: " ")
  }

  private static func corpus(_ target: CampaignTarget) -> String {
    let words = { (fact: CorpusFact?) in
      fact.map { "\(QuantityText.count($0.files)) files, \(QuantityText.size($0.bytes))" } ?? "–"
    }
    return target.corpusAfter == nil
      ? words(target.corpusBefore)
      : "\(words(target.corpusBefore)) → \(words(target.corpusAfter))"
  }

  private static func replay(_ target: CampaignTarget) -> Markup {
    guard let replay = target.replay else { return "–" }
    let failed = replay.failures.count
    var html = CampaignTables.badge(
      failed == 0 ? "passed" : "failed", failed == 0 ? "\(replay.inputs) pass" : "\(failed) of \(replay.inputs) fail")
    if let stability = target.stability {
      html += " <span class=\"quiet\">stability \(CampaignWords.percent(stability))</span>"
    }
    return html
  }

  static func provenance(_ campaign: Campaign) -> Markup {
    let provenance = campaign.provenance
    var html: Markup = "<dl class=\"facts\">"
    let facts =
      [
        ("Compiler", provenance.swiftVersion ?? "not known"), ("Commit", provenance.commit ?? "not known"),
      ] + provenance.environment.map { ($0.name, $0.value) }
    for (name, value) in facts {
      html += "<div><dt>\(CampaignTables.text(name))</dt><dd><code>\(CampaignTables.text(value))</code></dd></div>"
    }
    html += "</dl><table><thead><tr><th>Program</th><th>Modules (counters)</th><th>Built and run by</th></tr></thead>"
    for build in provenance.builds {
      let modules = build.modules.map { module in
        let checks = module.sanitizerChecks.map { ", \($0) checks" } ?? ""
        return "\(module.module) \(module.counters)\(checks)"
      }
      html += "<tr><th scope=\"row\">\(CampaignTables.text(build.target)), \(build.lane.rawValue)<br>"
      html +=
        "<code class=\"quiet\">\(CampaignTables.text(String((build.sha256 ?? "hash not known").prefix(16))))</code>"
      html += "</th><td>\(CampaignTables.text(modules.joined(separator: "; "), to: 1000))</td><td>"
      html += HTMLPage.command(VisibleText.clipped(build.command, to: 2000))
      let runs = campaign.target(build.target)?.runs.filter { $0.lane == build.lane } ?? []
      if let run = runs.first { html += HTMLPage.command(VisibleText.clipped(run.command, to: 2000)) }
      html += "</td></tr>"
    }
    return html + "</table>"
  }
}
