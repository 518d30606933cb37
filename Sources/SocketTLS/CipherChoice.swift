import COpenSSL
import SocketCore

/// Cipher suites by name, as OpenSSL wants them: those of TLS 1.3 apart from the older ones.
struct CipherChoice {
  private(set) var older: [String] = []
  private(set) var tls13: [String] = []

  /// Looks the names up among all that the library has: OpenSSL's names, IANA's, or numbers such as "0x1301". Suites
  /// that prove nothing about the peer or don't encrypt are refused like unknown ones.
  init(_ names: [String], scratch context: OpaquePointer) throws(SocketFailure) {
    ERR_clear_error()
    let all13 = [
      "AES_256_GCM_SHA384", "CHACHA20_POLY1305_SHA256", "AES_128_GCM_SHA256", "AES_128_CCM_SHA256",
      "AES_128_CCM_8_SHA256",
    ]
    guard SSL_CTX_set_cipher_list(context, "ALL:!aNULL:!eNULL:!PSK:!SRP:@SECLEVEL=0") == 1,
      SSL_CTX_set_ciphersuites(context, all13.map { "TLS_" + $0 }.joined(separator: ":")) == 1,
      let all = SSL_CTX_get_ciphers(context)
    else { throw OpenSSLErrors.failure("The cipher suites can't be listed") }
    for name in names {
      guard let cipher = CipherChoice.find(name, in: all), let own = SSL_CIPHER_get_name(cipher) else {
        throw .other("\(name.debugDescription) is no cipher suite known here.")
      }
      let text = String(cString: own)
      if SSL_CIPHER_get_version(cipher).map({ String(cString: $0) }) == "TLSv1.3" {
        tls13.append(text)
      } else {
        older.append(text)
      }
    }
  }

  /// The suites up to TLS 1.2 when none are named: ephemeral key exchange with AEAD. If `lowest` is below 1.2, CBC
  /// suites are added, because those versions have no others; `TLSStrength` confines them to those versions.
  static func defaults(from lowest: ProtocolVersion) -> [String] {
    let sealed = ["ECDHE+AESGCM", "ECDHE+CHACHA20", "DHE+AESGCM", "DHE+CHACHA20"]
    return (lowest < .tls12 ? sealed + ["ECDHE+AES+SHA1", "DHE+AES+SHA1"] : sealed) + ["!aDSS"]
  }

  /// Suites that prove nothing about the peer, don't encrypt, or need keys that are never set (PSK, SRP).
  static let neverUsed = ["!aNULL", "!eNULL", "!PSK", "!SRP"]

  private static func find(_ name: String, in all: OpaquePointer) -> OpaquePointer? {
    let wanted = name.lowercased()
    // With or without zeros in front.
    let digits = wanted.hasPrefix("0x") ? wanted.dropFirst(2) : ""
    let wantedNumber = digits.allSatisfy(\.isHexDigit) ? UInt16(digits, radix: 16) : nil
    for index in 0..<max(0, lab_tls_cipher_count(all)) {
      guard let cipher = lab_tls_cipher_at(all, index) else { continue }
      let number = SSL_CIPHER_get_protocol_id(cipher)
      let names = [SSL_CIPHER_get_name(cipher), SSL_CIPHER_standard_name(cipher)].compactMap { $0 }
      if names.contains(where: { String(cString: $0).lowercased() == wanted })
        || wantedNumber == number
      {
        return cipher
      }
    }
    return nil
  }
}
