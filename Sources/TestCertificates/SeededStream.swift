import ScenarioModel

/// A stream of bytes that its seed decides: for tests only.
package struct SeededStream: Sendable {
  private var generator: SplitMix64
  private var word: UInt64 = 0
  private var bytesLeft = 0

  /// Equal seeds give equal streams.
  package init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  /// The stream of a concern that has a name: streams of different names have nothing to do with each other.
  package init(seed: UInt64, concern: String) {
    self.init(seed: concern.utf8.reduce(seed ^ 0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 })
  }

  /// The next 64 bits.
  package mutating func next() -> UInt64 { generator.next() }

  /// The next byte. Eight come out of each `next()`, the lowest first.
  package mutating func nextByte() -> UInt8 {
    if bytesLeft == 0 {
      word = next()
      bytesLeft = 8
    }
    defer {
      word >>= 8
      bytesLeft -= 1
    }
    return UInt8(truncatingIfNeeded: word)
  }

  /// Fills the buffer. However the stream is cut into buffers, the bytes are the same.
  package mutating func fill(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
    for index in buffer.indices { buffer[index] = nextByte() }
  }
}
