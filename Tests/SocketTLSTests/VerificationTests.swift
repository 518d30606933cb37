import COpenSSL
import SocketCore
import Testing

@testable import SocketTLS

/// What a client says about servers' certificates (TLS-11…TLS-16, TLS-44).
@Suite struct VerificationTests {
  typealias Change = @Sendable (inout TLSConfiguration) -> Void

  struct Row: Sendable, CustomTestStringConvertible {
    var name: String
    /// 0: secure.
    var code: Int32
    var says = ""
    var party: @Sendable () -> Mint.Party = { Mint.good }
    var sends: @Sendable (Mint.Party) throws -> TLSIdentity = { try $0.identity }
    var change: Change = { _ in }
    var testDescription: String { name }
  }

  static let day = Mint.day
  static let expired = Mint.make(
    "expired", by: Mint.intermediate, names: "DNS:good.example", to: Mint.now - 1)
  static let future = Mint.make(
    "future", by: Mint.intermediate, names: "DNS:good.example", from: Mint.now + 1)
  static let selfSigned = Mint.make("self", names: "DNS:good.example")
  static let otherRoot = Mint.make("Other Root", ca: true)
  static let unknown = Mint.make("unknown", by: otherRoot, names: "DNS:good.example")
  /// The intermediate's other certificate, with the same key.
  static let renewed = Mint.make("Intermediate", by: Mint.root, ca: true, key: .same(Mint.intermediate), serial: 9)

  static let renewedRoot = Mint.make("Root", ca: true, key: .same(Mint.root), serial: 9)

  /// By the intermediate, whose first certificate the list names.
  static func listOfTheFormer(serial: Int, signedBy: Mint.Party? = nil) -> TLSRevocationList {
    list(
      Mint.revocationList(
        by: Mint.intermediate, serial: serial, signedBy: signedBy,
        extensions: [(NID_authority_key_identifier, "issuer:always")]))
  }

  /// Certificate policies: 1.2.3.4, 1.2.3.5, and any. OpenSSL's text form needs a configuration file.
  static let (policy, otherPolicy, anyPolicy) = (
    "DER:30:07:30:05:06:03:2A:03:04", "DER:30:07:30:05:06:03:2A:03:05", "DER:30:08:30:06:06:04:55:1D:20:00"
  )

  /// What an authority has signed that wants a policy below itself.
  static func under(_ constraints: String, with own: String = policy, _ policy: String?) -> Mint.Party {
    let authority = Mint.make(
      "Policies", by: Mint.root, ca: true,
      extensions: [(NID_certificate_policies, own), (NID_policy_constraints, "critical," + constraints)])
    return Mint.make(
      "x", by: authority, names: "DNS:good.example",
      extensions: policy.map { [(NID_certificate_policies, $0)] } ?? [])
  }

  static let policies: [Row] = [
    Row(
      name: "a policy that is required, and there", code: 0,
      party: { under("requireExplicitPolicy:0", policy) }),
    Row(
      name: "any policy is one", code: 0,
      party: { under("requireExplicitPolicy:0", with: anyPolicy, policy) }),
    Row(
      name: "no policy where one is required", code: -9807, says: "no explicit policy",
      party: { under("requireExplicitPolicy:0", nil) }),
    Row(
      name: "another policy than is required", code: -9807, says: "no explicit policy",
      party: { under("requireExplicitPolicy:0", otherPolicy) }),
    Row(
      name: "no policy where one is required further down", code: 0,
      party: { under("requireExplicitPolicy:5", nil) }),
    Row(
      name: "no policy where one is required, and any root is allowed", code: -9807, says: "no explicit policy",
      party: { under("requireExplicitPolicy:0", nil) }, change: { $0.verification.allowsAnyRoot = true }),
  ]

