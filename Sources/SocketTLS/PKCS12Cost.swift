import COpenSSL

/// What it takes to open a PKCS#12: how often the derivations of its keys hash.
///
/// The file says so itself, and OpenSSL does what it says: with the largest number, one key takes minutes, and a file
/// may have thousands.
enum PKCS12Cost {
  /// Some seconds. Files have 2048 mostly, and a million at the most.
  static let limit: Int64 = 1 << 25

  /// The iterations that opening the container takes, more or less; where they exceed the limit, any number above it.
  /// To look into what is encrypted takes as many again.
  static func iterations(of container: OpaquePointer?, _ passphrase: SecretBytes?, upTo limit: Int64) -> Int64 {
    ERR_clear_error()
    defer { ERR_clear_error() }
    guard let container else { return 0 }
    var total = lab_tls_mac_iterations(container)
    guard total <= limit, let safes = PKCS12_unpack_authsafes(container) else { return total }
    defer { lab_tls_safes_free(safes) }
    for index in 0..<max(0, lab_tls_safes_count(safes)) {
      guard let safe = lab_tls_safe_at(safes, index) else { continue }
      if let cipher = lab_tls_safe_cipher(safe) { total = sum(total, lab_tls_key_iterations(cipher)) }
      guard total <= limit else { return total }
      let bags = contents(of: safe, passphrase)
      defer { lab_tls_bags_free(bags) }
      total = sum(total, iterations(of: bags, depth: 0))
    }
    return total
  }

  private static func contents(
    of safe: UnsafeMutablePointer<PKCS7>, _ passphrase: SecretBytes?
  ) -> OpaquePointer? {
    if lab_tls_safe_is_clear(safe) == 1 { return PKCS12_unpack_p7data(safe) }
    guard lab_tls_safe_cipher(safe) != nil else { return nil }
    // The empty passphrase is two: with and without its NUL.
    let isEmpty = passphrase.map { $0.count <= 1 } ?? true
    return passphrase?.withBytes { bytes in
      PKCS12_unpack_p7encdata(safe, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), -1)
    } ?? (isEmpty ? PKCS12_unpack_p7encdata(safe, nil, 0) : nil)
  }

  private static func iterations(of bags: OpaquePointer?, depth: Int) -> Int64 {
    guard let bags, depth < maximumDepth else { return 0 }
    var total: Int64 = 0
    for index in 0..<max(0, lab_tls_bags_count(bags)) {
      guard let bag = lab_tls_bag_at(bags, index) else { continue }
      if let cipher = lab_tls_bag_cipher(bag) { total = sum(total, lab_tls_key_iterations(cipher)) }
      total = sum(total, iterations(of: lab_tls_bag_contents(bag), depth: depth + 1))
    }
    return total
  }

  /// More than OpenSSL parses.
  private static let maximumDepth = 64

  private static func sum(_ one: Int64, _ other: Int64) -> Int64 {
    let (sum, isOverflow) = one.addingReportingOverflow(other)
    return isOverflow ? .max : sum
  }
}
