import Foundation
import FuzzHarness
import PlantedBugs
import ScenarioModel

/// The copy of the package that all planted bugs are grafted into. It is brought up to date in place, so that a build
/// of it costs what has changed.
struct ZooTree: Sendable {
  static let standard = ".build/zoo"

  var folder = "\(Self.standard)/tree"

  /// What the manifest needs to be there.
  private static let parts = ["Package.swift", "Sources", "Fuzz", "Examples", "Tests"]

  func scratch(_ lane: FuzzTarget.Lane) -> String { "\(Self.standard)/\(lane.rawValue)" }

  /// Where the lab that is infected itself is built.
  var labScratch: String { "\(Self.standard)/lab" }
  var lab: String { "\(labScratch)/release/socketlab" }

  /// Copies what differs, removes what is gone, and puts the bugs in.
  func prepare() throws {
    var wanted: [String: [UInt8]] = [:]
    for part in Self.parts {
      let files = FuzzFiles.isFolder(part) ? try FuzzFiles.files(below: part) : [part]
      for file in files { wanted[file] = try FuzzFiles.read(file) }
    }
    for path in Graft.paths() {
      guard let source = wanted[path] else { throw LabFailure("\(path) is missing, which planted bugs are put into.") }
      do {
        wanted[path] = Array(try Graft.apply(to: path, source: String(decoding: source, as: UTF8.self)).utf8)
      } catch { throw LabFailure("\(error)") }
    }
    for room in Graft.rooms() { wanted["\(room)/\(Graft.keeperName)"] = Array(Graft.keeper.utf8) }
    for (path, bytes) in wanted { try update("\(folder)/\(path)", bytes) }
    for file in try FuzzFiles.files(below: folder) where wanted[String(file.dropFirst(folder.count + 1))] == nil {
      if !file.hasPrefix("\(folder)/.build/"), !file.hasSuffix("/Package.resolved") { FuzzFiles.remove(file) }
    }
  }

  /// An untouched file keeps its date, by which the build knows it.
  private func update(_ path: String, _ bytes: [UInt8]) throws {
    if FuzzFiles.size(path) == bytes.count, FuzzFiles.exists(path), try FuzzFiles.read(path) == bytes { return }
    try FuzzFiles.makeFolder((path as NSString).deletingLastPathComponent)
    try FuzzFiles.write(bytes, to: path)
  }

  // MARK: Building

  func build(_ target: FuzzTarget, _ lane: FuzzTarget.Lane, leash: Leash) throws {
    let arguments = FuzzBuilder.arguments(target, lane, scratch: scratch(lane)) + ["--package-path", folder]
    try FuzzBuilder.dropForeignObjects(lane, scratch: scratch(lane), manifest: "\(folder)/Package.swift")
    try build(arguments, FuzzBuilder.environment, what: target.product, leash: leash)
  }

  func buildLab(leash: Leash) throws {
    let arguments = [
      "build", "-c", "release", "--product", "socketlab", "--scratch-path", labScratch, "--package-path", folder,
    ]
    try build(arguments, ProcessInfo.processInfo.environment, what: "socketlab", leash: leash)
  }

  private func build(_ arguments: [String], _ environment: [String: String], what: String, leash: Leash) throws {
    var tail: [String] = []
    let child = ChildGroup(
      ChildPlan(
        executable: try FuzzTool.swift.required(), arguments: arguments, environment: environment,
        limit: .seconds(3600)), leash: leash)
    let result = try child.run { line in
      if tail.count == 200 { tail.removeFirst(100) }
      tail.append(line.text)
    }
    guard result.end == .exited(0) else {
      let errors = tail.filter { $0.contains("error:") }
      let shown = (errors.isEmpty ? tail.suffix(10) : errors.prefix(10)).joined(separator: "\n")
      throw LabFailure("\(what) does not build with the planted bugs in it:\n\(shown)")
    }
  }
}
