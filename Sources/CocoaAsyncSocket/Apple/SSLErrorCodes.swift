// Codes of the error domain kCFStreamErrorDomainSSL, by the names that Secure Transport gives them (ERR-07). Some are
// never used here; they stand for code that names them.

/// A message breaks the protocol.
public let errSSLProtocol: OSStatus = -9800
/// No cipher suite that both sides have.
public let errSSLNegotiation: OSStatus = -9801
/// The peer sent a fatal alert.
public let errSSLFatalAlert: OSStatus = -9802
/// The call would block.
public let errSSLWouldBlock: OSStatus = -9803
/// The session to resume is unknown.
public let errSSLSessionNotFound: OSStatus = -9804
/// The peer closed the connection in order.
public let errSSLClosedGraceful: OSStatus = -9805
/// The connection ended in the midst of the handshake.
public let errSSLClosedAbort: OSStatus = -9806
/// The certificate chain is invalid.
public let errSSLXCertChainInvalid: OSStatus = -9807
/// The certificate is malformed.
public let errSSLBadCert: OSStatus = -9808
/// A cryptographic operation failed.
public let errSSLCrypto: OSStatus = -9809
/// An error inside the library.
public let errSSLInternal: OSStatus = -9810
/// A module could not be attached.
public let errSSLModuleAttach: OSStatus = -9811
/// The chain ends at a root that is not trusted.
public let errSSLUnknownRootCert: OSStatus = -9812
/// The chain does not end at a root.
public let errSSLNoRootCert: OSStatus = -9813
/// A certificate of the chain has expired.
public let errSSLCertExpired: OSStatus = -9814
/// A certificate of the chain is not valid yet.
public let errSSLCertNotYetValid: OSStatus = -9815
/// The connection ended without a close_notify: the stream may be cut short.
public let errSSLClosedNoNotify: OSStatus = -9816
/// A buffer is too small.
public let errSSLBufferOverflow: OSStatus = -9817
/// The cipher suite is not one that was offered.
public let errSSLBadCipherSuite: OSStatus = -9818
/// The peer's alert: unexpected_message.
public let errSSLPeerUnexpectedMsg: OSStatus = -9819
/// The peer's alert: bad_record_mac.
public let errSSLPeerBadRecordMac: OSStatus = -9820
/// The peer's alert: decryption_failed.
public let errSSLPeerDecryptionFail: OSStatus = -9821
/// The peer's alert: record_overflow.
public let errSSLPeerRecordOverflow: OSStatus = -9822
/// The peer's alert: decompression_failure.
public let errSSLPeerDecompressFail: OSStatus = -9823
/// The peer's alert: handshake_failure, and alerts without a code of their own.
public let errSSLPeerHandshakeFail: OSStatus = -9824
/// The peer's alert: bad_certificate.
public let errSSLPeerBadCert: OSStatus = -9825
/// The peer's alert: unsupported_certificate.
public let errSSLPeerUnsupportedCert: OSStatus = -9826
/// The peer's alert: certificate_revoked.
public let errSSLPeerCertRevoked: OSStatus = -9827
/// The peer's alert: certificate_expired.
public let errSSLPeerCertExpired: OSStatus = -9828
/// The peer's alert: certificate_unknown.
public let errSSLPeerCertUnknown: OSStatus = -9829
/// The peer's alert: illegal_parameter.
public let errSSLIllegalParam: OSStatus = -9830
/// The peer's alert: unknown_ca.
public let errSSLPeerUnknownCA: OSStatus = -9831
/// The peer's alert: access_denied.
public let errSSLPeerAccessDenied: OSStatus = -9832
/// The peer's alert: decode_error.
public let errSSLPeerDecodeError: OSStatus = -9833
/// The peer's alert: decrypt_error.
public let errSSLPeerDecryptError: OSStatus = -9834
/// The peer's alert: export_restriction.
public let errSSLPeerExportRestriction: OSStatus = -9835
/// The peer's alert: protocol_version.
public let errSSLPeerProtocolVersion: OSStatus = -9836
/// The peer's alert: insufficient_security.
public let errSSLPeerInsufficientSecurity: OSStatus = -9837
/// The peer's alert: internal_error.
public let errSSLPeerInternalError: OSStatus = -9838
/// The peer's alert: user_canceled.
public let errSSLPeerUserCancelled: OSStatus = -9839
/// The peer's alert: no_renegotiation.
public let errSSLPeerNoRenegotiation: OSStatus = -9840
/// The peer's certificate is there to be judged.
public let errSSLPeerAuthCompleted: OSStatus = -9841
/// The server asks for a certificate.
public let errSSLClientCertRequested: OSStatus = -9842
/// The certificate is for another name.
public let errSSLHostNameMismatch: OSStatus = -9843
/// The peer dropped the connection before it answered.
public let errSSLConnectionRefused: OSStatus = -9844
/// A record can't be decrypted.
public let errSSLDecryptionFail: OSStatus = -9845
/// A record was tampered with.
public let errSSLBadRecordMac: OSStatus = -9846
/// A record is too long.
public let errSSLRecordOverflow: OSStatus = -9847
/// The settings make no sense.
public let errSSLBadConfiguration: OSStatus = -9848
/// A record that does not belong there.
public let errSSLUnexpectedRecord: OSStatus = -9849
