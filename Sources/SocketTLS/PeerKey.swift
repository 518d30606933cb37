import COpenSSL

/// Which keys a peer's certificates may have, so that a peer can't make us compute with arbitrary ones. Keys that are
/// too weak are another matter (`ChainEvaluation.securityLevel`).
enum PeerKey {
  static let maximumRSABits = 8192
  /// A longer exponent makes a signature as slow to check as to make. 65537 has 17 bits.
  static let maximumRSAExponentBits = 33
  static let maximumDSABits = 3072

  /// Prime curves that have names; those over binary fields, and those that a certificate spells out, are none of them.
  static let curves: Set<String> = [
    "prime256v1", "secp384r1", "secp521r1", "secp224r1", "secp256k1", "brainpoolP256r1", "brainpoolP384r1",
    "brainpoolP512r1",
  ]

  /// What is wrong with the certificate's key; nil: nothing.
  static func problem(of certificate: OpaquePointer) -> String? {
    guard let key = X509_get0_pubkey(certificate), let name = EVP_PKEY_get0_type_name(key) else {
      return "its key can't be read"
    }
    let kind = String(cString: name)
    let bits = Int(EVP_PKEY_get_bits(key))
    switch kind {
    case "RSA", "RSA-PSS":
      guard bits <= maximumRSABits else {
        return "its RSA key of \(bits) bits is longer than the \(maximumRSABits) that are accepted"
      }
      let exponent = lab_tls_rsa_exponent_bits(key)
      // A signature is the signed text itself then.
      guard exponent != 1 else { return "the exponent of its RSA key is 1, which is not accepted" }
      return (1...maximumRSAExponentBits).contains(Int(exponent))
        ? nil : "the exponent of its RSA key is longer than the \(maximumRSAExponentBits) bits that are accepted"
    case "EC":
      var group = [CChar](repeating: 0, count: 64)
      guard EVP_PKEY_get_group_name(key, &group, group.count, nil) == 1 else {
        return "its key is on a curve without a name, which is not accepted"
      }
      let curve = String(decoding: group.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      return curves.contains(curve) ? nil : "its key is on the curve \(curve), which is not accepted"
    case "ED25519", "ED448": return nil
    case "DSA":
      return bits <= maximumDSABits
        ? nil : "its DSA key of \(bits) bits is longer than the \(maximumDSABits) that are accepted"
    default: return "its key is of the kind \(kind), which is not accepted"
    }
  }
}
