import COpenSSL

extension TestIdentity {
  /// The same as one archive (PKCS #12) under a passphrase, as keychains and servers export it. What is random in it
  /// comes from a seed, so that it is the same bytes each time and nothing is drawn from the caller's randomness.
  package func pkcs12(passphrase: String) throws(CertificateFailure) -> [UInt8] {
    try SeededRandomness.with(seed: 12) { () throws(CertificateFailure) in try archive(passphrase) }
  }

  private func archive(_ passphrase: String) throws(CertificateFailure) -> [UInt8] {
    guard let others = lab_tls_stack_new() else { throw .openSSL("sk_X509_new_null") }
    // Frees what is in it, too.
    defer { lab_tls_stack_free(others) }
    var own: OpaquePointer?
    defer { X509_free(own) }
    for (index, der) in chainDER.enumerated() {
      guard let certificate = Self.certificate(der) else { throw .openSSL("d2i_X509") }
      if index == 0 {
        own = certificate
      } else {
        defer { X509_free(certificate) }
        guard lab_tls_stack_add(others, certificate) == 1 else { throw .openSSL("sk_X509_push") }
      }
    }
    let key = try privateKey()
    defer { EVP_PKEY_free(key) }
    // Few rounds: it protects nothing.
    guard let archive = PKCS12_create(passphrase, nil, key, own, others, 0, 0, 1, 1, 0) else {
      throw .openSSL("PKCS12_create")
    }
    defer { PKCS12_free(archive) }
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = i2d_PKCS12(archive, &bytes)
    guard let bytes, count > 0 else { throw .openSSL("i2d_PKCS12") }
    defer { CRYPTO_free(bytes, #file, #line) }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }
}
