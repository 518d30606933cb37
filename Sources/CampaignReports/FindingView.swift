import Foundation
import FuzzCampaign
import ReportMarkup
import ScenarioModel

/// One finding on the page: the scenario first, the bytes after it.
struct FindingView {
  let finding: Finding

  private static let maxFrames = 12
  private static let maxBytes = 256
  private static let maxScenario = 12_000
  private static let maxDetail = 2_000

  var markup: Markup {
    """
    <article class="group" id="\("finding-\(finding.id)", clipped: 120)">
    <header><h3><b class="badge \(tone)">\(finding.kind.rawValue)</b> \(finding.subject, clipped: 160)</h3>\
    <p><code>\("\(finding.target), \(finding.lane.rawValue)", clipped: 80)</code> \
    <span class="pill">\(finding.status.rawValue)</span> <span class="pill">\(finding.severity.rawValue)</span> \
    <span class="pill tag">\(finding.id, clipped: 60)</span> \
    <span class="pill tag">\(finding.hits == 1 ? "1 input" : "\(finding.hits) inputs", clipped: 60)</span></p></header>
    <div class="inside \(tone)">
    <p class="reason detail">\(String(finding.detail.unicodeScalars.prefix(Self.maxDetail)))</p>
    \(HTMLPage.command(VisibleText.clipped(finding.reproduce, to: 1000)))
    \(scenario.map { "<div class=\"told\"><h4>As a scenario</h4>\($0)</div>" })
    \(stack.map { "<div class=\"told\"><h4>Where</h4>\($0)</div>" })
    <div class="told"><h4>Input</h4>\(input)</div>
    \(HTMLPage.facts(facts, clipped: 300))
    </div>
    </article>

    """
  }

  private var tone: String { CampaignWords.tone(finding) }

  private var scenario: Markup? {
    finding.scenario.map { "<pre>\(String($0.unicodeScalars.prefix(Self.maxScenario)))</pre>" }
  }

  private var stack: Markup? {
    guard !finding.stack.isEmpty else { return nil }
    let frames = finding.stack.prefix(Self.maxFrames)
    return "<ol>\(frames.map { "<li><code>\(CampaignTables.text($0))</code></li>" })</ol>"
  }

  private var input: Markup {
    var html: Markup = ""
    for (name, path) in [("minimised", finding.input.minimisedPath), ("original", finding.input.originalPath)] {
      if let path { html += "<p>\(name): <code>\(CampaignTables.text(path))</code></p>" }
    }
    if let text = finding.input.base64, let data = Data(base64Encoded: text) {
      let dump = HexDump.text(Array(data.prefix(Self.maxBytes)), total: data.count)
      html += dump.isEmpty ? HTMLPage.note("no bytes") : "<pre>\(dump)</pre>"
      return html + "<p class=\"quiet\">base64 <code>\(text, clipped: 400)</code></p>"
    }
    return html + HTMLPage.note(QuantityText.size(finding.input.count))
  }

  private var facts: [(name: String, value: String)] {
    var facts: [(name: String, value: String)] = []
    if let seen = finding.firstSeen {
      let executions = seen.executions.map { ", \(QuantityText.count($0)) executions" } ?? ""
      facts.append(("First seen", "trial \(seen.trial) after \(CampaignWords.seconds(seen.seconds))\(executions)"))
    }
    for replay in finding.replays {
      facts.append(("Reproduced, \(replay.lane.rawValue)", "\(replay.reproduced) of \(replay.tries)"))
    }
    if let path = finding.scenarioPath { facts.append(("Scenario", path)) }
    facts.append(("Regression", finding.regression ?? "not promoted yet"))
    facts.append(("Key", finding.key))
    return facts
  }
}
