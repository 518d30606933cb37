import Foundation
import SocketTLS
import TestCertificates
import Testing

@testable import CocoaAsyncSocket

/// What each property of `TLSSettings`, and each key of the dictionary, comes to in the engine: that, and nothing else.
@Suite struct SettingsTableTests {
  /// Certificates for the rows.
  struct Material: Sendable {
    let identity: SecIdentity
    let others: [SecCertificate]
    let list: Data

    init() throws {
      let leaf = try TestPKI.shared.identity(.leaf)
      identity = try SecIdentity(pem: Data(leaf.chain), key: Data(leaf.key))
      let files = [try TestPKI.shared.rootPEM, try TestPKI.shared.anchor(for: .expiredRoot)]
      others = try files.flatMap { try SecCertificate.certificates(Data($0)) }
      list = Data(try TestPKI.shared.revocationList)
    }
  }
  static let material = Result { try Material() }

  struct Row: Sendable, CustomTestStringConvertible {
    /// The property of `TLSSettings`.
    let property: String
    /// The same in a dictionary.
    let dictionary: @Sendable () throws -> [String: NSObject]
    let set: @Sendable (inout TLSSettings) throws -> Void
    /// What is other than by default; nil: it is accepted without effect.
    let expect: (@Sendable (inout TLSConfiguration) throws -> Void)?
    var testDescription: String { property }

    init(
      _ property: String, _ dictionary: @autoclosure @escaping @Sendable () throws -> [String: NSObject],
      _ set: @escaping @Sendable (inout TLSSettings) throws -> Void,
      _ expect: (@Sendable (inout TLSConfiguration) throws -> Void)?
    ) {
      (self.property, self.dictionary, self.set, self.expect) = (property, dictionary, set, expect)
    }

    /// A property that is false by default.
    static func flag(
      _ property: String, _ key: String, _ path: WritableKeyPath<TLSSettings, Bool> & Sendable, to value: Bool = true,
      _ expect: (@Sendable (inout TLSConfiguration) throws -> Void)?
    ) -> Row {
      Row(property, [key: NSNumber(value: value)], { $0[keyPath: path] = value }, expect)
    }
  }

  static let ownSide: [Row] = [
    .flag("isServer", kCFStreamSSLIsServer, \.isServer) { $0.role = .server },
    Row(
      "identity", [kCFStreamSSLCertificates: [try material.get().identity] as NSArray],
      { $0.identity = try material.get().identity }, { $0.identity = try material.get().identity.core }),
    Row(
      "additionalCertificates",
      [kCFStreamSSLCertificates: [try material.get().identity] + (try material.get().others) as NSArray],
      {
        $0.identity = try material.get().identity
        $0.additionalCertificates = try material.get().others
      },
      {
        let material = try material.get()
        $0.identity = try material.identity.core.adding(material.others.map(\.core))
      }),
    Row(
      "clientCertificates", [GCDAsyncSocketSSLClientCertificates: "optional" as NSString],
      { $0.clientCertificates = .optional }, { $0.clientCertificates = .optional }),
    Row(
      "clientCertificates", [GCDAsyncSocketSSLClientCertificates: "required" as NSString],
      { $0.clientCertificates = .required }, { $0.clientCertificates = .required }),
    Row(
      "clientCertificates", [GCDAsyncSocketSSLClientSideAuthenticate: number(of: .alwaysAuthenticate)],
      { $0.clientCertificates = .required }, { $0.clientCertificates = .required }),
    Row(
      "clientCertificates", [GCDAsyncSocketSSLClientSideAuthenticate: number(of: .tryAuthenticate)],
      { $0.clientCertificates = .optional }, { $0.clientCertificates = .optional }),
    Row(
      "clientCertificates", [GCDAsyncSocketSSLClientSideAuthenticate: number(of: .neverAuthenticate)], { _ in },
      { _ in }),
    Row(
      "clientCertificates",
      [
        GCDAsyncSocketSSLClientSideAuthenticate: number(of: .alwaysAuthenticate),
        GCDAsyncSocketSSLClientCertificates: "required" as NSString,
      ], { $0.clientCertificates = .required }, { $0.clientCertificates = .required }),
  ]

