import COpenSSL

/// What a cipher suite is made of, as OpenSSL knows it.
struct SuiteFacts {
  /// How its records are protected.
  enum Protection {
    /// As a whole (AEAD). TLS 1.2 says a part of the nonce in each record, but for ChaCha20.
    case sealed(tellsNonce: Bool)
    /// Blocks (CBC) with a code for authentication of that hash.
    case blocks(mac: OpaquePointer)
  }

  /// OpenSSL's name.
  let name: String
  let cipher: OpaquePointer
  let keyLength: Int
  let protection: Protection
  /// From which keys are derived.
  let hash: OpaquePointer

  var hashLength: Int { Int(EVP_MD_get_size(hash)) }
}

/// OpenSSL's table of cipher suites. One is enough: making it takes longer than many sessions do.
final class SuiteTable: @unchecked Sendable {
  // Unchecked: the session is never used but for its method's table, which nothing changes.
  static let shared = SuiteTable()

  private let session: OpaquePointer?

  private init() {
    let context = SSL_CTX_new(TLS_method())
    session = context.flatMap { SSL_new($0) }
    // The session keeps it.
    SSL_CTX_free(context)
  }

  deinit { SSL_free(session) }

  func facts(of number: Int) throws(Undecrypted) -> SuiteFacts {
    defer { ERR_clear_error() }
    let bytes = [UInt8(number >> 8 & 255), UInt8(number & 255)]
    guard let session, let suite = SSL_CIPHER_find(session, bytes), let text = SSL_CIPHER_get_name(suite) else {
      throw Undecrypted(reason: "its cipher suite, 0x\(Self.hex(number)), is not known here")
    }
    let name = String(cString: text)
    guard let short = OBJ_nid2sn(SSL_CIPHER_get_cipher_nid(suite)), let cipher = EVP_get_cipherbyname(short),
      var hash = SSL_CIPHER_get_handshake_digest(suite), let protection = Self.protection(suite, cipher)
    else { throw Undecrypted(reason: "records of its cipher suite, \(name), are not read here") }
    // Suites that were made before TLS 1.2 have its hash there.
    if EVP_MD_get_type(hash) == NID_md5_sha1, let standard = EVP_sha256() { hash = standard }
    return SuiteFacts(
      name: name, cipher: cipher, keyLength: Int(EVP_CIPHER_get_key_length(cipher)), protection: protection, hash: hash)
  }

  private static func protection(_ suite: OpaquePointer, _ cipher: OpaquePointer) -> SuiteFacts.Protection? {
    let mode = EVP_CIPHER_get_mode(cipher)
    if mode == EVP_CIPH_GCM_MODE { return .sealed(tellsNonce: true) }
    if EVP_CIPHER_get_nid(cipher) == NID_chacha20_poly1305 { return .sealed(tellsNonce: false) }
    guard mode == EVP_CIPH_CBC_MODE, let digest = OBJ_nid2sn(SSL_CIPHER_get_digest_nid(suite)) else { return nil }
    return EVP_get_digestbyname(digest).map { .blocks(mac: $0) }
  }

  private static func hex(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }
}
