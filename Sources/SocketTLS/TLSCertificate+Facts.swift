import COpenSSL

extension TLSCertificate {
  private var x509: OpaquePointer { handle.x509 }

  /// The subject's distinguished name as "C = …, O = …, CN = …", at most 256 bytes of it.
  package var subject: String { TLSCertificate.text(name: X509_get_subject_name(x509)) }
  /// The name of whoever signed it, written like `subject`.
  package var issuer: String { TLSCertificate.text(name: X509_get_issuer_name(x509)) }

  /// The serial number in hexadecimal digits; empty where there is none.
  package var serial: String {
    guard let serial = X509_get0_serialNumber(x509) else { return "" }
    let bytes = UnsafeRawBufferPointer(start: ASN1_STRING_get0_data(serial), count: Int(ASN1_STRING_length(serial)))
    return bytes.hexText
  }

  /// The serial number as the certificate has it: big-endian in two's complement, at least one byte; empty where there
  /// is none.
  package var serialBytes: [UInt8] {
    guard let serial = X509_get0_serialNumber(x509) else { return [] }
    // Behind the tag and the length, which says in its first byte how long it is if that is more than 127.
    let der = OpenSSLBytes.der { i2d_ASN1_INTEGER(serial, $0) }
    guard der.count > 2 else { return [] }
    return Array(der.dropFirst(der[1] < 0x80 ? 2 : 2 + Int(der[1] & 0x7f)))
  }

  /// The first instant of validity, in Unix seconds; nil where the certificate is ill-formed.
  package var notBefore: Int64? { CalendarTime.seconds(X509_get0_notBefore(x509)) }
  /// The last instant of validity, in Unix seconds; nil where the certificate is ill-formed.
  package var notAfter: Int64? { CalendarTime.seconds(X509_get0_notAfter(x509)) }

  /// The DNS names it is for, as they stand there; what isn't printable ASCII is escaped.
  package var dnsNames: [String] {
    var names: [String] = []
    forEachName { kind, bytes in if kind == GEN_DNS { names.append(TLSCertificate.printable(bytes)) } }
    return names
  }

  /// The addresses it is for, in numeric form.
  package var ipAddresses: [String] {
    var addresses: [String] = []
    forEachName { kind, bytes in if kind == GEN_IPADD { addresses.append(PeerName.text(ofAddress: Array(bytes))) } }
    return addresses
  }

  /// The algorithm of the public key: "RSA", "EC P-256", "ED25519" and so on.
  package var keyKind: String {
    guard let key = X509_get0_pubkey(x509) else { return "unknown" }
    let name = EVP_PKEY_get0_type_name(key).map { String(cString: $0) } ?? "unknown"
    guard name == "EC" else { return name }
    var group = [CChar](repeating: 0, count: 64)
    guard EVP_PKEY_get_group_name(key, &group, group.count, nil) == 1 else { return name }
    let curve = String(decoding: group.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return "EC \(curve == "prime256v1" ? "P-256" : curve)"
  }

  /// OpenSSL's name of the algorithm it is signed with, such as "ecdsa-with-SHA256".
  package var signatureAlgorithm: String {
    OBJ_nid2ln(X509_get_signature_nid(x509)).map { String(cString: $0) } ?? "unknown"
  }

  /// Names and addresses for a message: a few, and how many more there are.
  var nameList: String {
    var shown: [String] = []
    var count = 0
    forEachName { kind, bytes in
      guard kind == GEN_DNS || kind == GEN_IPADD else { return }
      count += 1
      guard shown.count < 5 else { return }
      shown.append(kind == GEN_DNS ? TLSCertificate.printable(bytes) : PeerName.text(ofAddress: Array(bytes)))
    }
    if count == 0 { return "\(subject) (no alternative names)" }
    return shown.joined(separator: ", ") + (count > shown.count ? " and \(count - shown.count) more" : "")
  }

  private func forEachName(_ body: (Int32, UnsafeRawBufferPointer) -> Void) {
    guard let names = lab_tls_names(x509) else { return }
    defer { GENERAL_NAMES_free(names) }
    for index in 0..<max(0, lab_tls_names_count(names)) {
      var kind: Int32 = 0
      var length: Int32 = 0
      guard let bytes = lab_tls_name_at(names, index, &kind, &length), length >= 0 else { continue }
      body(kind, UnsafeRawBufferPointer(start: bytes, count: Int(length)))
    }
  }

  static func text(name: OpaquePointer?) -> String {
    guard let name else { return "?" }
    return OpenSSLBytes.text { _ = lab_tls_print_name($0, name) }
  }

  static func printable(_ bytes: some Collection<UInt8>) -> String {
    var text = ""
    for byte in bytes.prefix(256) {
      if (0x20..<0x7F).contains(byte) {
        text.append(Character(UnicodeScalar(byte)))
      } else {
        text += "\\x" + [byte].hexText
      }
    }
    return text
  }
}