  private static func number(of authenticate: SSLAuthenticate) -> NSNumber {
    NSNumber(value: authenticate.rawValue)
  }

  static let trust: [Row] = [
    Row(
      "peerName", [kCFStreamSSLPeerName: "a.example" as NSString], { $0.peerName = "a.example" },
      { $0.peerName = "a.example" }),
    .flag("evaluatesTrustManually", GCDAsyncSocketManuallyEvaluateTrust, \.evaluatesTrustManually) {
      $0.manualTrust = true
    },
    .flag(
      "validatesCertificateChain", kCFStreamSSLValidatesCertificateChain, \.validatesCertificateChain, to: false
    ) { $0.verification.checksChain = false },
    .flag("allowsExpiredCertificates", kCFStreamSSLAllowsExpiredCertificates, \.allowsExpiredCertificates) {
      $0.verification.allowsExpiredCertificates = true
    },
    .flag("allowsExpiredRoots", kCFStreamSSLAllowsExpiredRoots, \.allowsExpiredRoots) {
      $0.verification.allowsExpiredRoots = true
    },
    .flag("allowsAnyRoot", kCFStreamSSLAllowsAnyRoot, \.allowsAnyRoot) { $0.verification.allowsAnyRoot = true },
    Row(
      "trustAnchors", [GCDAsyncSocketSSLTrustAnchors: try material.get().others as NSArray],
      { $0.trustAnchors = try material.get().others }, { $0.anchors = try material.get().others.map(\.core) }),
    Row(
      "hasOwnAnchors", [GCDAsyncSocketSSLTrustAnchors: [] as NSArray], { $0.trustAnchors = [] }, { _ in }),
    .flag("trustsAnchorsOnly", GCDAsyncSocketSSLTrustAnchorsOnly, \.trustsAnchorsOnly) { $0.anchorsOnly = true },
    Row(
      "revocationLists", [GCDAsyncSocketSSLRevocationLists: [try material.get().list] as NSArray],
      { $0.revocationLists = [try material.get().list] },
      { $0.revocationLists = try SharedTLS.revocationLists([try material.get().list]) }),
    Row(
      "verifyDate", [GCDAsyncSocketSSLVerifyDate: NSDate(timeIntervalSince1970: 7.5)],
      { $0.verifyDate = Date(timeIntervalSince1970: 7.5) }, { $0.verificationTime = 7 }),
  ]

  static let session: [Row] = [
    Row(
      "level", [kCFStreamSSLLevel: kCFStreamSocketSecurityLevelTLSv1 as NSString],
      { $0.level = kCFStreamSocketSecurityLevelTLSv1 }, { $0.minimumVersion = .tls10 }),
    Row(
      "cipherSuites", [GCDAsyncSocketSSLCipherSuites: ["A", NSNumber(value: 0x1301)] as NSArray],
      { $0.cipherSuites = ["A", "0x1301"] }, { $0.cipherSuites = ["A", "0x1301"] }),
    Row(
      "applicationProtocols", [GCDAsyncSocketSSLALPN: ["a", "b"] as NSArray],
      { $0.applicationProtocols = ["a", "b"] }, { $0.applicationProtocols = ["a", "b"] }),
    .flag("usesFalseStart", GCDAsyncSocketSSLSessionOptionFalseStart, \.usesFalseStart, nil),
    .flag("sendsOneByteRecords", GCDAsyncSocketSSLSessionOptionSendOneByteRecord, \.sendsOneByteRecords, nil),
    Row("peerID", [GCDAsyncSocketSSLPeerID: Data([1, 2]) as NSData], { $0.peerID = Data([1, 2]) }, nil),
  ]

  static let versions: [Row] = zip(
    [SSLProtocol.sslProtocolUnknown, .tlsProtocol1, .tlsProtocol11, .tlsProtocol12, .tlsProtocol13],
    [ProtocolVersion?.none, .tls10, .tls11, .tls12, .tls13]
  ).flatMap { (named, engine) in rows(named, engine, number: Int(named.rawValue)) }

