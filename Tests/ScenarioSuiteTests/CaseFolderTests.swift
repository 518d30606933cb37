import Foundation
import Testing

@testable import SubjectAdapters

/// Folders of cases: in the run's own folder, and there only while they are needed.
@Suite struct CaseFolderTests {
  private static let files = FileManager.default

  private static func folder(of path: String) -> String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

  @Test func aFolderOfARunIsMadeForItsFirstPathAndGoes() throws {
    let run = Self.files.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    try Self.files.createDirectory(atPath: run, withIntermediateDirectories: false)
    defer { try? Self.files.removeItem(atPath: run) }
    let folders = [CaseFolder(in: run), CaseFolder(in: run)]
    for folder in folders {
      #expect(folder.absolute("") == "" && folder.absolute("/elsewhere") == "/elsewhere")
    }
    #expect(try Self.files.contentsOfDirectory(atPath: run) == [])
    let first = folders.map { $0.absolute("s") }
    for (folder, path) in zip(folders, first) {
      #expect(path.hasPrefix(run + "/") && Self.files.createFile(atPath: path, contents: nil))
      #expect(folder.relative(path) == "s" && folder.relative("/elsewhere") == "/elsewhere")
      #expect(Self.folder(of: folder.url("t").path) == Self.folder(of: path))
    }
    #expect(Set(first).count == 2)
    for folder in folders { folder.remove() }
    #expect(try Self.files.contentsOfDirectory(atPath: run) == [])
    for folder in folders { folder.remove() }
  }

  /// Scenarios count on how long a path of theirs is: as long in a run as in a process of its own.
  @Test(arguments: [nil, "/tmp/labXXXXXX"] as [String?])
  func aFoldersPathHas21Bytes(template: String?) throws {
    var run: String?
    if let template {
      var bytes = Array(template.utf8CString)
      #expect(mkdtemp(&bytes) != nil)
      run = String(decoding: bytes.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
    defer { if let run { try? Self.files.removeItem(atPath: run) } }
    let folder = CaseFolder(in: run)
    let path = Self.folder(of: folder.absolute("s"))
    #expect(path.utf8.count == 21 && Self.files.fileExists(atPath: path))
    folder.remove()
    #expect(!Self.files.fileExists(atPath: path))
  }
}
