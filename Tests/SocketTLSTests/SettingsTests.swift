import SocketCore
import Testing

@testable import SocketTLS

@Suite struct SettingsTests {
  typealias Change = @Sendable (inout TLSSettings) throws -> Void

  @Test(
    arguments: [
      (
        "manually by clients",
        {
          $0.role = .server; $0.manualTrust = true
        }
      ),
      ("empty", { $0.peerName = "" }),
      ("not ASCII", { $0.peerName = "m\u{FC}nchen.example" }),
      ("no host name has", { $0.peerName = "good.example\u{0}evil" }),
      ("no host name has", { $0.peerName = "*.example" }),
      ("empty or longer", { $0.peerName = ".example" }),
      ("empty or longer", { $0.peerName = "a..example" }),
      ("longer than 253", { $0.peerName = [String](repeating: "abcdefgh", count: 40).joined(separator: ".") }),
      (
        "no version",
        {
          $0.minimumVersion = .tls13; $0.maximumVersion = .tls12
        }
      ),
      ("\"NOPE\" is no cipher", { $0.cipherSuites = ["TLS_AES_128_GCM_SHA256", "NOPE"] }),
      ("no cipher", { $0.cipherSuites = ["ALL"] }),
      ("no cipher", { $0.cipherSuites = ["NULL-SHA256"] }),
      (
        "don't cover",
        {
          $0.cipherSuites = ["TLS_AES_128_GCM_SHA256"]; $0.minimumVersion = .tls12
        }
      ),
      (
        "no version",
        {
          $0.cipherSuites = ["ECDHE-RSA-AES128-GCM-SHA256"]; $0.minimumVersion = .tls13
        }
      ),
      ("1 to 255", { $0.applicationProtocols = [""] }),
      (
        "1 to 255",
        { $0.applicationProtocols = [String](repeating: "x", count: 1) + [String(repeating: "y", count: 256)] }
      ),
      ("means no TLS", { try $0.apply(.none) }),
      ("broken protocol", { try $0.apply(.ssl2) }),
      ("broken protocol", { try $0.apply(.ssl3) }),
      ("no security level", { try $0.apply(try TLSLevel(named: "best")) }),
    ] as [(String, Change)])
  func nonsenseIsRefusedWithAReason(_ says: String, _ change: Change) {
    let failure = #expect(throws: SocketFailure.self) {
      var settings = TLSSettings()
      try change(&settings)
      _ = try TLSSession(settings)
    }
    guard case .other(let text) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(text.contains(says), "\(text)")
  }

  @Test func everythingThatIsOnlyAcceptedIs() throws {
    var settings = SessionPair.clientSettings()
    settings.sessionOptions = [.falseStart, .sendOneByteRecord]
    settings.peerID = [1, 2, 3]
    try settings.apply(try TLSLevel(named: "kCFStreamSocketSecurityLevelNegotiatedSSL"))
    try SessionPair(settings, try SessionPair.serverSettings()).shakeHands()
  }
}
