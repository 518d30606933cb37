import CocoaAsyncSocket
import Dispatch
import Foundation
import ScenarioModel
import SocketPOSIX
import TestCertificates
import TestSupport
import Testing

/// Whom a secured connection is with, and what connections share.
@Suite struct SecuredPeerTests {
  typealias Fixture = SecureConnectionTests

  /// The DER of what an identity sends.
  private static func chain(_ name: CertificateName) throws -> [Data] {
    try SecCertificate.certificates(Data(try TestPKI.shared.identity(name).chain)).map(\.data)
  }

  @Test(
    "the peer's certificates can be read from didSecure until the end, on both sides (TLS-45)",
    arguments: [SSLProtocol.tlsProtocol12, .tlsProtocol13])
  func peerCertificates(version: SSLProtocol) throws {
    let asking: [String: NSObject] = [
      GCDAsyncSocketSSLClientCertificates: "required" as NSString,
      GCDAsyncSocketSSLTrustAnchors: try SecCertificate.certificates(Data(try TestPKI.shared.rootPEM)) as NSArray,
      GCDAsyncSocketSSLTrustAnchorsOnly: NSNumber(value: true),
    ]
    /// What the client's delegate saw inside its callbacks.
    let noted = LockedValue<[[Data]]>([])
    let delegate = RecorderDelegate { socket, kind in
      switch kind {
      case .secured, .disconnected:
        let shown = socket.peerCertificates.map(\.data)
        noted.withLock { $0.append(shown) }
      default: break
      }
    }
    let pair = try Fixture.Pair(
      server: try Fixture.server(extra: asking.merging(Fixture.version(version)) { $1 }), clientSide: delegate)
    #expect(pair.client.peerCertificates.isEmpty)
    let own = try TestPKI.shared.identity(.client)
    pair.client.startTLS(
      try Fixture.client([
        kCFStreamSSLCertificates: [try SecIdentity(pem: Data(own.chain), key: Data(own.key))] as NSArray
      ]))
    try pair.clientSide.wait(for: .secured, of: pair.client)
    let child = try pair.child
    try pair.serverSide.wait(for: .secured, of: child)

    #expect(try pair.client.peerCertificates.map(\.data) == Self.chain(.leaf))
    #expect(try child.peerCertificates.map(\.data) == Self.chain(.client))
    #expect(pair.client.peerCertificates.first?.dnsNames.contains("good.example") == true)

    child.disconnect()
    try pair.clientSide.waitForDisconnect(of: pair.client)
    #expect(pair.client.peerCertificates.isEmpty)
    #expect(child.peerCertificates.isEmpty)
    try eventually("noted") { noted.withLock { $0.count } == 2 }
    #expect(try noted.withLock { $0 } == [Self.chain(.leaf), []])
  }

  @Test("a server whose client showed no certificate has none, and neither has a socket without TLS")
  func nobodyShown() throws {
    let pair = try Fixture.Pair(server: try Fixture.server())
    let child = try pair.child
    try pair.clientSide.waitForConnect(of: pair.client)
    #expect(pair.client.peerCertificates.isEmpty)
    pair.client.startTLS(try Fixture.client())
    try pair.serverSide.wait(for: .secured, of: child)
    #expect(child.peerCertificates.isEmpty)
    #expect(pair.listener.peerCertificates.isEmpty)
  }

  @Test("a revocation list is read once, however many connections use it, and all lists of a PEM count")
  func listsAreShared() throws {
    let data = Data(try TestPKI.shared.revocationList)
    var settings = TLSSettings()
    settings.revocationLists = [data]
    let first = try settings.engineSettings().revocationLists
    #expect(first.count == 3)
    #expect(try settings.engineSettings().revocationLists == first)
    // The same bytes in other memory.
    var other = TLSSettings()
    other.revocationLists = [Data(Array(data))]
    #expect(try other.engineSettings().revocationLists == first)
    // Other bytes of the same length.
    var changed = data
    let index = try #require(changed.lastIndex(of: UInt8(ascii: "\n")))
    changed[index] = UInt8(ascii: " ")
    other.revocationLists = [changed]
    #expect(try other.engineSettings().revocationLists != first)
  }
}
