import Foundation
import FuzzCampaign
import ReportMarkup

/// One finding on the page: the scenario first, the bytes after it.
struct FindingView {
  var anchor: Markup
  var tone: Markup
  var kind: Markup
  var title: Markup
  var target: Markup
  var status: Markup
  var severity: Markup
  var chips: [Markup]
  var detail: Markup
  var reproduce: Markup
  var scenario: Markup?
  var stack: Markup?
  var bytes: Markup?
  var facts: [CampaignView.FactView]

  private static let mostFrames = 12
  private static let mostBytes = 256
  private static let mostScenario = 12_000

  init(_ finding: Finding) {
    anchor = Markup(text: VisibleText.clipped("finding-\(finding.id)", to: 120))
    tone = Markup(text: CampaignWords.tone(finding))
    kind = Markup(text: finding.kind.rawValue)
    title = Markup(text: VisibleText.clipped(finding.subject, to: 160))
    target = Markup(text: VisibleText.clipped("\(finding.target), \(finding.lane.rawValue)", to: 80))
    status = Markup(text: finding.status.rawValue)
    severity = Markup(text: finding.severity.rawValue)
    chips = [finding.id, finding.hits == 1 ? "1 input" : "\(finding.hits) inputs"]
      .map { Markup(text: VisibleText.clipped($0, to: 60)) }
    detail = Markup(text: String(finding.detail.unicodeScalars.prefix(2000)))
    reproduce = Markup(text: VisibleText.clipped(finding.reproduce, to: 1000))
    scenario = finding.scenario.map {
      Markup(built: "<pre>\(Markup.escape(String($0.unicodeScalars.prefix(Self.mostScenario))))</pre>")
    }
    stack = Self.stack(finding)
    bytes = Self.bytes(finding)
    facts = Self.facts(finding)
  }

  private static func stack(_ finding: Finding) -> Markup? {
    guard !finding.stack.isEmpty else { return nil }
    let frames = finding.stack.prefix(mostFrames).map { "<li><code>\(CampaignTables.text($0))</code></li>" }
    return Markup(built: "<ol>\(frames.joined())</ol>")
  }

  private static func bytes(_ finding: Finding) -> Markup? {
    var html = ""
    for (name, path) in [("minimised", finding.input.minimisedPath), ("original", finding.input.originalPath)] {
      if let path { html += "<p>\(name): <code>\(CampaignTables.text(path))</code></p>" }
    }
    if let text = finding.input.base64, let data = Data(base64Encoded: text) {
      let dump = HexDump.text(Array(data.prefix(mostBytes)), total: data.count)
      html += dump.isEmpty ? "<p class=\"quiet\">no bytes</p>" : "<pre>\(Markup.escape(dump))</pre>"
      html += "<p class=\"quiet\">base64 <code>\(CampaignTables.text(text, to: 400))</code></p>"
    } else {
      html += "<p class=\"quiet\">\(MeasureText.size(finding.input.count))</p>"
    }
    return Markup(built: html)
  }

  private static func facts(_ finding: Finding) -> [CampaignView.FactView] {
    var facts: [(String, String)] = []
    if let seen = finding.firstSeen {
      let executions = seen.executions.map { ", \(CampaignWords.count($0)) executions" } ?? ""
      facts.append(("First seen", "trial \(seen.trial) after \(CampaignWords.seconds(seen.seconds))\(executions)"))
    }
    for replay in finding.replays {
      facts.append(("Reproduced, \(replay.lane.rawValue)", "\(replay.reproduced) of \(replay.tries)"))
    }
    if let path = finding.scenarioPath { facts.append(("Scenario", path)) }
    facts.append(("Regression", finding.regression ?? "not promoted yet"))
    facts.append(("Key", finding.key))
    return facts.map { .init(name: Markup(text: $0), value: Markup(text: VisibleText.clipped($1, to: 300))) }
  }
}
