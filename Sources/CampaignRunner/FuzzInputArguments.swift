import Glibc
import HostTools
import ScenarioModel

// Inputs as a command line names them.
extension HostFiles {
  /// The one input that is meant: a file, or a finding's folder, whose smallest input it is.
  package static func input(at path: String) throws -> String {
    guard isFolder(path) else { return try inputs(at: path)[0] }
    let place = ["minimised", "input"].map { "\(path)/\($0)" }.first(where: exists)
    guard let place else { throw UsageFailure("\(path) is a folder, and no finding's: it has no file `input`.") }
    return place
  }

  /// Inputs as a person names them: a file, or a folder with all files below it. Anything else is wrong usage.
  package static func inputs(at path: String) throws -> [String] {
    guard exists(path) else { throw UsageFailure("There is no file \(path).") }
    let files: [String]
    do { files = isFolder(path) ? try self.files(below: path) : [path] } catch let failure as LabFailure {
      throw UsageFailure(failure.message)
    }
    for file in files {
      guard access(file, R_OK) == 0 else { throw UsageFailure("\(file) can't be read: \(systemError()).") }
      let size = size(file)
      guard size <= FuzzInputs.largestFile else {
        let limit = QuantityText.count(FuzzInputs.largestFile)
        throw UsageFailure("\(file) has \(QuantityText.count(size)) bytes; an input has at most \(limit).")
      }
    }
    return files
  }
}
