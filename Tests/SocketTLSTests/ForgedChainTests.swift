import COpenSSL
import SocketCore
import Testing

@testable import SocketTLS

/// Chains that anybody can make: a leaf for any name, and above it certificates of the forger's own, of which the
/// topmost names the trusted root as its issuer. No length of them and no setting makes one trusted.
@Suite struct ForgedChainTests {
  static let lengths = [1, 9, 10, 11, 29, 30, 31, 32, 33, 40, 60, 98, 110]

  /// The forger's authorities, from the topmost down.
  static let authorities: [Mint.Party] = {
    var made: [Mint.Party] = []
    for number in 0..<110 {
      // The root did not sign the first one.
      made.append(
        Mint.make(
          "Fake \(number)", by: made.last ?? Mint.root, ca: true, signedBy: made.isEmpty ? stranger : nil))
    }
    return made
  }()
  static let stranger = Mint.make("Stranger", ca: true)

  static func leaf(_ count: Int, for purpose: String) -> Mint.Party {
    Mint.make(
      "good", by: authorities[count - 1], names: "DNS:good.example", extensions: [(NID_ext_key_usage, purpose)])
  }

  static let lists: [[TLSRevocationList]] = [
    [], [VerificationTests.list(Mint.revocationList(by: Mint.root, serial: 77))],
    [
      VerificationTests.list(Mint.revocationList(by: Mint.root, serial: 77)),
      VerificationTests.list(Mint.revocationList(by: stranger, serial: 1)),
    ],
  ]

  static let relaxations: [TLSVerification] = {
    var some = TLSVerification()
    var all = TLSVerification()
    some.allowsExpiredCertificates = true
    (all.allowsExpiredCertificates, all.allowsExpiredRoots, all.allowsAnyRoot) = (true, true, true)
    return [TLSVerification(), some, all]
  }()

  @Test(arguments: lengths) func aClientIsNotDeceived(_ count: Int) throws {
    let forged = try Self.leaf(count, for: "serverAuth").identity
    for lists in Self.lists {
      for verification in Self.relaxations {
        let pair = try SessionPair(
          SessionPair.clientSettings {
            $0.revocationLists = lists
            $0.verification = verification
          }, try SessionPair.serverSettings { $0.identity = forged })
        let client = pair.run().client
        let code = client.code ?? 0
        #expect(code == -9807, "\(count), \(lists.count) lists, \(verification): \(client)")
      }
    }
  }

  @Test(arguments: lengths) func aServerIsNotDeceived(_ count: Int) throws {
    let forged = try Self.leaf(count, for: "clientAuth").identity
    for lists in Self.lists {
      let pair = try SessionPair(
        SessionPair.clientSettings { $0.identity = forged },
        try SessionPair.serverSettings {
          $0.clientCertificates = .required
          $0.anchors = [Mint.root.tls]
          $0.anchorsOnly = true
          $0.revocationLists = lists
        })
      let server = pair.run().server
      #expect(server.code == -9807, "\(count), \(lists.count) lists: \(server)")
    }
  }

