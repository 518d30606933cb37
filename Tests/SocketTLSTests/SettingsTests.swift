import SocketCore
import Testing

@testable import SocketTLS

@Suite struct SettingsTests {
  typealias Change = @Sendable (inout TLSConfiguration) throws -> Void

  struct Row: Sendable, CustomTestStringConvertible {
    var says: String
    var change: Change
    var testDescription: String { says }

    init(_ says: String, _ change: @escaping Change) {
      self.says = says
      self.change = change
    }
  }

  static let rows = [
    Row("manually by clients") { ($0.role, $0.manualTrust) = (.server, true) },
    Row("empty") { $0.peerName = "" },
    Row("not ASCII") { $0.peerName = "m\u{FC}nchen.example" },
    Row("no host name has") { $0.peerName = "good.example\u{0}evil" },
    Row("no host name has") { $0.peerName = "*.example" },
    Row("empty or longer") { $0.peerName = ".example" },
    Row("empty or longer") { $0.peerName = "a..example" },
    Row("longer than 253") { $0.peerName = String(repeating: "abcdefg.", count: 40) + "example" },
    // A DNS name of such a text in a certificate must not stand for the address.
    Row("an address with a dot") { $0.peerName = "192.0.2.1." },
    Row("leave nothing") { ($0.minimumVersion, $0.maximumVersion) = (.tls13, .tls12) },
    Row("\"NOPE\" is no cipher") { $0.cipherSuites = ["TLS_AES_128_GCM_SHA256", "NOPE"] },
    Row("no cipher") { $0.cipherSuites = ["ALL"] },
    Row("no cipher") { $0.cipherSuites = ["NULL-SHA256"] },
    Row("leave nothing") { ($0.cipherSuites, $0.minimumVersion) = (["ECDHE-RSA-AES128-GCM-SHA256"], .tls13) },
    Row("1 to 255") { $0.applicationProtocols = [""] },
    Row("1 to 255") { $0.applicationProtocols = ["x", String(repeating: "y", count: 256)] },
    Row("means no TLS") { try $0.apply(.none) },
    Row("broken protocol") { try $0.apply(.ssl2) },
    Row("broken protocol") { try $0.apply(.ssl3) },
    Row("no security level") { try $0.apply(try TLSLevel(named: "best")) },
  ]

  @Test(arguments: rows)
  func nonsenseIsRefusedWithAReason(_ row: Row) {
    let failure = #expect(throws: SocketFailure.self) {
      var settings = TLSConfiguration()
      try row.change(&settings)
      _ = try TLSSession(settings)
    }
    guard case .other(let text) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(text.contains(row.says), "\(text)")
  }

  @Test func theNegotiatedLevelIsAccepted() throws {
    var settings = SessionPair.clientSettings()
    try settings.apply(try TLSLevel(named: "kCFStreamSocketSecurityLevelNegotiatedSSL"))
    try SessionPair(settings, try SessionPair.serverSettings()).shakeHands()
  }
}
