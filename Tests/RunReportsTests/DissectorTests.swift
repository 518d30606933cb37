import Foundation
import RunReports
import ScenarioModel
import Testing

/// What a packet analyser makes of a capture with a real TLS session; skipped where tshark is not installed.
@Suite(.serialized, .enabled(if: Dissector.url != nil, "tshark is not installed"))
struct DissectorTests {
  private static func capture(maxVersion: Int, cut: Int? = nil, family: AddressFamily = .ipv4) throws -> [UInt8] {
    var result = SampleReport.result(SampleReport.scenario("tls/x", "t", []), .passed, family: family)
    result.trace = try RecordedHandshake.trace(maxVersion: maxVersion, cut: cut)
    return try #require(
      PacketCapture.make(result, start: 1_893_456_000_000_000_000, version: "1", system: "Linux"))
  }

  /// Byte by byte, the first packet does not yet look like TLS.
  @Test(arguments: [0x0303, 0x0304], [nil, 1])
  func aSessionOpensDecryptedAndNothingIsMalformed(version: Int, cut: Int?) throws {
    let bytes = try Self.capture(maxVersion: version, cut: cut, family: version == 0x0303 ? .ipv6 : .ipv4)
    let checks = ["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]
    let text = try Dissector.run(bytes, checks + ["-V", "-Y", "tcp", "-z", "follow,tls,ascii,0"])
    for sign in [
      "Client Hello", "Server Hello", "Handshake Protocol: Certificate", "Handshake Protocol: Finished", "Close Notify",
      "GET /secret HTTP/1.0", "hello capture",
    ] {
      #expect(text.contains(sign), "\(sign)")
    }
    for sign in ["Malformed", "Checksum Status: Bad", "TCP Analysis Flags"] { #expect(!text.contains(sign), "\(sign)") }
  }

  @Test func withoutSecretsNothingIsDecrypted() throws {
    var result = SampleReport.result(SampleReport.scenario("tls/x", "t", []), .passed)
    result.trace = try RecordedHandshake.trace(maxVersion: 0x0304)
    result.trace.keyLog = []
    let bytes = try #require(PacketCapture.make(result, start: 0, version: "1", system: "Linux"))
    #expect(try !Dissector.run(bytes, ["-q", "-z", "follow,tls,ascii,0"]).contains("hello capture"))
  }
}

enum Dissector {
  static let url: URL? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { URL(fileURLWithPath: "\($0)/tshark") }
    .first { FileManager.default.isExecutableFile(atPath: $0.path) }

  /// What it prints about the capture.
  static func run(_ capture: [UInt8], _ arguments: [String]) throws -> String {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("capture-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (file, output) = (folder.appendingPathComponent("x.pcapng"), folder.appendingPathComponent("out"))
    try Data(capture).write(to: file)
    _ = FileManager.default.createFile(atPath: output.path, contents: nil)
    let process = Process()
    process.executableURL = url
    process.arguments = ["-r", file.path] + arguments
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0)
    return String(decoding: try Data(contentsOf: output), as: UTF8.self)
  }
}
