import Foundation

// Statuses, by the names and numbers that Apple's systems give them.

/// No error.
public let errSecSuccess: OSStatus = 0
/// No error, by its oldest name.
public let noErr: OSStatus = 0
/// There is no such thing here.
public let errSecUnimplemented: OSStatus = -4
/// A parameter makes no sense.
public let errSecParam: OSStatus = -50
/// No memory.
public let errSecAllocate: OSStatus = -108
/// The format is unknown.
public let errSecUnknownFormat: OSStatus = -25257
/// A passphrase is needed.
public let errSecPassphraseRequired: OSStatus = -25260
/// The PKCS#12 does not fit its MAC.
public let errSecPkcs12VerifyFailure: OSStatus = -25264
/// A certificate is none, or malformed.
public let errSecInvalidCertificateRef: OSStatus = -67690
/// The passphrase is wrong.
public let errSecAuthFailed: OSStatus = -25293
/// The item is there already.
public let errSecDuplicateItem: OSStatus = -25299
/// There is no such item.
public let errSecItemNotFound: OSStatus = -25300
/// The bytes can't be understood.
public let errSecDecode: OSStatus = -26275
/// The certificate is for another name.
public let errSecHostNameMismatch: OSStatus = -67602
/// A certificate of the chain has expired.
public let errSecCertificateExpired: OSStatus = -67818
/// A certificate of the chain is not valid yet.
public let errSecCertificateNotValidYet: OSStatus = -67819
/// A certificate of the chain was revoked.
public let errSecCertificateRevoked: OSStatus = -67820
/// The chain is not to be trusted.
public let errSecNotTrusted: OSStatus = -67843
/// The chain leads to no anchor.
public let errSecCreateChainFailed: OSStatus = -25318

private let messages: [OSStatus: String] = [
  errSecSuccess: "No error.",
  errSecUnimplemented: "There is no such thing here.",
  errSecParam: "A parameter makes no sense.",
  errSecAllocate: "No memory.",
  errSecUnknownFormat: "The format is unknown.",
  errSecPassphraseRequired: "A passphrase is needed.",
  errSecPkcs12VerifyFailure: "The PKCS#12 does not fit its MAC.",
  errSecInvalidCertificateRef: "A certificate is none, or malformed.",
  errSecAuthFailed: "The passphrase is wrong.",
  errSecDuplicateItem: "The item is there already.",
  errSecItemNotFound: "There is no such item.",
  errSecDecode: "The bytes can't be understood.",
  errSecHostNameMismatch: "The certificate is for another name.",
  errSecCertificateExpired: "A certificate of the chain has expired.",
  errSecCertificateNotValidYet: "A certificate of the chain is not valid yet.",
  errSecCertificateRevoked: "A certificate of the chain was revoked.",
  errSecNotTrusted: "The chain is not to be trusted.",
  errSecCreateChainFailed: "The chain leads to no anchor.",
]

/// A status in words; nil if it is none of this module's.
public func SecCopyErrorMessageString(_ status: OSStatus, _ reserved: UnsafeMutableRawPointer?) -> CFString? {
  messages[status].map { $0 as NSString }
}

/// The status for the error that the library gives for a chain.
func status(of error: NSError) -> OSStatus {
  switch OSStatus(exactly: error.code) {
  case errSSLHostNameMismatch: errSecHostNameMismatch
  case errSSLCertExpired: errSecCertificateExpired
  case errSSLCertNotYetValid: errSecCertificateNotValidYet
  case errSSLBadCert: errSecInvalidCertificateRef
  case errSSLNoRootCert: errSecCreateChainFailed
  default: errSecNotTrusted
  }
}
