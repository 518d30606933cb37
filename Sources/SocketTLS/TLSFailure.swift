import COpenSSL
import SocketCore

/// From OpenSSL's reason to Secure Transport's code (ERR-07) and a sentence.
enum TLSFailure {
  enum Activity: String {
    case handshake = "The TLS handshake failed"
    case receiving = "Receiving over TLS failed"
    case sending = "Sending over TLS failed"
  }

  /// The failure the errors tell of; `isAboutCertificates`: it came with the peer's.
  static func make(
    _ errors: OpenSSLErrors, _ activity: Activity, isAboutCertificates: Bool = false
  ) -> SocketFailure {
    if let alert = errors.peerAlert { return peerAlert(alert, activity) }
    var code = errors.cause.map { TLSFailure.code(reason: $0.reason) } ?? .internal
    // libssl calls it its own fault when the cipher refuses a record that makes no sense to it.
    if code == .internal, activity != .sending, errors.entries.first.map({ $0.library != ERR_LIB_SSL }) == true {
      code = .badRecordMAC
    }
    var text = errors.text
    if errors.cause?.reason == SSL_R_EXCESSIVE_MESSAGE_SIZE, isAboutCertificates {
      code = .badCertificate
      text += "; certificates may have \(TLSContext.certificateLimit) bytes"
    }
    return code.failure("\(activity.rawValue): \(text).")
  }

  static func peerAlert(_ alert: Int32, _ activity: Activity) -> SocketFailure {
    let name = alertName(alert)
    return TLSCode(alert: alert).failure("\(activity.rawValue): the peer sent the alert \"\(name)\" (\(alert)).")
  }

  /// OpenSSL's text; where version 3.0 has none, the name in IANA's registry of alerts.
  private static func alertName(_ alert: Int32) -> String {
    switch alert {
    case 52: "too many cids requested"
    case 86: "inappropriate fallback"
    case 109: "missing extension"
    case 116: "certificate required"
    case 117: "general error"
    case 121: "ech required"
    default: SSL_alert_desc_string_long(alert).map { String(cString: $0) } ?? "unknown"
    }
  }

  static func code(reason: Int32) -> TLSCode {
    switch reason {
    case SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC: .badRecordMAC
    case SSL_R_DECRYPTION_FAILED: .decryptionFailed
    case SSL_R_DATA_LENGTH_TOO_LONG, SSL_R_ENCRYPTED_LENGTH_TOO_LONG, SSL_R_PACKET_LENGTH_TOO_LONG,
      SSL_R_COMPRESSED_LENGTH_TOO_LONG, SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST:
      // The last three: what came is no record. Secure Transport reads a length out of it, and says this.
      .recordOverflow
    case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_WRONG_SSL_VERSION, SSL_R_VERSION_TOO_LOW, SSL_R_VERSION_TOO_HIGH,
      SSL_R_UNKNOWN_PROTOCOL, SSL_R_UNKNOWN_SSL_VERSION, SSL_R_NO_PROTOCOLS_AVAILABLE,
      SSL_R_INAPPROPRIATE_FALLBACK, SSL_R_UNSUPPORTED_SSL_VERSION, SSL_R_BAD_PROTOCOL_VERSION_NUMBER,
      SSL_R_BAD_LEGACY_VERSION:
      .peerProtocolVersion
    case SSL_R_UNEXPECTED_MESSAGE, SSL_R_UNEXPECTED_RECORD, SSL_R_BAD_RECORD_TYPE, SSL_R_CCS_RECEIVED_EARLY,
      SSL_R_BAD_CHANGE_CIPHER_SPEC, SSL_R_APP_DATA_IN_HANDSHAKE, SSL_R_RECORD_TOO_SMALL,
      SSL_R_UNEXPECTED_CCS_MESSAGE, SSL_R_MIXED_HANDSHAKE_AND_NON_HANDSHAKE_DATA, SSL_R_NOT_ON_RECORD_BOUNDARY,
      SSL_R_TOO_MANY_WARN_ALERTS, SSL_R_TOO_MANY_KEY_UPDATES, SSL_R_UNKNOWN_ALERT_TYPE:
      .unexpectedRecord
    case SSL_R_NO_SHARED_CIPHER, SSL_R_NO_SHARED_GROUPS, SSL_R_NO_SHARED_SIGNATURE_ALGORITHMS,
      SSL_R_NO_SUITABLE_KEY_SHARE, SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM, SSL_R_NO_SUITABLE_GROUPS,
      SSL_R_NO_APPLICATION_PROTOCOL, SSL_R_WRONG_CIPHER_RETURNED, SSL_R_UNKNOWN_CIPHER_RETURNED,
      SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE, SSL_R_UNSAFE_LEGACY_RENEGOTIATION_DISABLED:
      .peerHandshakeFailed
    case SSL_R_BAD_SIGNATURE, SSL_R_DIGEST_CHECK_FAILED, SSL_R_BAD_ECPOINT, SSL_R_BAD_KEY_SHARE, SSL_R_DH_KEY_TOO_SMALL,
      SSL_R_WRONG_SIGNATURE_TYPE, SSL_R_WRONG_SIGNATURE_SIZE:
      .crypto
    case SSL_R_CERTIFICATE_VERIFY_FAILED: .chainInvalid
    case lab_tls_asn1_reason(), SSL_R_CERT_LENGTH_MISMATCH, SSL_R_WRONG_CERTIFICATE_TYPE,
      SSL_R_UNABLE_TO_FIND_PUBLIC_KEY_PARAMETERS:
      .badCertificate
    case SSL_R_EE_KEY_TOO_SMALL, SSL_R_CA_KEY_TOO_SMALL, SSL_R_CA_MD_TOO_WEAK, SSL_R_NO_CIPHERS_AVAILABLE,
      SSL_R_NO_CERTIFICATE_SET, SSL_R_NO_PRIVATE_KEY_ASSIGNED:
      .badConfiguration
    case SSL_R_LENGTH_MISMATCH, SSL_R_LENGTH_TOO_SHORT, SSL_R_LENGTH_TOO_LONG,
      SSL_R_BAD_EXTENSION, SSL_R_UNSOLICITED_EXTENSION, SSL_R_INVALID_ALERT, SSL_R_EXCESSIVE_MESSAGE_SIZE,
      SSL_R_BAD_LENGTH, SSL_R_BAD_KEY_UPDATE:
      // Nothing in Secure Transport's table says "you sent nonsense" from this side.
      .illegalParameter
    case SSL_R_PROTOCOL_IS_SHUTDOWN: .closedGraceful
    case SSL_R_NO_RENEGOTIATION: .peerNoRenegotiation
    case lab_tls_internal_reason(): .internal
    default: .peerHandshakeFailed
    }
  }
}