  /// The same by the numbers that the versions have in TLS.
  static let wireVersions: [Row] =
    rows(.tlsProtocol1, .tls10, number: 0x0301) + rows(.tlsProtocol11, .tls11, number: 0x0302)
    + rows(.tlsProtocol12, .tls12, number: Int(tls_protocol_version_t.TLSv12.rawValue))
    + rows(.tlsProtocol13, .tls13, number: Int(tls_protocol_version_t.TLSv13.rawValue))

  private static func rows(_ named: SSLProtocol, _ engine: ProtocolVersion?, number: Int) -> [Row] {
    [
      Row(
        "minimumVersion", [GCDAsyncSocketSSLProtocolVersionMin: NSNumber(value: number)],
        { $0.minimumVersion = named }, { $0.minimumVersion = engine }),
      Row(
        "maximumVersion", [GCDAsyncSocketSSLProtocolVersionMax: NSNumber(value: number)],
        { $0.maximumVersion = named }, { $0.maximumVersion = engine }),
    ]
  }

  /// Everything in it, as text.
  static func text(_ settings: TLSConfiguration) -> String {
    var text = ""
    dump(settings, to: &text)
    return text
  }

  @Test(
    "each TLS setting means its own to the engine, by property and by key (TLS-11, TLS-16, TLS-40, TLS-44, TLS-49)",
    arguments: ownSide + trust + session + versions + wireVersions)
  func each(_ row: Row) throws {
    let standard = try TLSSettings().engineSettings()
    #expect(Self.text(standard) == Self.text(TLSConfiguration()))
    var settings = TLSSettings()
    try row.set(&settings)
    let byProperty = try settings.engineSettings()
    let byKey = try TLSSettings(try row.dictionary()).engineSettings()
    #expect(Self.text(byKey) == Self.text(byProperty))
    guard let expect = row.expect else { return }
    var expected = standard
    try expect(&expected)
    #expect(Self.text(byProperty) == Self.text(expected))
  }

  @Test("a constant with another one's value is known by its own name, too (TLS-19)")
  func otherNames() throws {
    let identity = try Self.material.get().identity
    let certificates = [identity] as NSArray
    let settings = try TLSSettings([
      "GCDAsyncSocketSSLPeerName": "a.example" as NSString, "GCDAsyncSocketSSLIsServer": NSNumber(value: true),
      "GCDAsyncSocketSSLCertificates": certificates, kCFStreamSSLPeerName: "a.example" as NSString,
      kCFStreamSSLCertificates: certificates,
    ])
    #expect(settings.peerName == "a.example" && settings.isServer)
    #expect(settings.identity === identity)
  }

  @Test("two values of one setting, and keys that only begin like known ones, are refused by name (TLS-19)")
  func strangeKeys() {
    let refused: [[String: NSObject]] = [
      ["GCDAsyncSocketSSLPeerName": "a.example" as NSString, kCFStreamSSLPeerName: "b.example" as NSString],
      ["GCDAsyncSocketSSLPeerName": NSNull(), kCFStreamSSLPeerName: "b.example" as NSString],
      [
        GCDAsyncSocketSSLClientSideAuthenticate: Self.number(of: .alwaysAuthenticate),
        GCDAsyncSocketSSLClientCertificates: "none" as NSString,
      ],
      [
        GCDAsyncSocketSSLClientSideAuthenticate: Self.number(of: .neverAuthenticate),
        GCDAsyncSocketSSLClientCertificates: "optional" as NSString,
      ],
      ["GCDAsyncSocketSSLPeername": "a.example" as NSString], ["kCFStreamSSLPeerNames": NSNull()],
    ]
    for dictionary in refused {
      let error = #expect(throws: NSError.self) { try TLSSettings(dictionary) }
      let text = error?.localizedDescription ?? ""
      #expect(dictionary.keys.contains { text.contains($0) }, "\(text)")
      #expect(error?.code == GCDAsyncSocketError.Code.otherError.rawValue)
    }
    for key in ["SSLPeerName", "gcdasyncsocketsslpeername", "GCDAsyncSocketUseCFStreamForTLS", " kCFStreamSSLLevel"] {
      #expect(throws: Never.self) { try TLSSettings([key: NSNull()]) }
    }
  }

