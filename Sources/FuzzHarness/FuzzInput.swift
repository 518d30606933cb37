/// A fuzzer's bytes as a source of decisions and payload.
///
/// Decoding is total: every string of bytes means something, and one that is used up gives zeros. Payload is taken from
/// the front and decisions from the back, so that a mutation of one leaves the other where it was. The last byte is the
/// version of the encoding, so that a corpus survives a change of it.
package struct FuzzInput {
  /// The encoding that is written today; a target that changes its own keeps reading the older ones.
  package static let currentVersion: UInt8 = 1

  /// The version of the encoding that the input was written in: its last byte.
  package let version: UInt8
  private let bytes: UnsafeRawBufferPointer
  private var front = 0
  private var back: Int

  /// The memory must outlive the input.
  package init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    back = max(0, bytes.count - 1)
    version = bytes.last ?? Self.currentVersion
  }

  /// Bytes that neither side has taken.
  package var remaining: Int { back - front }
  /// Whether everything is taken: decisions are 0 and payload is empty from now on.
  package var isEmpty: Bool { remaining == 0 }

  /// The next decision; 0 when used up.
  package mutating func byte() -> UInt8 {
    guard !isEmpty else { return 0 }
    back -= 1
    return bytes[back]
  }

  /// The next decision as a choice of two; false when used up.
  package mutating func bool() -> Bool { byte() & 1 == 1 }

  /// Two decisions as a number, the first the high one.
  package mutating func word() -> Int { Int(byte()) << 8 | Int(byte()) }

  /// 0…limit, from as few bytes as it needs.
  package mutating func number(upTo limit: Int) -> Int {
    guard limit > 0 else { return 0 }
    return limit < 256 ? Int(byte()) % (limit + 1) : word() % (limit + 1)
  }

  /// One of the choices.
  package mutating func choice<Choice>(of choices: [Choice]) -> Choice { choices[number(upTo: choices.count - 1)] }

  /// At most `count` bytes of payload; fewer when fewer are left.
  package mutating func payload(_ count: Int) -> UnsafeRawBufferPointer {
    let taken = min(max(count, 0), remaining)
    defer { front += taken }
    return UnsafeRawBufferPointer(rebasing: bytes[front..<(front + taken)])
  }

  /// All the payload that is left.
  package mutating func rest() -> UnsafeRawBufferPointer { payload(remaining) }
}

/// The other way round: writes the decisions and the payload that a `FuzzInput` will read.
package struct FuzzOutput {
  private var payload: [UInt8] = []
  private var decisions: [UInt8] = []
  private let version: UInt8

  package init(version: UInt8 = FuzzInput.currentVersion) { self.version = version }

  /// The counterpart of `FuzzInput.byte()`.
  package mutating func byte(_ value: UInt8) { decisions.append(value) }

  /// The counterpart of `FuzzInput.bool()`.
  package mutating func bool(_ value: Bool) { byte(value ? 1 : 0) }

  /// The counterpart of `FuzzInput.word()`; only the low sixteen bits are kept.
  package mutating func word(_ value: Int) {
    byte(UInt8(truncatingIfNeeded: value >> 8))
    byte(UInt8(truncatingIfNeeded: value))
  }

  /// The counterpart of `FuzzInput.number(upTo:)`; a value above the limit is cut to it.
  package mutating func number(_ value: Int, upTo limit: Int) {
    guard limit > 0 else { return }
    let value = min(max(value, 0), limit)
    if limit < 256 { byte(UInt8(value)) } else { word(value) }
  }

  /// The counterpart of `FuzzInput.payload(_:)`.
  package mutating func payload(_ bytes: some Sequence<UInt8>) { payload += bytes }

  /// The whole input.
  package var bytes: [UInt8] { payload + decisions.reversed() + [version] }
}
