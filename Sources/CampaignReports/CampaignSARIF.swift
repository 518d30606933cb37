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
    let driver = JSONNode.object([
      .init("name", .text("SocketLab")),
      .init("version", .text(VisibleText.scrub(campaign.provenance.version, singleLine: true))),
      .init("rules", .list(rules.map { .object([.init("id", .text($0)), .init("name", .text($0))]) })),
    ])
    let root = JSONNode.object([
      .init("$schema", .text("https://json.schemastore.org/sarif-2.1.0.json")),
      .init("version", .text("2.1.0")),
      .init(
        "runs",
        .list([
          .object([
            .init("tool", .object([.init("driver", driver)])),
            .init("automationDetails", .object([.init("id", .text("fuzz/\(campaign.id)"))])),
            .init("invocations", .list([invocation(campaign)])),
            .init("results", .list(findings.map { result($0, rules) })),
          ])
        ])),
    ])
    return root.encoded(spread: 4)
  }

  private static func rule(_ finding: Finding) -> String {
    finding.kind == .violation ? finding.subject : "\(finding.kind.rawValue)/\(finding.subject)"
  }

  private static func invocation(_ campaign: Campaign) -> JSONNode {
    let bad = campaign.gates.filter { $0.state == .failed && $0.name != .findings }
    let notes = bad.flatMap { gate in gate.reasons.map { "\(CampaignWords.title(gate.name)): \($0)" } }
    let isSound = !bad.contains { $0.name == .health || $0.name == .instrumented || $0.name == .complete }
    return .object([
      .init("executionSuccessful", .flag(isSound)),
      .init("startTimeUtc", .text(campaign.startedAt)),
      .init(
        "toolExecutionNotifications",
        .list(
          notes.prefix(100).map {
            .object([.init("level", .text("error")), .init("message", .object([.init("text", .text($0))]))])
          })),
    ])
  }

  private static func result(_ finding: Finding, _ rules: [String]) -> JSONNode {
    let name = rule(finding)
    var members: [JSONNode.Member] = [
      .init("ruleId", .text(name)),
      .init("ruleIndex", .integer(rules.firstIndex(of: name) ?? -1)),
      .init("level", .text(level(finding))),
      .init("message", .object([.init("text", .text(message(finding)))])),
      .init("partialFingerprints", .object([.init("findingKey/v1", .text(finding.key))])),
    ]
    if let place = finding.stack.lazy.compactMap(Place.init).first {
      members.append(.init("locations", .list([place.node])))
    } else if let path = finding.regression ?? finding.input.minimisedPath ?? finding.input.originalPath {
      members.append(.init("locations", .list([Place(path: path, line: 1).node])))
    }
    members.append(.init("baselineState", .text(finding.status == .known ? "unchanged" : "new")))
    return .object(members)
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
      .object([
        .init(
          "physicalLocation",
          .object([
            .init("artifactLocation", .object([.init("uri", .text(Self.uri(path)))])),
            .init("region", .object([.init("startLine", .integer(line))])),
          ]))
      ])
    }

    /// Percent-encoded where a URI needs it.
    private static func uri(_ path: String) -> String {
      path.utf8.map { byte in
        let scalar = Unicode.Scalar(byte)
        let isPlain = byte < 0x80 && (scalar.properties.isAlphabetic || (0x30...0x39).contains(byte))
        return isPlain || "/._-~".unicodeScalars.contains(scalar)
          ? String(Character(scalar)) : "%" + VisibleText.hexPair(byte).uppercased()
      }.joined()
    }
  }
}
