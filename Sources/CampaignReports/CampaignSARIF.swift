import Foundation
import FuzzCampaign
import ReportMarkup

/// `results.sarif`: findings for code scanning.
///
/// A rule for each invariant or kind of crash, a result for each finding that is not fixed. What ran badly is a tool
/// notification, so that "no results" of a broken campaign does not look like a clean one.
enum CampaignSARIF {
  static func make(_ campaign: Campaign) -> [UInt8] {
    let findings = campaign.findings.filter { $0.status != .fixed }
    let rules = Set(findings.map(rule)).sorted()
    return SARIFLog(
      version: campaign.provenance.version, id: "fuzz/\(campaign.id)",
      rules: rules.map { SARIFLog.Rule(id: $0, name: $0) }, results: findings.map(result),
      invocation: invocation(campaign)
    ).bytes
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

  private static func result(_ finding: Finding) -> SARIFLog.Result {
    let path = finding.regression ?? finding.input.minimisedPath ?? finding.input.originalPath
    return SARIFLog.Result(
      rule: rule(finding), level: level(finding), message: message(finding),
      fingerprint: ("findingKey/v1", finding.key),
      place: finding.stack.lazy.compactMap(place(in:)).first ?? path.map { SARIFLog.Place(path: $0, line: 1) },
      isNew: finding.status != .known)
  }

  private static func level(_ finding: Finding) -> SARIFLog.Level {
    switch finding.severity {
    case .critical, .high: .error
    case .medium: .warning
    case .low: .note
    }
  }

  private static func message(_ finding: Finding) -> String {
    "\(finding.target): \(finding.kind.rawValue) \(finding.subject): \(finding.detail)\nReproduce: \(finding.reproduce)"
  }

  /// The place that is named somewhere in a frame, such as `Sources/SocketCore/Prebuffer.swift:24`.
  private static func place(in frame: String) -> SARIFLog.Place? {
    for word in frame.split(whereSeparator: { $0 == " " || $0 == "(" || $0 == ")" }) {
      guard let start = word.range(of: "Sources/") else { continue }
      let parts = word[start.lowerBound...].split(separator: ":")
      guard parts.count > 1, parts[0].hasSuffix(".swift"), let line = Int(parts[1]), line > 0 else { continue }
      return SARIFLog.Place(path: String(parts[0]), line: line)
    }
    return nil
  }
}
