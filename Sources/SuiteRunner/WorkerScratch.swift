import Foundation
import Glibc
import TestCertificates

/// A folder that the workers of a run share, with the certificates that one of them has minted. It is removed with the
/// run.
final class WorkerScratch: Sendable {
  /// For the workers; this process's own environment if there is no room for a folder.
  let environment: [String: String]
  private let folder: String?

  init() {
    var template = Array("/tmp/socketlab-run-XXXXXX".utf8CString)
    let isMade = template.withUnsafeMutableBufferPointer { $0.baseAddress.map { mkdtemp($0) != nil } ?? false }
    folder = isMade ? String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
    var environment = ProcessInfo.processInfo.environment
    environment[TestPKI.folderVariable] = folder ?? ""
    self.environment = environment
  }

  deinit {
    if let folder { try? FileManager.default.removeItem(atPath: folder) }
  }
}
