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
  static let maxLevels = 256

  /// Throws what the value's own `encode(to:)` throws.
  package static func encode(_ value: some Encodable) throws -> [UInt8] {
    let buffer = MessageBuffer()
    try MessageEncoder(buffer: buffer, depth: 0).encode(value)
    return buffer.finish()
  }

  /// Throws `DecodingError` if the bytes are not one whole value of the type.
  package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    try bytes.withUnsafeBytes { bytes in
      guard bytes.count <= MessageChannel.longest else { throw MessageReader.corrupted("it is too long") }
      var reader = MessageReader(bytes: bytes, offset: 0, end: bytes.count)
      let start = try reader.skipValue()
      guard reader.offset == bytes.count else { throw MessageReader.corrupted("bytes are left over") }
      return try MessageDecoder(bytes: bytes, place: UInt32(start), level: 0).decode(type)
    }
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

/// A value on its way out: what is written already, and the containers that more may come into.
///
/// There is no tree: values are written in the order in which they are encoded. A container is closed, and its length
/// filled in, as soon as something is written behind it; nothing may be added to it afterwards, and encodings that the
/// compiler makes never do.
final class MessageBuffer {
  private var bytes: [UInt8] = []
  /// Where the length of each open container stands, the outermost first.
  private var open: [Int] = []
  /// The next value has been announced; if it does not say anything it is null.
  private var isOwed = true

  init() { bytes.reserveCapacity(512) }

  /// The whole message. Nothing may be written any more.
  func finish() -> [UInt8] {
    settle(0)
    return bytes
  }

  func put(_ tag: MessageTag) {
    isOwed = false
    bytes.append(tag.rawValue)
  }

  func put(_ tag: MessageTag, _ number: UInt64) {
    put(tag)
    append(number)
  }

  func put(_ value: Double) {
    put(.double)
    withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes.append(contentsOf: $0) }
  }

  func put(_ text: String) {
    put(.text)
    append(text)
  }

  func put(_ content: [UInt8]) {
    put(.bytes, UInt64(content.count))
    bytes.append(contentsOf: content)
  }

  /// Begins the container that is the value inside `depth` others, or goes on with it.
  func begin(_ tag: MessageTag, inside depth: Int) {
    guard open.count <= depth else { return settle(depth + 1) }
    put(tag)
    open.append(bytes.count)
    for _ in 0..<4 { bytes.append(0) }
  }

  /// A value of the container inside `depth` others comes next.
  func next(inside depth: Int) {
    precondition(open.count > depth, "something is put into a container that is closed")
    settle(depth + 1)
    isOwed = true
  }

  /// A value of that key comes next.
  func next(_ key: String, inside depth: Int) {
    next(inside: depth)
    append(key)
  }

  /// Ends the last value, and all containers but `depth`.
  private func settle(_ depth: Int) {
    if isOwed { put(.null) }
    while open.count > depth {
      let place = open.removeLast()
      let length = UInt32(truncatingIfNeeded: bytes.count - place - 4)
      for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: length >> UInt32(index * 8)) }
    }
  }

  private func append(_ text: String) {
    var text = text
    text.withUTF8 { content in
      append(UInt64(content.count))
      bytes.append(contentsOf: content)
    }
  }

  private func append(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}

/// Walks over values in arbitrary bytes, which the caller keeps for longer than the reader.
struct MessageReader {
  let bytes: UnsafeRawBufferPointer
  var offset: Int
  let end: Int

  static func corrupted(_ what: String) -> DecodingError {
    .dataCorrupted(.init(codingPath: [], debugDescription: "a message is damaged: \(what)"))
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
    return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]), as: UTF8.self)
  }

  /// Passes over a text and says whether it is this one.
  mutating func skipText(equalTo other: UnsafeBufferPointer<UInt8>) throws -> Bool {
    let count = try count()
    defer { offset += count }
    return count == other.count && bytes[offset..<offset + count].elementsEqual(other)
  }

  mutating func skipText() throws { offset += try count() }

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
