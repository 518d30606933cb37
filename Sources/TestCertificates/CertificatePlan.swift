/// What a certificate shall say; the defaults are those of an ordinary leaf of a server.
struct CertificatePlan {
  typealias Name = CertificateExtension.GeneralName

  /// What its key, serial number and signature are drawn under; no two plans share one.
  var concern: String
  /// nil: the subject is empty.
  var commonName: String?
  var validity: Validity
  var keyKind = KeyPair.Kind.p256
  var names: [Name] = []
  /// nil: no basic constraints.
  var isAuthority: Bool?
  var pathLength: UInt64?
  /// nil: no such extension, as for the next.
  var keyUsage: CertificateExtension.KeyUsage? = [.digitalSignature]
  var purposes: [CertificateExtension.Purpose]? = [.server]
  var otherExtensions: [CertificateExtension] = []
  /// Whether it names its own key and its signer's.
  var namesKeys = true
  /// The content bytes of the number; nil: drawn.
  var serial: [UInt8]?
  /// Version 1: no extensions at all.
  var isVersion1 = false
  var digest = KeyPair.Digest.sha256
  /// What the part beside the signature says; nil: the truth.
  var outerDigest: KeyPair.Digest?

  var subject: [UInt8] { Self.subject(commonName) }

  /// A distinguished name of organisation and common name; empty without the latter.
  static func subject(_ commonName: String?) -> [UInt8] {
    guard let commonName else { return DER.sequence([]) }
    let attributes: [([UInt64], String)] = [([2, 5, 4, 10], "SocketLab"), ([2, 5, 4, 3], commonName)]
    return DER.sequence(
      attributes.map { identifier, text in
        DER.set([DER.sequence([DER.objectIdentifier(identifier), DER.utf8String(Array(text.utf8))])])
      })
  }

  func summary(issuer: String) throws(CertificateFailure) -> String {
    let subject = commonName.map { "CN=\($0.replacing("\0", with: "\\0"))" } ?? "no subject"
    let shown = names.prefix(3).map(\.text) + (names.count > 3 ? ["and \(names.count - 3) more"] : [])
    return ([subject] + shown + [try validity.text, "signed by \(issuer)"]).joined(separator: ", ")
  }
}

/// A certificate with its key: what another one can be signed with.
struct MintedCertificate {
  var commonName: String?
  var der: [UInt8]
  var key: KeyPair
  var summary: String

  var subject: [UInt8] { CertificatePlan.subject(commonName) }
}
