import COpenSSL
import Conversations

/// What people want to know of a certificate.
enum CertificateSummary {
  private static let maxNames = 3
  /// Of a part, in characters.
  private static let maxText = 200

  /// Of a certificate in DER.
  static func read(_ der: ArraySlice<UInt8>) -> Conversation.Certificate {
    defer { ERR_clear_error() }
    let bytes = Array(der)
    let parsed = bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
      var next = buffer.baseAddress
      return d2i_X509(nil, &next, buffer.count)
    }
    guard let certificate = parsed else {
      return Conversation.Certificate(text: "a certificate that cannot be read", isRSA: false)
    }
    defer { X509_free(certificate) }
    var parts = [subject(certificate)]
    let all = names(certificate)
    parts += all.prefix(maxNames)
    if all.count > maxNames { parts.append("and \(all.count - maxNames) more") }
    let validity = [X509_get0_notBefore(certificate), X509_get0_notAfter(certificate)].map(day)
    parts.append("valid \(validity[0]) to \(validity[1])")
    let isRSA = X509_get0_pubkey(certificate).map { EVP_PKEY_get_base_id($0) == EVP_PKEY_RSA } ?? false
    let text = parts.map { $0.count > maxText ? $0.prefix(maxText) + "..." : $0 }.joined(separator: ", ")
    return Conversation.Certificate(text: text, isRSA: isRSA)
  }

  private static func subject(_ certificate: OpaquePointer) -> String {
    guard let memory = BIO_new(BIO_s_mem()) else { return "?" }
    defer { BIO_free(memory) }
    var text: UnsafeMutablePointer<CChar>?
    guard let name = X509_get_subject_name(certificate), lab_tls_print_name(memory, name) >= 0 else { return "?" }
    let count = lab_tls_bio_contents(memory, &text)
    guard count > 0, let text else { return "no subject" }
    return String(decoding: UnsafeRawBufferPointer(start: text, count: count), as: UTF8.self)
  }

  private static func names(_ certificate: OpaquePointer) -> [String] {
    guard let names = lab_tls_names(certificate) else { return [] }
    defer { GENERAL_NAMES_free(names) }
    return (0..<max(0, lab_tls_names_count(names))).compactMap { index in
      var (kind, length): (Int32, Int32) = (0, 0)
      guard let bytes = lab_tls_name_at(names, index, &kind, &length) else { return nil }
      let content = UnsafeBufferPointer(start: bytes, count: Int(length))
      if kind == GEN_DNS { return "DNS:" + String(decoding: content, as: UTF8.self) }
      guard length == 4 else { return "IP:" + content.map { String($0, radix: 16) }.joined(separator: ":") }
      return "IP:" + content.map(String.init).joined(separator: ".")
    }
  }

  private static func day(_ time: UnsafePointer<ASN1_TIME>?) -> String {
    var parts = tm()
    guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return "?" }
    let numbers = [Int(parts.tm_year) + 1_900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)]
    return numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: "-")
  }
}
