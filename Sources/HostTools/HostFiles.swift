import Foundation
import Glibc
import ScenarioModel

/// Files, with errors that say what was tried.
package enum HostFiles {
  /// Makes the folder and those above it, as far as they are missing.
  package static func makeFolder(_ path: String) throws {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch { throw LabFailure("The folder \(path) can't be made: \(reason(error)).") }
  }

  /// Removes a file, or a folder with all that is in it; says nothing if that can't be done.
  package static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

  /// Whether there is a file or a folder; links are followed, and a link to nowhere is none.
  package static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

  /// Whether there is a folder; links are followed.
  package static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }

  /// All bytes of a file.
  package static func read(_ path: String) throws -> [UInt8] {
    do { return Array(try Data(contentsOf: URL(fileURLWithPath: path))) } catch {
      throw LabFailure("\(path) can't be read: \(reason(error)).")
    }
  }

  /// A path in the folder of `path` that no other process or thread uses: for what takes the place of `path` when it is
  /// whole. With a constant name, two writers would write into one file, or take it away from each other.
  ///
  /// It is hidden, so that what a killed process leaves is not taken for an input or a report, and short: the name of
  /// `path` may be as long as the file system allows.
  static func freshName(beside path: String) -> String {
    let folder = path.lastIndex(of: "/").map { path[...$0] } ?? ""
    return "\(folder).\(String(UInt64.random(in: 0 ... .max), radix: 36)).part"
  }

  /// The path, or, where something is there already, the first of `NAME-2`, `NAME-3` and so on, before the file's
  /// extension, where nothing is. `isFine`: what is at a path may be written over all the same.
  package static func freePath(_ path: String, isFine: (String) -> Bool = { _ in false }) -> String {
    let (plain, suffix) = ((path as NSString).deletingPathExtension, (path as NSString).pathExtension)
    var place = path
    var number = 1
    while PathText.exists(place), !isFine(place) {
      number += 1
      place = "\(plain)-\(number)" + (suffix.isEmpty ? "" : ".\(suffix)")
    }
    return place
  }

  /// The names of all files and folders right in a folder, in no order; none if it can't be read.
  package static func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  /// The files below a folder, in order; nothing for a folder that is not there, an error for one that can't be read.
  package static func files(below folder: String, depth: Int = 16) throws -> [String] {
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

  /// In bytes; 0 if there is no such file. Links are not followed.
  package static func size(_ path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.intValue ?? 0
  }

  /// The system's word where there is one: Foundation's says less. Without a full stop, for callers end the sentence.
  package static func reason(_ error: any Error) -> String {
    let error = error as NSError
    let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
    if (error as? CocoaError)?.code == .fileReadNoSuchFile { return systemError(ENOENT) }
    guard cause.domain == NSPOSIXErrorDomain else {
      let words = cause.localizedDescription
      return words.hasSuffix(".") ? String(words.dropLast()) : words
    }
    return systemError(Int32(cause.code))
  }
}
