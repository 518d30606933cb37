import CocoaAsyncSocket
import Foundation
import Security
import Testing

/// The numbers are Apple's: programs write them to logs, compare them and send them on.
@Suite struct StatusCodeTests {
  @Test("Secure Transport's codes count down from -9800 in the order of its header")
  func secureTransport() {
    let codes: [OSStatus] = [
      errSSLProtocol, errSSLNegotiation, errSSLFatalAlert, errSSLWouldBlock, errSSLSessionNotFound,
      errSSLClosedGraceful, errSSLClosedAbort, errSSLXCertChainInvalid, errSSLBadCert, errSSLCrypto, errSSLInternal,
      errSSLModuleAttach, errSSLUnknownRootCert, errSSLNoRootCert, errSSLCertExpired, errSSLCertNotYetValid,
      errSSLClosedNoNotify, errSSLBufferOverflow, errSSLBadCipherSuite, errSSLPeerUnexpectedMsg,
      errSSLPeerBadRecordMac, errSSLPeerDecryptionFail, errSSLPeerRecordOverflow, errSSLPeerDecompressFail,
      errSSLPeerHandshakeFail, errSSLPeerBadCert, errSSLPeerUnsupportedCert, errSSLPeerCertRevoked,
      errSSLPeerCertExpired, errSSLPeerCertUnknown, errSSLIllegalParam, errSSLPeerUnknownCA, errSSLPeerAccessDenied,
      errSSLPeerDecodeError, errSSLPeerDecryptError, errSSLPeerExportRestriction, errSSLPeerProtocolVersion,
      errSSLPeerInsufficientSecurity, errSSLPeerInternalError, errSSLPeerUserCancelled, errSSLPeerNoRenegotiation,
      errSSLPeerAuthCompleted, errSSLClientCertRequested, errSSLHostNameMismatch, errSSLConnectionRefused,
      errSSLDecryptionFail, errSSLBadRecordMac, errSSLRecordOverflow, errSSLBadConfiguration, errSSLUnexpectedRecord,
    ]
    #expect(codes == (0..<OSStatus(codes.count)).map { -9800 - $0 })
  }

  private static let statuses: [(status: OSStatus, number: OSStatus)] = [
    (errSecSuccess, 0), (noErr, 0), (errSecUnimplemented, -4), (errSecParam, -50), (errSecAllocate, -108),
    (errSecUnknownFormat, -25257), (errSecPassphraseRequired, -25260), (errSecPkcs12VerifyFailure, -25264),
    (errSecAuthFailed, -25293), (errSecDuplicateItem, -25299), (errSecItemNotFound, -25300),
    (errSecCreateChainFailed, -25318), (errSecDecode, -26275), (errSecHostNameMismatch, -67602),
    (errSecInvalidCertificateRef, -67690), (errSecCertificateExpired, -67818),
    (errSecCertificateNotValidYet, -67819), (errSecCertificateRevoked, -67820), (errSecNotTrusted, -67843),
  ]

  @Test("statuses have the numbers of SecBase.h, and a sentence each", arguments: statuses)
  func security(status: OSStatus, number: OSStatus) {
    #expect(status == number)
    #expect(SecCopyErrorMessageString(status, nil) != nil)
  }
}
