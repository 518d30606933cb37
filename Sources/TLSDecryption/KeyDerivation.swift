import COpenSSL

/// The key derivations of TLS 1.2 and 1.3, by OpenSSL.
enum KeyDerivation {
  /// HKDF-Expand-Label with an empty context (RFC 8446, 7.1).
  static func expand(
    _ secret: [UInt8], _ label: String, count: Int, hash: OpaquePointer
  ) throws(Undecrypted) -> [UInt8] {
    let label = Array("tls13 \(label)".utf8)
    let info = [UInt8(count >> 8 & 255), UInt8(count & 255), UInt8(label.count)] + label + [0]
    return try derive(EVP_PKEY_HKDF, count: count) { context in
      EVP_PKEY_CTX_set_hkdf_mode(context, Int32(EVP_PKEY_HKDEF_MODE_EXPAND_ONLY)) == 1
        && EVP_PKEY_CTX_set_hkdf_md(context, hash) == 1
        && EVP_PKEY_CTX_set1_hkdf_key(context, secret, Int32(secret.count)) == 1
        && EVP_PKEY_CTX_add1_hkdf_info(context, info, Int32(info.count)) == 1
    }
  }

  /// The PRF of TLS 1.2 (RFC 5246, 5).
  static func stretch(
    _ secret: [UInt8], _ label: String, seed: [UInt8], count: Int, hash: OpaquePointer
  ) throws(Undecrypted) -> [UInt8] {
    let seed = Array(label.utf8) + seed
    return try derive(EVP_PKEY_TLS1_PRF, count: count) { context in
      EVP_PKEY_CTX_set_tls1_prf_md(context, hash) == 1
        && EVP_PKEY_CTX_set1_tls1_prf_secret(context, secret, Int32(secret.count)) == 1
        && EVP_PKEY_CTX_add1_tls1_prf_seed(context, seed, Int32(seed.count)) == 1
    }
  }

  private static func derive(
    _ function: Int32, count: Int, _ set: (OpaquePointer) -> Bool
  ) throws(Undecrypted) -> [UInt8] {
    defer { ERR_clear_error() }
    let failure = Undecrypted(reason: "OpenSSL derives no keys here")
    guard let context = EVP_PKEY_CTX_new_id(function, nil) else { throw failure }
    defer { EVP_PKEY_CTX_free(context) }
    var bytes = [UInt8](repeating: 0, count: count)
    var made = count
    guard EVP_PKEY_derive_init(context) == 1, set(context), EVP_PKEY_derive(context, &bytes, &made) == 1, made == count
    else { throw failure }
    return bytes
  }
}
