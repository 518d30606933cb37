import COpenSSL
import SocketCore
import Testing

@testable import SocketTLS

/// What is good enough for a connection: suites, groups and signatures, by version.
@Suite struct StrengthTests {
  static let rsa = Mint.make("rsa", by: Mint.intermediate, names: "DNS:good.example", key: .rsa(2048))

  /// The suites that are no longer used unless somebody names them: CBC, and keys moved by RSA.
  static let named = [
    "AES128-SHA", "AES256-SHA256", "AES128-GCM-SHA256", "ECDHE-RSA-AES128-SHA", "ECDHE-RSA-AES128-SHA256",
    "DHE-RSA-AES256-SHA",
  ]

  private func client(_ change: (inout TLSConfiguration) -> Void = { _ in }) throws -> TLSSession {
    try TLSSession(SessionPair.clientSettings(change))
  }

  private func server(_ change: (inout TLSConfiguration) -> Void = { _ in }) throws -> TLSSession {
    try TLSSession(
      try SessionPair.serverSettings {
        $0.identity = try Self.rsa.identity
        change(&$0)
      })
  }

  @Test(arguments: named)
  func suitesWithoutForwardSecrecyOrOfBlocksMustBeNamed(_ suite: String) throws {
    for lowest in [ProtocolVersion?.none, .tls10] {
      let shy = try client { $0.minimumVersion = lowest }
      #expect(RawPeer(.server, party: Self.rsa, ciphers: suite).shakeHands(with: shy).failure != nil)
      let closed = try server { $0.minimumVersion = lowest }
      let peer = RawPeer(.client, ciphers: suite)
      #expect(peer.shakeHands(with: closed).failure?.text.contains("no shared cipher") == true)
      #expect(!peer.isEstablished)
    }
    let asking = try client { $0.cipherSuites = [suite] }
    let willing = RawPeer(.server, party: Self.rsa, ciphers: suite) { lab_tls_set_modes($0, 1 << 20) }
    #expect(willing.shakeHands(with: asking).isComplete)
    #expect(asking.version == .tls12)
    let open = try server { $0.cipherSuites = [suite] }
    #expect(RawPeer(.client, ciphers: suite).shakeHands(with: open).isComplete)
  }

  @Test(arguments: [
    "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-RSA-CHACHA20-POLY1305",
    "DHE-RSA-AES128-GCM-SHA256", "DHE-RSA-AES256-GCM-SHA384", "DHE-RSA-CHACHA20-POLY1305",
  ])
  func whatIsSealedAsAWholeWithKeysOfItsOwnNeedNotBe(_ suite: String) throws {
    for lowest in [ProtocolVersion?.none, .tls10] {
      let subject = try client { $0.minimumVersion = lowest }
      let automatic = RawPeer(.server, party: Self.rsa, ciphers: suite) { lab_tls_set_modes($0, 1 << 20) }
      #expect(automatic.shakeHands(with: subject).isComplete)
      let peer = RawPeer(.client, ciphers: suite)
      #expect(peer.shakeHands(with: try server { $0.minimumVersion = lowest }).isComplete)
      #expect(peer.cipher == suite)
    }
  }

  @Test func nothingElseIsOffered() throws {
    for version in [ProtocolVersion?.none, .tls12] {
      let session = try client { $0.maximumVersion = version }
      let suites = try #require(SSL_get1_supported_ciphers(session.ssl))
      for index in 0..<lab_tls_cipher_count(suites) {
        let suite = try #require(lab_tls_cipher_at(suites, index))
        #expect(SSL_CIPHER_is_aead(suite) == 1)
        let exchange = SSL_CIPHER_get_kx_nid(suite)
        #expect([NID_kx_ecdhe, NID_kx_dhe, NID_kx_any].contains(exchange))
        #expect([NID_auth_rsa, NID_auth_ecdsa, NID_auth_any].contains(SSL_CIPHER_get_auth_nid(suite)))
      }
      #expect(lab_tls_cipher_count(suites) == (version == nil ? 12 : 9))
    }
  }

