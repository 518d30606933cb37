import SocketCore

/// The codes of the error domain kCFStreamErrorDomainSSL that we use, Secure Transport's (ERR-07).
package enum TLSCode: Int32, CaseIterable, Sendable {
  case closedGraceful = -9805
  case closedAbort = -9806
  case chainInvalid = -9807
  case badCertificate = -9808
  case crypto = -9809
  case `internal` = -9810
  case unknownRoot = -9812
  case noRoot = -9813
  case expired = -9814
  case notYetValid = -9815
  case closedNoNotify = -9816

  // What the peer's alerts say.
  case peerUnexpectedMessage = -9819
  case peerBadRecordMAC = -9820
  case peerDecryptionFailed = -9821
  case peerRecordOverflow = -9822
  case peerDecompressFailed = -9823
  case peerHandshakeFailed = -9824
  case peerBadCertificate = -9825
  case peerUnsupportedCertificate = -9826
  case peerCertificateRevoked = -9827
  case peerCertificateExpired = -9828
  case peerCertificateUnknown = -9829
  case illegalParameter = -9830
  case peerUnknownCA = -9831
  case peerAccessDenied = -9832
  case peerDecodeError = -9833
  case peerDecryptError = -9834
  case peerExportRestriction = -9835
  case peerProtocolVersion = -9836
  case peerInsufficientSecurity = -9837
  case peerInternalError = -9838
  case peerUserCancelled = -9839
  case peerNoRenegotiation = -9840

  case hostNameMismatch = -9843
  case decryptionFailed = -9845
  case badRecordMAC = -9846
  case recordOverflow = -9847
  case badConfiguration = -9848
  case unexpectedRecord = -9849

  func failure(_ message: String) -> SocketFailure { .tls(code: rawValue, message: message) }

  /// The code for an alert of the peer's, by its number in the protocol.
  init(alert: Int32) {
    switch alert {
    case 0: self = .closedGraceful
    case 10: self = .peerUnexpectedMessage
    case 20: self = .peerBadRecordMAC
    case 21: self = .peerDecryptionFailed
    case 22: self = .peerRecordOverflow
    case 30: self = .peerDecompressFailed
    case 41, 42: self = .peerBadCertificate
    case 43: self = .peerUnsupportedCertificate
    case 44: self = .peerCertificateRevoked
    case 45: self = .peerCertificateExpired
    case 46: self = .peerCertificateUnknown
    case 47: self = .illegalParameter
    case 48: self = .peerUnknownCA
    case 49: self = .peerAccessDenied
    case 50: self = .peerDecodeError
    case 51: self = .peerDecryptError
    case 60: self = .peerExportRestriction
    case 70: self = .peerProtocolVersion
    case 71: self = .peerInsufficientSecurity
    case 80: self = .peerInternalError
    case 90: self = .peerUserCancelled
    case 100: self = .peerNoRenegotiation
    // handshake_failure, and the alerts of later years, which Secure Transport has no code for.
    default: self = .peerHandshakeFailed
    }
  }
}
