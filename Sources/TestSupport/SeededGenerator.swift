import ScenarioModel

/// The random numbers of a test; a failure is reproduced by its seed.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var generator: SplitMix64

  package init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  package mutating func next() -> UInt64 { generator.next() }

  /// A number of the range, each as likely.
  package mutating func int(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// True once in `times` on average.
  package mutating func oneIn(_ times: Int) -> Bool { int(1...times) == 1 }

  /// `count` bytes, each one of the alphabet.
  package mutating func bytes(_ count: Int, from alphabet: [UInt8]) -> [UInt8] {
    (0..<count).map { _ in alphabet[int(0...(alphabet.count - 1))] }
  }

  /// Random cuts of `total` into pieces of 1…`largest`; their sum is `total`.
  package mutating func pieces(of total: Int, largest: Int) -> [Int] {
    var left = total
    var pieces: [Int] = []
    while left > 0 {
      let piece = int(1...min(largest, left))
      pieces.append(piece)
      left -= piece
    }
    return pieces
  }
}
