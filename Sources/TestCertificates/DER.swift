/// Writes ASN.1 in the distinguished encoding (X.690): every function returns one whole element.
///
/// The certificates are written by hand because half of their classes are such that no library would write them.
enum DER {
  static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    var bytes = [tag]
    bytes.reserveCapacity(content.count + 6)
    if content.count < 0x80 {
      bytes.append(UInt8(content.count))
    } else {
      let length = bigEndian(UInt64(content.count))
      bytes.append(0x80 | UInt8(length.count))
      bytes += length
    }
    return bytes + content
  }

  static func sequence(_ parts: [[UInt8]]) -> [UInt8] { element(0x30, Array(parts.joined())) }
  static func set(_ parts: [[UInt8]]) -> [UInt8] { element(0x31, Array(parts.joined())) }
  static func boolean(_ value: Bool) -> [UInt8] { element(0x01, [value ? 0xFF : 0]) }
  static func octetString(_ content: [UInt8]) -> [UInt8] { element(0x04, content) }
  static func utf8String(_ content: [UInt8]) -> [UInt8] { element(0x0C, content) }
  static let null: [UInt8] = [0x05, 0]

  /// A bit string of whole bytes.
  static func bitString(_ content: [UInt8]) -> [UInt8] { element(0x03, [0] + content) }

  /// A bit string of named bits, the first one the highest bit; without trailing zeros, as DER wants it.
  static func namedBits(_ bits: UInt8) -> [UInt8] {
    bits == 0 ? element(0x03, [0]) : element(0x03, [UInt8(bits.trailingZeroBitCount), bits])
  }

  static func integer(_ value: UInt64) -> [UInt8] {
    let bytes = bigEndian(value)
    return integer(content: bytes[0] & 0x80 == 0 ? bytes : [0] + bytes)
  }

  /// An integer from its content bytes, two's complement, as they are.
  static func integer(content: [UInt8]) -> [UInt8] { element(0x02, content) }

  /// `[number]` around the element.
  static func explicit(_ number: UInt8, _ content: [UInt8]) -> [UInt8] { element(0xA0 | number, content) }

  /// `[number]` instead of the tag of a primitive type.
  static func implicit(_ number: UInt8, _ content: [UInt8]) -> [UInt8] { element(0x80 | number, content) }

  /// From at least two arcs.
  static func objectIdentifier(_ arcs: [UInt64]) -> [UInt8] {
    let merged = [arcs[0] * 40 + arcs[1]] + arcs.dropFirst(2)
    return element(0x06, merged.flatMap(base128))
  }

  private static func base128(_ value: UInt64) -> [UInt8] {
    var bytes = [UInt8(value & 0x7F)]
    var rest = value >> 7
    while rest > 0 {
      bytes.append(0x80 | UInt8(rest & 0x7F))
      rest >>= 7
    }
    return bytes.reversed()
  }

  /// Without leading zeros, at least one byte.
  private static func bigEndian(_ value: UInt64) -> [UInt8] {
    let bytes = withUnsafeBytes(of: value.bigEndian, Array.init)
    return Array(bytes.dropFirst(min(value.leadingZeroBitCount / 8, 7)))
  }
}
