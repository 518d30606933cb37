/// Apple's names for the codes of the SSL error domain, which the library uses on Linux too (ERR-07).
package enum SSLErrorName {
  private static let codes: [(String, Int)] = [
    ("errSSLClosedGraceful", -9805), ("errSSLClosedAbort", -9806), ("errSSLXCertChainInvalid", -9807),
    ("errSSLBadCert", -9808), ("errSSLCrypto", -9809), ("errSSLInternal", -9810), ("errSSLUnknownRootCert", -9812),
    ("errSSLNoRootCert", -9813), ("errSSLCertExpired", -9814), ("errSSLCertNotYetValid", -9815),
    ("errSSLClosedNoNotify", -9816), ("errSSLPeerUnexpectedMsg", -9819), ("errSSLPeerBadRecordMac", -9820),
    ("errSSLPeerDecryptionFail", -9821), ("errSSLPeerRecordOverflow", -9822), ("errSSLPeerDecompressFail", -9823),
    ("errSSLPeerHandshakeFail", -9824), ("errSSLPeerBadCert", -9825), ("errSSLPeerUnsupportedCert", -9826),
    ("errSSLPeerCertRevoked", -9827), ("errSSLPeerCertExpired", -9828), ("errSSLPeerCertUnknown", -9829),
    ("errSSLIllegalParam", -9830), ("errSSLPeerUnknownCA", -9831), ("errSSLPeerAccessDenied", -9832),
    ("errSSLPeerDecodeError", -9833), ("errSSLPeerDecryptError", -9834), ("errSSLPeerExportRestriction", -9835),
    ("errSSLPeerProtocolVersion", -9836), ("errSSLPeerInsufficientSecurity", -9837),
    ("errSSLPeerInternalError", -9838), ("errSSLPeerUserCancelled", -9839), ("errSSLPeerNoRenegotiation", -9840),
    ("errSSLHostNameMismatch", -9843), ("errSSLConnectionRefused", -9844), ("errSSLDecryptionFail", -9845),
    ("errSSLBadRecordMac", -9846), ("errSSLRecordOverflow", -9847), ("errSSLBadConfiguration", -9848),
    ("errSSLUnexpectedRecord", -9849),
  ]

  /// All names, in the order of their codes, from -9805 down.
  package static var all: [String] { codes.map(\.0) }

  /// nil: there is no such name.
  package static func code(of name: String) -> Int? { codes.first { $0.0 == name }?.1 }
  /// nil: the code has no name here.
  package static func name(of code: Int) -> String? { codes.first { $0.1 == code }?.0 }
}
