import Foundation
import Testing

@Suite struct PKICommandTests {
  private func scratch() -> URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("pki-\(UUID().uuidString)")
  }

  @Test func listSaysWhatEachClassIs() throws {
    let result = try SocketLabProgram.run(["pki", "list"])
    #expect(result.status == 0)
    for text in ["✓ leaf ", "✗ expired-leaf ", "Bad: the leaf expired a month ago."] {
      #expect(result.output.contains(text), "\(text)")
    }
  }

  @Test func exportWritesOnceAndOverwritesOnlyWhenTold() throws {
    let folder = scratch()
    defer { try? FileManager.default.removeItem(at: folder) }
    let words = ["pki", "export", folder.path, "leaf", "malformed-der"]
    let first = try SocketLabProgram.run(words)
    #expect(first.status == 0, "\(first.error)")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(
      Set(names) == [
        "leaf.chain.pem", "leaf.key.pem", "leaf.anchor.pem", "malformed-der.chain.pem", "malformed-der.key.pem",
        "malformed-der.anchor.pem", "root.pem", "crl.pem", "README.txt",
      ])
    let chain = folder.appendingPathComponent("leaf.chain.pem")
    let before = try Data(contentsOf: chain)
    let second = try SocketLabProgram.run(words + ["--now", "pinned"])
    #expect(second.status == 2)
    #expect(second.error.contains("--force"), "\(second.error)")
    #expect(try Data(contentsOf: chain) == before)
    #expect(try SocketLabProgram.run(words + ["--now", "pinned", "--force"]).status == 0)
    #expect(try Data(contentsOf: chain) != before)
  }

  @Test func everyProcessMakesTheSame() throws {
    let folders = [scratch(), scratch()]
    defer { for folder in folders { try? FileManager.default.removeItem(at: folder) } }
    for (folder, names) in zip(folders, [["leaf", "leaf-rsa", "ip-san"], ["ip-san", "leaf-rsa", "leaf"]]) {
      #expect(try SocketLabProgram.run(["pki", "export", folder.path, "--now", "pinned"] + names).status == 0)
    }
    for name in ["leaf.chain.pem", "leaf-rsa.key.pem", "leaf-rsa.chain.pem", "ip-san.anchor.pem", "crl.pem"] {
      let contents = try folders.map { try Data(contentsOf: $0.appendingPathComponent(name)) }
      #expect(contents[0] == contents[1], "\(name)")
    }
  }

  @Test func whatCannotBeWrittenIsNoWrongUsage() throws {
    for (folder, text) in [
      ("/proc/here", "/proc/here can't be made"), ("/proc", "can't be written"), ("/dev/null", "/dev/null"),
    ] {
      let result = try SocketLabProgram.run(["pki", "export", folder, "leaf"])
      #expect(result.status == 4, "\(folder): \(result.output)")
      #expect(result.error.contains(text), "\(folder): \(result.error)")
    }
  }

  @Test func wrongUsageIsExplained() throws {
    let folder = scratch()
    let rows: [([String], String)] = [
      (["pki", "export", folder.path, "leef"], "Did you mean leaf?"),
      (["pki", "export", folder.path, "nothing-like-it"], "socketlab pki list"),
      (["pki", "export", "", "leaf"], "The folder has no name"),
      (["pki", "export", folder.path, "--now", "then"], "pinned"),
    ]
    for (words, text) in rows {
      let result = try SocketLabProgram.run(words)
      #expect(result.status == 2, "\(words): \(result.output)")
      #expect(result.error.contains(text), "\(words): \(result.error)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path))
  }
}
