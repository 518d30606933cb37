import COpenSSL

/// The key derivations of TLS 1.2 and 1.3 that a hand-made record needs, for the suites with AES-128-GCM and SHA-256.
enum TLSKeySchedule {
  static let keyLength = 16
  static let hashLength = 32

  /// HKDF-Expand-Label with an empty context (RFC 8446, 7.1); up to 32 bytes.
  static func expand(_ secret: [UInt8], _ label: String, count: Int) -> [UInt8] {
    let label = Array("tls13 \(label)".utf8)
    let info = [0, UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: label.count)] + label + [0]
    return Array(hash(info + [1], key: secret).prefix(count))
  }

  /// The PRF of TLS 1.2 with SHA-256 (RFC 5246, 5).
  static func stretch(_ secret: [UInt8], _ label: String, seed: [UInt8], count: Int) -> [UInt8] {
    let seed = Array(label.utf8) + seed
    var bytes: [UInt8] = []
    var link = seed
    while bytes.count < count {
      link = hash(link, key: secret)
      bytes += hash(link + seed, key: secret)
    }
    return Array(bytes.prefix(count))
  }

  private static func hash(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: hashLength)
    var length: UInt32 = 0
    _ = HMAC(EVP_sha256(), key, Int32(clamping: key.count), bytes, bytes.count, &result, &length)
    return result
  }
}
