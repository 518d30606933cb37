/// Bytes of a scenario, in the form its author chose. Large payloads stay small until they are needed.
package indirect enum Payload: Hashable, Sendable {
  /// Literal bytes: text (UTF-8), hex, base64 or the content of a file.
  case bytes([UInt8])
  /// `unit`, `times` times in a row.
  case repeated(unit: Payload, times: Int)
  /// `count` bytes that depend only on the seed and the position (see `PatternBytes`), so that any loss, doubling or
  /// reordering changes the content.
  case pattern(seed: UInt64, count: Int)
  /// One after the other.
  case joined([Payload])

  /// The number of bytes, without making them.
  package var count: Int {
    switch self {
    case .bytes(let bytes): bytes.count
    case .repeated(let unit, let times): unit.count * times
    case .pattern(_, let count): count
    case .joined(let parts): parts.reduce(0) { $0 + $1.count }
    }
  }

  /// The bytes themselves.
  package var materialised: [UInt8] {
    switch self {
    case .bytes(let bytes): return bytes
    case .repeated(let unit, let times):
      let once = unit.materialised
      var bytes: [UInt8] = []
      bytes.reserveCapacity(once.count * times)
      for _ in 0..<times { bytes.append(contentsOf: once) }
      return bytes
    case .pattern(let seed, let count): return PatternBytes.make(seed: seed, count: count)
    case .joined(let parts): return parts.flatMap(\.materialised)
    }
  }
}

/// The position-coded pattern: byte i is a mix of the seed and i, so equal positions of equal seeds agree everywhere.
package enum PatternBytes {
  package static func make(seed: UInt64, count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    var word: UInt64 = 0
    for position in 0..<count {
      if position & 7 == 0 { word = mix(seed &+ UInt64(position >> 3) &* 0x9E37_79B9_7F4A_7C15) }
      bytes.append(UInt8(truncatingIfNeeded: word >> UInt64((position & 7) * 8)))
    }
    return bytes
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    var mixed = value &+ 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// FNV-1a over 64 bits: the hash that scenario files (`hash:`) and trace hashes use. Not for security.
package struct ContentHash: Hashable, Sendable {
  package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  package init() {}

  package init(of bytes: some Sequence<UInt8>) { update(bytes) }

  package mutating func update(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
  }

  /// Sixteen lowercase hexadecimal digits.
  package var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
