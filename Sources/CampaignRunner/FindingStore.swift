import Foundation
import FuzzCampaign
import FuzzHarness
import HostTools
import ScenarioModel

/// Looks closer at what a process found.
protocol FindingExamining: Sendable {
  func key(_ target: FuzzTarget, _ crash: CrashReport) -> FindingKey
  /// The functions of ours, the innermost first.
  func stack(_ crash: CrashReport) -> [String]
  /// How often an input shows the finding again.
  func reproduce(
    _ file: String, _ target: FuzzTarget, _ lane: FuzzTarget.Lane, times: Int, as key: FindingKey
  ) throws -> LaneReplay
  /// A smaller input that shows the same finding; nil if none was found in the time.
  func minimise(
    _ file: String, _ target: FuzzTarget, _ lane: FuzzTarget.Lane, seconds: Int, key: FindingKey
  ) throws -> [UInt8]?
}

extension FuzzExaminer: FindingExamining {}

/// The findings of a campaign, told apart by their keys. Each is written to the campaign's folder as soon as it is
/// known, so that nothing found is lost, whatever happens to the campaign.
struct FindingStore {
  /// The campaign's folder.
  let folder: String
  let known: KnownFindings
  let examiner: any FindingExamining
  private(set) var findings: [Finding] = []
  private(set) var keys: [String: FindingKey] = [:]
  /// What could not be written.
  private(set) var missing: [Missing] = []

  init(folder: String, known: KnownFindings, examiner: any FindingExamining) {
    self.folder = folder
    self.known = known
    self.examiner = examiner
  }

  /// Takes what a process found. Returns the findings that were not known to the campaign.
  mutating func add(_ record: FuzzProcessRecord, trial: Int) -> [Finding] {
    var new: [Finding] = []
    for crash in record.reading.crashes {
      let key = examiner.key(record.unit.target, crash)
      if let index = findings.firstIndex(where: { $0.id == key.id }) {
        findings[index].hits += 1
        keep(record.input(of: crash), ofAnotherHit: key, at: index)
        continue
      }
      let finding = make(crash, key, record, trial: trial)
      findings.append(finding)
      keys[finding.id] = key
      new.append(finding)
    }
    return new
  }

  /// The first hit's input may be lost. And where a key tells little, as without names in the stack, the next hit may
  /// be another defect: so its input is kept, too.
  private mutating func keep(_ input: [UInt8]?, ofAnotherHit key: FindingKey, at index: Int) {
    guard let input else { return }
    let place = "findings/\(key.id)"
    do {
      if findings[index].input.originalPath == nil {
        try HostFiles.makeFolder("\(folder)/\(place)")
        try HostFiles.write(input, to: "\(folder)/\(place)/input")
        findings[index].input = FindingInput(
          originalPath: "\(place)/input", count: input.count, base64: Self.inline(input))
        missing.removeAll { $0.what == Self.lost(key) }
      } else if !key.isTelling || key.kind == .timeout || key.kind == .oom {
        let more = "\(folder)/\(place)/more"
        let file = "\(more)/\(Fingerprint.of(input).prefix(40))"
        try HostFiles.makeFolder(more)
        guard !HostFiles.exists(file), try HostFiles.files(below: more).count < Self.maxMore else { return }
        try HostFiles.write(input, to: file)
      }
    } catch {
      missing.append(Missing("files of \(key.id)", reason: (error as? LabFailure)?.message ?? "\(error)"))
    }
  }

  /// Inputs beside the first one that are kept of a finding.
  private static let maxMore = 16

  private static func lost(_ key: FindingKey) -> String { "input of \(key.id)" }

