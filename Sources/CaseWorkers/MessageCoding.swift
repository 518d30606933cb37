/// `Codable` values as compact bytes, for messages between processes of one build.
///
/// Why not JSON or a property list: a trace carries payloads of up to megabytes, which both of them write as numbers in
/// text or one object a byte. Here `[UInt8]` goes as it is.
///
/// Laws
/// - `decode(encode(x)) == x`.
/// - Decoding is total: whatever the bytes are, it returns or throws. A worker may have been damaged by what it judges.
package enum MessageCoding {
  /// Deeper nesting than this is refused.
  static let mostLevels = 256

  /// Throws what the value's own `encode(to:)` throws.
  package static func encode(_ value: some Encodable) throws -> [UInt8] {
    let root = MessageNode()
    try MessageEncoder(node: root, codingPath: []).encode(value)
    var bytes: [UInt8] = []
    root.write(to: &bytes)
    return bytes
  }

  /// Throws `DecodingError` if the bytes are not one whole value of the type.
  package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    var reader = MessageReader(bytes: bytes, offset: 0, end: bytes.count)
    let start = try reader.skipValue()
    guard reader.offset == bytes.count else { throw MessageReader.corrupted("bytes are left over") }
    return try MessageDecoder(bytes: bytes, place: start, codingPath: []).decode(type)
  }
}

/// What stands in front of a value.
enum MessageTag: UInt8 {
  case null, no, yes
  /// Zigzag, then seven bits a byte.
  case signed
  case unsigned
  /// Eight bytes, little-endian bits.
  case double
  /// Length, then bytes.
  case text, bytes
  /// Four bytes of length, then entries: length and bytes of the key, the value.
  case keyed
  /// Four bytes of length, then values.
  case unkeyed
}

/// A value on its way out.
final class MessageNode {
  enum Content {
    /// Written already: a tag and what belongs to it.
    case scalar(MessageTag)
    case number(MessageTag, UInt64)
    case text(String)
    case bytes([UInt8])
    case keyed([(key: String, node: MessageNode)])
    case unkeyed([MessageNode])
  }

  var content = Content.scalar(.null)

  func write(to bytes: inout [UInt8]) {
    switch content {
    case .scalar(let tag): bytes.append(tag.rawValue)
    case .number(.double, let bits):
      bytes.append(MessageTag.double.rawValue)
      for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift))) }
    case .number(let tag, let value):
      bytes.append(tag.rawValue)
      Self.write(value, to: &bytes)
    case .text(let text):
      bytes.append(MessageTag.text.rawValue)
      Self.write(UInt64(text.utf8.count), to: &bytes)
      bytes.append(contentsOf: text.utf8)
    case .bytes(let content):
      bytes.append(MessageTag.bytes.rawValue)
      Self.write(UInt64(content.count), to: &bytes)
      bytes.append(contentsOf: content)
    case .keyed(let entries):
      Self.region(.keyed, &bytes) { bytes in
        for entry in entries {
          Self.write(UInt64(entry.key.utf8.count), to: &bytes)
          bytes.append(contentsOf: entry.key.utf8)
          entry.node.write(to: &bytes)
        }
      }
    case .unkeyed(let nodes):
      Self.region(.unkeyed, &bytes) { bytes in for node in nodes { node.write(to: &bytes) } }
    }
  }

  private static func write(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private static func region(_ tag: MessageTag, _ bytes: inout [UInt8], _ body: (inout [UInt8]) -> Void) {
    bytes.append(tag.rawValue)
    let place = bytes.count
    bytes.append(contentsOf: [0, 0, 0, 0])
    body(&bytes)
    let length = UInt32(truncatingIfNeeded: bytes.count - place - 4)
    for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: length >> UInt32(index * 8)) }
  }
}

/// Walks over values in bytes that may be anything.
struct MessageReader {
  let bytes: [UInt8]
  var offset: Int
  let end: Int

  static func corrupted(_ what: String, _ path: [any CodingKey] = []) -> DecodingError {
    .dataCorrupted(.init(codingPath: path, debugDescription: "a message is damaged: \(what)"))
  }

  mutating func byte() throws -> UInt8 {
    guard offset < end else { throw Self.corrupted("it ends too early") }
    defer { offset += 1 }
    return bytes[offset]
  }

  mutating func tag() throws -> MessageTag {
    guard let tag = MessageTag(rawValue: try byte()) else { throw Self.corrupted("there is no such tag") }
    return tag
  }

  mutating func number() throws -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      let next = try byte()
      guard shift < 63 || next < 2 else { break }
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return value }
    }
    throw Self.corrupted("a number is too long")
  }

  mutating func count() throws -> Int {
    guard let count = Int(exactly: try number()), count <= end - offset else {
      throw Self.corrupted("a length leads beyond its end")
    }
    return count
  }

  mutating func fixed(_ width: Int) throws -> UInt64 {
    guard width <= end - offset else { throw Self.corrupted("it ends too early") }
    var value: UInt64 = 0
    for index in 0..<width { value |= UInt64(bytes[offset + index]) << UInt64(index * 8) }
    offset += width
    return value
  }

  mutating func text() throws -> String {
    let count = try count()
    defer { offset += count }
    return String(decoding: bytes[offset..<offset + count], as: UTF8.self)
  }

  /// The contents of a keyed or unkeyed value, whose tag has been read.
  mutating func region() throws -> MessageReader {
    let length = Int(try fixed(4))
    guard length <= end - offset else { throw Self.corrupted("a length leads beyond its end") }
    defer { offset += length }
    return MessageReader(bytes: bytes, offset: offset, end: offset + length)
  }

  /// Passes over one value and returns where it began.
  mutating func skipValue() throws -> Int {
    let start = offset
    switch try tag() {
    case .null, .no, .yes: break
    case .signed, .unsigned: _ = try number()
    case .double: _ = try fixed(8)
    case .text, .bytes: offset += try count()
    case .keyed, .unkeyed: _ = try region()
    }
    return start
  }
}
