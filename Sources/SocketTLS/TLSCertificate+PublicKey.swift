import COpenSSL

extension TLSCertificate {
  /// The public key alone, as its algorithm writes it: of RSA the PKCS#1 structure, of EC the uncompressed point, of
  /// others the bare bytes; nil for a key that OpenSSL does not know, and for one on a curve without a name: its bytes
  /// say nothing without the curve, which whoever made the key can choose so that they are those of another key.
  package var publicKey: [UInt8]? {
    ERR_clear_error()
    defer { ERR_clear_error() }
    guard let key = X509_get0_pubkey(handle.x509) else { return nil }
    var count = 0
    if EVP_PKEY_get_raw_public_key(key, nil, &count) == 1 {
      var bytes = [UInt8](repeating: 0, count: count)
      return EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1 ? Array(bytes.prefix(count)) : nil
    }
    let bytes = isEllipticCurve(key) ? point(of: key) : OpenSSLBytes.der { i2d_PublicKey(key, $0) }
    return bytes.isEmpty ? nil : bytes
  }

  private func isEllipticCurve(_ key: OpaquePointer) -> Bool {
    EVP_PKEY_get0_type_name(key).map { String(cString: $0) } == "EC"
  }

  /// With both coordinates, however the certificate writes it; empty where the curve has no name.
  private func point(of key: OpaquePointer) -> [UInt8] {
    var group = [CChar](repeating: 0, count: 64)
    guard EVP_PKEY_get_group_name(key, &group, group.count, nil) == 1 else { return [] }
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = EVP_PKEY_get1_encoded_public_key(key, &bytes)
    defer { CRYPTO_free(bytes, nil, 0) }
    return bytes.map { Array(UnsafeBufferPointer(start: $0, count: count)) } ?? []
  }

  /// What people call the subject: its common name, or else its unit or organisation, or else the first DNS name.
  package var summary: String? {
    commonName ?? subjectEntry(NID_organizationalUnitName) ?? subjectEntry(NID_organizationName) ?? dnsNames.first
  }

  /// The subject's common name.
  package var commonName: String? { subjectEntry(NID_commonName) }

  private func subjectEntry(_ kind: Int32) -> String? {
    guard let name = X509_get_subject_name(handle.x509) else { return nil }
    let index = X509_NAME_get_index_by_NID(name, kind, -1)
    guard index >= 0, let entry = X509_NAME_get_entry(name, index) else { return nil }
    var text: UnsafeMutablePointer<UInt8>?
    let count = ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(entry))
    // An empty text has memory, too.
    defer { CRYPTO_free(text, nil, 0) }
    guard count > 0, let text else { return nil }
    return String(decoding: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
  }
}
