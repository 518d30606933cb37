import CocoaAsyncSocket
import Foundation
import ScenarioModel
import TestCertificates
import TestSupport
import Testing

/// The library's TLS against OpenSSL's own programs, which share no line with us but the library below: a
/// misunderstanding that the library and the lab's scripted peers have in common would show here.
@Suite(.enabled(if: ChildProgram.tool("openssl") != nil, "the openssl program is not installed"))
struct SecondWitnessTests {
  /// The certificates of the lab as files.
  final class Files {
    let folder: URL

    init(_ names: [CertificateName]) throws {
      folder = FileManager.default.temporaryDirectory.appendingPathComponent("witness-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for file in try TestPKI.shared.files(for: names) {
        try Data(file.bytes).write(to: folder.appendingPathComponent(file.name))
      }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    func identity(_ name: CertificateName) -> [String] {
      ["-cert", path("\(name.rawValue).chain.pem"), "-cert_chain", path("\(name.rawValue).chain.pem")]
        + ["-key", path("\(name.rawValue).key.pem")]
    }
  }

  private static let time = String(TestPKI.pinnedNow)

  // MARK: s_server

  struct ServerRow: Sendable, CustomTestStringConvertible {
    var name: String
    var certificate: CertificateName = .leaf
    var arguments: [String] = []
    var peerName: String? = "good.example"
    /// Of didDisconnect; nil: the handshake succeeds.
    var code: Int?
    var testDescription: String { name }
  }

  static let serverRows = [
    ServerRow(name: "TLS 1.3", arguments: ["-tls1_3"]),
    ServerRow(name: "TLS 1.2", arguments: ["-tls1_2"]),
    ServerRow(name: "RSA", certificate: .leafRSA),
    ServerRow(name: "a wildcard", certificate: .wildcardLeaf, peerName: "foo.wild.example"),
    ServerRow(name: "an expired leaf", certificate: .expiredLeaf, code: -9814),
    ServerRow(name: "a leaf that is not valid yet", certificate: .notYetValidLeaf, code: -9815),
    ServerRow(name: "an expired intermediate", certificate: .expiredIntermediate, code: -9814),
    ServerRow(name: "another host", certificate: .wrongHost, code: -9843),
    ServerRow(name: "another host, whose name nobody asked for", certificate: .wrongHost, peerName: nil),
    ServerRow(name: "a certificate of its own making", certificate: .selfSigned, code: -9812),
    ServerRow(name: "TLS 1.1 only", arguments: ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], code: -9836),
  ]

  @Test("the library's client and s_server agree", arguments: serverRows)
  func server(_ row: ServerRow) throws {
    let files = try Files([row.certificate])
    // Port 0 is the kernel's choice, which the program prints; -rev answers each line with its reverse.
    let server = try ChildProgram(
      try #require(ChildProgram.tool("openssl")),
      ["s_server", "-accept", "127.0.0.1:0", "-naccept", "1", "-rev"] + files.identity(row.certificate)
        + row.arguments)
    let line = try server.output(through: "ACCEPT") + (try server.output(through: "\n"))
    let port = try #require(
      line.split(separator: ":").last.flatMap { UInt16($0.trimmingCharacters(in: .whitespacesAndNewlines)) })
    let delegate = RecorderDelegate()
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "client"))
    try socket.connect(toHost: "127.0.0.1", onPort: port)
    var settings = try SecureConnectionTests.client()
    settings[GCDAsyncSocketSSLPeerName] = row.peerName.map { $0 as NSString }
    socket.startTLS(settings)
    socket.write(Data("abc\n".utf8), withTimeout: -1, tag: 1)
    if let code = row.code {
      try delegate.waitForDisconnect(of: socket)
      #expect(delegate.disconnectError(of: socket)?.code == code)
      #expect(delegate.disconnectError(of: socket)?.domain == "kCFStreamErrorDomainSSL")
    } else {
      socket.readData(to: Data("\n".utf8), withTimeout: -1, tag: 2)
      #expect(try delegate.bytes(ofRead: 2, of: socket) == Data("cba\n".utf8))
      socket.disconnectAfterWriting()
      try delegate.waitForDisconnect(of: socket)
      #expect(delegate.disconnectError(of: socket) == nil)
    }
  }

  // MARK: s_client

  struct ClientRow: Sendable, CustomTestStringConvertible {
    var name: String
    var certificate: CertificateName = .leaf
    var arguments: [String] = []
    /// What s_client says of our certificate.
    var verdict = "Verify return code: 0 (ok)"
    var testDescription: String { name }
  }

  static let clientRows = [
    ClientRow(name: "TLS 1.3", arguments: ["-tls1_3"]),
    ClientRow(name: "TLS 1.2", arguments: ["-tls1_2"]),
    ClientRow(name: "ALPN", arguments: ["-alpn", "h2,lab"]),
    ClientRow(name: "an expired leaf", certificate: .expiredLeaf, verdict: "Verify return code: 10 "),
    ClientRow(name: "a missing intermediate", certificate: .missingIntermediate, verdict: "Verify return code: 21 "),
  ]

  @Test("the library's server and s_client agree", arguments: clientRows)
  func client(_ row: ClientRow) throws {
    let files = try Files([.leaf])
    let pair = try SecureConnectionTests.server(
      row.certificate, extra: [GCDAsyncSocketSSLALPN: ["lab"] as NSArray])
    let settings = SecureConnectionTests.SettingsBox(pair)
    let delegate = RecorderDelegate(onAccept: { $0.startTLS(settings.dictionary) })
    let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "server"))
    try listener.accept(onInterface: "127.0.0.1", port: 0)
    let client = try ChildProgram(
      try #require(ChildProgram.tool("openssl")),
      ["s_client", "-connect", "127.0.0.1:\(listener.localPort)", "-CAfile", files.path("root.pem")]
        + ["-attime", Self.time, "-servername", "good.example", "-verify_hostname", "good.example"] + row.arguments)
    let child = try delegate.child()
    child.readData(to: Data("\n".utf8), withTimeout: -1, tag: 1)
    let talk = try client.output(through: "Verify return code:") + (try client.output(through: "\n"))
    #expect(talk.contains(row.verdict), "\(talk)")
    if row.arguments.contains("-alpn") { #expect(talk.contains("ALPN protocol: lab")) }
    try client.send("hello\n")
    #expect(try delegate.bytes(ofRead: 1, of: child) == Data("hello\n".utf8))
    child.write(Data("goodbye\n".utf8), withTimeout: -1, tag: 2)
    child.disconnectAfterWriting()
    _ = try client.output(through: "goodbye\n")
    // The program says "closed" for our close_notify.
    _ = try client.output(through: "closed")
  }
}
