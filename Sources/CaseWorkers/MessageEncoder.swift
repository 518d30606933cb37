/// Fills a node with a value.
struct MessageEncoder: Encoder {
  let node: MessageNode
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .keyed = node.content {} else { node.content = .keyed([]) }
    return KeyedEncodingContainer(KeyedMessage<Key>(node: node, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .unkeyed = node.content {} else { node.content = .unkeyed([]) }
    return UnkeyedMessage(node: node, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

extension MessageEncoder: SingleValueEncodingContainer {
  func encodeNil() { node.content = .scalar(.null) }
  func encode(_ value: Bool) { node.content = .scalar(value ? .yes : .no) }
  func encode(_ value: String) { node.content = .text(value) }
  func encode(_ value: Double) { node.content = .number(.double, value.bitPattern) }
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
      node.content = .bytes(bytes)
    } else {
      try value.encode(to: self)
    }
  }

  private func signed(_ value: Int64) {
    node.content = .number(.signed, UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  private func unsigned(_ value: UInt64) { node.content = .number(.unsigned, value) }
}

private struct KeyedMessage<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: MessageNode
  let codingPath: [any CodingKey]

  func encodeNil(forKey key: Key) { _ = add(key) }

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
    let child = MessageNode()
    if case .keyed(var entries) = node.content {
      // Taken out first, so that the array is not copied.
      node.content = .scalar(.null)
      entries.append((key, child))
      node.content = .keyed(entries)
    }
    return MessageEncoder(node: child, codingPath: codingPath)
  }
}

private struct UnkeyedMessage: UnkeyedEncodingContainer {
  let node: MessageNode
  let codingPath: [any CodingKey]

  var count: Int {
    if case .unkeyed(let nodes) = node.content { nodes.count } else { 0 }
  }

  func encodeNil() { _ = add() }

  func encode<Value: Encodable>(_ value: Value) throws { try add().encode(value) }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    add().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { add().unkeyedContainer() }
  func superEncoder() -> any Encoder { add() }

  private func add() -> MessageEncoder {
    let child = MessageNode()
    if case .unkeyed(var nodes) = node.content {
      node.content = .scalar(.null)
      nodes.append(child)
      node.content = .unkeyed(nodes)
    }
    return MessageEncoder(node: child, codingPath: codingPath)
  }
}
