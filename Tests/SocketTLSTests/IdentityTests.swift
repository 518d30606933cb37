import COpenSSL
import Glibc
import SocketCore
import Testing

@testable import SocketTLS

@Suite struct IdentityTests {
  static let party = Mint.good

  @Test func readsWhatItIsGiven() throws {
    let party = Self.party
    let read = [
      try TLSIdentity(certificates: party.chainPEM, key: party.keyPEM),
      try TLSIdentity(certificates: party.keyPEM + party.chainPEM),
      try TLSIdentity(certificates: party.chainPEM + party.keyPEM, passphrase: "not needed"),
      try TLSIdentity(certificates: party.chainPEM, key: party.keyDER),
      try TLSIdentity(certificates: party.chainPEM, key: party.lockedKeyPEM("secret"), passphrase: "secret"),
      try TLSIdentity(pkcs12: party.pkcs12("secret"), passphrase: "secret"),
      try TLSIdentity(pkcs12: party.pkcs12(""), passphrase: nil),
    ]
    for identity in read { #expect(identity.chain.map(\.subject) == ["CN=good", "CN=Intermediate"]) }
    #expect(Set(read).count == 1)
    #expect(try TLSIdentity(certificates: party.der, key: party.keyDER).chain.count == 1)
  }

  @Test func sendsNoCertificateTwice() throws {
    let identity = try Self.party.identity
    let root = Mint.root.tls
    #expect(try identity.adding(identity.chain).chain == identity.chain)
    #expect(try identity.adding([identity.chain[1], root, root]).chain == identity.chain + [root])
  }

  @Test func readsFiles() throws {
    var template = Array("/tmp/identity-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer {
      close(descriptor)
      unlink(path)
    }
    let bytes = Self.party.chainPEM + Self.party.keyPEM
    #expect(write(descriptor, bytes, bytes.count) == bytes.count)
    #expect(try TLSIdentity(certificatesFile: path).chain.count == 2)
    #expect(try TLSCertificate.list(file: path).count == 2)
    expectOther("no PKCS#12") { try TLSIdentity(pkcs12File: path, passphrase: nil) }
    expectOther("No such file") { try TLSIdentity(certificatesFile: path + "x") }
    expectOther("can't be read") { try TLSIdentity(certificatesFile: path, keyFile: "/tmp") }
  }

  @Test func saysWhatIsWrong() throws {
    let party = Self.party
    let other = VerificationTests.unknown
    let chain = party.chainPEM
    expectOther("no private key in the PEM") { try TLSIdentity(certificates: chain) }
    expectOther("not that of the certificate CN=good") { try TLSIdentity(certificates: chain, key: other.keyPEM) }
    expectOther("no passphrase was given") {
      try TLSIdentity(certificates: chain, key: party.lockedKeyPEM("secret"))
    }
    expectOther("does not open the private key") {
      try TLSIdentity(certificates: chain, key: party.lockedKeyPEM("secret"), passphrase: "wrong")
    }
    expectOther("no certificate in the PEM") { try TLSIdentity(certificates: party.keyPEM) }
    expectOther("no certificate in DER") { try TLSIdentity(certificates: [], key: party.keyPEM) }
    expectOther("no certificate in DER") {
      try TLSIdentity(certificates: Array(party.der.dropLast()), key: party.keyPEM)
    }
    expectOther("no certificate in DER") { try TLSIdentity(certificates: party.der + [0], key: party.keyPEM) }
    expectOther("no private key in DER") { try TLSIdentity(certificates: chain, key: [1, 2, 3]) }
    expectOther("malformed") {
      try TLSIdentity(certificates: chain + "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8)
    }
    expectOther("malformed") {
      try TLSIdentity(
        certificates: chain, key: Array("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n".utf8))
    }
    expectOther("does not open the PKCS#12") {
      try TLSIdentity(pkcs12: party.pkcs12("secret"), passphrase: "wrong")
    }
    expectOther("no PKCS#12") { try TLSIdentity(pkcs12: [1, 2, 3], passphrase: "x") }
    expectOther("no revocation list") { _ = try VerificationTests.lists([1, 2, 3]) }
  }

  /// OpenSSL would look for another list, find none, and the revoked certificates of this one would be taken for good.
  @Test(
    arguments: [
      (NID_delta_crl, "DER:02:01:01"), (NID_issuing_distribution_point, "critical,indirectCRL:TRUE"),
      (NID_issuing_distribution_point, "critical,onlysomereasons:keyCompromise"),
      (NID_issuing_distribution_point, "critical,onlyuser:TRUE,onlyCA:TRUE"),
      (NID_issuing_distribution_point, "DER:05:00"),
    ] as [(Int32, String)])
  func aRevocationListThatWouldNotCountIsRefused(kind: Int32, value: String) throws {
    let whole = Mint.revocationList(by: Mint.intermediate, serial: 2)
    let other = Mint.revocationList(by: Mint.intermediate, serial: 1, extensions: [(kind, value)])
    expectOther("The revocation list by CN=Intermediate is not a whole one") {
      _ = try VerificationTests.lists(whole + other)
    }
    #expect(try VerificationTests.lists(whole).count == 1)
    let ofUsers = Mint.revocationList(
      by: Mint.intermediate, serial: 1, extensions: [(NID_issuing_distribution_point, "critical,onlyuser:TRUE")])
    #expect(try VerificationTests.lists(ofUsers).count == 1)
  }

  @Test func nothingStandsBehindARevocationListInDER() throws {
    let list = VerificationTests.list(Mint.revocationList(by: Mint.root, serial: 1))
    let der = OpenSSLBytes.der { i2d_X509_CRL(list.handle.crl, $0) }
    #expect(try VerificationTests.lists(der).count == 1)
    expectOther("don't belong to it") { _ = try VerificationTests.lists(der + der) }
  }

  @Test("every revocation list of a PEM counts (TLS-44)")
  func everyRevocationListOfAPEMCounts() throws {
    let one = Mint.revocationList(by: Mint.root, serial: 1)
    let two = Mint.revocationList(by: Mint.intermediate, serial: 2)
    let lists = try (one + two).withUnsafeBytes { try TLSRevocationList.list($0) }
    #expect(
      lists.map { TLSCertificate.text(name: X509_CRL_get_issuer($0.handle.crl)) } == ["CN=Root", "CN=Intermediate"])
    var broken = two
    broken[broken.count / 2] = UInt8(ascii: "!")
    expectOther("Revocation list 2 in the PEM is malformed") {
      try (one + broken).withUnsafeBytes { try TLSRevocationList.list($0) }
    }
    // OpenSSL takes what such blocks are for the end of the file.
    let text = String(decoding: two, as: UTF8.self)
    for (mark, other) in [("-----BEGIN X", "----BEGIN X"), ("-----BEGIN X", " -----BEGIN X"), ("X509 CRL", "CRL")] {
      expectOther("2 blocks that may be revocation lists, of which 1") {
        try (one + Array(text.replacing(mark, with: other).utf8)).withUnsafeBytes { try TLSRevocationList.list($0) }
      }
    }
    // Beside what is no list.
    let bundle = Mint.root.pem + one + Mint.good.keyPEM + two
    #expect(try bundle.withUnsafeBytes { try TLSRevocationList.list($0) }.count == 2)
  }

  /// The file says how often, and OpenSSL does what it says.
  @Test(arguments: [0, NID_pbe_WithSHA1And3_Key_TripleDES_CBC])
  func aPKCS12OfTooManyIterationsIsNotOpened(cipher: Int32) throws {
    // Once for the MAC, once for the certificates, once for the key.
    let file = Self.party.pkcs12(
      "secret", keyCipher: cipher, certificateCipher: cipher, iterations: 1000, macIterations: 500)
    func read(upTo limit: Int64) throws {
      _ = try file.withUnsafeBytes { try PKCS12Reader(iterationLimit: limit).read($0, passphrase: "secret") }
    }
    try read(upTo: 2500)
    for limit in [2499, 1500, 1499, 500, 499, 0] as [Int64] {
      expectOther("more than \(limit) iterations") { try read(upTo: limit) }
    }
    // Nothing is known of a file that can't be decrypted but what is outside.
    expectOther("does not open") {
      _ = try file.withUnsafeBytes { try PKCS12Reader(iterationLimit: 2500).read($0, passphrase: "wrong") }
    }
  }

  @Test(arguments: ["secret", ""])
  func aPKCS12WithAKeyInsideOfWhatIsEncryptedIsCountedToo(passphrase: String) throws {
    var bags: OpaquePointer?
    var safes: OpaquePointer?
    defer {
      lab_tls_bags_free(bags)
      lab_tls_safes_free(safes)
    }
    PKCS12_add_key_ex(&bags, Self.party.key, 0, 700, NID_aes_256_cbc, passphrase, nil, nil)
    PKCS12_add_safe(&safes, bags, NID_aes_256_cbc, 300, passphrase)
    let container = PKCS12_add_safes(safes, 0)
    defer { PKCS12_free(container) }
    PKCS12_set_mac(container, passphrase, -1, nil, 0, 100, nil)
    let file = OpenSSLBytes.der { i2d_PKCS12(container, $0) }
    for (limit, says) in [(1100, "no certificate for the key"), (1099, "more than 1099")] as [(Int64, String)] {
      expectOther(says) {
        _ = try file.withUnsafeBytes { try PKCS12Reader(iterationLimit: limit).read($0, passphrase: passphrase) }
      }
    }
  }

  /// As for containers: a key that says that it takes minutes is not asked twice.
  @Test(arguments: [true, false]) func anEncryptedKeyOfTooManyIterationsIsNotOpened(isPEM: Bool) throws {
    // OpenSSL's own number is 2048.
    let locked = Self.party.lockedKeyPEM("secret")
    let container = locked.withUnsafeBytes { OpenSSLBytes.withBIO($0) { PEM_read_bio_PKCS8($0, nil, nil, nil) } }
    defer { X509_SIG_free(container) }
    let key = isPEM ? locked : OpenSSLBytes.der { i2d_X509_SIG(container, $0) }
    func read(_ key: [UInt8], upTo limit: Int64) throws {
      _ = try TLSIdentity(
        certificates: Self.party.chainPEM, key: key, passphrase: "secret", iterationLimit: limit)
    }
    try read(key, upTo: 2048)
    expectOther("takes more than 2047 iterations") { try read(key, upTo: 2047) }
    guard isPEM else { return }
    // OpenSSL would try one after the other, and goes on behind what it can't read.
    let malformed = Array("-----BEGIN PRIVATE KEY-----\n!\n-----END PRIVATE KEY-----\n".utf8)
    try read(malformed + key, upTo: 2048)
    expectOther("more than 4095") { try read(malformed + key + key, upTo: 4095) }
    // What is encrypted twice does not say how often.
    let twice = String(decoding: key, as: UTF8.self).replacing(
      "KEY-----\nM",
      with: "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF\n\nM")
    expectOther("more than 2048 iterations") { try read(Array(twice.utf8), upTo: 2048) }
  }

  /// As the keychain of other systems and OpenSSL before version 3 write them.
  @Test func readsPKCS12OfTheOldAlgorithms() throws {
    let old = Self.party.oldPKCS12("secret")
    let identity = try TLSIdentity(pkcs12: old, passphrase: "secret")
    #expect(identity.chain.map(\.subject) == ["CN=good", "CN=Intermediate"])
    #expect(try identity == Self.party.identity)
    // The key lives where all others do, among today's algorithms only.
    let provider = EVP_PKEY_get0_provider(Self.party.key)
    #expect(EVP_PKEY_get0_provider(identity.key.pkey) == provider)
    for certificate in identity.chain {
      #expect(EVP_PKEY_get0_provider(X509_get0_pubkey(certificate.handle.x509)) == provider)
    }
    try SessionPair(
      SessionPair.clientSettings(), try SessionPair.serverSettings { $0.identity = identity }
    ).shakeHands()
    expectOther("does not open the PKCS#12") { try TLSIdentity(pkcs12: old, passphrase: "wrong") }
    #expect(EVP_CIPHER_fetch(nil, "RC2-40-CBC", nil) == nil)
    ERR_clear_error()
  }

  @Test func withoutTheOldAlgorithmsItSaysHowToGetThem() throws {
    let reader = PKCS12Reader(old: LegacyProvider(provider: "no-such-provider"))
    let old = Self.party.oldPKCS12("secret")
    expectOther("legacy.so") {
      try old.withUnsafeBytes { bytes in try reader.read(bytes, passphrase: "secret") }
    }
    // Files of today need none of it.
    let new = Self.party.pkcs12("secret")
    #expect(try new.withUnsafeBytes { try reader.read($0, passphrase: "secret") }.chain.count == 2)
  }

  @Test func aPKCS12WithoutMACSaysSo() throws {
    let bare = Self.party.pkcs12("secret", hasMAC: false)
    expectOther("no MAC") { try TLSIdentity(pkcs12: bare, passphrase: "secret") }
  }

  private func expectOther(_ says: String, _ body: () throws -> Any) {
    let failure = #expect(throws: SocketFailure.self) { _ = try body() }
    guard case .other(let text) = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(text.contains(says), "\(text)")
  }

  @Test func aWeakKeyIsRefusedWhereItIsUsed() throws {
    let weak = Mint.make("weak", key: .rsa(1024))
    expectOther("key too small") {
      try TLSSession(SessionPair.serverSettings { $0.identity = try weak.identity })
    }
  }

  @Test(
    "a serial number's bytes are those of DER, with their sign",
    arguments: [
      (0, [0]), (1, [1]), (127, [127]), (128, [0, 128]), (256, [1, 0]), (65535, [0, 255, 255]), (-1, [255]),
    ] as [(Int, [UInt8])])
  func serialBytes(_ number: Int, _ bytes: [UInt8]) {
    #expect(Mint.make("x", serial: number).tls.serialBytes == bytes)
  }

  @Test("a serial number may be longer than 127 bytes")
  func longSerial() throws {
    let party = Mint.make("x")
    let long = [1] + [UInt8](repeating: 7, count: 199)
    let serial = X509_get_serialNumber(party.certificate)
    #expect(ASN1_STRING_set(serial, long, Int32(long.count)) == 1)
    X509_sign(party.certificate, party.key, EVP_sha256())
    #expect(party.tls.serialBytes == long)
  }

  @Test func certificatesTellTheirFacts() throws {
    let certificate = Mint.good.tls
    #expect(certificate.subject == "CN=good")
    #expect(certificate.issuer == "CN=Intermediate")
    #expect(certificate.serial == "01")
    #expect(certificate.dnsNames == ["good.example", "*.wild.example"])
    #expect(certificate.ipAddresses == ["192.0.2.1"])
    #expect(certificate.notBefore == Mint.now - 30 * Mint.day)
    #expect(certificate.notAfter == Mint.now + 30 * Mint.day)
    #expect(certificate.keyKind == "EC P-256")
    #expect(certificate.signatureAlgorithm == "ecdsa-with-SHA256")
    #expect(try TLSCertificate(der: certificate.der) == certificate)
    #expect(try TLSCertificate.list(Mint.good.chainPEM).count == 2)
    #expect(VerificationTests.weakCA.tls.keyKind == "RSA")
  }
}
