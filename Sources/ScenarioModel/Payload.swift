/// Bytes of a scenario, in the form its author chose. Large payloads stay small until they are needed.
package indirect enum Payload: Hashable, Sendable, Codable {
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
      guard once.count != 1 else { return [UInt8](repeating: once[0], count: times) }
      var bytes: [UInt8] = []
      bytes.reserveCapacity(once.count * times)
      // Doubling: a short unit a million times over takes twenty appends, not a million.
      var rounds = 0
      while rounds < times {
        let more = min(max(rounds, 1), times - rounds)
        if rounds == 0 { bytes = once } else { bytes += bytes.prefix(more * once.count) }
        rounds += more
      }
      return bytes
    case .pattern(let seed, let count): return PatternBytes.make(seed: seed, count: count)
    case .joined(let parts): return parts.flatMap(\.materialised)
    }
  }
}

/// The position-coded pattern: byte i is a mix of the seed and i, so equal positions of equal seeds agree everywhere.
package enum PatternBytes {
  /// The first `count` bytes of the seed's pattern; a shorter one is a prefix of a longer one.
  package static func make(seed: UInt64, count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { room, filled in
      // A word at a time; its bytes in little-endian order on every machine.
      let target = UnsafeMutableRawBufferPointer(room)
      let words = count >> 3
      for index in 0..<words {
        target.storeBytes(of: word(seed, index).littleEndian, toByteOffset: index << 3, as: UInt64.self)
      }
      for position in words << 3..<count {
        room.initializeElement(
          at: position, to: UInt8(truncatingIfNeeded: word(seed, position >> 3) >> UInt64((position & 7) * 8)))
      }
      filled = count
    }
  }

  private static func word(_ seed: UInt64, _ index: Int) -> UInt64 { SplitMix64.number(index, ofSeed: seed) }
}

/// FNV-1a over 64 bits: the hash that scenario files (`hash:`) and trace hashes use. Not for security.
package struct ContentHash: Hashable, Sendable {
  /// The hash of all bytes so far; at first that of no bytes.
  package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  package init() {}

  /// The hash of these bytes.
  package init(of bytes: some Sequence<UInt8>) { update(bytes) }

  /// Appends bytes: the hash is that of all of them, however they are divided over calls.
  package mutating func update(_ bytes: some Sequence<UInt8>) {
    // A loop over a type that only the caller knows takes ten times as long as one over a row of bytes.
    let start = value
    let known = bytes.withContiguousStorageIfAvailable { Self.value(of: $0, after: start) }
    value = known ?? Self.value(of: bytes, after: start)
  }

  private static func value(of bytes: some Sequence<UInt8>, after start: UInt64) -> UInt64 {
    var value = start
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return value
  }

  /// Sixteen lowercase hexadecimal digits.
  package var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
