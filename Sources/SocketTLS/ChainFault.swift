import COpenSSL
import SocketCore

/// One thing that is wrong with a peer's chain, in OpenSSL's terms and in ours.
///
/// Faults are ranked as browsers do: revoked and ill-formed certificates first, then untrusted chains, then a wrong
/// name, then dates. An evaluation ends at the first fault that is not excused; of those behind it only the name and
/// the dates are reported, and not a revocation or a false signature.
struct ChainFault: Sendable {
  /// From the most telling to the least.
  enum Kind: Int, Sendable {
    /// Nothing is known of the chain: the evaluation did not come to its end.
    case unfinished
    case revoked, illFormed, unknownRoot, noRoot, chainInvalid, wrongName, notYetValid, expired
  }

  let kind: Kind
  /// OpenSSL's X509_V_ERR.
  let error: Int32
  /// 0 is the peer's own certificate, the others are its issuers in turn.
  let depth: Int
  /// Whether it is about the certificate that the chain ends at.
  var isAboutRoot = false
  let sentence: String

  /// OpenSSL's finding about a certificate; `kind` and `reason` for those that OpenSSL has no words for.
  init(
    _ error: Int32, at depth: Int, isAboutRoot: Bool = false, _ certificate: TLSCertificate?, _ policy: TrustPolicy,
    kind: Kind? = nil, reason: String? = nil
  ) {
    self.kind = kind ?? ChainFault.kind(of: error)
    self.error = error
    self.depth = depth
    self.isAboutRoot = isAboutRoot
    sentence = ChainFault.sentence(
      error: error, reason: reason, depth: depth, certificate: certificate, name: policy.name, time: policy.time)
  }

  /// The evaluation did not come to its end, for OpenSSL's reason.
  static func unfinished(_ error: Int32) -> ChainFault {
    let error = error == X509_V_OK ? X509_V_ERR_UNSPECIFIED : error
    return ChainFault(unfinished: error)
  }

  private init(unfinished error: Int32) {
    kind = .unfinished
    self.error = error
    depth = 0
    sentence = "its certificate could not be checked to the end (\(ChainFault.words(error)))"
  }

  var code: TLSCode {
    switch kind {
    case .unfinished, .revoked, .chainInvalid: .chainInvalid
    case .illFormed: .badCertificate
    case .unknownRoot: .unknownRoot
    case .noRoot: .noRoot
    case .wrongName: .hostNameMismatch
    case .notYetValid: .notYetValid
    case .expired: .expired
    }
  }

  static func kind(of error: Int32) -> Kind {
    switch error {
    case X509_V_ERR_CERT_REVOKED: .revoked
    case X509_V_ERR_UNABLE_TO_DECRYPT_CERT_SIGNATURE, X509_V_ERR_UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY,
      X509_V_ERR_ERROR_IN_CERT_NOT_BEFORE_FIELD, X509_V_ERR_ERROR_IN_CERT_NOT_AFTER_FIELD,
      X509_V_ERR_INVALID_EXTENSION, X509_V_ERR_INVALID_POLICY_EXTENSION, X509_V_ERR_NO_ISSUER_PUBLIC_KEY:
      .illFormed
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_CERT_UNTRUSTED,
      X509_V_ERR_CERT_REJECTED:
      .unknownRoot
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
      X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      .noRoot
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: .wrongName
    case X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid
    case X509_V_ERR_CERT_HAS_EXPIRED: .expired
    default: .chainInvalid
    }
  }

  /// Whether the settings let it pass.
  func isExcused(by verification: TLSVerification) -> Bool {
    switch kind {
    case .unknownRoot, .noRoot: verification.allowsAnyRoot
    case .expired: isAboutRoot ? verification.allowsExpiredRoots : verification.allowsExpiredCertificates
    case .unfinished, .revoked, .illFormed, .chainInvalid, .wrongName, .notYetValid: false
    }
  }

  /// Whether it is about where the path leads or how long it is: with other roots there may be another path.
  var isAboutThePath: Bool {
    kind == .unknownRoot || kind == .noRoot || error == X509_V_ERR_CERT_CHAIN_TOO_LONG
  }

  /// The sentence for an error about a certificate, with the dates or names that explain it.
  private static func sentence(
    error: Int32, reason: String?, depth: Int, certificate: TLSCertificate?, name: PeerName?, time: Int64?
  ) -> String {
    let reason = reason ?? words(error)
    guard let certificate else { return "certificate \(depth) of the peer's chain: \(reason)" }
    let which =
      "\(depth == 0 ? "the peer's certificate" : "certificate \(depth) of its chain") (\(certificate.subject))"
    func date(_ seconds: Int64?) -> String { seconds.map(CalendarTime.text) ?? "an ill-formed date" }
    let checked = time.map { ", checked for \(CalendarTime.text($0))" } ?? ""
    switch kind(of: error) {
    case .revoked: return "\(which) was revoked (serial \(certificate.serial))"
    case .expired: return "\(which) expired at \(date(certificate.notAfter))\(checked)"
    case .notYetValid: return "\(which) is not valid before \(date(certificate.notBefore))\(checked)"
    case .wrongName: return "\(which) is for \(certificate.nameList), not for \(name?.text ?? "the peer")"
    case .unknownRoot: return "\(which) is not trusted here (\(reason))"
    case .noRoot: return "the issuer of \(which), \(certificate.issuer), is not known here (\(reason))"
    case .unfinished, .illFormed, .chainInvalid: return "\(which): \(reason)"
    }
  }
  private static func words(_ error: Int32) -> String {
    X509_verify_cert_error_string(Int(error)).map { String(cString: $0) } ?? "error \(error)"
  }
}
