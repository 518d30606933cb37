import Foundation
import Glibc
import TestCertificates

/// A folder that the workers of a run share, with the certificates that one of them has minted and the folders of cases
/// under way. It is removed with the run, and with it what a worker that crashed has left.
final class WorkerScratch: Sendable {
  /// For the workers; this process's own environment if there is no room for a folder.
  let environment: [String: String]
  private let folder: String?

  init() {
    // Short, because paths of Unix-domain sockets begin with it.
    var template = Array("/tmp/labXXXXXX".utf8CString)
    let isMade = template.withUnsafeMutableBufferPointer { $0.baseAddress.map { mkdtemp($0) != nil } ?? false }
    folder = isMade ? String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    var environment = ProcessInfo.processInfo.environment
    environment[TestPKI.runFolderVariable] = folder ?? ""
    self.environment = environment
  }

  deinit {
    if let folder { try? FileManager.default.removeItem(atPath: folder) }
  }
}
