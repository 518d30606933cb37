import COpenSSL
import CocoaAsyncSocket
import Foundation
import ScenarioModel
import Security
import TestCertificates
import Testing

/// A certificate with another one inside of it, in PEM, is taken for itself; one beside it is no part of its chain.
@Suite struct DisguiseTests {
  /// The leaf of the test certificates with the PEM of the root as its comment.
  private static func disguised() throws -> (certificate: Data, inner: SecCertificate) {
    let pki = TestPKI.shared
    let leaf = try #require(try SecCertificate.certificates(Data(pki.identity(.leaf).chain)).first)
    let x509 = leaf.data.withUnsafeBytes { bytes in
      var position = bytes.bindMemory(to: UInt8.self).baseAddress
      return d2i_X509(nil, &position, bytes.count)
    }
    defer { X509_free(x509) }
    let comment = "\n" + String(decoding: try pki.rootPEM, as: UTF8.self)
    let item = X509V3_EXT_conf_nid(nil, nil, NID_netscape_comment, comment)
    defer { X509_EXTENSION_free(item) }
    X509_add_ext(x509, item, -1)
    _ = i2d_re_X509_tbs(x509, nil)
    var der = Data(count: Int(i2d_X509(x509, nil)))
    der.withUnsafeMutableBytes { bytes in
      var position = bytes.bindMemory(to: UInt8.self).baseAddress
      _ = i2d_X509(x509, &position)
    }
    return (der, try #require(try SecCertificate.certificates(Data(pki.rootPEM)).first))
  }

  @Test("read from DER, it is the one outside")
  func reading() throws {
    let (der, inner) = try Self.disguised()
    let made = try #require(SecCertificateCreateWithData(nil, der as CFData))
    #expect(SecCertificateCopyData(made) as Data == der)
    #expect(made != inner)
    #expect(try SecCertificate(data: der).data == der)
    #expect(try SecCertificate.certificates(der).map(\.data) == [der])
  }

  @Test("PEM behind a line that begins like DER is no DER, and for the library's own reader it is PEM")
  func text() throws {
    let (_, inner) = try Self.disguised()
    let text = Data("0 s:CN=x\n".utf8) + Data(try TestPKI.shared.rootPEM)
    #expect(SecCertificateCreateWithData(nil, text as CFData) == nil)
    #expect(try SecCertificate(data: text) == inner)
  }

  @Test("a copy of a certificate that the peer has no part in is not in its chain", arguments: [true, false])
  func strangers(isEvaluated: Bool) throws {
    let (leaf, pki) = (try Self.chain(.leaf), TestPKI.shared)
    let stranger = try Self.chain(.selfSigned)
    let root = try SecCertificate.certificates(Data(pki.rootPEM))
    for (shown, path) in [
      (stranger + leaf, stranger), (stranger + leaf + root, stranger),
      ([leaf[0]] + stranger + leaf, leaf + root), (leaf + root + stranger, leaf + root),
    ] {
      var made: SecTrust?
      #expect(SecTrustCreateWithCertificates(shown as CFArray, nil, &made) == errSecSuccess)
      let trust = try #require(made)
      SecTrustSetAnchorCertificates(trust, root as CFArray)
      SecTrustSetVerifyDate(trust, NSDate(timeIntervalSince1970: TimeInterval(TestPKI.pinnedNow)))
      if isEvaluated { #expect(SecTrustEvaluateWithError(trust, nil) == (shown[0] == leaf[0])) }
      let chain = (0..<SecTrustGetCertificateCount(trust)).map { SecTrustGetCertificateAtIndex(trust, $0) }
      #expect(chain == path && SecTrustCopyCertificateChain(trust) as? [SecCertificate] == path)
      #expect(trust.certificates == shown)
    }
  }

  private static func chain(_ name: CertificateName) throws -> [SecCertificate] {
    try SecCertificate.certificates(Data(TestPKI.shared.identity(name).chain))
  }

  @Test("a trust shows it, and always the same object, however often it is looked at")
  func trust() throws {
    let (der, inner) = try Self.disguised()
    var made: SecTrust?
    let chain = [try #require(SecCertificateCreateWithData(nil, der as CFData)), inner]
    #expect(SecTrustCreateWithCertificates(chain as CFArray, nil, &made) == errSecSuccess)
    let trust = try #require(made)
    #expect(trust.certificates.map(\.data) == trust.certificateChain)
    let shown = try #require(SecTrustGetCertificateAtIndex(trust, 0))
    #expect(SecCertificateCopyData(shown) as Data == der)
    #expect(SecTrustCopyKey(trust) != SecCertificateCopyKey(inner))
    #expect(SecTrustGetCertificateAtIndex(trust, 0) === shown)
  }
}
