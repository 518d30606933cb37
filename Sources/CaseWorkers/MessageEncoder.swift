/// Writes the value inside so many containers of a message.
struct MessageEncoder: Encoder {
  let buffer: MessageBuffer
  let depth: Int
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    buffer.begin(.keyed, inside: depth)
    return KeyedEncodingContainer(KeyedMessage<Key>(buffer: buffer, depth: depth))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    buffer.begin(.unkeyed, inside: depth)
    return UnkeyedMessage(buffer: buffer, depth: depth)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension MessageEncoder: SingleValueEncodingContainer {
  func encodeNil() { buffer.put(.null) }
  func encode(_ value: Bool) { buffer.put(value ? .yes : .no) }
  func encode(_ value: String) { buffer.put(value) }
  func encode(_ value: Double) { buffer.put(value) }
  func encode(_ value: Float) { encode(Double(value)) }
  func encode(_ value: Int) { signed(Int64(value)) }
  func encode(_ value: Int8) { signed(Int64(value)) }
  func encode(_ value: Int16) { signed(Int64(value)) }
  func encode(_ value: Int32) { signed(Int64(value)) }
  func encode(_ value: Int64) { signed(value) }
  func encode(_ value: UInt) { unsigned(UInt64(value)) }
  func encode(_ value: UInt8) { unsigned(UInt64(value)) }
  func encode(_ value: UInt16) { unsigned(UInt64(value)) }
  func encode(_ value: UInt32) { unsigned(UInt64(value)) }
  func encode(_ value: UInt64) { unsigned(value) }

  func encode<Value: Encodable>(_ value: Value) throws {
    // A metatype is compared at once; a cast of every value would not be.
    if Value.self == [UInt8].self, let bytes = value as? [UInt8] {
      buffer.put(bytes)
    } else {
      try value.encode(to: self)
    }
  }

  private func signed(_ value: Int64) { buffer.put(.signed, UInt64(bitPattern: (value << 1) ^ (value >> 63))) }
  private func unsigned(_ value: UInt64) { buffer.put(.unsigned, value) }
}

private struct KeyedMessage<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let buffer: MessageBuffer
  let depth: Int
  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) { add(key).encodeNil() }

  func encode(_ value: Bool, forKey key: Key) { add(key).encode(value) }
  func encode(_ value: Int, forKey key: Key) { add(key).encode(value) }
  func encode(_ value: String, forKey key: Key) { add(key).encode(value) }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try add(key).encode(value) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    add(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { add(key).unkeyedContainer() }

  func superEncoder() -> any Encoder { add("super") }
  func superEncoder(forKey key: Key) -> any Encoder { add(key) }

  private func add(_ key: Key) -> MessageEncoder { add(key.stringValue) }

  private func add(_ key: String) -> MessageEncoder {
    buffer.next(key, inside: depth)
    return MessageEncoder(buffer: buffer, depth: depth + 1)
  }
}

private struct UnkeyedMessage: UnkeyedEncodingContainer {
  let buffer: MessageBuffer
  let depth: Int
  private(set) var count = 0
  var codingPath: [any CodingKey] { [] }

  init(buffer: MessageBuffer, depth: Int) {
    self.buffer = buffer
    self.depth = depth
  }

  mutating func encodeNil() { add().encodeNil() }

  mutating func encode<Value: Encodable>(_ value: Value) throws { try add().encode(value) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    add().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { add().unkeyedContainer() }
  mutating func superEncoder() -> any Encoder { add() }

  private mutating func add() -> MessageEncoder {
    count += 1
    buffer.next(inside: depth)
    return MessageEncoder(buffer: buffer, depth: depth + 1)
  }
}