  /// As many as are allowed, each signed by the next; and one more.
  @Test(arguments: [0, 1, 9, 10, 11, 30]) func anHonestChainIsTrustedUpToTheLimit(_ count: Int) throws {
    var issuer = Mint.root
    for number in 0..<count { issuer = Mint.make("Honest \(number)", by: issuer, ca: true) }
    let identity = try Mint.make("good", by: issuer, names: "DNS:good.example").identity
    for lists in Self.lists {
      for anchorsOnly in [true, false] {
        let pair = try SessionPair(
          SessionPair.clientSettings {
            $0.revocationLists = lists
            $0.anchorsOnly = anchorsOnly
          }, try SessionPair.serverSettings { $0.identity = identity })
        let client = pair.run().client
        let isTrusted = count <= 10
        #expect(client.isComplete == isTrusted, "\(count), \(lists.count) lists: \(client)")
        guard !isTrusted else { continue }
        // Among the system's certificates the path ends as late, or nowhere.
        #expect([-9807, -9813].contains(client.code), "\(client)")
        if anchorsOnly { #expect(client.failure?.text.contains("too long") == true, "\(client)") }
      }
    }
  }

  /// Names that a wildcard in the certificate covers, and its authority must not sign for.
  @Test func excludedNamesAreRefusedBehindAWildcard() throws {
    let authority = Mint.make(
      "Constrained", by: Mint.root, ca: true,
      extensions: [(NID_name_constraints, "critical,excluded;DNS:bar.example.com,excluded;DNS:.under.example.com")])
    let below = Mint.make("Below", by: authority, ca: true)
    let leaf = Mint.make("x", by: below, names: "DNS:*.example.com,DNS:*.bar2.example.com,DNS:*.under2.example.com")
    for (name, code) in [
      ("foo.example.com", 0), ("bar.example.com", -9807), ("BAR.example.com.", -9807), ("under.example.com", 0),
      ("a.bar2.example.com", 0),
    ] as [(String, Int32)] {
      let pair = try SessionPair(
        SessionPair.clientSettings { $0.peerName = name },
        try SessionPair.serverSettings { $0.identity = try leaf.identity })
      let client = pair.run().client
      #expect(client.code ?? 0 == code, "\(name): \(client)")
      if code != 0 { #expect(client.failure?.text.contains("name constraints") == true, "\(client)") }
    }
  }

  /// What is refused anyway costs no signature: a false one is not even noticed.
  @Test func noSignatureIsComputedForAChainThatIsRefusedAnyway() throws {
    let other = Mint.make("Other Root", ca: true)
    let underUnknown = Mint.make("x", by: other, names: "DNS:good.example", signedBy: Self.stranger)
    let wrongName = Mint.make("x", by: Mint.intermediate, names: "DNS:bad.example", signedBy: Self.stranger)
    for (party, code) in [(underUnknown, -9813), (wrongName, -9843)] as [(Mint.Party, Int32)] {
      let pair = try SessionPair(
        SessionPair.clientSettings(), try SessionPair.serverSettings { $0.identity = try party.identity })
      let client = pair.run().client
      #expect(client.code == code, "\(client)")
      #expect(client.failure?.text.contains("signature") == false, "\(client)")
    }
  }

  /// A list may be long: nobody hashes it for a certificate that somebody made up. That this one is forged, too, is not
  /// even noticed.
  @Test func noListIsReadForAForgedCertificate() throws {
    let list = VerificationTests.list(Mint.revocationList(by: Mint.root, serial: 77, signedBy: Self.stranger))
    let below = Mint.make("good", by: Mint.root, names: "DNS:good.example", signedBy: Self.stranger)
    let genuine = Mint.make("good", by: Mint.root, names: "DNS:good.example")
    for (party, says) in [
      (below, "certificate signature failure"), (Self.leaf(1, for: "serverAuth"), "certificate signature failure"),
      (Self.leaf(5, for: "serverAuth"), "certificate signature failure"), (genuine, "CRL signature failure"),
    ] {
      let pair = try SessionPair(
        SessionPair.clientSettings { $0.revocationLists = [list] },
        try SessionPair.serverSettings { $0.identity = try party.identity })
      let client = pair.run().client
      #expect(client.code == -9807 && client.failure?.text.contains(says) == true, "\(client)")
    }
  }

  struct KeyRow: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var key: Mint.Key
    var says: String?
  }

  @Test(
    "keys that cost too much, or are no keys, are not used (TLS-44)",
    arguments: [
      KeyRow(testDescription: "P-384", key: .curve("P-384"), says: nil),
      KeyRow(testDescription: "P-521", key: .curve("P-521"), says: nil),
      KeyRow(testDescription: "brainpool", key: .curve("brainpoolP256r1"), says: nil),
      KeyRow(testDescription: "binary curve", key: .curve("sect571r1"), says: "the curve sect571r1"),
      KeyRow(testDescription: "RSA-PSS", key: .pss, says: nil),
      KeyRow(testDescription: "RSA 8192", key: .rsa8192, says: nil),
      KeyRow(testDescription: "RSA 8256", key: .rsa8256, says: "8256 bits"),
      KeyRow(testDescription: "RSA exponent", key: .rsaOfExponent("10000000F"), says: nil),
      KeyRow(testDescription: "long RSA exponent", key: .rsaOfExponent("20000000F"), says: "exponent"),
      KeyRow(testDescription: "RSA exponent 1", key: .rsaOfExponentOne, says: "the exponent of its RSA key is 1"),
    ])
  func keysThatCostTooMuchAreNotUsed(_ row: KeyRow) throws {
    let authority = Mint.make("Heavy", by: Mint.root, ca: true, key: row.key)
    // The signature is false where a curve is refused: nobody may notice.
    let isForged = if case .curve = row.key { row.says != nil } else { false }
    let leaf = Mint.make(
      "x", by: authority, names: "DNS:good.example", signedBy: isForged ? Self.stranger : nil)
    for lists in Self.lists {
      let pair = try SessionPair(
        SessionPair.clientSettings { $0.revocationLists = lists },
        try SessionPair.serverSettings { $0.identity = try leaf.identity })
      let client = pair.run().client
      #expect(client.code == row.says.map { _ in -9807 }, "\(client)")
      if let says = row.says { #expect(client.failure?.text.contains(says) == true, "\(client)") }
    }
    // An anchor was chosen by whoever set up the trust.
    guard row.says != nil else { return }
    let own = Mint.make("Heavy Root", ca: true, key: row.key)
    let below = Mint.make("x", by: own, names: "DNS:good.example")
    let pair = try SessionPair(
      SessionPair.clientSettings { $0.anchors = [own.tls] },
      try SessionPair.serverSettings { $0.identity = try below.identity })
    let client = pair.run().client
    #expect(client.isComplete, "\(client)")
  }

  /// Authorities in a row, from the topmost down, each with as many names and constraints; the leaf has as many names.
  static func crowd(_ count: Int, of authorities: Int) -> Mint.Party {
    let names = (0..<count).map { "DNS:n\($0).example" }.joined(separator: ",")
    let constraints = "critical," + (0..<count).map { "excluded;DNS:x\($0).test" }.joined(separator: ",")
    var issuer: Mint.Party?
    for number in 0..<authorities {
      issuer = Mint.make(
        "Crowd \(number)", by: issuer, ca: true, names: names, extensions: [(NID_name_constraints, constraints)])
    }
    return Mint.make("x", by: issuer, names: "DNS:good.example," + names)
  }

  @Test(
    "a chain's names and constraints are compared up to a bound, whatever is allowed",
    arguments: [
      // 1 + 60 names and the subject's against 60, 120, … 600 constraints: 62 × 600, and 61 × 60 × (9 + 8 + … + 1).
      (60, 10, true),
      // 62 + 200 names against up to 2000 constraints, and 201 × 200 × 45: 2.2 million.
      (200, 10, false),
      // One authority alone may have many: 402 × 400.
      (400, 1, true),
    ])
  func namesAreComparedUpToABound(_ count: Int, _ authorities: Int, _ isFine: Bool) throws {
    let leaf = Self.crowd(count, of: authorities)
    let pair = try SessionPair(
      SessionPair.clientSettings { $0.verification.allowsAnyRoot = true },
      try SessionPair.serverSettings { $0.identity = try leaf.identity })
    let client = pair.run().client
    #expect(client.isComplete == isFine, "\(client)")
    if !isFine {
      #expect(client.code == -9807)
      #expect(client.failure?.text.contains("name constraints than are compared") == true, "\(client)")
    }
  }
}
