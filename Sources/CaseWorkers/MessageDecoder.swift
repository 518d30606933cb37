/// Reads the value at one place of a message, whose bytes live longer than it does. Not larger than three words: to
/// pass it on as `any Decoder` allocates nothing.
struct MessageDecoder: Decoder {
  let bytes: UnsafeRawBufferPointer
  /// Where the value's tag stands.
  let place: UInt32
  let level: UInt16
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(try KeyedSource<Key>(self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try UnkeyedSource(self) }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  /// Behind the tag, which must be this one.
  func reader(_ tag: MessageTag) throws -> MessageReader {
    var reader = MessageReader(bytes: bytes, offset: Int(place), end: bytes.count)
    guard try reader.tag() == tag else { throw MessageReader.corrupted("it is of another type") }
    return reader
  }

  /// The values of a container.
  func region(_ tag: MessageTag) throws -> MessageReader {
    var outer = try reader(tag)
    return try outer.region()
  }

  func inner(at place: Int) throws -> MessageDecoder {
    guard level < MessageCoding.maxLevels else { throw MessageReader.corrupted("it nests too deep") }
    return MessageDecoder(bytes: bytes, place: UInt32(place), level: level + 1)
  }
}

extension MessageDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { bytes[Int(place)] == MessageTag.null.rawValue }

  func decode(_ type: Bool.Type) throws -> Bool {
    var reader = MessageReader(bytes: bytes, offset: Int(place), end: bytes.count)
    switch try reader.tag() {
    case .yes: return true
    case .no: return false
    default: throw MessageReader.corrupted("it is no truth value")
    }
  }

  func decode(_ type: String.Type) throws -> String {
    var reader = try reader(.text)
    return try reader.text()
  }

  func decode(_ type: Double.Type) throws -> Double {
    var reader = try reader(.double)
    return Double(bitPattern: try reader.fixed(8))
  }

  func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
  func decode(_ type: Int.Type) throws -> Int { try signed(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try signed(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try signed(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try signed(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try signed(type) }
  func decode(_ type: UInt.Type) throws -> UInt { try unsigned(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try unsigned(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try unsigned(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try unsigned(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try unsigned(type) }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    guard Value.self == [UInt8].self else { return try Value(from: self) }
    var reader = try reader(.bytes)
    let count = try reader.count()
    let place = reader.offset..<reader.offset + count
    guard let content = [UInt8](UnsafeRawBufferPointer(rebasing: bytes[place])) as? Value else {
      throw MessageReader.corrupted("it is of another type")
    }
    return content
  }

  private func signed<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
    var reader = try reader(.signed)
    let bits = try reader.number()
    return try fit(Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1))
  }

  private func unsigned<Number: FixedWidthInteger>(_ type: Number.Type) throws -> Number {
    var reader = try reader(.unsigned)
    return try fit(try reader.number())
  }

  private func fit<Number: FixedWidthInteger>(_ value: some BinaryInteger) throws -> Number {
    guard let number = Number(exactly: value) else { throw MessageReader.corrupted("a number is too large") }
    return number
  }
}

/// The entries of a keyed value. They are asked for in the order in which they were written, as a rule: each search
/// goes on where the last one ended, and comes around.
private final class KeyedSource<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let decoder: MessageDecoder
  private let region: MessageReader
  private var next: Int

  init(_ decoder: MessageDecoder) throws {
    self.decoder = decoder
    region = try decoder.region(.keyed)
    next = region.offset
    // Damage is found here, so that later look-ups of a key can rely on the rest.
    var rest = region
    while rest.offset < rest.end {
      try rest.skipText()
      _ = try rest.skipValue()
    }
  }

  var codingPath: [any CodingKey] { [] }

  var allKeys: [Key] {
    var keys: [Key] = []
    var rest = region
    while rest.offset < rest.end, let name = try? rest.text(), (try? rest.skipValue()) != nil {
      if let key = Key(stringValue: name) { keys.append(key) }
    }
    return keys
  }

  func contains(_ key: Key) -> Bool { place(of: key.stringValue) != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try at(key).decodeNil() }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value { try at(key).decode(type) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try at(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer { try at(key).unkeyedContainer() }
  func superDecoder() throws -> any Decoder { try at("super") }
  func superDecoder(forKey key: Key) throws -> any Decoder { try at(key) }

  private func at(_ key: Key) throws -> MessageDecoder { try at(key.stringValue) }

  private func at(_ key: String) throws -> MessageDecoder {
    guard let place = place(of: key) else { throw MessageReader.corrupted("\(key) is missing") }
    return try decoder.inner(at: place)
  }

  private func place(of key: String) -> Int? {
    var key = key
    return key.withUTF8 { name in
      let start = next
      return place(of: name, from: start, to: region.end) ?? place(of: name, from: region.offset, to: start)
    }
  }

  /// Leaves `next` at the key that is found, because it is often asked for twice: first whether it is there, then for
  /// its value.
  private func place(of name: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Int? {
    var rest = MessageReader(bytes: region.bytes, offset: start, end: region.end)
    while rest.offset < end {
      let entry = rest.offset
      guard let isIt = try? rest.skipText(equalTo: name), let place = try? rest.skipValue() else { return nil }
      guard isIt else { continue }
      next = entry
      return place
    }
    return nil
  }
}

private struct UnkeyedSource: UnkeyedDecodingContainer {
  private let decoder: MessageDecoder
  private var rest: MessageReader
  private let number: Int
  private(set) var currentIndex = 0

  init(_ decoder: MessageDecoder) throws {
    self.decoder = decoder
    rest = try decoder.region(.unkeyed)
    var ahead = rest
    var number = 0
    while ahead.offset < ahead.end {
      _ = try ahead.skipValue()
      number += 1
    }
    self.number = number
  }

  var codingPath: [any CodingKey] { [] }
  var count: Int? { number }
  var isAtEnd: Bool { currentIndex == number }

  mutating func decodeNil() throws -> Bool {
    guard try peek().decodeNil() else { return false }
    try pass()
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value = try peek().decode(type)
    try pass()
    return value
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    let container = try peek().container(keyedBy: type)
    try pass()
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try peek().unkeyedContainer()
    try pass()
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try peek()
    try pass()
    return decoder
  }

  private func peek() throws -> MessageDecoder {
    guard currentIndex < number else { throw MessageReader.corrupted("a list is too short") }
    return try decoder.inner(at: rest.offset)
  }

  private mutating func pass() throws {
    _ = try rest.skipValue()
    currentIndex += 1
  }
}
