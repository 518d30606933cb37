import CocoaAsyncSocket
import Foundation
import Security
import TestCertificates
import Testing

/// What a `SecTrust` is judged by, as a program sets it.
@Suite struct TermsTests {
  /// The test leaf's trust as of the test certificates' present, with the test root as its only anchor.
  private static func trust() throws -> SecTrust {
    let chain = try SecCertificate.certificates(Data(TestPKI.shared.identity(.leaf).chain))
    var made: SecTrust?
    #expect(SecTrustCreateWithCertificates(chain as CFArray, nil, &made) == errSecSuccess)
    let trust = try #require(made)
    #expect(SecTrustSetVerifyDate(trust, NSDate(timeIntervalSince1970: TimeInterval(TestPKI.pinnedNow))) == 0)
    #expect(SecTrustSetAnchorCertificates(trust, try roots() as CFArray) == errSecSuccess)
    return trust
  }

  private static func roots() throws -> [SecCertificate] {
    try SecCertificate.certificates(Data(TestPKI.shared.rootPEM))
  }

  @Test("all of several policies must hold, in whatever order they are given")
  func severalPolicies() throws {
    let fits = [SecPolicyCreateBasicX509(), SecPolicyCreateSSL(true, nil), SecPolicyCreateSSL(true, "good.example")]
    let fails = [SecPolicyCreateSSL(false, nil), SecPolicyCreateSSL(true, "other.example" as CFString)]
    let trust = try Self.trust()
    for one in fits {
      for other in fits {
        #expect(SecTrustSetPolicies(trust, [one, other] as CFArray) == errSecSuccess)
        #expect(SecTrustEvaluateWithError(trust, nil))
      }
      for bad in fails {
        for policies in [[one, bad], [bad, one], [one, bad, one]] {
          #expect(SecTrustSetPolicies(trust, policies as CFArray) == errSecSuccess)
          #expect(!SecTrustEvaluateWithError(trust, nil), "\(policies)")
        }
      }
    }
  }

  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (SecTrust) throws -> OSStatus

    init(_ name: String, _ make: @escaping @Sendable (SecTrust) throws -> OSStatus) {
      (testDescription, self.make) = (name, make)
    }
  }

  static let changes: [Change] = [
    Change("anchors") { SecTrustSetAnchorCertificates($0, try roots() as CFArray) },
    Change("no anchors") { SecTrustSetAnchorCertificates($0, nil) },
    Change("anchors beside the system's") { SecTrustSetAnchorCertificatesOnly($0, false) },
    Change("anchors alone") { SecTrustSetAnchorCertificatesOnly($0, true) },
    Change("policies") { SecTrustSetPolicies($0, SecPolicyCreateBasicX509()) },
    Change("date") { SecTrustSetVerifyDate($0, NSDate(timeIntervalSince1970: 0)) },
  ]

  @Test("whatever is set, the verdict of before is gone until the next evaluation", arguments: changes)
  func verdictIsGone(_ change: Change) throws {
    let trust = try Self.trust()
    var result = SecTrustResultType.invalid
    #expect(SecTrustEvaluate(trust, nil) == errSecSuccess)
    SecTrustGetTrustResult(trust, &result)
    #expect(result == .unspecified)
    #expect(try change.make(trust) == errSecSuccess)
    SecTrustGetTrustResult(trust, &result)
    #expect(result == .invalid)
    SecTrustEvaluateWithError(trust, nil)
    SecTrustGetTrustResult(trust, &result)
    #expect(result != .invalid)
  }

  @Test("what can't be set leaves the verdict as it is")
  func refusedChange() throws {
    let trust = try Self.trust()
    #expect(SecTrustEvaluateWithError(trust, nil))
    #expect(SecTrustSetAnchorCertificates(trust, ["no certificate"] as CFArray) == errSecParam)
    #expect(SecTrustSetPolicies(trust, "no policy" as CFString) == errSecParam)
    var result = SecTrustResultType.invalid
    SecTrustGetTrustResult(trust, &result)
    #expect(result == .unspecified)
  }
}
