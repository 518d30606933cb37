import Foundation
import FuzzCampaign
import ReportMarkup

/// `results.sarif`: findings for code scanning, SARIF 2.1.0.
///
/// A rule for each invariant or kind of crash, a result for each finding that is not fixed. What ran badly is a tool
/// notification, so that "no results" of a broken campaign does not look like a clean one.
enum CampaignSARIF {
  static func make(_ campaign: Campaign) -> [UInt8] {
    let findings = campaign.findings.filter { $0.status != .fixed }
    let rules = Set(findings.map(rule)).sorted()
    let root: JSONNode = [
      "$schema": .text("https://json.schemastore.org/sarif-2.1.0.json"),
      "version": .text("2.1.0"),
      "runs": .list([
        [
          "tool": [
            "driver": [
              "name": .text("SocketLab"),
              "version": .text(VisibleText.scrub(campaign.provenance.version, singleLine: true)),
              "rules": .list(rules.map { ["id": .text($0), "name": .text($0)] }),
            ]
          ],
          "automationDetails": ["id": .text("fuzz/\(campaign.id)")],
          "invocations": .list([invocation(campaign)]),
          "results": .list(findings.map { result($0, rules) }),
        ]
      ]),
    ]
    return root.encoded(spread: 4)
  }

  private static func rule(_ finding: Finding) -> String {
    finding.kind == .violation ? finding.subject : "\(finding.kind.rawValue)/\(finding.subject)"
  }

  private static func invocation(_ campaign: Campaign) -> JSONNode {
    let bad = campaign.gates.filter { $0.state == .failed && $0.name != .findings }
    let notes = bad.flatMap { gate in gate.reasons.map { "\(CampaignWords.title(gate.name)): \($0)" } }
    let isSound = !bad.contains { $0.name == .health || $0.name == .instrumented || $0.name == .complete }
    return [
      "executionSuccessful": .flag(isSound),
      "startTimeUtc": .text(campaign.startedAt),
      "toolExecutionNotifications": .list(
        notes.prefix(100).map { ["level": .text("error"), "message": ["text": .text($0)]] }),
    ]
  }

  private static func result(_ finding: Finding, _ rules: [String]) -> JSONNode {
    let name = rule(finding)
    let path = finding.regression ?? finding.input.minimisedPath ?? finding.input.originalPath
    let place = finding.stack.lazy.compactMap(Place.init).first ?? path.map { Place(path: $0, line: 1) }
    return [
      "ruleId": .text(name),
      "ruleIndex": .integer(rules.firstIndex(of: name) ?? -1),
      "level": .text(level(finding)),
      "message": ["text": .text(message(finding))],
      "partialFingerprints": ["findingKey/v1": .text(finding.key)],
      "locations": place.map { .list([$0.node]) },
      "baselineState": .text(finding.status == .known ? "unchanged" : "new"),
    ]
  }

  private static func level(_ finding: Finding) -> String {
    switch finding.severity {
    case .critical, .high: "error"
    case .medium: "warning"
    case .low: "note"
    }
  }

  private static func message(_ finding: Finding) -> String {
    "\(finding.target): \(finding.kind.rawValue) \(finding.subject): \(finding.detail)\nReproduce: \(finding.reproduce)"
  }

  /// `Sources/SocketCore/Prebuffer.swift:24` somewhere in a frame.
  private struct Place {
    var path: String
    var line: Int

    init(path: String, line: Int) {
      self.path = path
      self.line = line
    }

    init?(_ frame: String) {
      for word in frame.split(whereSeparator: { $0 == " " || $0 == "(" || $0 == ")" }) {
        guard let start = word.range(of: "Sources/") else { continue }
        let parts = word[start.lowerBound...].split(separator: ":")
        guard parts.count > 1, parts[0].hasSuffix(".swift"), let line = Int(parts[1]), line > 0 else { continue }
        (path, self.line) = (String(parts[0]), line)
        return
      }
      return nil
    }

    var node: JSONNode {
      [
        "physicalLocation": [
          "artifactLocation": ["uri": .text(URIText.path(path))], "region": ["startLine": .integer(line)],
        ]
      ]
    }
  }
}
