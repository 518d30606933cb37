import COpenSSL

@testable import SocketTLS

/// Certificates for these tests, made as they are needed.
struct Mint {
  static let now: Int64 = 1_893_456_000
  static let day: Int64 = 86_400

  enum Key {
    case ec, curve(String), rsa(UInt32)
    /// On P-256, written with one coordinate.
    case compressed
    /// On a curve that the certificate spells out instead of naming it.
    case curveWithoutName(String)
    /// Of this many bits, of primes that everybody knows.
    case rsa8192, rsa8256
    case rsaOfExponent(String)
    /// RSA of 2,048 bits and more whose exponent is 1.
    case rsaOfExponentOne
    /// That of another certificate.
    case same(Party)
    /// RSA that signs with PSS alone.
    case pss
  }

  /// A certificate with its key, and its issuers above it, which are sent along unless a test says otherwise.
  final class Party: @unchecked Sendable {
    let certificate: OpaquePointer
    let key: OpaquePointer
    /// From the next issuer upwards.
    let issuers: [Party]

    init(_ certificate: OpaquePointer, _ key: OpaquePointer, _ issuers: [Party]) {
      self.certificate = certificate
      self.key = key
      self.issuers = issuers
      keyPEM = Mint.pem { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) }
      keyDER = OpenSSLBytes.der { i2d_PrivateKey(key, $0) }
      precondition(!keyPEM.isEmpty && !keyDER.isEmpty)
    }

    var tls: TLSCertificate { TLSCertificate(sharing: certificate)! }
    var der: [UInt8] { tls.der }
    var pem: [UInt8] { Mint.pem { PEM_write_bio_X509($0, certificate) } }
    /// What a server sends: everything but the root.
    var chainPEM: [UInt8] { pem + issuers.dropLast().flatMap(\.pem) }
    /// Written once, before anybody else uses the key: OpenSSL's encoders sometimes fail on a key in use.
    let keyPEM: [UInt8]
    let keyDER: [UInt8]

    func lockedKeyPEM(_ passphrase: String) -> [UInt8] {
      Mint.pem {
        PEM_write_bio_PKCS8PrivateKey(
          $0, key, EVP_aes_128_cbc(), passphrase, Int32(passphrase.utf8.count), nil, nil)
      }
    }

    /// Certificates under RC2 with 40 bits, the key under Triple DES. The algorithms live in a world of their own.
    func oldPKCS12(_ passphrase: String) -> [UInt8] {
      let world = OSSL_LIB_CTX_new()!
      let providers = ["default", "legacy"].map { (name: String) in OSSL_PROVIDER_load(world, name)! }
      defer {
        for provider in providers { OSSL_PROVIDER_unload(provider) }
        OSSL_LIB_CTX_free(world)
      }
      return pkcs12(
        passphrase, world: world, keyCipher: NID_pbe_WithSHA1And3_Key_TripleDES_CBC,
        certificateCipher: NID_pbe_WithSHA1And40BitRC2_CBC)
    }

    func pkcs12(
      _ passphrase: String, world: OpaquePointer? = nil, keyCipher: Int32 = 0, certificateCipher: Int32 = 0,
      hasMAC: Bool = true, iterations: Int32 = 0, macIterations: Int32 = 0
    ) -> [UInt8] {
      let others = lab_tls_stack_new()!
      for issuer in issuers.dropLast() { _ = lab_tls_stack_add(others, issuer.certificate) }
      defer { lab_tls_stack_free(others) }
      let container = PKCS12_create_ex(
        passphrase, "test", key, certificate, others, keyCipher, certificateCipher, iterations,
        hasMAC ? macIterations : -1, 0, world, nil)!
      defer { PKCS12_free(container) }
      return OpenSSLBytes.der { i2d_PKCS12(container, $0) }
    }

