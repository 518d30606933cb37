import Foundation

// How code tells the objects of an imported container apart: `CFGetTypeID(item) == SecIdentityGetTypeID()`.

/// A number of a class of objects.
public typealias CFTypeID = UInt

/// The number of the object's class; 0 for an object of which the library knows none.
public func CFGetTypeID(_ cf: CFTypeRef?) -> CFTypeID {
  switch cf {
  case is SecCertificate: SecCertificateGetTypeID()
  case is SecIdentity: SecIdentityGetTypeID()
  case is SecKey: SecKeyGetTypeID()
  case is SecTrust: SecTrustGetTypeID()
  case is SecPolicy: SecPolicyGetTypeID()
  default: 0
  }
}

/// The number of certificates.
public func SecCertificateGetTypeID() -> CFTypeID { 1 }

/// The number of identities.
public func SecIdentityGetTypeID() -> CFTypeID { 2 }

/// The number of keys.
public func SecKeyGetTypeID() -> CFTypeID { 3 }

/// The number of trusts.
public func SecTrustGetTypeID() -> CFTypeID { 4 }

/// The number of policies.
public func SecPolicyGetTypeID() -> CFTypeID { 5 }
