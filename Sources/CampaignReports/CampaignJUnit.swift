import FuzzCampaign
import FuzzHarness
import ReportMarkup
import ScenarioModel

/// `junit.xml`: gates, runs and findings for continuous integration.
///
/// A suite of gates, and a suite for each target with its runs and findings. A finding that is news is a `failure`; a
/// harness error, a killed run or a campaign that has not ended is an `error`; a skipped gate and a known finding are
/// `skipped`.
enum CampaignJUnit {
  private struct Case {
    var name: String
    var time = 0.0
    var failure: (message: String, body: String)?
    var error: (message: String, body: String)?
    var skipped: String?
  }

  /// UTF-8, ending with a line feed.
  static func make(_ campaign: Campaign) -> [UInt8] {
    var suites: [(String, [Case])] = [("gates", campaign.gates.map(gate))]
    if campaign.isUnfinished == true {
      let began = "began \(campaign.startedAt)"
      suites.append(("campaign", [Case(name: "report", error: (CampaignWords.headline(campaign), began))]))
    }
    for target in campaign.targets {
      let findings = campaign.findings.filter { $0.target == target.name }
      suites.append((target.name, target.runs.map(run) + findings.map(finding)))
    }
    let known = Set(campaign.targets.map(\.name))
    let others = campaign.findings.filter { !known.contains($0.target) }
    if !others.isEmpty { suites.append(("other findings", others.map(finding))) }
    var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites"
    xml += attributes([("name", "SocketLab fuzzing")] + counts(suites.flatMap(\.1))) + ">\n"
    for (name, cases) in suites {
      xml += "  <testsuite" + attributes([("name", name)] + counts(cases)) + ">\n"
      for item in cases { xml += element(item, in: name) }
      xml += "  </testsuite>\n"
    }
    return Array((xml + "</testsuites>\n").utf8)
  }

  private static func gate(_ gate: Gate) -> Case {
    var item = Case(name: CampaignWords.title(gate.name))
    let message = "\(gate.actual); asked for: \(gate.threshold)"
    if gate.state == .failed { item.failure = (message, gate.reasons.joined(separator: "\n")) }
    if gate.state == .skipped { item.skipped = gate.actual }
    return item
  }

  private static func run(_ run: FuzzRun) -> Case {
    var item = Case(name: "run \(run.lane.rawValue), trial \(run.trial)", time: run.wallSeconds)
    if run.exit.kind == .harnessError || run.exit.kind == .killed {
      item.error = (CampaignWords.label(run.exit), run.command)
    }
    return item
  }

  private static func finding(_ finding: Finding) -> Case {
    var item = Case(name: "\(finding.id) \(finding.subject)")
    if finding.isNews {
      let stack = finding.stack.map { "  at \($0)" }.joined(separator: "\n")
      let body = [finding.key, finding.detail, stack, finding.reproduce, finding.scenario ?? ""]
      item.failure = (
        "\(finding.kind.rawValue) \(finding.subject)", body.filter { !$0.isEmpty }.joined(separator: "\n")
      )
    } else {
      item.skipped = "\(finding.status.rawValue): \(finding.detail)"
    }
    return item
  }

  private static func counts(_ cases: [Case]) -> [(String, String)] {
    [
      ("tests", "\(cases.count)"), ("failures", "\(cases.count { $0.failure != nil })"),
      ("errors", "\(cases.count { $0.error != nil })"), ("skipped", "\(cases.count { $0.skipped != nil })"),
      ("time", time(cases.map(\.time).reduce(0, +))),
    ]
  }

  private static func element(_ item: Case, in suite: String) -> String {
    let fields = [("name", item.name), ("classname", "fuzz.\(suite)"), ("time", time(item.time))]
    var xml = "    <testcase" + attributes(fields) + ">"
    for (name, told) in [("failure", item.failure), ("error", item.error)] {
      guard let told else { continue }
      xml += "\n      <\(name)\(attributes([("message", told.message)]))>\(XMLText.content(told.body))</\(name)>"
    }
    if let reason = item.skipped { xml += "\n      <skipped\(attributes([("message", reason)]))/>" }
    return xml + (xml.hasSuffix(">") && item.failure == nil && item.error == nil && item.skipped == nil ? "" : "\n    ")
      + "</testcase>\n"
  }

  private static func attributes(_ pairs: [(String, String)]) -> String {
    pairs.map { " \($0.0)=\"\(XMLText.attribute($0.1))\"" }.joined()
  }

  private static func time(_ seconds: Double) -> String {
    seconds.isFinite ? QuantityText.fraction(seconds, digits: 3) : "0"
  }
}
