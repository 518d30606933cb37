import COpenSSL

/// A private key with its public one, drawn from a seeded stream. Confined to the minting that made it.
final class KeyPair {
  enum Kind: Hashable {
    case p256, p192
    case rsa(bits: UInt32, primes: Int32)

    static let rsa2048 = Kind.rsa(bits: 2048, primes: 2)
  }

  enum Digest {
    case md5, sha1, sha256, sha384
  }

  let kind: Kind
  private let key: OpaquePointer
  /// OpenSSL's encoders are slow.
  private var knownPublicDER: [UInt8]?

  /// A key of the stream; equal streams make equal keys.
  init(_ kind: Kind, from stream: inout SeededStream) throws(CertificateFailure) {
    self.kind = kind
    key = try SeededRandomness.with(&stream) { () throws(CertificateFailure) in try Self.generate(kind) }
  }

  deinit { EVP_PKEY_free(key) }

  private static func generate(_ kind: Kind) throws(CertificateFailure) -> OpaquePointer {
    let isRSA = if case .rsa = kind { true } else { false }
    let context = EVP_PKEY_CTX_new_from_name(nil, isRSA ? "RSA" : "EC", nil)
    defer { EVP_PKEY_CTX_free(context) }
    guard let context, EVP_PKEY_keygen_init(context) == 1 else { throw .openSSL("EVP_PKEY_keygen_init") }
    let isSet =
      switch kind {
      case .p256: EVP_PKEY_CTX_set_group_name(context, "P-256") == 1
      case .p192: EVP_PKEY_CTX_set_group_name(context, "P-192") == 1
      case .rsa(let bits, let primes):
        EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits)) == 1
          && EVP_PKEY_CTX_set_rsa_keygen_primes(context, primes) == 1
      }
    guard isSet else { throw .openSSL("choosing \(kind)") }
    var key: OpaquePointer?
    guard EVP_PKEY_generate(context, &key) == 1, let key else { throw .openSSL("EVP_PKEY_generate") }
    return key
  }

  /// SubjectPublicKeyInfo.
  func publicDER() throws(CertificateFailure) -> [UInt8] {
    if let knownPublicDER { return knownPublicDER }
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = i2d_PUBKEY(key, &bytes)
    let der = try Self.take(bytes, count, call: "i2d_PUBKEY")
    knownPublicDER = der
    return der
  }

  /// PrivateKeyInfo (PKCS #8).
  func privateDER() throws(CertificateFailure) -> [UInt8] {
    let info = EVP_PKEY2PKCS8(key)
    defer { PKCS8_PRIV_KEY_INFO_free(info) }
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = i2d_PKCS8_PRIV_KEY_INFO(info, &bytes)
    return try Self.take(bytes, count, call: "i2d_PKCS8_PRIV_KEY_INFO")
  }

  private static func take(
    _ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int32, call: String
  ) throws(CertificateFailure) -> [UInt8] {
    guard let bytes, count > 0 else { throw .openSSL(call) }
    defer { CRYPTO_free(bytes, #file, #line) }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }

  /// The first 160 bits of the SHA-256 of the public key (RFC 7093, method 1, over the whole SubjectPublicKeyInfo).
  func identifier() throws(CertificateFailure) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    let bytes = try publicDER()
    guard EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil) == 1 else { throw .openSSL("EVP_Digest") }
    return Array(digest.prefix(20))
  }

  /// The signature over the message, its nonce (if the key's kind has one) drawn from the stream.
  func signature(
    over message: [UInt8], _ digest: Digest, from stream: inout SeededStream
  ) throws(CertificateFailure) -> [UInt8] {
    try SeededRandomness.with(&stream) { () throws(CertificateFailure) in
      let context = EVP_MD_CTX_new()
      defer { EVP_MD_CTX_free(context) }
      guard EVP_DigestSignInit(context, nil, Self.method(digest), nil, key) == 1 else {
        throw .openSSL("EVP_DigestSignInit")
      }
      var count = 0
      guard EVP_DigestSign(context, nil, &count, message, message.count) == 1 else { throw .openSSL("EVP_DigestSign") }
      var signature = [UInt8](repeating: 0, count: count)
      guard EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else {
        throw .openSSL("EVP_DigestSign")
      }
      return Array(signature.prefix(count))
    }
  }

  private static func method(_ digest: Digest) -> OpaquePointer? {
    switch digest {
    case .md5: EVP_md5()
    case .sha1: EVP_sha1()
    case .sha256: EVP_sha256()
    case .sha384: EVP_sha384()
    }
  }

  /// AlgorithmIdentifier of a signature by this key.
  func signatureAlgorithm(_ digest: Digest) -> [UInt8] {
    switch kind {
    case .rsa:
      let last: UInt64 =
        switch digest {
        case .md5: 4
        case .sha1: 5
        case .sha256: 11
        case .sha384: 12
        }
      return DER.sequence([DER.objectIdentifier([1, 2, 840, 113549, 1, 1, last]), DER.null])
    case .p256, .p192:
      let tail: [UInt64] =
        switch digest {
        case .md5, .sha1: [1]  // There is no ECDSA over MD5; the classes that want MD5 sign with RSA.
        case .sha256: [3, 2]
        case .sha384: [3, 3]
        }
      return DER.sequence([DER.objectIdentifier([1, 2, 840, 10045, 4] + tail)])
    }
  }
}

extension CertificateFailure {
  /// A call of OpenSSL's failed; takes the reason out of the thread's queue and leaves it empty.
  package static func openSSL(_ call: String) -> CertificateFailure {
    var text = [CChar](repeating: 0, count: 256)
    let code = ERR_get_error()
    if code != 0 { ERR_error_string_n(code, &text, text.count) }
    ERR_clear_error()
    let reason = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return .openSSL(call: call, reason: reason.isEmpty ? "no reason given" : reason)
  }
}
