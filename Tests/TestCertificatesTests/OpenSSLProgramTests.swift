import Foundation
import ScenarioModel
import TestCertificates
import Testing

/// The `openssl` program, where there is one, agrees about the files that are exported.
@Suite struct OpenSSLProgramTests {
  private static let program = ["/usr/bin/openssl", "/usr/local/bin/openssl", "/opt/homebrew/bin/openssl"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  @Test(.enabled(if: program != nil, "there is no openssl program"))
  func theProgramAgrees() throws {
    let names = TestPKITests.quick
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("pki-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for file in try TestPKI.shared.files(for: names) {
      try Data(file.bytes).write(to: folder.appendingPathComponent(file.name))
    }
    // Compares names by the older rules: it has no option for the others.
    let verifier = PathVerifier(time: TestPKI.pinnedNow, hasStrictNames: false)
    for name in names {
      let identity = try TestPKI.shared.identity(name)
      let anchors = try TestPKI.shared.anchor(for: name)
      let expected = verifier.verify(identity.chainDER, as: name, anchors: anchors) == .ok
      let text = name.rawValue
      let process = Process()
      process.executableURL = URL(fileURLWithPath: try #require(Self.program))
      process.currentDirectoryURL = folder
      process.arguments = [
        "verify", "-no-CApath", "-no-CAstore", "-attime", "\(TestPKI.pinnedNow)", "-auth_level", "2",
        "-purpose", name.isForClients ? "sslclient" : "sslserver",
        name.isAddress ? "-verify_ip" : "-verify_hostname", name.hostName,
        "-CAfile", "\(text).anchor.pem", "-untrusted", "\(text).chain.pem", "\(text).chain.pem",
      ]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect((process.terminationStatus == 0) == expected, "\(text)")
    }
  }

  @Test func theIndexNamesEveryFile() throws {
    let files = try TestPKI.shared.files(for: [.leaf, .nulInName, .idnULabel])
    // A chain, a key and an anchor each; then what all have in common.
    #expect(Set(files.map(\.name)).count == 12)
    let index = String(decoding: try #require(files.last).bytes, as: UTF8.self)
    for text in ["\nleaf\n", "nul-in-name", "idn-u-label", "root.pem", "crl.pem", "-attime 1893456000", "2030-01-01T"] {
      #expect(index.contains(text), "\(text)")
    }
    #expect(!index.utf8.contains(0))
  }
}