  /// So many policies, each another one, with two numbers below 128 behind 1.2.
  static func differentPolicies(_ count: Int) -> String {
    let oids = (0..<count).flatMap { [0x30, 5, 6, 3, 0x2A, $0 >> 7, $0 & 127] }
    let length = oids.count
    let bytes = [0x30, 0x83, length >> 16, length >> 8 & 255, length & 255] + oids
    return "DER:" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: ":")
  }

  @Test(
    "policies are compared up to a bound, whatever is allowed (TLS-46)",
    arguments: [(500, 0, 0), (600, 0, -9807), (300, 250, 0), (300, 300, -9807), (16_000, 0, -9807)])
  func manyPolicies(ofLeaf: Int, ofAuthority: Int, code: Int32) throws {
    func extensions(_ count: Int) -> [(Int32, String)] {
      count > 0 ? [(NID_certificate_policies, Self.differentPolicies(count))] : []
    }
    let authority = Mint.make("Own", by: Mint.make("Own Root", ca: true), ca: true, extensions: extensions(ofAuthority))
    let leaf = Mint.make("x", by: authority, names: "DNS:good.example", extensions: extensions(ofLeaf))
    let pair = try SessionPair(
      SessionPair.clientSettings { $0.verification.allowsAnyRoot = true },
      try SessionPair.serverSettings { $0.identity = try leaf.identity })
    let client = pair.run().client
    #expect(client.code ?? 0 == code, "\(client)")
    if code != 0 { #expect(client.failure?.text.contains("policies") == true, "\(client)") }
  }

  static let expiredRoot = Mint.make("Expired Root", ca: true, to: Mint.now - day)
  static let underExpiredRoot = Mint.make("under", by: expiredRoot, names: "DNS:good.example")
  static let expiredMiddle = Mint.make("Expired Middle", by: Mint.root, ca: true, to: Mint.now - day)
  static let underExpiredMiddle = Mint.make("under", by: expiredMiddle, names: "DNS:good.example")
  static let wrongAndExpired = Mint.make(
    "both", by: Mint.intermediate, names: "DNS:bad.example", to: Mint.now - 1)
  static let notCA = Mint.make("Not CA", by: Mint.root)
  static let underNotCA = Mint.make("under", by: notCA, names: "DNS:good.example")

  static func named(_ names: String?, _ common: String = "x") -> @Sendable () -> Mint.Party {
    { Mint.make(common, by: Mint.intermediate, names: names) }
  }
  static func expecting(_ name: String?) -> Change { { $0.peerName = name } }

  static let chains: [Row] = [
    Row(name: "good", code: 0),
    Row(name: "expired", code: -9814, says: "expired at 2029-12-31T23:59:59Z", party: { expired }),
    Row(name: "not yet valid", code: -9815, says: "2030-01-01T00:00:01Z", party: { future }),
    Row(
      name: "last valid second", code: 0, party: { expired }, change: { $0.verificationTime = Mint.now - 1 }),
    Row(name: "first valid second", code: 0, party: { future }, change: { $0.verificationTime = Mint.now + 1 }),
    Row(name: "self-signed", code: -9812, says: "CN=self", party: { selfSigned }),
    Row(name: "unknown root, not sent", code: -9813, says: "CN=Other Root", party: { unknown }),
    Row(name: "unknown root, sent", code: -9812, party: { unknown }, sends: { try $0.identityWithRoot }),
    Row(name: "missing intermediate", code: -9813, says: "CN=Intermediate", sends: { try $0.bareIdentity }),
    Row(name: "expired intermediate", code: -9814, says: "certificate 1", party: { underExpiredMiddle }),
    Row(
      name: "expired root", code: -9814, says: "CN=Expired Root", party: { underExpiredRoot },
      change: { $0.anchors = [expiredRoot.tls] }),
    Row(name: "intermediate without the CA bit", code: -9807, says: "CN=Not CA", party: { underNotCA }),
    Row(
      name: "for clients only", code: -9807,
      party: {
        Mint.make(
          "client", by: Mint.intermediate, names: "DNS:good.example", extensions: [(NID_ext_key_usage, "clientAuth")])
      }),
    Row(
      name: "path too long", code: -9807,
      party: {
        let one = Mint.make(
          "Short", by: Mint.root,
          extensions: [(NID_basic_constraints, "critical,CA:TRUE,pathlen:0"), (NID_key_usage, "keyCertSign")])
        return Mint.make("leaf", by: Mint.make("Long", by: one, ca: true), names: "DNS:good.example")
      }),
    Row(
      name: "name constraints", code: -9807,
      party: {
        let one = Mint.make(
          "Constrained", by: Mint.root, ca: true,
          extensions: [(NID_name_constraints, "critical,permitted;DNS:other.example")])
        return Mint.make("leaf", by: one, names: "DNS:good.example")
      }),
    Row(
      name: "bad signature", code: -9807,
      party: {
        Mint.make("forged", by: Mint.intermediate, names: "DNS:good.example", signedBy: otherRoot)
      }),
    Row(
      name: "weak key", code: -9807, says: "key too weak",
      party: { Mint.make("weak", by: weakCA, names: "DNS:good.example") }, sends: { try $0.identity },
      change: { $0.anchors = [weakCA.tls] }),
    Row(
      name: "unknown critical extension", code: -9807, says: "unhandled critical extension",
      party: {
        Mint.make(
          "x", by: Mint.intermediate, names: "DNS:good.example",
          extensions: [(NID_netscape_comment, "critical,what is this")])
      }),
    Row(
      name: "the root is none of the anchors", code: -9813, change: { $0.anchors = [otherRoot.tls] }),
    Row(name: "the leaf as the anchor", code: 0, party: { selfSigned }, change: { $0.anchors = [selfSigned.tls] }),
    Row(
      name: "the leaf as the anchor, of an issuer", code: 0, sends: { try $0.bareIdentity },
      change: { $0.anchors = [Mint.good.tls] }),
    Row(name: "only the system's anchors", code: -9813, change: { ($0.anchors, $0.anchorsOnly) = ([], false) }),
    Row(name: "besides the system's anchors", code: 0, change: { $0.anchorsOnly = false }),
    Row(name: "wrong name and expired: the name", code: -9843, says: "expired", party: { wrongAndExpired }),
    Row(
      name: "unknown and wrong name: unknown", code: -9813, says: "bad.example", party: { unknown },
      change: expecting("bad.example")),
    Row(
      name: "revoked", code: -9807, says: "revoked",
      change: { $0.revocationLists = [list(Mint.revocationList(by: Mint.intermediate, serial: 1))] }),
    Row(
      name: "another one revoked", code: 0,
      change: { $0.revocationLists = [list(Mint.revocationList(by: Mint.intermediate, serial: 2))] }),
    Row(
      name: "revoked, by a list that names another certificate of the issuer's key", code: -9807, says: "revoked",
      party: { Mint.make("renewed", by: renewed, names: "DNS:good.example") },
      change: { $0.revocationLists = [listOfTheFormer(serial: 1)] }),
    Row(
      name: "another one revoked, by such a list", code: 0,
      party: { Mint.make("renewed", by: renewed, names: "DNS:good.example") },
      change: { $0.revocationLists = [listOfTheFormer(serial: 2)] }),
    Row(
      name: "revoked by such a list, which somebody else of that name has signed", code: 0,
      party: { Mint.make("renewed", by: renewed, names: "DNS:good.example") },
      change: { $0.revocationLists = [listOfTheFormer(serial: 1, signedBy: otherRoot)] }),
    Row(
      name: "a list of somebody else's", code: 0,
      change: { $0.revocationLists = [list(Mint.revocationList(by: otherRoot, serial: 1))] }),
    Row(
      name: "a list that somebody else has signed", code: -9807, says: "CRL signature failure",
      change: {
        $0.revocationLists = [list(Mint.revocationList(by: Mint.intermediate, serial: 2, signedBy: otherRoot))]
      }),
    Row(
      name: "revoked intermediate", code: -9807, says: "revoked",
      change: { $0.revocationLists = [list(Mint.revocationList(by: Mint.root, serial: 1))] }),
    Row(
      name: "a list by the issuer of an anchor", code: 0,
      change: {
        $0.anchors = [Mint.intermediate.tls]
        $0.revocationLists = [list(Mint.revocationList(by: Mint.root, serial: 2))]
      }),
    Row(
      name: "a list by the issuer of an anchor, which revokes it", code: -9807, says: "revoked",
      change: {
        $0.anchors = [Mint.intermediate.tls]
        $0.revocationLists = [list(Mint.revocationList(by: Mint.root, serial: 1))]
      }),
    Row(
      name: "the same by a list that names the certificate of its signer", code: -9807, says: "revoked",
      change: {
        $0.anchors = [Mint.intermediate.tls]
        $0.revocationLists = [
          list(
            Mint.revocationList(
              by: renewedRoot, serial: 1, extensions: [(NID_authority_key_identifier, "issuer:always")]))
        ]
      }),
    Row(
      name: "a list by the issuer of an anchor that may sign no lists", code: 0,
      change: {
        $0.anchors = [Mint.good.tls]
        $0.revocationLists = [list(Mint.revocationList(by: Mint.intermediate, serial: 2))]
      }),
    Row(
      name: "the same, which revokes it", code: -9807, says: "revoked",
      change: {
        $0.anchors = [Mint.good.tls]
        $0.revocationLists = [list(Mint.revocationList(by: Mint.intermediate, serial: 1))]
      }),
    Row(
      name: "a list by an anchor that somebody else has signed", code: -9807, says: "CRL signature failure",
      change: {
        $0.anchors = [Mint.intermediate.tls]
        $0.revocationLists = [list(Mint.revocationList(by: Mint.intermediate, serial: 2, signedBy: otherRoot))]
      }),
    Row(
      name: "a list that is over", code: -9807, says: "CRL has expired",
      change: {
        $0.revocationLists = [list(Mint.revocationList(by: Mint.intermediate, serial: 2, until: Mint.now - 9))]
      }),
  ]

  static let oldCA = Mint.make("Old", by: Mint.root, ca: true, digest: EVP_sha1())
  static let weakCA = Mint.make("Weak", ca: true, key: .rsa(1024))
  static func list(_ bytes: [UInt8]) -> TLSRevocationList { try! lists(bytes)[0] }

  static func lists(_ bytes: [UInt8]) throws(SocketFailure) -> [TLSRevocationList] {
    try bytes.withUnsafeBufferPointer { bytes throws(SocketFailure) in
      try TLSRevocationList.list(UnsafeRawBufferPointer(bytes))
    }
  }

  static let names: [Row] = [
    Row(name: "not checked without one", code: 0, party: named("DNS:other.example"), change: expecting(nil)),
    Row(
      name: "another", code: -9843, says: "is for other.example, not for good.example",
      party: named("DNS:other.example")),
    Row(name: "in another case", code: 0, party: named("DNS:GOOD.Example")),
    Row(name: "with a dot at the end", code: 0, change: expecting("good.example.")),
    Row(name: "wildcard", code: 0, change: expecting("a.wild.example")),
    Row(name: "wildcard, two labels", code: -9843, change: expecting("a.b.wild.example")),
    Row(name: "wildcard, none", code: -9843, change: expecting("wild.example")),
    Row(
      name: "partial wildcard", code: -9843, party: named("DNS:g*.example.org"), change: expecting("good.example.org")),
    Row(name: "wildcard inside", code: -9843, party: named("DNS:a.*.example"), change: expecting("a.b.example")),
    Row(name: "common name only", code: 0, party: named(nil, "good.example")),
    Row(
      name: "common name besides names", code: -9843, party: named("DNS:other.example", "good.example")),
    Row(name: "address", code: 0, change: expecting("192.0.2.1")),
    Row(name: "another address", code: -9843, change: expecting("192.0.2.2")),
    Row(name: "IPv6", code: 0, party: named("IP:2001:db8::1"), change: expecting("2001:DB8:0::1")),
    Row(name: "address as a DNS name", code: -9843, party: named("DNS:192.0.2.1"), change: expecting("192.0.2.1")),
    Row(name: "address as a common name", code: -9843, party: named(nil, "192.0.2.1"), change: expecting("192.0.2.1")),
    Row(
      name: "A-label", code: 0, party: named("DNS:xn--mnchen-3ya.org"), change: expecting("xn--mnchen-3ya.org")),
  ]

  static let relaxed: [Row] = [
    Row(name: "nothing checked, unknown and wrong", code: 0, party: { unknown }, change: off),
    Row(name: "nothing checked, expired and wrong", code: 0, party: { wrongAndExpired }, change: off),
    Row(
      name: "any root, self-signed", code: 0, party: { selfSigned }, change: { $0.verification.allowsAnyRoot = true }),
    Row(name: "any root, unknown", code: 0, party: { unknown }, change: { $0.verification.allowsAnyRoot = true }),
    Row(
      name: "any root, but expired", code: -9814, party: { expired },
      sends: { try $0.bareIdentity }, change: { $0.verification.allowsAnyRoot = true }),
    Row(
      name: "any root, but another name", code: -9843, party: { unknown },
      change: {
        $0.verification.allowsAnyRoot = true
        $0.peerName = "bad.example"
      }),
    Row(
      name: "expired allowed", code: 0, party: { expired },
      change: { $0.verification.allowsExpiredCertificates = true }),
    Row(
      name: "expired allowed, intermediate", code: 0, party: { underExpiredMiddle },
      change: { $0.verification.allowsExpiredCertificates = true }),
    Row(
      name: "expired allowed, not yet valid isn't", code: -9815, party: { future },
      change: { $0.verification.allowsExpiredCertificates = true }),
    Row(
      name: "expired allowed, the root isn't", code: -9814, party: { underExpiredRoot },
      change: {
        $0.anchors = [expiredRoot.tls]
        $0.verification.allowsExpiredCertificates = true
      }),
    Row(
      name: "expired root allowed", code: 0, party: { underExpiredRoot },
      change: {
        $0.anchors = [expiredRoot.tls]
        $0.verification.allowsExpiredRoots = true
      }),
    Row(
      name: "expired root allowed, the leaf isn't", code: -9814, party: { expired },
      change: { $0.verification.allowsExpiredRoots = true }),
  ]

  static let off: Change = {
    $0.verification.checksChain = false
    $0.peerName = "nobody.example"
  }

  @Test(
    "a client says of a chain what is wrong with it (TLS-44)", arguments: chains + policies + names + relaxed,
    [ProtocolVersion.tls12, .tls13])
  func judges(_ row: Row, _ version: ProtocolVersion) throws {
    let pair = try SessionPair(
      SessionPair.clientSettings {
        $0.maximumVersion = version
        row.change(&$0)
      }, try SessionPair.serverSettings { $0.identity = try row.sends(row.party()) })
    let (client, server) = pair.run()
    #expect(client.isComplete == (row.code == 0), "\(client)")
    #expect(client.code ?? 0 == row.code, "\(client)")
    // Whether a text contains the empty one depends on the library.
    #expect(row.says.isEmpty || client.failure?.text.contains(row.says) == true, "\(client)")
    // Whoever is refused is told.
    if row.code != 0 { #expect(server.failure != nil || pair.server.hear().end.failure != nil) }
  }

  /// A server of ours would not even load such a chain.
  @Test func signaturesOverSHA1AreRefused() {
    let party = Mint.make("x", by: Self.oldCA, names: "DNS:good.example")
    let trust = PeerTrust([party.tls, Self.oldCA.tls], peerName: nil)
    let verdict = trust.evaluate(anchors: [Mint.root.tls], anchorsOnly: true, time: Mint.now)
    #expect(verdict.reason?.contains("too weak") == true, "\(verdict)")
    guard case .refused(.tls(-9807, _)) = verdict else {
      Issue.record("\(verdict)")
      return
    }
  }

  /// A name that only C would take for ours.
  @Test func namesWithNULMatchNothing() throws {
    let party = Mint.make(
      "x", by: Mint.intermediate,
      extensions: [
        (NID_subject_alt_name, "DER:30:17:82:15:67:6F:6F:64:2E:65:78:61:6D:70:6C:65:00:2E:65:76:69:6C:2E:78:79")
      ])
    let pair = try SessionPair(
      SessionPair.clientSettings(), try SessionPair.serverSettings { $0.identity = try party.identity })
    let client = pair.run().client
    #expect(client.code == -9843)
    #expect(client.failure?.text.contains("good.example\\x00.evil.xy") == true, "\(client)")
  }

  @Test(arguments: [ProtocolVersion.tls12, .tls13])
  func serversCanAskForCertificates(_ version: ProtocolVersion) throws {
    let known = Mint.make("client", by: Mint.intermediate, extensions: [(NID_ext_key_usage, "clientAuth")])
    for (policy, identity, code) in [
      (.optional, nil, 0), (.required, nil, -9824), (.required, known, 0), (.optional, Self.unknown, -9813),
    ] as [(ClientCertificates, Mint.Party?, Int32)] {
      let pair = try SessionPair(
        SessionPair.clientSettings {
          $0.maximumVersion = version
          $0.identity = try? identity?.identity
        },
        try SessionPair.serverSettings {
          $0.clientCertificates = policy
          $0.anchors = [Mint.root.tls]
          $0.anchorsOnly = true
        })
      let server = pair.run().server
      #expect(server.code ?? 0 == code, "\(server)")
      if code == 0, identity != nil { #expect(pair.server.peerCertificates.first?.subject == "CN=client") }
    }
  }

  /// By lists of a server's own, which a client knows nothing of.
  @Test(arguments: [ProtocolVersion.tls12, .tls13])
  func serversRefuseRevokedClients(_ version: ProtocolVersion) throws {
    let known = Mint.make("client", by: Mint.intermediate, extensions: [(NID_ext_key_usage, "clientAuth")])
    for (serial, code) in [(1, -9807), (2, 0)] as [(Int, Int32)] {
      let pair = try SessionPair(
        SessionPair.clientSettings {
          $0.maximumVersion = version
          $0.identity = try? known.identity
        },
        try SessionPair.serverSettings {
          $0.clientCertificates = .required
          $0.anchors = [Mint.root.tls]
          $0.anchorsOnly = true
          $0.revocationLists = [Self.list(Mint.revocationList(by: Mint.intermediate, serial: serial))]
        })
      let server = pair.run().server
      #expect(server.code ?? 0 == code, "\(server)")
      if code != 0 { #expect(server.failure?.text.contains("revoked") == true, "\(server)") }
    }
  }

  @Test func thousandsOfNamesAndLongChains() throws {
    let names = (0..<10_000).map { "DNS:n\($0).example" }.joined(separator: ",") + ",DNS:good.example"
    let many = Mint.make("many", by: Mint.intermediate, names: names)
    let pair = try SessionPair(
      SessionPair.clientSettings(), try SessionPair.serverSettings { $0.identity = try many.identity })
    try pair.shakeHands()
    #expect(pair.client.peerCertificates.first?.dnsNames.count == 10_001)

    let tooMany = try TLSIdentity(
      certificates: many.pem + Mint.intermediate.pem + many.pem + many.pem, key: many.keyPEM)
    let refused = try SessionPair(
      SessionPair.clientSettings(), try SessionPair.serverSettings { $0.identity = tooMany })
    let client = refused.run().client
    #expect(client.code == -9808, "\(client)")
  }
}
