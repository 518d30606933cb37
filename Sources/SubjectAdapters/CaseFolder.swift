import Foundation
import ScenarioRunner
import SocketPOSIX

/// A case's own folder for the paths of Unix-domain sockets: short, because such a path has room for 107 bytes only.
struct CaseFolder: Sendable {
  let path: String

  /// Makes a new folder. A scenario's relative paths are meant below it.
  init() throws(SystemCallFailure) {
    var template = Array("/tmp/socketlab-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemCallFailure(call: "mkdtemp", code: errno) }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The file-system path a scenario's path stands for. Absolute and empty paths stay as they are.
  func absolute(_ scenarioPath: String) -> String {
    scenarioPath.isEmpty || scenarioPath.hasPrefix("/") ? scenarioPath : path + "/" + scenarioPath
  }

  /// The opposite: paths below the folder lose it, so that traces do not differ from run to run.
  func relative(_ path: String) -> String {
    path.hasPrefix(self.path + "/") ? String(path.dropFirst(self.path.count + 1)) : path
  }

  /// A URL for the library's Unix-domain calls; `URL(fileURLWithPath:)` would make an empty path the working folder.
  func url(_ scenarioPath: String) -> URL {
    let path = absolute(scenarioPath)
    return path.isEmpty ? URL(string: "file:") ?? URL(fileURLWithPath: "") : URL(fileURLWithPath: path)
  }

  /// Removes it with all that is in it.
  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