    var identity: TLSIdentity {
      get throws { try TLSIdentity(certificates: chainPEM, key: keyPEM) }
    }
    /// Without the issuers.
    var bareIdentity: TLSIdentity {
      get throws { try TLSIdentity(certificates: pem, key: keyPEM) }
    }
    var identityWithRoot: TLSIdentity {
      get throws { try TLSIdentity(certificates: pem + issuers.flatMap(\.pem), key: keyPEM) }
    }
  }

  /// nil issuer: self-signed. `extensions` are OpenSSL's NIDs and configuration values.
  static func make(
    _ name: String, by issuer: Party? = nil, ca: Bool = false, names: String? = nil, from: Int64 = now - 30 * day,
    to: Int64 = now + 30 * day, key kind: Key = .ec, digest: OpaquePointer? = EVP_sha256(), serial: Int = 1,
    signedBy: Party? = nil, extensions: [(Int32, String)] = [], naming: (OpaquePointer?) -> Void = { _ in }
  ) -> Party {
    let key = makeKey(kind)
    let certificate = X509_new()!
    X509_set_version(certificate, 2)
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial)
    ASN1_TIME_set(X509_getm_notBefore(certificate), time_t(from))
    ASN1_TIME_set(X509_getm_notAfter(certificate), time_t(to))
    X509_set_pubkey(certificate, key)
    let subject = X509_get_subject_name(certificate)
    if !name.isEmpty { X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, name, -1, -1, 0) }
    naming(subject)
    X509_set_issuer_name(certificate, issuer.map { X509_get_subject_name($0.certificate) } ?? subject)
    var all = extensions
    if ca {
      all += [(NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign,cRLSign")]
    }
    if let names { all.append((NID_subject_alt_name, names)) }
    var context = X509V3_CTX()
    X509V3_set_ctx(&context, issuer?.certificate ?? certificate, certificate, nil, nil, 0)
    for (nid, value) in all {
      let item = X509V3_EXT_conf_nid(nil, &context, nid, value)!
      X509_add_ext(certificate, item, -1)
      X509_EXTENSION_free(item)
    }
    X509_sign(certificate, (signedBy ?? issuer)?.key ?? key, digest)
    return Party(certificate, key, issuer.map { [$0] + $0.issuers } ?? [])
  }

  static func makeKey(_ kind: Key) -> OpaquePointer {
    var key: OpaquePointer?
    let context: OpaquePointer
    switch kind {
    case .ec: return makeKey(.curve("P-256"))
    case .compressed:
      let key = makeKey(.ec)
      EVP_PKEY_set_utf8_string_param(key, "point-format", "compressed")
      return key
    case .curve(let name):
      context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil)!
      EVP_PKEY_keygen_init(context)
      EVP_PKEY_CTX_set_group_name(context, name)
    case .curveWithoutName(let name):
      context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil)!
      EVP_PKEY_keygen_init(context)
      EVP_PKEY_CTX_set_group_name(context, name)
      EVP_PKEY_CTX_set_ec_param_enc(context, OPENSSL_EC_EXPLICIT_CURVE)
    case .same(let party):
      EVP_PKEY_up_ref(party.key)
      return party.key
    case .rsaOfExponentOne:
      return rsaKey(BN_get_rfc3526_prime_1536(nil), BN_get_rfc3526_prime_2048(nil), exponent: 1)
    case .rsa8192: return rsaKey(BN_get_rfc3526_prime_6144(nil), BN_get_rfc3526_prime_2048(nil))
    case .rsa8256:
      let prime = BN_new()!
      BN_set_word(prime, 18_446_744_073_709_551_557)
      return rsaKey(BN_get_rfc3526_prime_8192(nil), prime)
    case .rsa(let bits):
      context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil)!
      EVP_PKEY_keygen_init(context)
      EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits))
    case .pss:
      context = EVP_PKEY_CTX_new_from_name(nil, "RSA-PSS", nil)!
      EVP_PKEY_keygen_init(context)
      EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048)
    case .rsaOfExponent(let digits):
      context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil)!
      EVP_PKEY_keygen_init(context)
      EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048)
      var exponent: OpaquePointer?
      BN_hex2bn(&exponent, digits)
      EVP_PKEY_CTX_set1_rsa_keygen_pubexp(context, exponent)
      BN_free(exponent)
    }
    EVP_PKEY_generate(context, &key)
    EVP_PKEY_CTX_free(context)
    return key!
  }

  /// The key of two primes, which it takes over. To look for primes of thousands of bits would take seconds.
  private static func rsaKey(_ p: OpaquePointer, _ q: OpaquePointer, exponent: UInt = 65_537) -> OpaquePointer {
    let context = BN_CTX_new()!
    defer { BN_CTX_free(context) }
    let (zero, n, e, phi, pLess, qLess) = (BN_new()!, BN_new()!, BN_new()!, BN_new()!, BN_dup(p)!, BN_dup(q)!)
    BN_mul(n, p, q, context)
    BN_set_word(e, exponent)
    BN_sub_word(pLess, 1)
    BN_sub_word(qLess, 1)
    BN_mul(phi, pLess, qLess, context)
    let (d, dP, dQ) = (BN_mod_inverse(nil, e, phi, context)!, BN_new()!, BN_new()!)
    BN_div(nil, dP, d, pLess, context)
    BN_div(nil, dQ, d, qLess, context)
    // As PKCS #1 has it.
    let numbers = [zero, n, e, d, p, q, dP, dQ, BN_mod_inverse(nil, q, p, context)!]
    let content = numbers.flatMap { number in
      let integer = BN_to_ASN1_INTEGER(number, nil)!
      defer { ASN1_INTEGER_free(integer) }
      return OpenSSLBytes.der { i2d_ASN1_INTEGER(integer, $0) }
    }
    for number in numbers + [phi, pLess, qLess] { BN_free(number) }
    let der = [0x30, 0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
    return der.withUnsafeBufferPointer { bytes in
      var start = bytes.baseAddress
      return d2i_PrivateKey(EVP_PKEY_RSA, nil, &start, bytes.count)!
    }
  }

  /// A list of an issuer's that revokes one serial number.
  static func revocationList(
    by issuer: Party, serial: Int, until: Int64 = now + day, signedBy: Party? = nil, extensions: [(Int32, String)] = []
  ) -> [UInt8] {
    let list = X509_CRL_new()!
    defer { X509_CRL_free(list) }
    X509_CRL_set_version(list, 1)
    X509_CRL_set_issuer_name(list, X509_get_subject_name(issuer.certificate))
    let time = ASN1_TIME_set(nil, time_t(now - day))
    X509_CRL_set1_lastUpdate(list, time)
    let revoked = X509_REVOKED_new()!
    X509_REVOKED_set_serialNumber(revoked, X509_get_serialNumber(make("x", serial: serial).certificate))
    X509_REVOKED_set_revocationDate(revoked, time)
    X509_CRL_add0_revoked(list, revoked)
    ASN1_TIME_set(time, time_t(until))
    X509_CRL_set1_nextUpdate(list, time)
    ASN1_TIME_free(time)
    var context = X509V3_CTX()
    X509V3_set_ctx(&context, issuer.certificate, nil, nil, list, 0)
    for (nid, value) in extensions {
      let item = X509V3_EXT_conf_nid(nil, &context, nid, value)!
      X509_CRL_add_ext(list, item, -1)
      X509_EXTENSION_free(item)
    }
    X509_CRL_sign(list, (signedBy ?? issuer).key, EVP_sha256())
    return pem { PEM_write_bio_X509_CRL($0, list) }
  }

  static func pem(_ write: (OpaquePointer) -> Int32) -> [UInt8] {
    Array(OpenSSLBytes.text(limit: 1 << 22) { _ = write($0) }.utf8)
  }

  static let root = make("Root", ca: true)
  static let intermediate = make("Intermediate", by: root, ca: true)
  static let good = make("good", by: intermediate, names: "DNS:good.example,DNS:*.wild.example,IP:192.0.2.1")
}
