import COpenSSL
import Foundation
import ScenarioModel
import Synchronization
import Testing

@testable import TestCertificates

@Suite struct TestPKITests {
  @Test func whatIsAboutTimeIsKnownByItsName() {
    for name in CertificateName.allCases { #expect(name.isAboutTime == (name.timeFault != nil), "\(name)") }
  }

  /// Slow to make, and of no use where any class will do.
  static let quick = CertificateName.allCases.filter { ![.rsa8192, .tenThousandNames, .hugeChain].contains($0) }

  @Test func equalSeedsMakeEqualBytesInAnyOrder() throws {
    let forth = TestPKI()
    let back = TestPKI()
    let first = try Dictionary(uniqueKeysWithValues: Self.quick.map { ($0, try forth.identity($0)) })
    for name in Self.quick.reversed() {
      #expect(try back.identity(name) == first[name], "\(name.rawValue)")
      #expect(try back.anchor(for: name) == forth.anchor(for: name))
    }
    #expect(try forth.revocationList == back.revocationList)
    #expect(try forth.rootPEM == back.rootPEM)
  }

  @Test func anotherSeedMakesOtherKeys() throws {
    #expect(try TestPKI(seed: 1).identity(.leaf).key != TestPKI(seed: 2).identity(.leaf).key)
    #expect(try TestPKI(seed: 1).rootPEM != TestPKI(seed: 2).rootPEM)
  }

  @Test func noTwoClassesShareAKeyOrASerialNumberByAccident() throws {
    let meant: Set<CertificateName> = [.missingIntermediate, .mismatchedKey]
    var keys: Set<[UInt8]> = []
    for name in Self.quick where !meant.contains(name) {
      #expect(keys.insert(try TestPKI.shared.identity(name).key).inserted, "\(name.rawValue)")
    }
  }

  @Test(arguments: CertificateName.allCases)
  func theKeyIsTheLeafsOwn(_ name: CertificateName) throws {
    let identity = try TestPKI.shared.identity(name)
    let source = BIO_new_mem_buf(identity.key, Int32(identity.key.count))
    defer { BIO_free(source) }
    let key = try #require(PEM_read_bio_PrivateKey(source, nil, nil, nil))
    defer { EVP_PKEY_free(key) }
    guard let leaf = PathVerifier.parse(try #require(identity.chainDER.first)) else {
      #expect(name == .malformedDER)
      return
    }
    defer { X509_free(leaf) }
    #expect((X509_check_private_key(leaf, key) == 1) == (name != .mismatchedKey))
    ERR_clear_error()
    if name == .rsa8192 { #expect(EVP_PKEY_get_bits(key) == 8192) }
  }

  @Test(arguments: CertificateName.allCases)
  func textAndBytesOfAChainAreTheSame(_ name: CertificateName) throws {
    let identity = try TestPKI.shared.identity(name)
    #expect(!identity.summary.isEmpty && !identity.summary.utf8.contains(0))
    let text = String(decoding: identity.chain, as: UTF8.self)
    let blocks = text.components(separatedBy: "-----BEGIN CERTIFICATE-----\n").dropFirst().map { block in
      Data(base64Encoded: block.components(separatedBy: "-----END")[0], options: .ignoreUnknownCharacters).map(
        Array.init)
    }
    #expect(blocks == identity.chainDER)
    guard name != .malformedDER else { return }
    var read = 0
    PathVerifier.eachCertificate(in: identity.chain) { _ in read += 1 }
    #expect(read == identity.chainDER.count)
  }

  @Test func sizesAreWhatTheNamesSay() throws {
    let size = { (name: CertificateName) in try TestPKI.shared.identity(name).chainDER.reduce(0) { $0 + $1.count } }
    #expect(try size(.hugeChain) > 64 << 10)
    for name in [CertificateName.hugeChain, .tenThousandNames] { #expect(try size(name) < 100 << 10) }
  }

  @Test func eightThreadsGetTheSame() throws {
    let pki = TestPKI()
    let names = Self.quick.filter { !$0.rawValue.contains("rsa") }
    let alone = TestPKI()
    let expected = try names.map { try alone.identity($0) }
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for step in names.indices {
        let index = (step + thread / 2 * 7) % names.count
        #expect((try? pki.identity(names[index])) == expected[index])
      }
    }
  }

  /// Eight threads ask for the same class at once: one mints, and the others get what it made.
  @Test func aClassIsMintedOnce() throws {
    let cache = CertificateCache()
    let identity = try TestPKI.shared.identity(.leaf)
    let count = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      let value = try? cache.value(of: .leaf) { () throws(CertificateFailure) in
        count.add(1, ordering: .relaxed)
        return MintedClass(identity: identity, anchor: [])
      }
      #expect(value?.identity == identity)
    }
    #expect(count.load(ordering: .relaxed) == 1)
    #expect(throws: CertificateFailure.self) {
      try cache.value(of: .client) { () throws(CertificateFailure) in throw .timeOutOfRange(0) }
    }
    #expect(try cache.value(of: .client) { MintedClass(identity: identity, anchor: []) }.identity == identity)
  }

  @Test(arguments: [0, 946_684_800, 1_780_000_000, 4_102_444_800])
  func otherInstantsServeAsWell(_ now: Int64) throws {
    let pki = TestPKI(now: now)
    for name in [CertificateName.leaf, .expiredRoot, .leafInItsFirstSecond, .notYetValidLeafByOneSecond, .revoked] {
      let outcome = PathVerifier(time: now)
        .verify(try pki.identity(name).chainDER, as: name, anchors: try pki.anchor(for: name))
      #expect(outcome == VerifierTableTests.expected[name], "\(name.rawValue) at \(now): \(outcome)")
    }
  }

  @Test func aTimeThatNoCertificateCanStateIsAnError() {
    for now in [Int64.min, .max, -62_135_596_801, 253_402_300_800] {
      #expect(throws: CertificateFailure.self) { try TestPKI(now: now).identity(.leaf) }
    }
  }

  /// OpenSSL's calendar is the oracle.
  @Test func timesAreStatedAsOpenSSLDoes() throws {
    var stream = SeededStream(seed: 7)
    for _ in 0..<2000 {
      let seconds = Int64(stream.next() % 315_537_897_600) - 62_135_596_800
      let time = ASN1_TIME_set(nil, Int(seconds))
      defer { ASN1_TIME_free(time) }
      let length = Int(ASN1_STRING_length(time))
      let bytes = Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(time), count: length))
      #expect(try CertificateTime(seconds).der == [UInt8(ASN1_STRING_type(time)), UInt8(length)] + bytes, "\(seconds)")
    }
  }

  @Test func everyClassIsExplained() {
    for name in CertificateName.allCases {
      #expect(name.explanation.hasPrefix(name.isGood ? "Good: " : "Bad: "), "\(name.rawValue)")
      #expect(name.explanation.hasSuffix("."))
      #expect(name.rawValue.wholeMatch(of: /[a-z0-9-]+/) != nil)
    }
  }
}
