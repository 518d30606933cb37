import Foundation

// Unsafe: strings that nobody changes; `NSString` as such is not Sendable.

/// The passphrase, in the options of `SecPKCS12Import`.
public nonisolated(unsafe) let kSecImportExportPassphrase: CFString = "passphrase"
/// The identity, in what was imported.
public nonisolated(unsafe) let kSecImportItemIdentity: CFString = "identity"
/// A trust of the identity's certificates, in what was imported.
public nonisolated(unsafe) let kSecImportItemTrust: CFString = "trust"
/// The identity's certificates, its own first, in what was imported.
public nonisolated(unsafe) let kSecImportItemCertChain: CFString = "chain"
// Unsafe: a string that nobody changes.
/// What people call the identity's subject, in what was imported.
public nonisolated(unsafe) let kSecImportItemLabel: CFString = "label"

/// Opens a PKCS#12.
/// - Parameters:
///   - pkcs12_data: Its bytes.
///   - options: The passphrase, under `kSecImportExportPassphrase`.
///   - items: Gets an array with one dictionary, of the keys `kSecImportItem…`; nothing is changed if the import fails.
/// - Returns: `errSecSuccess`; `errSecAuthFailed` for a wrong passphrase; `errSecPassphraseRequired` if one is needed
///   and none is given; `errSecDecode` for bytes that are no PKCS#12, one without key and certificate, or one whose
///   keys take more than 33 million iterations to derive; `errSecParam` for no bytes.
@discardableResult
public func SecPKCS12Import(
  _ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
  guard pkcs12_data.length > 0 else { return errSecParam }
  let passphrase = options.object(forKey: kSecImportExportPassphrase) as? String
  let identity: SecIdentity
  do {
    identity = try SecIdentity(pkcs12: pkcs12_data as Data, passphrase: passphrase)
  } catch {
    // The library says in words what the numbers here tell apart; a test holds the two together.
    guard error.localizedDescription.hasPrefix("The passphrase does not open") else { return errSecDecode }
    return passphrase == nil ? errSecPassphraseRequired : errSecAuthFailed
  }
  let chain = identity.certificates
  var item: [String: Any] = [
    kSecImportItemIdentity as String: identity,
    kSecImportItemCertChain as String: chain as NSArray,
    kSecImportItemTrust as String: SecTrust(certificates: chain, terms: TrustTerms()),
  ]
  item[kSecImportItemLabel as String] = chain.first.flatMap(SecCertificateCopySubjectSummary)
  items.pointee = [item as NSDictionary] as NSArray
  return errSecSuccess
}
