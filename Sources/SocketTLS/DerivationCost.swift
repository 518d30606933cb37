import COpenSSL
import Glibc

/// What it takes to open a PKCS#12 or an encrypted private key: how often the derivations of keys hash.
///
/// The file says so itself, and OpenSSL does what it says: with the largest number, one key takes minutes, and a file
/// may have thousands.
package enum DerivationCost {
  /// Some seconds. Files have 2048 mostly, and a million at the most.
  package static let limit: Int64 = 1 << 25

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

  /// The iterations that the encrypted private keys in PEM or DER take, all of them together: OpenSSL may try one after
  /// the other.
  static func iterations(ofKeys bytes: UnsafeRawBufferPointer, isPEM: Bool) -> Int64 {
    ERR_clear_error()
    defer { ERR_clear_error() }
    return OpenSSLBytes.withBIO(bytes) { bio in
      guard let bio else { return 0 }
      guard isPEM else { return iterations(of: d2i_PKCS8_bio(bio, nil)) }
      var total: Int64 = 0
      var rest = BIO_ctrl_pending(bio)
      while rest > 0 {
        total = sum(total, nextBlock(bio))
        // Behind a block that can't be read OpenSSL goes on, too.
        guard BIO_ctrl_pending(bio) < rest else { break }
        rest = BIO_ctrl_pending(bio)
      }
      return total
    }
  }

  private static func nextBlock(_ bio: OpaquePointer) -> Int64 {
    var (name, header): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?)
    var data: UnsafeMutablePointer<UInt8>?
    var count = 0
    guard PEM_read_bio(bio, &name, &header, &data, &count) == 1, let name, let header, let data else { return 0 }
    defer {
      CRYPTO_free(name, #file, #line)
      CRYPTO_free(header, #file, #line)
      CRYPTO_clear_free(data, count, #file, #line)
    }
    // Encrypted twice: the number is inside of what is encrypted. Nothing writes that.
    if header.pointee != 0, strcmp(name, PEM_STRING_PKCS8) == 0 { return .max }
    var position: UnsafePointer<UInt8>? = UnsafePointer(data)
    return iterations(of: d2i_X509_SIG(nil, &position, count))
  }

  /// Frees the key.
  private static func iterations(of key: OpaquePointer?) -> Int64 {
    guard let key else { return 0 }
    defer { X509_SIG_free(key) }
    var cipher: UnsafePointer<X509_ALGOR>?
    X509_SIG_get0(key, &cipher, nil)
    return cipher.map { lab_tls_key_iterations($0) } ?? 0
  }
}
