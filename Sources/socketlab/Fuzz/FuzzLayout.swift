import ArgumentParser
import Foundation
import FuzzHarness
import Glibc
import ScenarioModel

/// Where things of the fuzz laboratory lie. Paths are relative to the package's folder, which is the working folder.
struct FuzzLayout: Sendable {
  /// Holds the binaries instead of the lanes' scratch folders, if they were built elsewhere.
  var binaries: String?
  /// Raw runs: working corpora, logs, artifacts. Ignored by git.
  var scratch = ".build/fuzz-out"
  /// The folder with corpora, seeds, regressions and dictionaries.
  var fuzz = "Fuzz"
  var scenarios = "Scenarios"
  var reports = "reports/fuzz"

  func build(_ lane: FuzzTarget.Lane) -> String { ".build/fuzz-\(lane.rawValue)" }

  func binary(_ target: FuzzTarget, _ lane: FuzzTarget.Lane) -> String {
    "\(binaries ?? build(lane) + "/release")/\(target.product)"
  }

  /// The list of object files that a binary was linked from.
  func linkList(_ target: FuzzTarget, _ lane: FuzzTarget.Lane) -> String {
    "\(build(lane))/release/\(target.product).product/Objects.LinkFileList"
  }

  func work(_ target: FuzzTarget) -> String { "\(scratch)/\(target.name)" }
  /// What fuzzing has found interesting on this machine; grows from campaign to campaign.
  func workingCorpus(_ target: FuzzTarget) -> String { "\(work(target))/corpus" }
  /// Files that were taken out of the working corpus.
  func quarantine(_ target: FuzzTarget) -> String { "\(work(target))/quarantine" }

  /// Written by hand, never by a command.
  func seeds(_ target: FuzzTarget) -> String { "\(fuzz)/seeds/\(target.name)" }
  /// Pruned and committed.
  func corpus(_ target: FuzzTarget) -> String { "\(fuzz)/corpus/\(target.name)" }
  func regressions(_ target: FuzzTarget) -> String { "\(fuzz)/regressions/\(target.name)" }
  func dictionary(_ target: FuzzTarget) -> String { "\(fuzz)/dict/\(target.name).dict" }
  /// The list of findings that are known.
  var known: String { "\(fuzz)/regressions/known.json" }
}

/// Files, with errors that say what was tried.
enum FuzzFiles {
  static func makeFolder(_ path: String) throws {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch { throw LabFailure("The folder \(path) can't be made: \(reason(error)).") }
  }

  static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

  static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }

  static func read(_ path: String) throws -> [UInt8] {
    do { return Array(try Data(contentsOf: URL(fileURLWithPath: path))) } catch {
      throw LabFailure("\(path) can't be read: \(reason(error)).")
    }
  }

  static func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
    // Foundation's errors don't say that the disk is full; the system's do.
    let place = "\(path).part"
    let descriptor = open(place, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor != -1 else { throw LabFailure("\(path) can't be written: \(systemError()).") }
    var rest = Array(bytes)[...]
    var problem: Int32?
    while problem == nil, !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno != EINTR { problem = errno }
      rest = rest.dropFirst(max(count, 0))
    }
    if close(descriptor) != 0 { problem = problem ?? errno }
    if problem == nil, rename(place, path) != 0 { problem = errno }
    guard let problem else { return }
    unlink(place)
    throw LabFailure("\(path) can't be written: \(systemError(problem)).")
  }

  /// The files below a folder, in order; nothing for a folder that is not there, an error for one that can't be read.
  static func files(below folder: String, depth: Int = 16) throws -> [String] {
    guard exists(folder), depth > 0 else { return [] }
    guard isFolder(folder) else { throw LabFailure("\(folder) can't be read: it is no folder.") }
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted() } catch {
      throw LabFailure("The folder \(folder) can't be read: \(reason(error)).")
    }
    return try names.filter { !$0.hasPrefix(".") }.map { "\(folder)/\($0)" }.flatMap { path in
      isFolder(path) ? try files(below: path, depth: depth - 1) : [path]
    }
  }

  /// The one input that is meant: a file, or a finding's folder, whose smallest input it is.
  static func input(at path: String) throws -> String {
    guard isFolder(path) else { return try inputs(at: path)[0] }
    let place = ["minimised", "input"].map { "\(path)/\($0)" }.first(where: exists)
    guard let place else { throw ValidationError("\(path) is a folder, and no finding's: it has no file `input`.") }
    return place
  }

  /// Inputs as a person names them: a file, or a folder with all below it. What can't be one is wrong usage.
  static func inputs(at path: String) throws -> [String] {
    guard exists(path) else { throw ValidationError("There is no file \(path).") }
    let files: [String]
    do { files = isFolder(path) ? try self.files(below: path) : [path] } catch let failure as LabFailure {
      throw ValidationError(failure.message)
    }
    for file in files {
      guard access(file, R_OK) == 0 else { throw ValidationError("\(file) can't be read: \(systemError()).") }
      let size = size(file)
      guard size <= FuzzInputs.largestFile else {
        let limit = Wording.count(FuzzInputs.largestFile)
        throw ValidationError("\(file) has \(Wording.count(size)) bytes; an input has at most \(limit).")
      }
    }
    return files
  }

  static func size(_ path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.intValue ?? 0
  }

  /// The system's word where there is one: Foundation's says less.
  static func reason(_ error: any Error) -> String {
    let error = error as NSError
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    guard cause.domain == NSPOSIXErrorDomain else { return cause.localizedDescription }
    return systemError(Int32(cause.code))
  }
}
