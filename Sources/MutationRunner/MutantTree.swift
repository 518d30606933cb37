import CampaignRunner
import Foundation
import FuzzHarness
import HostTools
import PlantedBugs
import ScenarioModel

/// The copy of the package that all planted bugs are patched into.
struct MutantTree: Sendable {
  static let standard = ".build/zoo"

  var folder = "\(Self.standard)/tree"

  func scratch(_ lane: FuzzTarget.Lane) -> String { "\(Self.standard)/\(lane.rawValue)" }

  /// Where the lab that is infected itself is built.
  var labScratch: String { "\(Self.standard)/lab" }
  var lab: String { "\(labScratch)/release/socketlab" }

  /// Where the tests with the bugs in what they test are built.
  var testScratch: String { "\(Self.standard)/tests" }
  var tests: String { "\(testScratch)/debug/SocketLabPackageTests.xctest" }

  /// Copies what differs, removes what is gone, and puts the bugs in.
  func prepare() throws {
    try PackageCopy(folder: folder).prepare { wanted in
      for path in SourcePatch.paths() {
        guard let source = wanted[path] else {
          throw LabFailure("\(path) is missing, which planted bugs are put into.")
        }
        do {
          wanted[path] = Array(try SourcePatch.apply(to: path, source: String(decoding: source, as: UTF8.self)).utf8)
        } catch { throw LabFailure("\(error)") }
      }
      for module in SourcePatch.modules() {
        wanted["\(module)/\(SourcePatch.switchName)"] = Array(SourcePatch.switchText.utf8)
      }
    }
  }

  // MARK: Building

  func build(_ target: FuzzTarget, _ lane: FuzzTarget.Lane, deathPipe: ParentDeathPipe) throws {
    let arguments = FuzzBuilder.arguments(target, lane, scratch: scratch(lane)) + ["--package-path", folder]
    try FuzzBuilder.dropForeignObjects(lane, scratch: scratch(lane), manifest: "\(folder)/Package.swift")
    try PackageCopy.build(
      arguments, FuzzBuilder.environment, what: "\(target.product) with the planted bugs in it", deathPipe: deathPipe)
  }

  func buildLab(deathPipe: ParentDeathPipe) throws {
    try build(
      ["-c", "release", "--product", "socketlab", "--scratch-path", labScratch], "socketlab", deathPipe: deathPipe)
  }

  func buildTests(deathPipe: ParentDeathPipe) throws {
    try build(["--build-tests", "--scratch-path", testScratch], "the Swift tests", deathPipe: deathPipe)
  }

  private func build(_ arguments: [String], _ what: String, deathPipe: ParentDeathPipe) throws {
    try PackageCopy.build(
      ["build"] + arguments + ["--package-path", folder], ProcessInfo.processInfo.environment,
      what: "\(what) with the planted bugs in it", deathPipe: deathPipe)
  }
}