  private mutating func make(
    _ crash: CrashReport, _ key: FindingKey, _ record: FuzzProcessRecord, trial: Int
  ) -> Finding {
    let input = record.input(of: crash)
    let place = "findings/\(key.id)"
    var facts = FindingInput(originalPath: nil, count: input?.count ?? 0, base64: input.flatMap(Self.inline))
    do {
      try HostFiles.makeFolder("\(folder)/\(place)")
      if let input {
        try HostFiles.write(input, to: "\(folder)/\(place)/input")
        facts.originalPath = "\(place)/input"
      } else {
        missing.append(Missing(Self.lost(key), reason: "the fuzzer ended before it could write it"))
      }
      try HostFiles.write((record.excerpt.lines.joined(separator: "\n") + "\n").utf8, to: "\(folder)/\(place)/log")
    } catch {
      missing.append(Missing("files of \(key.id)", reason: (error as? LabFailure)?.message ?? "\(error)"))
    }
    let unit = record.unit
    let again = Finding.reproduce(unit.target.name, "\(folder)/\(place)/input", unit.lane)
    var finding = Finding(key: key, lane: unit.lane, detail: crash.detail, input: facts, reproduce: again)
    finding.firstSeen = FirstSeen(seconds: crash.seconds, executions: crash.executions, trial: trial)
    finding.stack = examiner.stack(crash)
    if crash.frames.isEmpty, !key.isTelling {
      missing.append(
        Missing(
          "stack of \(key.id)",
          reason: "its log names no functions, so that other defects are taken for it; is llvm-symbolizer there?"))
    }
    // A key that stands for any defect of its kind makes none of them known.
    if key.isTelling, let entry = known.entry(key: key.text, record.unit.target.name) {
      finding.status = entry.status == .open ? .known : .regressed
      finding.regression = "Fuzz/regressions/\(entry.target)/\(entry.file)"
    }
    return finding
  }

  /// Replays each finding and makes its input smaller.
  mutating func examine(minimiseSeconds: Int, tell: (String) -> Void, isStopped: () -> Bool) {
    for index in findings.indices where !isStopped() {
      guard let target = FuzzTarget.named(findings[index].target), let path = findings[index].input.originalPath else {
        continue
      }
      tell("Looking closer at \(findings[index].id)")
      do { try examine(index, target, "\(folder)/\(path)", seconds: minimiseSeconds) } catch {
        missing.append(
          Missing("replays of \(findings[index].id)", reason: (error as? LabFailure)?.message ?? "\(error)"))
      }
    }
  }

  private mutating func examine(_ index: Int, _ target: FuzzTarget, _ input: String, seconds: Int) throws {
    guard let key = keys[findings[index].id] else { return }
    defer { tellScenario(index, target) }
    let lane = findings[index].lane
    let replay = try examiner.reproduce(input, target, lane, times: FuzzExaminer.replays, as: key)
    findings[index].replays.removeAll { $0.lane == lane }
    findings[index].replays.append(replay)
    if replay.reproduced < replay.tries, findings[index].status == .new { findings[index].status = .flaky }
    guard replay.reproduced > 0, seconds > 0,
      let smaller = try examiner.minimise(input, target, lane, seconds: seconds, key: key)
    else { return }
    try findings[index].keep(minimised: smaller, below: folder)
  }

  /// Puts the finding's scenario, if there can be one, beside its input.
  private mutating func tellScenario(_ index: Int, _ target: FuzzTarget) {
    let finding = findings[index]
    guard target.tellsScenarios, let path = finding.input.minimisedPath ?? finding.input.originalPath,
      let input = try? HostFiles.read("\(folder)/\(path)")
    else { return }
    let violation = finding.kind == .violation ? Violation(finding.subject, finding.detail) : nil
    switch FuzzScenario.text(input, target, id: "found/\(finding.id)", violation: violation) {
    // Not every input can be said as one.
    case .failure: return
    case .success(let text):
      findings[index].scenario = text
      let place = "findings/\(finding.id)/scenario.yaml"
      if (try? HostFiles.write(text.utf8, to: "\(folder)/\(place)")) != nil { findings[index].scenarioPath = place }
    }
  }

  /// Small inputs stand in the report itself.
  static func inline(_ input: [UInt8]) -> String? {
    input.count <= FindingInput.maxInline ? Data(input).base64EncodedString() : nil
  }
}
