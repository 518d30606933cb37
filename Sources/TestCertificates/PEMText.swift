/// The text form of certificates, keys and revocation lists (RFC 7468).
enum PEMText {
  enum Label: String {
    case certificate = "CERTIFICATE"
    case privateKey = "PRIVATE KEY"
    case revocationList = "X509 CRL"
  }

  static func text(_ label: Label, _ der: [UInt8]) -> [UInt8] {
    var bytes = Array("-----BEGIN \(label.rawValue)-----\n".utf8)
    for start in stride(from: 0, to: der.count, by: 48) {
      bytes += base64(der[start..<min(start + 48, der.count)])
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes + Array("-----END \(label.rawValue)-----\n".utf8)
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  private static func base64(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var text: [UInt8] = []
    for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.endIndex)]
      let padded = Array(group) + Array(repeating: 0, count: 3 - group.count)
      let word = UInt32(padded[0]) << 16 | UInt32(padded[1]) << 8 | UInt32(padded[2])
      for index in 0..<4 {
        text.append(index <= group.count ? alphabet[Int(word >> UInt32(18 - 6 * index) & 63)] : UInt8(ascii: "="))
      }
    }
    return text
  }
}
