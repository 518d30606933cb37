/// Reads what TLS writes with its length in front, one behind the other.
struct WireVectors {
  /// What was not read yet.
  private(set) var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

  /// A number of so many bytes; nil: there are fewer.
  mutating func number(size: Int) -> Int? {
    guard rest.count >= size else { return nil }
    let value: Int = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
    drop(size)
    return value
  }

  /// The bytes behind a length of so many bytes; nil: they are cut off.
  mutating func next(lengthOf size: Int) -> UnsafeRawBufferPointer? {
    guard let length = number(size: size), rest.count >= length else { return nil }
    defer { drop(length) }
    return UnsafeRawBufferPointer(rebasing: rest.prefix(length))
  }

  private mutating func drop(_ count: Int) { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }
}