  @Test("a flag is a Boolean or a whole number: a fraction would be false here, and true on Apple's systems (TLS-18)")
  func strangeFlags() throws {
    let key = kCFStreamSSLValidatesCertificateChain
    for fraction in [0.5, -0.5, 1.5, .nan, .infinity] {
      for number in [NSNumber(value: fraction), NSNumber(value: Float(fraction))] {
        let error = #expect(throws: NSError.self) { try TLSSettings([key: number]) }
        #expect(error?.localizedDescription.contains(key) == true)
      }
    }
    for (number, isTrue) in [(NSNumber(value: 0), false), (NSNumber(value: 2.0), true), (NSNumber(value: -1), true)] {
      #expect(try TLSSettings([key: number]).validatesCertificateChain == isTrue)
    }
  }

  @Test("a number of no version, and the versions for datagrams, are refused", arguments: [1, 3, 770 << 16, 0x0305])
  func strangeVersions(number: Int) {
    let datagrams = [tls_protocol_version_t.DTLSv10, .DTLSv12].map { Int($0.rawValue) }
    for key in [GCDAsyncSocketSSLProtocolVersionMin, GCDAsyncSocketSSLProtocolVersionMax] {
      for number in datagrams + [number, -number] {
        let error = #expect(throws: NSError.self) { try TLSSettings([key: NSNumber(value: number)]) }
        #expect(error?.localizedDescription.contains(key) == true)
      }
    }
  }

  @Test("any number of revocation lists is read once, and each for itself (TLS-44)")
  func manyLists() throws {
    // Text around a PEM does not count, and makes each another one.
    let list = try Self.material.get().list
    var settings = TLSSettings()
    settings.revocationLists = (1...40).map { Data("list \($0)\n".utf8) + list }
    let first = try settings.engineSettings()
    let second = try settings.engineSettings()
    #expect(Self.text(first) == Self.text(second))
    settings.revocationLists = [list]
    let one = try settings.engineSettings().revocationLists.count
    #expect(one > 0 && first.revocationLists.count == 40 * one)
    // With the same one in front.
    settings.revocationLists = [list, list]
    #expect(try settings.engineSettings().revocationLists.count == 2 * one)
  }

  @Test("revocation lists are read in the call that starts TLS, not when the handshake's turn comes")
  func listsAreReadAtOnce() throws {
    let list = Data("of this test alone\n".utf8) + (try Self.material.get().list)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: list.count, alignment: 1)
    defer { memory.deallocate() }
    memory.copyBytes(from: list)
    let base = try #require(memory.baseAddress)
    var settings = TLSSettings()
    settings.revocationLists = [Data(bytesNoCopy: base, count: list.count, deallocator: .none)]
    let maker = settings.sessionMaker()
    for index in memory.indices { memory[index] = 0 }
    #expect(throws: Never.self) { try maker().get() }
  }

  @Test("a server that names anchors, be it none, trusts those alone (TLS-13)")
  func anchorsOfAServer() throws {
    let (isServer, anchors) = (kCFStreamSSLIsServer, GCDAsyncSocketSSLTrustAnchors)
    let yes = NSNumber(value: true)
    #expect(try !TLSSettings([isServer: yes]).engineSettings().anchorsOnly)
    #expect(try TLSSettings([isServer: yes, anchors: [] as NSArray]).engineSettings().anchorsOnly)
    #expect(try !TLSSettings([anchors: [] as NSArray]).engineSettings().anchorsOnly)
    var settings = TLSSettings()
    settings.isServer = true
    settings.trustAnchors = []
    #expect(try settings.engineSettings().anchorsOnly)
  }

  @Test("no TLS setting is without a row")
  func complete() {
    let properties = Mirror(reflecting: TLSSettings()).children.compactMap(\.label)
    let rows = Set((Self.ownSide + Self.trust + Self.session + Self.versions).map(\.property))
    #expect(Set(properties) == rows)
  }
}
