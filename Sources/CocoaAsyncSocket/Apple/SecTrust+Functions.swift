import Dispatch
import Foundation

/// What an evaluation came to.
public enum SecTrustResultType: UInt32, Sendable {
  /// There was none.
  case invalid = 0
  /// Trusted, because the user said so; never used here.
  case proceed = 1
  /// Never used.
  case confirm = 2
  /// The user said no; never used here.
  case deny = 3
  /// Trusted.
  case unspecified = 4
  /// Not trusted.
  case recoverableTrustFailure = 5
  /// Not trusted, and nothing can help; never used here.
  case fatalTrustFailure = 6
  /// Another error; never used here.
  case otherError = 7
}

// MARK: What is judged, and by what

/// A chain to judge: one certificate or an array, the one in question first; and one policy, an array, or nil for a TLS
/// server of any name.
@discardableResult
public func SecTrustCreateWithCertificates(
  _ certificates: CFTypeRef, _ policies: CFTypeRef?, _ trust: UnsafeMutablePointer<SecTrust?>
) -> OSStatus {
  guard let chain = elements(certificates, of: SecCertificate.self), !chain.isEmpty else { return errSecParam }
  var terms = TrustTerms()
  if let policies {
    guard let list = elements(policies, of: SecPolicy.self) else { return errSecParam }
    terms.policies = list.map(\.policy)
  }
  trust.pointee = SecTrust(certificates: chain, terms: terms)
  return errSecSuccess
}

/// Sets the certificates to trust, in place of those of the system and of the settings of startTLS; nil: those of the
/// system again, and no others.
@discardableResult
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchorCertificates: CFArray?) -> OSStatus {
  var anchors: [SecCertificate] = []
  if let anchorCertificates {
    guard let given = elements(anchorCertificates, of: SecCertificate.self) else { return errSecParam }
    anchors = given
  }
  let isReset = anchorCertificates == nil
  trust.change {
    $0.anchors = anchors
    // Without anchors of its own a chain may end at the system's: those of the settings don't come back.
    $0.anchorsOnly = isReset ? false : nil
  }
  return errSecSuccess
}

/// Whether the anchors set are the only ones (as they are at first), or stand beside those of the system.
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus {
  trust.change { $0.anchorsOnly = anchorCertificatesOnly }
  return errSecSuccess
}

/// Sets what the chain is judged for, a `SecPolicy` or an array of them, in place of "a TLS server with the name that
/// the settings of startTLS ask for".
@discardableResult
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus {
  guard let list = elements(policies, of: SecPolicy.self) else { return errSecParam }
  trust.change { $0.policies = list.map(\.policy) }
  return errSecSuccess
}

/// Sets as of when the certificates must be valid, in place of now.
@discardableResult
public func SecTrustSetVerifyDate(_ trust: SecTrust, _ verifyDate: CFDate) -> OSStatus {
  let date = verifyDate as Date
  trust.change { $0.date = date }
  return errSecSuccess
}

// MARK: Evaluation

/// Judges the chain as the library judges the peer of a connection. May take milliseconds; blocks the caller.
@discardableResult
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool {
  let failure = trust.evaluateOnItsTerms().map(publicError)
  error?.pointee = failure
  return failure == nil
}

/// The same; the result is `unspecified` for yes and `recoverableTrustFailure` for no.
@discardableResult
public func SecTrustEvaluate(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>?) -> OSStatus {
  let isTrusted = trust.evaluateOnItsTerms() == nil
  result?.pointee = isTrusted ? .unspecified : .recoverableTrustFailure
  return errSecSuccess
}

/// Judges the chain on the queue and calls the handler there.
@discardableResult
public func SecTrustEvaluateAsyncWithError(
  _ trust: SecTrust, _ queue: DispatchQueue, _ result: @escaping (SecTrust, Bool, CFError?) -> Void
) -> OSStatus {
  let work = DispatchWorkItem {
    var error: CFError?
    let isTrusted = SecTrustEvaluateWithError(trust, &error)
    result(trust, isTrusted, error)
  }
  queue.async(execute: work)
  return errSecSuccess
}

/// The same with a result as of `SecTrustEvaluate`.
@discardableResult
public func SecTrustEvaluateAsync(
  _ trust: SecTrust, _ queue: DispatchQueue?, _ result: @escaping (SecTrust, SecTrustResultType) -> Void
) -> OSStatus {
  SecTrustEvaluateAsyncWithError(trust, queue ?? .global()) { trust, isTrusted, _ in
    result(trust, isTrusted ? .unspecified : .recoverableTrustFailure)
  }
}

/// What the last evaluation came to; `invalid` if there was none, or something was set since.
@discardableResult
public func SecTrustGetTrustResult(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
  result.pointee =
    switch trust.terms.withLock({ $0.verdict }) {
    case nil: .invalid
    case .trusted: .unspecified
    case .refused: .recoverableTrustFailure
    }
  return errSecSuccess
}

// Unsafe: a string that nobody changes; `NSString` as such is not Sendable.
/// Under this key a property of a certificate has its title.
public nonisolated(unsafe) let kSecPropertyTypeTitle: CFString = "title"
// Unsafe: a string that nobody changes.
/// Under this key a property of a certificate has what is wrong, in words.
public nonisolated(unsafe) let kSecPropertyTypeError: CFString = "error"

/// A dictionary for each certificate of the chain, the peer's own first, with its title; the first one has also what is
/// wrong, whichever certificate it is about, if the chain is not trusted. Judges the chain, which may take
/// milliseconds; blocks the caller. nil: there is no certificate.
public func SecTrustCopyProperties(_ trust: SecTrust) -> CFArray? {
  let failure = trust.evaluateOnItsTerms()
  guard !trust.path.isEmpty else { return nil }
  let properties = trust.path.enumerated().map { index, certificate in
    var properties = [kSecPropertyTypeTitle as String: certificate.summary ?? certificate.subject]
    if index == 0 { properties[kSecPropertyTypeError as String] = failure?.localizedDescription }
    return properties as NSDictionary
  }
  return properties as NSArray
}

private func publicError(_ error: NSError) -> CFError {
  NSError(
    domain: NSOSStatusErrorDomain, code: Int(status(of: error)),
    userInfo: [NSLocalizedDescriptionKey: error.localizedDescription, NSUnderlyingErrorKey: error])
}

// MARK: The chain

// The chain is the path from the peer's own certificate upwards, each certificate signed by the next: up to the
// anchor, if it is trusted on the terms that are set, otherwise as far as the peer has shown it. What the peer has
// shown beside it is left out, as on Apple's systems: code that looks for a certificate in the chain must not find a
// copy that anybody can send. Where no evaluation was made since the terms were set, one is made for this;
// `SecTrust.certificates` has what was shown.

/// How many certificates the chain has.
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> CFIndex { trust.path.count }

/// One of the chain, 0 being the peer's own.
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ ix: CFIndex) -> SecCertificate? {
  let path = trust.path
  return path.indices.contains(ix) ? path[ix] : nil
}

/// All of the chain, the peer's own first.
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { trust.path as NSArray }

/// The public key of the peer's own certificate.
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? { trust.certificates.first.flatMap(SecCertificateCopyKey) }

/// The former name of `SecTrustCopyKey`.
public func SecTrustCopyPublicKey(_ trust: SecTrust) -> SecKey? { SecTrustCopyKey(trust) }
