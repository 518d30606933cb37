import COpenSSL

/// What is strong enough and not too costly, asked by OpenSSL for each suite, group, key and signature before it is
/// used.
///
/// OpenSSL's own levels hold for a context whatever version is negotiated, and TLS 1.0 and 1.1, which sign with SHA-1,
/// work at level 0 only. Here the negotiated version counts: from TLS 1.2 on it is level 2 (112 bits, which is RSA and
/// DH of 2048 bits), whatever older versions are admitted beside it. Certificates are held to level 2 in all versions:
/// our own where they are set, the peer's by `ChainEvaluation`.
///
/// Costly is finite-field DH: a peer that proved nothing sends a number, and each answer to one of 8192 bits takes a
/// tenth of a second of the loop's thread, which all other sockets wait for.
enum TLSStrength {
  private static let minBits: Int32 = 112
  /// DH of 1024 bits: what peers that know nothing newer have.
  private static let minBitsBeforeTLS12: Int32 = 80
  /// The largest modulus, in bits, that is accepted from a server of TLS 1.2; servers are advised to use no larger one.
  private static let maxModulusBits: Int32 = 4096
  /// The named groups above 3072 bits. No other ones are left to a peer that has none of the curves.
  private static let costlyGroups: Set = [NID_ffdhe4096, NID_ffdhe6144, NID_ffdhe8192]

  /// `allowsBlocks`: suites of blocks (CBC) were asked for by name, so they are good in TLS 1.2, too.
  static func apply(to context: OpaquePointer, allowsBlocks: Bool) {
    SSL_CTX_set_security_level(context, 2)
    SSL_CTX_set_security_callback(context) { ssl, _, subject, bits, object, detail, mark in
      let isGood =
        !TLSStrength.isTooCostly(subject: subject, object: object, detail: detail)
        && TLSStrength.isEnough(subject: subject, bits: bits, detail: detail, ssl: ssl, allowsBlocks: mark != nil)
      return isGood ? 1 : 0
    }
    // Only a mark: never looked into.
    SSL_CTX_set0_security_ex_data(context, allowsBlocks ? UnsafeMutableRawPointer(context) : nil)
  }

  private static func isTooCostly(subject: Int32, object: Int32, detail: UnsafeMutableRawPointer?) -> Bool {
    switch subject {
    case SSL_SECOP_CURVE_SUPPORTED, SSL_SECOP_CURVE_SHARED, SSL_SECOP_CURVE_CHECK: costlyGroups.contains(object)
    case SSL_SECOP_TMP_DH: detail.map { EVP_PKEY_get_bits(OpaquePointer($0)) > maxModulusBits } ?? false
    default: false
    }
  }

  private static func isEnough(
    subject: Int32, bits: Int32, detail: UnsafeMutableRawPointer?, ssl: OpaquePointer?, allowsBlocks: Bool
  ) -> Bool {
    // Before a version is agreed on, OpenSSL says the highest.
    let isOld = ssl.map { SSL_version($0) < ProtocolVersion.tls12.rawValue } ?? false
    switch subject {
    case SSL_SECOP_VERSION, SSL_SECOP_TICKET:
      // The settings say which versions.
      return true
    case SSL_SECOP_COMPRESSION: return false
    case SSL_SECOP_CIPHER_SHARED, SSL_SECOP_CIPHER_CHECK:
      guard bits >= minBits, let suite = detail.map({ OpaquePointer($0) }) else { return false }
      return isOld || allowsBlocks || SSL_CIPHER_is_aead(suite) == 1
    case SSL_SECOP_SIGALG_SUPPORTED, SSL_SECOP_SIGALG_SHARED, SSL_SECOP_SIGALG_CHECK, SSL_SECOP_SIGALG_MASK:
      return isOld || bits >= minBits
    case SSL_SECOP_TMP_DH: return bits >= (isOld ? minBitsBeforeTLS12 : minBits)
    default: return bits >= minBits
    }
  }
}
