import Foundation
import Glibc
import ScenarioRunner
import SocketPOSIX
import TestCertificates

/// A case's own folder for the paths of Unix-domain sockets. Its path has 21 bytes in any process, and that of a socket
/// may have 107.
///
/// It is made when its first path is asked for: most cases have none, and on many file systems the cases of all workers
/// would queue up to make and remove folders. It lies in the folder of the run, which takes with it what a worker that
/// crashed has left.
final class CaseFolder: Sendable {
  private let template: String
  /// nil: it has not been made.
  private let made = LockedValue<String?>(nil)

  /// - Parameter run: the folder of the run; nil: there is none.
  init(in run: String? = TestPKI.runFolder) { template = run.map { "\($0)/XXXXXX" } ?? "/tmp/socketlab-XXXXXX" }

  /// The file-system path a scenario's path stands for. Absolute and empty paths stay as they are.
  func absolute(_ scenarioPath: String) -> String {
    guard !scenarioPath.isEmpty, !scenarioPath.hasPrefix("/") else { return scenarioPath }
    let path = made.withLock { made in
      if let made { return made }
      var template = Array(template.utf8CString)
      // Where there is no room for a folder, there is none for a socket: whoever uses the path is told.
      guard mkdtemp(&template) != nil else { return self.template }
      let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
      made = path
      return path
    }
    return "\(path)/\(scenarioPath)"
  }

  /// The opposite: paths below the folder lose it, so that traces do not differ from run to run.
  func relative(_ path: String) -> String {
    guard let folder = made.withLock(\.self), path.hasPrefix(folder + "/") else { return path }
    return String(path.dropFirst(folder.count + 1))
  }

  /// A URL for the library's Unix-domain calls; `URL(fileURLWithPath:)` would make an empty path the working folder.
  func url(_ scenarioPath: String) -> URL {
    let path = absolute(scenarioPath)
    return path.isEmpty ? URL(string: "file:") ?? URL(fileURLWithPath: "") : URL(fileURLWithPath: path)
  }

  /// Removes it with all that is in it.
  func remove() {
    let path = made.withLock { made in
      defer { made = nil }
      return made
    }
    if let path { try? FileManager.default.removeItem(atPath: path) }
  }
}
