import Foundation
import FuzzHarness
import Glibc
import HostTools
import ScenarioModel

/// The inputs that a search begins with, looked through before libFuzzer sees them.
///
/// Committed inputs are copied to a folder of this campaign, because libFuzzer can't leave out single files: one that
/// is too large, can't be read, or is known to end the target would end every run at its beginning.
struct FuzzInputs {
  /// Larger files are left out, whatever the target's longest input: something else was put there by mistake.
  static let largestFile = 1 << 20

  /// The folder to read from.
  let folder: String
  private(set) var files = 0
  private(set) var bytes = 0
  /// The files that were left out, with the reasons, for the report.
  private(set) var remarks: [String] = []

  /// Gathers corpus, seeds and regressions; scenario files, too, for the target that reads them.
  init(
    _ target: FuzzTarget, layout: FuzzLayout, known: KnownFindings, into folder: String, withCorpus: Bool = true
  ) throws {
    self.folder = folder
    try HostFiles.makeFolder(folder)
    var sources = [layout.seeds(target), layout.regressions(target)]
    if withCorpus { sources.insert(layout.corpus(target), at: 0) }
    if target.name == "scenario" { sources.append(layout.scenarios) }
    for source in sources {
      do {
        for file in try HostFiles.files(below: source) {
          if source == layout.scenarios, !file.hasSuffix(".yaml") { continue }
          let isKnown = known.isOpen(target, file: (file as NSString).lastPathComponent)
          if source == layout.regressions(target), isKnown { continue }
          take(file)
        }
      } catch let failure as LabFailure { remarks.append(failure.message) }
    }
  }

  private mutating func take(_ file: String) {
    let size = HostFiles.size(file)
    guard size <= Self.largestFile else {
      let limit = QuantityText.count(Self.largestFile)
      remarks.append("\(file) was left out: it has \(QuantityText.count(size)) bytes, and an input at most \(limit).")
      return
    }
    do {
      let content = try HostFiles.read(file)
      // Named by what it holds: equal files of several folders become one.
      try HostFiles.write(content, to: "\(folder)/\(Fingerprint.of(content).prefix(40))")
      files += 1
      bytes += content.count
    } catch let failure as LabFailure { remarks.append(failure.message) } catch {
      remarks.append("\(file) was left out: \(error).")
    }
  }

  /// Removes an input that ends the target whenever it is read; it is kept as a finding.
  func drop(_ content: [UInt8]) { HostFiles.remove("\(folder)/\(Fingerprint.of(content).prefix(40))") }
}

/// The corpus that grows from campaign to campaign.
package enum WorkingCorpus {
  /// Makes the folder, and moves out what is too large to be an input. Returns what was done, for the report.
  package static func prepare(_ target: FuzzTarget, layout: FuzzLayout) throws -> [String] {
    let folder = layout.workingCorpus(target)
    try HostFiles.makeFolder(folder)
    var remarks: [String] = []
    for file in try HostFiles.files(below: folder) where HostFiles.size(file) > FuzzInputs.largestFile {
      let size = HostFiles.size(file)
      let moved = try setAside(file, target, layout: layout)
      remarks.append("\(file) was moved to \(moved): \(QuantityText.count(size)) bytes are no input.")
    }
    return remarks
  }

  /// Moves a file that ends the target whenever it is read. Returns where it lies now: two processes of a target may
  /// meet the same file, and then one of them moves it and the other finds it moved.
  @discardableResult
  static func setAside(_ file: String, _ target: FuzzTarget, layout: FuzzLayout) throws -> String {
    let folder = layout.quarantine(target)
    try HostFiles.makeFolder(folder)
    let place = "\(folder)/\((file as NSString).lastPathComponent)"
    // In one step: if an older file were removed first, it could be the one that somebody else has just moved there.
    guard rename(file, place) != 0 else { return place }
    let code = errno
    guard code == ENOENT, HostFiles.exists(place) else {
      throw LabFailure("\(file) can't be moved to \(place): \(systemError(code)).")
    }
    return place
  }

  /// Moves out the files with this content. Returns how many there were.
  static func setAside(content: [UInt8], _ target: FuzzTarget, layout: FuzzLayout) throws -> Int {
    let same = try HostFiles.files(below: layout.workingCorpus(target)).filter {
      HostFiles.size($0) == content.count && (try? HostFiles.read($0)) == content
    }
    for file in same { try setAside(file, target, layout: layout) }
    return same.count
  }
}
