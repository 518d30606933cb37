import Foundation
import FuzzCampaign
import FuzzHarness
import SubjectAdapters

/// Where a campaign's figures come from.
enum FuzzProvenance {
  static func make(leash: Leash) -> Provenance {
    var provenance = Provenance(
      version: SocketLab.version, system: HostProbe.system, processors: HostProbe.processors)
    if let git = FuzzTool.git.path {
      let commit = try? FuzzTool.lines(git, ["rev-parse", "HEAD"], leash: leash)
      if let commit, commit.code == 0 { provenance.commit = commit.lines.first }
      let status = try? FuzzTool.lines(git, ["status", "--porcelain"], leash: leash)
      if let status, status.code == 0 { provenance.isDirty = !status.lines.isEmpty }
    }
    if let swift = FuzzTool.swift.path, let answer = try? FuzzTool.lines(swift, ["--version"], leash: leash) {
      provenance.swiftVersion = answer.lines.first { $0.contains("Swift version") }
    }
    let environment = LibFuzzer.environment(.asan)
    provenance.environment = LibFuzzer.variables.compactMap { name in
      environment[name].map { EnvironmentEntry(name, $0) }
    }
    return provenance
  }

  static func build(
    _ target: FuzzTarget, _ lane: FuzzTarget.Lane, _ proof: InstrumentationProof, layout: FuzzLayout
  ) -> FuzzBuild {
    let arguments = FuzzBuilder.arguments(target, lane, scratch: layout.build(lane))
    let command = layout.binaries == nil ? "swift " + arguments.joined(separator: " ") : "built elsewhere"
    var build = FuzzBuild(target: target.name, lane: lane, command: command)
    build.sha256 = Fingerprint.ofFile(layout.binary(target, lane))
    build.modules = proof.modules.filter(\.isOwn).map {
      ModuleCounters($0.name, counters: $0.counters, sanitizerChecks: lane == .cov ? nil : $0.sanitizerCalls)
    }
    return build
  }

  static func run(_ record: FuzzProcessRecord, trial: Int) -> FuzzRun {
    let wall = record.result?.wall.inSeconds ?? 0
    var run = record.reading.run(
      lane: record.unit.lane, trial: trial, command: record.command, end: record.end, wallSeconds: wall)
    run.seed = UInt64(record.seed)
    run.startedAt = record.result == nil ? nil : record.startedAt.formatted(.iso8601)
    run.cpuSeconds = record.result?.processor.inSeconds
    run.peakRssBytes = run.peakRssBytes ?? record.result?.peakMemory
    if FuzzFiles.exists(record.log) { run.log = "logs/\((record.log as NSString).lastPathComponent)" }
    return run
  }
}

/// Folders of inputs in figures.
enum CorpusFacts {
  static func of(_ folders: [String]) -> CorpusFact {
    var bytes = 0
    var digests: [String] = []
    for file in folders.flatMap({ (try? FuzzFiles.files(below: $0)) ?? [] }) {
      guard let content = try? FuzzFiles.read(file) else { continue }
      bytes += content.count
      digests.append(Fingerprint.of(content))
    }
    let all = Fingerprint.of(digests.sorted().joined().utf8)
    return CorpusFact(files: digests.count, bytes: bytes, sha256: digests.isEmpty ? nil : all)
  }
}

/// Campaigns in words, for the terminal.
enum FuzzText {
  static func describe(_ finding: Finding) -> String {
    let mark = finding.isNews ? Console.styled("✗", .bad) : Console.styled("·", .caution)
    var lines = ["\(mark) \(Console.styled(finding.key, .strong))  \(finding.status.rawValue)"]
    let detail = finding.detail.split(separator: "\n", omittingEmptySubsequences: false).prefix(6)
    lines += detail.map { "    \($0)" }
    lines += finding.stack.prefix(3).map { Console.styled("      \($0)", .quiet) }
    lines.append(Console.styled("    again: \(finding.reproduce)", .quiet))
    return lines.joined(separator: "\n")
  }

  static func summary(_ campaign: Campaign) -> [String] {
    var lines = [
      "",
      Console.styled("SocketLab \(campaign.provenance.version)", .strong) + "  fuzz campaign \(campaign.id)"
        + (campaign.provenance.commit.map { ", commit \($0.prefix(12))" } ?? "")
        + (campaign.provenance.isDirty == true ? " with changes" : ""),
    ]
    for target in campaign.targets {
      let executions = target.runs.compactMap(\.executions).reduce(0, +)
      let name = target.name.padding(toLength: 12, withPad: " ", startingAt: 0)
      let rate = target.speeds.first?.rates.first.map { "  \(Wording.count(Int($0)))/s" } ?? ""
      let coverage = target.coverage.map { "  \(Wording.count($0.covered)) of \(Wording.count($0.total)) edges" } ?? ""
      lines.append("  \(name)\(Wording.count(executions, "execution"))\(rate)\(coverage)")
    }
    lines.append("")
    for gate in campaign.gates {
      let mark: String =
        switch gate.state {
        case .passed: Console.styled("✓", .good)
        case .failed: Console.styled("✗", .bad)
        case .skipped: "–"
        }
      let name = gate.name.rawValue.padding(toLength: 13, withPad: " ", startingAt: 0)
      lines.append("\(mark) \(name)\(gate.actual)")
      if gate.state == .failed { lines += gate.reasons.prefix(10).map { "    \($0)" } }
    }
    if campaign.isInterrupted { lines.append(Console.styled("  interrupted: not everything ran", .caution)) }
    return lines
  }
}
