import CocoaAsyncSocket
import Foundation
import ScenarioModel
import Security
import TestCertificates
import Testing

/// The functions of Apple's Security over the library's own types do what they are called for.
@Suite struct SecurityTests {
  private static let pinned = NSDate(timeIntervalSince1970: TimeInterval(TestPKI.pinnedNow))

  private static func chain(_ name: CertificateName = .leaf) throws -> [SecCertificate] {
    try SecCertificate.certificates(Data(TestPKI.shared.identity(name).chain))
  }

  private static func root() throws -> [SecCertificate] {
    try SecCertificate.certificates(Data(TestPKI.shared.rootPEM))
  }

  /// A trust of a test chain, as of the test certificates' present, with the test root as its only anchor.
  private static func trust(
    _ name: CertificateName = .leaf, policy: SecPolicy? = nil, anchored: Bool = true
  ) throws -> SecTrust {
    var trust: SecTrust?
    #expect(SecTrustCreateWithCertificates(try chain(name) as CFArray, policy, &trust) == errSecSuccess)
    let made = try #require(trust)
    #expect(SecTrustSetVerifyDate(made, pinned) == errSecSuccess)
    if anchored { #expect(SecTrustSetAnchorCertificates(made, try root() as CFArray) == errSecSuccess) }
    return made
  }

  // MARK: PKCS#12

  @Test("a PKCS#12 is imported: identity, chain, trust")
  func imports() throws {
    let options = [kSecImportExportPassphrase as String: "secret"] as CFDictionary
    var rawItems: CFArray?
    #expect(SecPKCS12Import(try PKCS12File.make(passphrase: "secret") as CFData, options, &rawItems) == errSecSuccess)
    let items = try #require(rawItems as? [[String: Any]])
    #expect(items.count == 1 && CFArrayGetCount(rawItems) == 1)
    let identity = try #require(items[0][kSecImportItemIdentity as String] as? SecIdentity)
    let chain = try #require(items[0][kSecImportItemCertChain as String] as? [SecCertificate])
    #expect(chain == identity.certificates)
    #expect(chain.first == (try Self.chain().first))
    let trust = try #require(items[0][kSecImportItemTrust as String] as? SecTrust)
    #expect(SecTrustGetCertificateCount(trust) == chain.count)
    var own: SecCertificate?
    #expect(SecIdentityCopyCertificate(identity, &own) == errSecSuccess)
    #expect(own == chain.first)
  }

  @Test("an import that fails says why, and changes nothing")
  func failedImports() throws {
    let file = try PKCS12File.make(passphrase: "secret")
    var items: CFArray?
    let wrong = [kSecImportExportPassphrase as String: "wrong"] as CFDictionary
    #expect(SecPKCS12Import(file as CFData, wrong, &items) == errSecAuthFailed)
    #expect(SecPKCS12Import(file as CFData, [:] as CFDictionary, &items) == errSecPassphraseRequired)
    #expect(SecPKCS12Import(file.prefix(file.count / 2) as NSData, wrong, &items) == errSecDecode)
    #expect(SecPKCS12Import(Data("no PKCS#12".utf8) as CFData, wrong, &items) == errSecDecode)
    #expect(SecPKCS12Import(CFData(), wrong, &items) == errSecParam)
    #expect(items == nil)
    let words = [errSecAuthFailed, errSecPassphraseRequired, errSecDecode, errSecParam].map {
      SecCopyErrorMessageString($0, nil)
    }
    #expect(Set(words).count == 4 && !words.contains(nil))
  }

  // MARK: Certificates

  @Test("a certificate is made from DER only, and gives its bytes, name and key back")
  func certificates() throws {
    let certificate = try #require(try Self.chain().first)
    let copy = try #require(SecCertificateCreateWithData(nil, SecCertificateCopyData(certificate)))
    #expect(copy == certificate)
    #expect(SecCertificateCreateWithData(kCFAllocatorDefault, Data() as CFData) == nil)
    #expect(SecCertificateCreateWithData(nil, Data([0x30, 3, 2, 1, 0]) as CFData) == nil)
    #expect(SecCertificateCreateWithData(nil, Data(try TestPKI.shared.rootPEM) as CFData) == nil)
    let root = try Self.root()[0]
    let summary = try #require(SecCertificateCopySubjectSummary(root)) as String
    #expect(!summary.isEmpty && root.subject.contains(summary))
    var name: CFString?
    #expect(SecCertificateCopyCommonName(root, &name) == errSecSuccess)
    #expect(name.map { $0 as String } == summary)
    let serial = try #require(SecCertificateCopySerialNumberData(root, nil)) as Data
    let digits = serial.map { String(format: "%02x", $0) }.joined()
    #expect(digits == root.serialNumber || digits == "00" + root.serialNumber)
  }

  @Test("equal keys are equal, others are not")
  func keys() throws {
    let chain = try Self.chain()
    let key = try #require(SecCertificateCopyKey(chain[0]))
    #expect(key == SecTrustCopyKey(try Self.trust()))
    #expect(key != SecCertificateCopyKey(try Self.root()[0]))
    let bytes = try #require(SecKeyCopyExternalRepresentation(key, nil)) as Data
    #expect(bytes.count > 31 && chain[0].data.range(of: bytes) != nil)
  }

  // MARK: Trust

  @Test("anchors decide: the test root is trusted where it is set, and nowhere else")
  func anchors() throws {
    let trust = try Self.trust(anchored: false)
    var result = SecTrustResultType.invalid
    #expect(SecTrustGetTrustResult(trust, &result) == errSecSuccess)
    #expect(result == .invalid)
    #expect(SecTrustEvaluate(trust, &result) == errSecSuccess)
    #expect(result == .recoverableTrustFailure)
    #expect(SecTrustSetAnchorCertificates(trust, try Self.root() as CFArray) == errSecSuccess)
    #expect(SecTrustEvaluate(trust, &result) == errSecSuccess)
    #expect(result == .unspecified)
    #expect(SecTrustSetAnchorCertificatesOnly(trust, false) == errSecSuccess)
    #expect(SecTrustEvaluateWithError(trust, nil))
    // Anchors of somebody else's are no reason for trust; nor is an empty list, which is not "no list".
    #expect(SecTrustSetAnchorCertificates(trust, [try Self.chain()[0]] as CFArray) == errSecSuccess)
    #expect(SecTrustEvaluateWithError(trust, nil), "the certificate itself is a pin")
    #expect(SecTrustSetAnchorCertificates(trust, [] as CFArray) == errSecSuccess)
    #expect(!SecTrustEvaluateWithError(trust, nil))
    #expect(SecTrustSetAnchorCertificates(trust, nil) == errSecSuccess)
    #expect(!SecTrustEvaluateWithError(trust, nil))
    #expect(SecTrustSetAnchorCertificates(trust, ["no certificate"] as CFArray) == errSecParam)
  }

  @Test("a verdict counts for the terms that it was made on: those of now may be others")
  func verdictOfEarlierTerms() throws {
    var terms = TrustTerms()
    let judged = terms
    terms.record(.trusted, of: judged)
    #expect(terms.verdict == .trusted)
    // Somebody sets a policy while a second evaluation is under way.
    terms.change { $0.policies = [.tls(isServer: true, host: "other.example")] }
    terms.record(.trusted, of: judged)
    #expect(terms.verdict == nil)
    let now = terms
    terms.record(.refused, of: now)
    #expect(terms.verdict == .refused)
  }

  @Test("a policy asks for the name, or does not")
  func policies() throws {
    let trust = try Self.trust()
    #expect(SecTrustEvaluateWithError(trust, nil))
    var error: CFError?
    #expect(SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, "good.example" as CFString)) == errSecSuccess)
    #expect(SecTrustEvaluateWithError(trust, &error))
    #expect(error == nil)
    #expect(SecTrustSetPolicies(trust, SecPolicyCreateSSL(true, "other.example" as CFString)) == errSecSuccess)
    #expect(!SecTrustEvaluateWithError(trust, &error))
    #expect(error?.domain == NSOSStatusErrorDomain && error?.code == Int(errSecHostNameMismatch))
    #expect(error?.localizedDescription.contains("other.example") == true)
    var result = SecTrustResultType.invalid
    SecTrustGetTrustResult(trust, &result)
    #expect(result == .recoverableTrustFailure)
    // All of several count.
    let both = [SecPolicyCreateBasicX509(), SecPolicyCreateSSL(true, "other.example" as CFString)]
    #expect(SecTrustSetPolicies(trust, both as CFArray) == errSecSuccess)
    #expect(!SecTrustEvaluateWithError(trust, nil))
    #expect(SecTrustSetPolicies(trust, SecPolicyCreateBasicX509()) == errSecSuccess)
    #expect(SecTrustEvaluateWithError(trust, nil))
    #expect(SecTrustSetPolicies(trust, "no policy" as CFString) == errSecParam)
    // None at all still asks for a path to an anchor.
    #expect(SecTrustSetPolicies(trust, [] as CFArray) == errSecSuccess)
    #expect(SecTrustEvaluateWithError(trust, nil))
    SecTrustSetAnchorCertificates(trust, [] as CFArray)
    #expect(!SecTrustEvaluateWithError(trust, nil))
  }

  @Test("a server's certificate is judged as a server's, a client's as a client's")
  func roles() throws {
    #expect(SecTrustEvaluateWithError(try Self.trust(.client, policy: SecPolicyCreateSSL(false, nil)), nil))
    #expect(!SecTrustEvaluateWithError(try Self.trust(.client, policy: SecPolicyCreateSSL(true, nil)), nil))
    #expect(SecTrustEvaluateWithError(try Self.trust(.client, policy: SecPolicyCreateBasicX509()), nil))
  }

  @Test("the date decides")
  func dates() throws {
    let trust = try Self.trust()
    var error: CFError?
    #expect(SecTrustSetVerifyDate(trust, NSDate(timeIntervalSince1970: 0)) == errSecSuccess)
    #expect(!SecTrustEvaluateWithError(trust, &error))
    #expect(error?.code == Int(errSecCertificateNotValidYet))
    #expect(SecTrustSetVerifyDate(trust, NSDate(timeIntervalSince1970: .greatestFiniteMagnitude)) == errSecSuccess)
    #expect(!SecTrustEvaluateWithError(trust, &error))
    #expect(SecTrustSetVerifyDate(trust, Self.pinned) == errSecSuccess)
    #expect(SecTrustEvaluateWithError(trust, &error))
    #expect(error == nil)
  }

  @Test("an evaluation on a queue answers there")
  func asynchronously() async throws {
    let queue = DispatchQueue(label: "trust")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let trust = try Self.trust()
    let answer = await withCheckedContinuation { continuation in
      SecTrustEvaluateAsyncWithError(trust, queue) { _, isTrusted, error in
        continuation.resume(returning: isTrusted && error == nil && DispatchQueue.getSpecific(key: key) == true)
      }
    }
    #expect(answer)
    SecTrustSetAnchorCertificates(trust, [] as CFArray)
    let result = await withCheckedContinuation { continuation in
      SecTrustEvaluateAsync(trust, queue) { _, result in continuation.resume(returning: result) }
    }
    #expect(result == .recoverableTrustFailure)
  }

  @Test("a path to an anchor is one whatever the certificate is for")
  func basic() throws {
    #expect(SecTrustEvaluateWithError(try Self.trust(.emptyEKU, policy: SecPolicyCreateBasicX509()), nil))
    #expect(!SecTrustEvaluateWithError(try Self.trust(.emptyEKU, policy: SecPolicyCreateSSL(true, nil)), nil))
    #expect(!SecTrustEvaluateWithError(try Self.trust(.expiredLeaf, policy: SecPolicyCreateBasicX509()), nil))
  }

  @Test("the chain goes up to the anchor if it is trusted, and as far as it was put in if it is not")
  func chains() throws {
    let trust = try Self.trust()
    let chain = try Self.chain() + Self.root()
    #expect(SecTrustGetCertificateCount(trust) == chain.count)
    #expect(SecTrustGetCertificateAtIndex(trust, 0) == chain[0])
    #expect(SecTrustGetCertificateAtIndex(trust, chain.count) == nil)
    #expect(SecTrustGetCertificateAtIndex(trust, -1) == nil)
    #expect(SecTrustCopyCertificateChain(trust) as? [SecCertificate] == chain)
    var result = SecTrustResultType.proceed
    #expect(SecTrustGetTrustResult(trust, &result) == errSecSuccess && result == .invalid)
    SecTrustSetAnchorCertificates(trust, [] as CFArray)
    #expect(SecTrustCopyCertificateChain(trust) as? [SecCertificate] == chain.dropLast())
    #expect(!SecTrustEvaluateWithError(trust, nil))
    #expect(SecTrustGetCertificateCount(trust) == chain.count - 1)
    var none: SecTrust?
    #expect(SecTrustCreateWithCertificates([] as CFArray, nil, &none) == errSecParam)
    #expect(SecTrustCreateWithCertificates(chain[0], SecPolicyCreateBasicX509(), &none) == errSecSuccess)
    #expect(none != nil)
  }
}
