import Glibc
import SocketCore

/// The name or address a peer's certificate must be for.
///
/// What isn't a possible host name is refused, not looked for: OpenSSL gives a leading dot a meaning of its own, and a
/// name with NUL ends early for code that reads C strings.
package enum PeerName: Hashable, Sendable {
  /// In lower case and without the dot at the end.
  case host(String)
  /// An address as 4 or 16 bytes in network order.
  case address([UInt8])

  package init(_ text: String) throws(SocketFailure) {
    if let bytes = PeerName.address(text) {
      self = .address(bytes)
      return
    }
    let shown = text.debugDescription
    guard !text.isEmpty else { throw .other("The peer name is empty.") }
    guard text.utf8.allSatisfy({ $0 < 0x80 }) else {
      throw .other("The peer name \(shown) is not ASCII; write international names in their A-label form (xn--…).")
    }
    let name = text.hasSuffix(".") ? String(text.dropLast()) : text
    // An address with a dot behind it is no host name: no certificate of a host may stand for it.
    guard PeerName.address(name) == nil else {
      throw .other("The peer name \(shown) is an address with a dot at its end; leave the dot out.")
    }
    guard name.utf8.count <= 253 else { throw .other("The peer name \(shown) is longer than 253 bytes.") }
    for label in name.split(separator: ".", omittingEmptySubsequences: false) {
      guard !label.isEmpty, label.utf8.count <= 63 else {
        throw .other("The peer name \(shown) has a label that is empty or longer than 63 bytes.")
      }
      guard label.utf8.allSatisfy(PeerName.isNameByte) else {
        throw .other("The peer name \(shown) has a character that no host name has.")
      }
    }
    self = .host(name.lowercased())
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func address(_ text: String) -> [UInt8]? {
    guard !text.utf8.contains(0) else { return nil }
    for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
      var bytes = [UInt8](repeating: 0, count: size)
      if inet_pton(family, text, &bytes) == 1 { return bytes }
    }
    return nil
  }

  /// The name as one writes it: the host in lower case, or the address in its numeric form.
  package var text: String {
    switch self {
    case .host(let name): name
    case .address(let bytes): PeerName.text(ofAddress: bytes)
    }
  }

  /// The usual writing of 4 or 16 bytes of address; other lengths in hex.
  static func text(ofAddress bytes: [UInt8]) -> String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard bytes.count == 4 || bytes.count == 16,
      inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil
    else { return bytes.hexText }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

extension Sequence<UInt8> {
  /// Two lower-case digits a byte.
  var hexText: String {
    let digits = Array("0123456789abcdef")
    return String(flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}
