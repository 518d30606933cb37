import Foundation

/// A certificate from its bytes in DER; nil if they are none.
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? {
  // `SecCertificate(data:)` also takes PEM; Apple's function does not, and callers tell the two apart by it.
  try? SecCertificate(der: data as Data)
}

/// The certificate in DER.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { certificate.data as NSData }

/// What people call the subject: its common name, unit or organisation, or the first DNS name.
public func SecCertificateCopySubjectSummary(_ certificate: SecCertificate) -> CFString? {
  certificate.summary.map { $0 as NSString }
}

/// The subject's common name, if it has one.
@discardableResult
public func SecCertificateCopyCommonName(
  _ certificate: SecCertificate, _ commonName: UnsafeMutablePointer<CFString?>
) -> OSStatus {
  commonName.pointee = certificate.commonName.map { $0 as NSString }
  return errSecSuccess
}

/// The serial number as it stands in DER, without tag and length: big-endian, with a zero in front where the first bit
/// would otherwise be the sign.
public func SecCertificateCopySerialNumberData(
  _ certificate: SecCertificate, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? { certificate.serialNumberData as NSData }

/// The certificate's public key; nil if it is of an unknown kind, or on a curve without a name.
public func SecCertificateCopyKey(_ certificate: SecCertificate) -> SecKey? {
  certificate.publicKey.map(SecKey.init(representation:))
}

/// The certificate of an identity.
@discardableResult
public func SecIdentityCopyCertificate(
  _ identityRef: SecIdentity, _ certificateRef: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
  certificateRef.pointee = identityRef.certificates.first
  return certificateRef.pointee == nil ? errSecItemNotFound : errSecSuccess
}

/// A public key, for comparison with one that is known. Immutable.
public final class SecKey: NSObject, Sendable {
  fileprivate let representation: Data

  init(representation: Data) { self.representation = representation }

  /// Equal bytes, equal keys.
  public override func isEqual(_ object: Any?) -> Bool { (object as? SecKey)?.representation == representation }
  /// Of the bytes.
  public override var hash: Int { representation.hashValue }
}

/// The key's bytes: of RSA the PKCS#1 structure, of EC the uncompressed point, of others the bare key.
public func SecKeyCopyExternalRepresentation(
  _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? { key.representation as NSData }
