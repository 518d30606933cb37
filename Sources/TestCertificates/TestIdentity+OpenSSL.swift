import COpenSSL

extension TestIdentity {
  /// Has sessions of the context (an `SSL_CTX`) show it: the certificate, what goes with it, and the key. Throws where
  /// OpenSSL can't read one of them or does not want to send it; some of it may be set then.
  package func show(in context: OpaquePointer) throws(CertificateFailure) {
    for (place, der) in chainDER.enumerated() {
      guard let certificate = Self.certificate(der) else { throw .openSSL("d2i_X509") }
      defer { X509_free(certificate) }
      let isTaken =
        place == 0 ? SSL_CTX_use_certificate(context, certificate) : lab_peer_add_chain(context, certificate)
      guard isTaken == 1 else { throw .openSSL("SSL_CTX_use_certificate") }
    }
    let key = try privateKey()
    defer { EVP_PKEY_free(key) }
    guard SSL_CTX_use_PrivateKey(context, key) == 1 else { throw .openSSL("SSL_CTX_use_PrivateKey") }
  }

  /// The certificate in DER, as OpenSSL reads it. The caller's to free; nil: it can't be read.
  package static func certificate(_ der: [UInt8]) -> OpaquePointer? {
    der.withUnsafeBufferPointer { bytes in
      var next = bytes.baseAddress
      return d2i_X509(nil, &next, bytes.count)
    }
  }

  /// The caller's to free.
  func privateKey() throws(CertificateFailure) -> OpaquePointer {
    let read = key.withUnsafeBufferPointer { bytes -> OpaquePointer? in
      guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
      defer { BIO_free(bio) }
      return PEM_read_bio_PrivateKey(bio, nil, nil, nil)
    }
    guard let read else { throw .openSSL("PEM_read_bio_PrivateKey") }
    return read
  }
}
