import CaseWorkers
import Foundation
import HostTools
import ScenarioModel
import ScenarioRunner

/// The file that a shard leaves for `merge` beside its reports: its whole report, and which part of which plan it is.
package struct ShardRecord: Codable {
  /// The file's name, in the folder of the shard's reports.
  package static let fileName = "shard.cases"
  /// What the file begins with; it changes whenever the record's form does.
  private static let mark = Array("socketlab shard 3\n".utf8)
  /// More than any shard makes.
  private static let maxBytes = 1 << 30

  /// Why shards are not merged, for people.
  package struct Refusal: Error, Hashable {
    /// What is wrong, where, and what to do.
    package var message: String
  }

  /// Which part it is.
  package var shard: Shard
  /// `Shard.hash` of the whole suite, which hangs on the content of its files as well.
  package var plan: String
  /// Of the scenarios whose results vouch for others.
  package var vouching: Set<String>
  /// The shard's own.
  package var report: RunReport
  /// Whether it was stopped before its end.
  package var isInterrupted: Bool

  /// The file's bytes: the mark, the record, and the hash of the record.
  package func bytes() throws -> [UInt8] {
    let record = try MessageCoding.encode(self)
    return Self.mark + record + Self.hash(of: record[...])
  }

  private static func hash(of record: ArraySlice<UInt8>) -> [UInt8] { Array(ContentHash(of: record).text.utf8) }

  /// Reads what a shard left in its folder. Throws a `Refusal`.
  package static func read(folder: String) throws -> ShardRecord {
    let path = "\(folder)/\(fileName)"
    guard PathText.isFolder(folder) else {
      throw Refusal(message: "There is no folder \(folder), where a shard's reports should be.")
    }
    guard let file = try? PlainFile.read(path, most: maxBytes) else {
      throw Refusal(
        message: "\(folder) holds no shard: there is no \(fileName). `run --shard i/n` writes one beside its reports.")
    }
    guard file.bytes.starts(with: mark) else {
      throw Refusal(message: "\(path) is no shard of this version of the lab. Run it again with this lab.")
    }
    let rest = file.bytes.dropFirst(mark.count)
    let record = rest.dropLast(hash(of: []).count)
    guard rest.dropFirst(record.count).elementsEqual(hash(of: record)) else {
      throw Refusal(
        message: "\(path) is damaged: its bytes are not those that the shard wrote. Copy it again, or run the shard "
          + "again.")
    }
    do { return try MessageCoding.decode(ShardRecord.self, from: Array(record)) } catch {
      throw Refusal(message: "\(path) was written by another lab. Run the shard again with this one.")
    }
  }

  /// The run that the shards are together. Throws a `Refusal` if one is missing, there twice, or of another run.
  package static func merged(_ records: [(folder: String, record: ShardRecord)]) throws -> SuiteOutcome {
    guard let first = records.first else { throw Refusal(message: "There are no shards to merge.") }
    let count = first.record.shard.count
    var folders: [Int: String] = [:]
    for (folder, record) in records {
      if let problem = first.record.difference(to: record) {
        throw Refusal(message: "\(folder) is no shard of the run that \(first.folder) is of: \(problem).")
      }
      if let other = folders.updateValue(folder, forKey: record.shard.index) {
        throw Refusal(message: "\(other) and \(folder) are both shard \(record.shard.text).")
      }
    }
    let missing = (1...count).filter { folders[$0] == nil }
    guard missing.isEmpty else {
      let names = missing.map { "\($0)/\(count)" }.joined(separator: ", ")
      throw Refusal(message: "Missing of \(count) shards: \(names). Run them with --shard, with the same options.")
    }
    return try join(records.sorted { $0.record.shard.index < $1.record.shard.index }.map(\.record))
  }

  /// Why the other is no shard of the same run; nil: it is.
  private func difference(to other: ShardRecord) -> String? {
    let pairs: [(String, String, String)] = [
      ("number of shards", "\(shard.count)", "\(other.shard.count)"),
      ("hash of the suite's cases and files", plan, other.plan),
      ("lab", report.version, other.report.version),
      ("lab's commit", report.labCommit ?? "unknown", other.report.labCommit ?? "unknown"),
      ("subject", report.subjectTitle, other.report.subjectTitle),
      ("subject's commit", report.subjectCommit ?? "unknown", other.report.subjectCommit ?? "unknown"),
      ("profile", report.profile.rawValue, other.report.profile.rawValue),
      ("number of rounds", "\(report.rounds)", "\(other.report.rounds)"),
    ]
    return pairs.first { $0.1 != $0.2 }.map { "the \($0.0) is \($0.1) there and \($0.2) here" }
  }

  private static func join(_ records: [ShardRecord]) throws -> SuiteOutcome {
    var report = records[0].report
    report.shard = nil
    report.startedAt = records.map(\.report.startedAt).min() ?? report.startedAt
    report.duration = records.map(\.report.duration).max() ?? report.duration
    report.host.jitter = records.map(\.report.host.jitter).max() ?? report.host.jitter
    report.resources = resources(of: records)
    report.deviationFaults = DeviationFault.merged(records.map(\.report.deviationFaults))
    report.shortfalls = records.flatMap(\.report.shortfalls).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    for record in records.dropFirst() { report.note(record.report.exits) }
    (report.unlistedCases, report.casesNotJudged) = ([:], 0)
    report.cases = try cases(of: records)
    for record in records {
      report.unlistedCases.merge(record.report.unlistedCases, uniquingKeysWith: +)
      report.casesNotJudged += record.report.casesNotJudged
      report.sources.merge(record.report.sources) { own, _ in own }
      report.sentences.merge(record.report.sentences) { own, _ in own }
    }
    var counts = Dictionary(report.cases.map { ($0.world, 1) }, uniquingKeysWith: +)
    for (column, cases) in report.unlistedCases { counts[column.world, default: 0] += cases.total }
    return SuiteOutcome(
      report: report, isInterrupted: records.contains(where: \.isInterrupted), spent: [:], counts: counts)
  }

  /// Each case as its own shard has it. What another shard played because it vouches for others is left out where it
  /// was as expected: of what vouches for others the worst counts.
  private static func cases(of records: [ShardRecord]) throws -> [CaseResult] {
    let vouching = records.reduce(into: Set<String>()) { $0.formUnion($1.vouching) }
    var cases: [CaseResult] = []
    var places: [CaseKey: Int] = [:]
    for record in records {
      for result in record.report.cases where record.shard.owns(result) {
        places[CaseKey(result)] = cases.count
        cases.append(result)
      }
    }
    for record in records {
      for result in record.report.cases where !record.shard.owns(result) {
        guard vouching.contains(result.scenario) else {
          throw Refusal(
            message: "Shard \(record.shard.text) ran \(result.name), which belongs to another. Run it again.")
        }
        guard !result.isAsExpected else { continue }
        if record.report.rounds == 1, let place = places[CaseKey(result)] {
          if cases[place].isAsExpected { cases[place] = result }
        } else {
          cases.append(result)
        }
      }
    }
    return cases.sorted { ($0.scenario, $0.name, $0.seed) < ($1.scenario, $1.name, $1.seed) }
  }

  private static func resources(of records: [ShardRecord]) -> RunResources? {
    let all = records.compactMap(\.report.resources)
    guard all.count == records.count, let peak = all.map(\.peakMemory).max() else { return nil }
    return RunResources(peakMemory: peak, processor: all.reduce(.zero) { $0 + $1.processor })
  }

  private struct CaseKey: Hashable {
    var name: String
    var seed: UInt64

    init(_ result: CaseResult) { (name, seed) = (result.name, result.seed) }
  }
}

extension Shard {
  /// Whether the case belongs to it, and is not only played because it vouches for others.
  func owns(_ result: CaseResult) -> Bool {
    owns(scenario: result.scenario, variant: result.variant, world: result.world)
  }
}

extension SuiteOutcome {
  /// Cases that said something of the subject: canaries, skipped and unsupported ones do not count.
  package var judgedCases: Int {
    let isSilent: (Verdict) -> Bool = { $0 == .skipped || $0 == .unsupported }
    let unlisted = report.unlistedCases.values.reduce(0) { sum, cases in
      sum + cases.byVerdict.reduce(0) { isSilent($1.key) ? $0 : $0 + $1.value }
    }
    return unlisted + report.cases.count { !$0.canary && !isSilent($0.verdict) }
  }
}
