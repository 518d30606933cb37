import CoverageMarks
import Foundation
import HostTools
import ScenarioModel

/// The copy of the package with the coverage marks in it, and the lab that is built from it.
struct MarkedLab: Sendable {
  /// The package, as seen from the working folder.
  let home: String
  /// The folder with the scenarios.
  let scenarios: String
  let deathPipe: ParentDeathPipe
  let stop: StopFlag
  let tell: @Sendable (ReachRun.Event) -> Void

  /// Where everything of it lies.
  var folder: String { "\(home)/.build/reach" }
  private var copy: PackageCopy { PackageCopy(folder: "\(folder)/tree", of: home) }
  private var scratch: String { "\(folder)/lab" }

  func build() throws {
    try copy.prepare { files in
      do {
        for path in MarkInsertion.paths() {
          guard let source = files[path] else { throw LabFailure("\(path) is missing, which marks stand in.") }
          files[path] = Array(try MarkInsertion.apply(to: path, source: String(decoding: source, as: UTF8.self)).utf8)
        }
        let runner = MarkInsertion.runner.path
        files[runner] = Array(
          try MarkInsertion.applyToRunner(String(decoding: files[runner] ?? [], as: UTF8.self)).utf8)
      } catch let failure as MarkInsertion.Failure { throw LabFailure("\(failure)") }
      for module in MarkInsertion.modules() {
        files["\(module)/\(MarkInsertion.counterName)"] = Array(MarkInsertion.counter.utf8)
      }
      // The same versions of what others wrote.
      let resolved = "\(home)/Package.resolved"
      if HostFiles.exists(resolved) { files["Package.resolved"] = try HostFiles.read(resolved) }
    }
    tell(.step("building socketlab with the coverage marks"))
    // Built at every change of the socket, and run a few times: what a scenario runs in is optimised, and no more.
    let swift = ["-whole-module-optimization", "-num-threads", "2", "-gline-tables-only"].flatMap { ["-Xswiftc", $0] }
    let arguments =
      ["build", "--product", "socketlab", "--scratch-path", scratch, "--package-path", copy.folder] + swift
    var environment = ProcessInfo.processInfo.environment
    environment["SOCKETLAB_QUICK_BUILD"] = "debug"
    try PackageCopy.build(
      arguments, environment, what: "socketlab with the coverage marks in it", deathPipe: deathPipe, stop: stop)
  }

  /// One process of the lab; whether all went as expected. What did not is shown.
  func run(
    _ world: WorldName, _ arguments: [String], counters: String, cases: String? = nil
  ) throws -> Bool {
    try HostFiles.write([UInt8](repeating: 0, count: 8 * CoverageMark.all.count), to: counters)
    var environment = ProcessInfo.processInfo.environment
    environment[MarkInsertion.variable] = counters
    environment[MarkInsertion.casesVariable] = cases
    let output = "\(counters).reports"
    defer { HostFiles.remove(output) }
    let child = ChildGroup(
      ChildPlan(
        executable: "\(scratch)/debug/socketlab",
        arguments: ["run"] + arguments + [
          "--world", world.rawValue, "--quiet", "--format", "json", "--output", output, "--scenarios", scenarios,
        ],
        environment: environment, limit: .seconds(900)),
      deathPipe: deathPipe, stop: stop)
    var lines: [String] = []
    let result = try child.run { line in
      if lines.count < 200 { lines.append(line.text) }
    }
    // What a part of the suite has entered says nothing of the whole.
    if stop.isSet { throw LabFailure("Interrupted.") }
    switch result.end {
    case .exited(0): return true
    case .exited(LabExit.usage.rawValue), .exited(LabExit.badScenario.rawValue), .exited(LabExit.nothingRan.rawValue):
      throw LabFailure(lines.joined(separator: "\n"))
    default:
      guard cases == nil else { return false }
      for line in lines { tell(.step(line)) }
      let how = result.isOverdue ? "takes too long" : "ended with \(result.end.code)"
      tell(.problem("The run of the marked copy \(how): what it has entered counts all the same."))
      return false
    }
  }

  func read(_ counters: String) throws -> [UInt64] {
    let bytes = try HostFiles.read(counters)
    return stride(from: 0, to: bytes.count - 7, by: 8).map { start in
      bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
  }
}
