import Foundation
import FuzzCampaign
import FuzzHarness
import HostTools
import ScenarioModel
import SubjectAdapters

/// Where a campaign's figures come from.
package enum FuzzProvenance {
  /// Of the checkout that the command stands in, the toolchain and the machine.
  package static func make(version: String, deathPipe: ParentDeathPipe) -> Provenance {
    var provenance = Provenance(
      version: version, system: HostProbe.system, processors: HostProbe.processors)
    if let git = HostTool.git.path {
      let commit = try? HostTool.lines(git, ["rev-parse", "HEAD"], deathPipe: deathPipe)
      if let commit, commit.code == 0 { provenance.commit = commit.lines.first }
      let status = try? HostTool.lines(git, ["status", "--porcelain"], deathPipe: deathPipe)
      if let status, status.code == 0 { provenance.isDirty = !status.lines.isEmpty }
    }
    if let swift = HostTool.swift.path, let answer = try? HostTool.lines(swift, ["--version"], deathPipe: deathPipe) {
      provenance.swiftVersion = answer.lines.first { $0.contains("Swift version") }
    }
    let environment = LibFuzzer.environment(.asan, .search)
    provenance.environment = LibFuzzer.variables.compactMap { name in
      environment[name].map { EnvironmentEntry(name, $0) }
    }
    return provenance
  }

  static func build(
    _ target: FuzzTarget, _ lane: FuzzTarget.Lane, _ proof: InstrumentationProof, layout: FuzzLayout
  ) -> FuzzBuild {
    let arguments = FuzzBuilder.arguments(target, lane, scratch: layout.build(lane))
    let command =
      layout.binaries == nil
      ? "\(FuzzBuilder.variable)=1 swift " + arguments.joined(separator: " ") : "built elsewhere"
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
    if HostFiles.exists(record.log) { run.log = "logs/\((record.log as NSString).lastPathComponent)" }
    return run
  }
}

/// Folders of inputs in figures.
package enum CorpusFacts {
  /// Counts the files below the folders; what can't be read is left out. No file: no hash.
  package static func of(_ folders: [String]) -> CorpusFact {
    var bytes = 0
    var digests: [String] = []
    for file in folders.flatMap({ (try? HostFiles.files(below: $0)) ?? [] }) {
      guard let content = try? HostFiles.read(file) else { continue }
      bytes += content.count
      digests.append(Fingerprint.of(content))
    }
    let all = Fingerprint.of(digests.sorted().joined().utf8)
    return CorpusFact(files: digests.count, bytes: bytes, sha256: digests.isEmpty ? nil : all)
  }
}
