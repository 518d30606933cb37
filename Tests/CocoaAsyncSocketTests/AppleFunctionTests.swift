import CocoaAsyncSocket
import Foundation
import TestCertificates
import Testing

/// Functions of Apple's systems beside those of the module `Security` that have tests of their own.
@Suite struct AppleFunctionTests {
  private static func trust(anchored: Bool) throws -> SecTrust {
    let chain = try SecCertificate.certificates(Data(TestPKI.shared.identity(.leaf).chain))
    let anchors = try SecCertificate.certificates(
      Data(anchored ? TestPKI.shared.rootPEM : TestPKI.shared.anchor(for: .expiredRoot)))
    var trust: SecTrust?
    SecTrustCreateWithCertificates(chain as CFArray, nil, &trust)
    let made = try #require(trust)
    SecTrustSetVerifyDate(made, NSDate(timeIntervalSince1970: TimeInterval(TestPKI.pinnedNow)))
    SecTrustSetAnchorCertificates(made, anchors as CFArray)
    return made
  }

  @Test("each class of objects has a number, others have none")
  func typeIDs() throws {
    let leaf = try TestPKI.shared.identity(.leaf)
    let identity = try SecIdentity(pem: Data(leaf.chain), key: Data(leaf.key))
    let certificate = try #require(identity.certificates.first)
    let key = try #require(SecCertificateCopyKey(certificate))
    let trust = try Self.trust(anchored: true)
    let objects: [CFTypeRef] = [certificate, identity, key, trust, SecPolicyCreateBasicX509()]
    let numbers = [
      SecCertificateGetTypeID(), SecIdentityGetTypeID(), SecKeyGetTypeID(), SecTrustGetTypeID(), SecPolicyGetTypeID(),
    ]
    #expect(objects.map { CFGetTypeID($0) } == numbers)
    #expect(Set(numbers).count == 5 && !numbers.contains(CFGetTypeID("x" as NSString)) && !numbers.contains(0))
  }

  @Test("a value that is handed over to Core Foundation is the object that it is bridged to")
  func bridging() {
    #expect((CFBridgingRetain(Data([1, 2])) as? CFData)?.length == 2)
    #expect(CFBridgingRetain("text") as? CFString == "text")
    let object = NSObject()
    #expect(CFBridgingRetain(object) === object && CFBridgingRetain(nil) == nil)
  }

  @Test("the properties of a trust name its chain, and what is wrong if it is not trusted", arguments: [true, false])
  func properties(isTrusted: Bool) throws {
    let trust = try Self.trust(anchored: isTrusted)
    let properties = try #require(SecTrustCopyProperties(trust) as? [[String: String]])
    #expect(properties.count == SecTrustGetCertificateCount(trust) && !properties.isEmpty)
    let summary = SecTrustGetCertificateAtIndex(trust, 0).flatMap(SecCertificateCopySubjectSummary)
    #expect(properties.first?[kSecPropertyTypeTitle as String] == summary as String?)
    var error: CFError?
    #expect(SecTrustEvaluateWithError(trust, &error) == isTrusted)
    #expect(properties.first?[kSecPropertyTypeError as String] == error?.localizedDescription)
    #expect(properties.dropFirst().allSatisfy { $0.count == 1 })
  }
}
