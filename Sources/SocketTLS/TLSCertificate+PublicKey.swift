import COpenSSL

extension TLSCertificate {
  /// The public key alone, as its algorithm writes it: of RSA the PKCS#1 structure, of EC the uncompressed point, of
  /// others the bare bytes; nil for a key that OpenSSL does not know.
  package var publicKey: [UInt8]? {
    ERR_clear_error()
    defer { ERR_clear_error() }
    guard let key = X509_get0_pubkey(handle.x509) else { return nil }
    var count = 0
    if EVP_PKEY_get_raw_public_key(key, nil, &count) == 1 {
      var bytes = [UInt8](repeating: 0, count: count)
      return EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1 ? Array(bytes.prefix(count)) : nil
    }
    let bytes = OpenSSLBytes.der { i2d_PublicKey(key, $0) }
    return bytes.isEmpty ? nil : bytes
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
    guard count > 0, let text else { return nil }
    defer { CRYPTO_free(text, nil, 0) }
    return String(decoding: UnsafeBufferPointer(start: text, count: Int(count)), as: UTF8.self)
  }
}