  @Test(arguments: [ProtocolVersion.tls10, .tls11], ["ECDHE-RSA-AES128-SHA", "DHE-RSA-AES256-SHA"])
  func oldVersionsBringTheirSuites(_ version: ProtocolVersion, _ suite: String) throws {
    let subject = try client { $0.minimumVersion = version }
    let old = RawPeer(.server, from: version, to: version, party: Self.rsa, ciphers: suite) {
      Self.setGroup($0, "ffdhe2048")
    }
    #expect(old.shakeHands(with: subject).isComplete)
    #expect(subject.version == version)
    let peer = RawPeer(.client, from: version, to: version, ciphers: suite)
    #expect(peer.shakeHands(with: try server { $0.minimumVersion = version }).isComplete)
    #expect(peer.cipher == suite)
  }

  @Test(arguments: [(ProtocolVersion.tls12, false), (.tls11, true), (.tls10, true)])
  func aWeakGroupIsForOldVersionsOnly(_ version: ProtocolVersion, _ isGoodEnough: Bool) throws {
    let subject = try client {
      $0.minimumVersion = .tls10
      if version < .tls12 { $0.maximumVersion = version }
    }
    let suites = version == .tls12 ? "DHE-RSA-AES128-GCM-SHA256" : "DHE-RSA-AES128-SHA"
    let peer = RawPeer(.server, from: version, to: version, party: Self.rsa, ciphers: suites) {
      Self.setGroup($0, "dh_1024_160")
    }
    let progress = peer.shakeHands(with: subject)
    #expect(progress.isComplete == isGoodEnough, "\(progress)")
    if !isGoodEnough { #expect(progress.failure?.text.contains("dh key too small") == true, "\(progress)") }
  }

  /// The largest ones take a tenth of a second of a thread that many sockets share.
  @Test(arguments: [("ffdhe4096", true), ("ffdhe6144", false), ("ffdhe8192", false)])
  func aServersModulusHasABound(_ group: String, _ isAffordable: Bool) throws {
    let peer = RawPeer(.server, from: .tls12, to: .tls12, party: Self.rsa, ciphers: "DHE-RSA-AES128-GCM-SHA256") {
      Self.setGroup($0, group)
    }
    let progress = peer.shakeHands(with: try client { $0.maximumVersion = .tls12 })
    #expect(progress.isComplete == isAffordable, "\(progress)")
  }

  @Test(arguments: [HandshakeRole.client, .server], [("ffdhe3072", true), ("ffdhe4096", false), ("ffdhe8192", false)])
  func ofTheNamedGroupsOnlySmallOnesAreComputedWith(_ role: HandshakeRole, _ group: (String, Bool)) throws {
    let peer = RawPeer(role, from: .tls13, to: .tls13, party: Self.rsa) {
      precondition(lab_peer_set_groups($0, group.0) == 1)
    }
    let progress = peer.shakeHands(with: role == .server ? try client() : try server())
    #expect(progress.isComplete == group.1, "\(progress)")
  }

  @Test func aSignatureOverSHA1IsForOldVersionsOnly() throws {
    func peer(_ role: HandshakeRole) -> RawPeer {
      RawPeer(role, party: Self.rsa, ciphers: "ECDHE-RSA-AES128-GCM-SHA256") {
        precondition(lab_peer_set_signatures($0, "RSA+SHA1") == 1)
      }
    }
    let shy = try client { $0.minimumVersion = .tls10 }
    #expect(peer(.server).shakeHands(with: shy).failure != nil)
    let closed = try server { $0.minimumVersion = .tls10 }
    #expect(peer(.client).shakeHands(with: closed).failure?.text.contains("no shared signature") == true)
  }

  @Test func anOldVersionDoesNotExcuseAWeakKeyOfOurOwn() throws {
    let weak = Mint.make("weak", key: .rsa(1024))
    let settings = try SessionPair.serverSettings {
      $0.identity = try weak.identity
      $0.minimumVersion = .tls10
    }
    #expect(throws: SocketFailure.self) { try TLSSession(settings) }
  }

  private static func setGroup(_ context: OpaquePointer, _ name: String) {
    let maker = EVP_PKEY_CTX_new_from_name(nil, "DH", nil)
    defer { EVP_PKEY_CTX_free(maker) }
    var key: OpaquePointer?
    EVP_PKEY_keygen_init(maker)
    EVP_PKEY_CTX_set_group_name(maker, name)
    precondition(EVP_PKEY_generate(maker, &key) == 1 && SSL_CTX_set0_tmp_dh_pkey(context, key) == 1)
  }
}
