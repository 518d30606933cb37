import Foundation
import HostTools
import ScenarioModel
import ScenarioYAML

extension RequirementRegister {
  /// The register's folder in the lab's.
  package static let folder = "Requirements"

  /// Reads all `.yaml` files of the folder. Throws a `LabFailure` if it can't be read, or a `RegisterFailure` with
  /// everything that is wrong with the files.
  package init(folder: String) throws {
    guard PathText.isFolder(folder) else {
      let what = PathText.exists(folder) ? "\(folder) is no folder." : "There is no folder \(folder)."
      throw LabFailure("\(what) Run the command where \(Self.folder)/ is, or name the folder with --requirements.")
    }
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
      throw LabFailure("The folder \(folder) can't be read: \(HostFiles.reason(error))")
    }
    let files = try names.filter { $0.hasSuffix(".yaml") && !$0.hasPrefix(".") }.map {
      try Self.file("\(folder)/\($0)")
    }
    try self.init(files: files, folder: folder)
  }

  /// Makes the register of what its files hold.
  ///
  /// - Parameter folder: where they are, for what is wrong with them.
  package init(files: [RegisterFile], folder: String) throws(RegisterFailure) {
    self = try RegisterReader.register(of: files, in: folder)
  }

  private static func file(_ path: String) throws(LabFailure) -> RegisterFile {
    do throws(PlainFile.Problem) {
      // One byte more than may be: the reader sees that it is too much.
      return RegisterFile(path: path, bytes: try PlainFile.read(path, most: ScenarioReader.maxBytes + 1).bytes)
    } catch {
      throw LabFailure("\(path) \(error.text).\(error.help.map { " \($0)" } ?? "")")
    }
  }
}
