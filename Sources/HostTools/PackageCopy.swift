import Foundation
import ScenarioModel

/// A copy of the package with something put into its sources. It is brought up to date in place, so that a build of it
/// costs what has changed.
package struct PackageCopy: Sendable {
  /// Where the copy lies.
  package var folder: String
  /// Where the package lies.
  private let origin: String

  /// - Parameter origin: where the package lies: the working folder unless said.
  package init(folder: String, of origin: String = ".") {
    self.folder = folder
    self.origin = origin
  }

  /// What the manifest needs to be there.
  static let parts = ["Package.swift", "Sources", "Fuzz", "Examples", "Tests", "Subjects/cocoa"]

  /// Copies what differs and removes what is gone; `change` edits the files by their paths.
  package func prepare(_ change: (inout [String: [UInt8]]) throws -> Void) throws {
    var wanted: [String: [UInt8]] = [:]
    for part in Self.parts {
      let place = "\(origin)/\(part)"
      let files = HostFiles.isFolder(place) ? try HostFiles.files(below: place) : [place]
      for file in files { wanted[String(file.dropFirst(origin.count + 1))] = try HostFiles.read(file) }
    }
    try change(&wanted)
    for (path, bytes) in wanted { try update("\(folder)/\(path)", bytes) }
    for file in try HostFiles.files(below: folder) where wanted[String(file.dropFirst(folder.count + 1))] == nil {
      if !file.hasPrefix("\(folder)/.build/"), !file.hasSuffix("/Package.resolved") { HostFiles.remove(file) }
    }
  }

  /// An untouched file keeps its date, by which the build knows it.
  private func update(_ path: String, _ bytes: [UInt8]) throws {
    if HostFiles.size(path) == bytes.count, HostFiles.exists(path), try HostFiles.read(path) == bytes { return }
    try HostFiles.makeFolder((path as NSString).deletingLastPathComponent)
    try HostFiles.write(bytes, to: path)
  }

  /// Runs `swift` with the arguments; throws with the compiler's errors.
  /// - Parameter stop: ends the build.
  package static func build(
    _ arguments: [String], _ environment: [String: String], what: String, deathPipe: ParentDeathPipe,
    stop: StopFlag = StopFlag()
  ) throws {
    var tail: [String] = []
    let child = ChildGroup(
      ChildPlan(
        executable: try HostTool.swift.required(), arguments: arguments, environment: environment,
        limit: .seconds(3600)), deathPipe: deathPipe, stop: stop)
    let result = try child.run { line in
      if tail.count == 200 { tail.removeFirst(100) }
      tail.append(line.text)
    }
    guard !result.isStopped else { throw LabFailure("The build of \(what) was interrupted.") }
    guard result.end == .exited(0) else {
      let errors = tail.filter { $0.contains("error:") }
      let shown = (errors.isEmpty ? tail.suffix(10) : errors.prefix(10)).joined(separator: "\n")
      throw LabFailure("\(what) does not build:\n\(shown)")
    }
  }
}
