/// Why the TLS of a conversation stays closed.
struct Undecrypted: Error {
  /// The end of a sentence that begins with `TLS could not be decrypted: `.
  var reason: String
}

/// Walks through the fields of a message of TLS.
struct FieldReader {
  private(set) var rest: ArraySlice<UInt8>
  /// What is read, for errors.
  let name: String

  init(_ bytes: ArraySlice<UInt8>, of name: String) { (rest, self.name) = (bytes, name) }

  var isEmpty: Bool { rest.isEmpty }

  /// The next `count` bytes.
  mutating func bytes(_ count: Int) throws(Undecrypted) -> ArraySlice<UInt8> {
    guard rest.count >= count else { throw Undecrypted(reason: "the \(name) is cut off") }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// A number of `count` bytes, in network order.
  mutating func number(_ count: Int) throws(Undecrypted) -> Int {
    try bytes(count).reduce(0) { $0 << 8 | Int($1) }
  }

  /// The content behind its length, which has `lengthCount` bytes.
  mutating func vector(_ lengthCount: Int) throws(Undecrypted) -> FieldReader {
    let count = try number(lengthCount)
    return FieldReader(try bytes(count), of: name)
  }
}
