/// Reads the value at one place of a message.
struct MessageDecoder: Decoder {
  let bytes: [UInt8]
  /// Where the value's tag stands.
  let place: Int
  let codingPath: [any CodingKey]
  var level = 0
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(try KeyedSource<Key>(self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try UnkeyedSource(self) }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

  /// Behind the tag, which must be this one.
  func reader(_ tag: MessageTag) throws -> MessageReader {
    var reader = MessageReader(bytes: bytes, offset: place, end: bytes.count)
    guard try reader.tag() == tag else { throw MessageReader.corrupted("it is of another type", codingPath) }
    return reader
  }

  func inner(at place: Int) throws -> MessageDecoder {
    guard level < MessageCoding.mostLevels else { throw MessageReader.corrupted("it nests too deep", codingPath) }
    return MessageDecoder(bytes: bytes, place: place, codingPath: codingPath, level: level + 1)
  }
}

extension MessageDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { bytes[place] == MessageTag.null.rawValue }

  func decode(_ type: Bool.Type) throws -> Bool {
    var reader = MessageReader(bytes: bytes, offset: place, end: bytes.count)
    switch try reader.tag() {
    case .yes: return true
    case .no: return false
    default: throw MessageReader.corrupted("it is no truth value", codingPath)
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
    guard let content = Array(bytes[reader.offset..<reader.offset + count]) as? Value else {
      throw MessageReader.corrupted("it is of another type", codingPath)
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
    guard let number = Number(exactly: value) else {
      throw MessageReader.corrupted("a number is too large", codingPath)
    }
    return number
  }
}

private struct KeyedSource<Key: CodingKey>: KeyedDecodingContainerProtocol {
  private let decoder: MessageDecoder
  /// In the order in which they were written; few enough to be looked through.
  private let entries: [(key: String, place: Int)]

  init(_ decoder: MessageDecoder) throws {
    self.decoder = decoder
    var outer = try decoder.reader(.keyed)
    var region = try outer.region()
    var entries: [(key: String, place: Int)] = []
    while region.offset < region.end { entries.append((try region.text(), try region.skipValue())) }
    self.entries = entries
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { entries.compactMap { Key(stringValue: $0.key) } }

  func contains(_ key: Key) -> Bool { entries.contains { $0.key == key.stringValue } }

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
    guard let entry = entries.first(where: { $0.key == key }) else {
      throw MessageReader.corrupted("\(key) is missing", codingPath)
    }
    return try decoder.inner(at: entry.place)
  }
}

private struct UnkeyedSource: UnkeyedDecodingContainer {
  private let decoder: MessageDecoder
  private let places: [Int]
  private(set) var currentIndex = 0

  init(_ decoder: MessageDecoder) throws {
    self.decoder = decoder
    var outer = try decoder.reader(.unkeyed)
    var region = try outer.region()
    var places: [Int] = []
    while region.offset < region.end { places.append(try region.skipValue()) }
    self.places = places
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { places.count }
  var isAtEnd: Bool { currentIndex == places.count }

  mutating func decodeNil() throws -> Bool {
    guard try peek().decodeNil() else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    defer { currentIndex += 1 }
    return try peek().decode(type)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    defer { currentIndex += 1 }
    return try peek().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    defer { currentIndex += 1 }
    return try peek().unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder {
    defer { currentIndex += 1 }
    return try peek()
  }

  private func peek() throws -> MessageDecoder {
    guard currentIndex < places.count else { throw MessageReader.corrupted("a list is too short", codingPath) }
    return try decoder.inner(at: places[currentIndex])
  }
}
