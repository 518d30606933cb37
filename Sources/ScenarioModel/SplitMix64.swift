/// Reproducible random numbers: equal seeds give equal numbers on every machine. The project's one generator of them,
/// after Steele, Lea and Flood's SplitMix64; of no cryptographic worth.
package struct SplitMix64: RandomNumberGenerator, Sendable {
  @usableFromInline static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15
  @usableFromInline var state: UInt64

  /// The sequence of that seed.
  @inlinable package init(seed: UInt64) { state = seed }

  /// The next number.
  @inlinable package mutating func next() -> UInt64 {
    state &+= Self.increment
    return Self.mix(state)
  }

  /// The next number below `bound`; 0 if there is none, which draws nothing.
  package mutating func below(_ bound: Int) -> Int {
    bound > 1 ? Int(next() % UInt64(bound)) : 0
  }

  /// The number at `index` of the seed's sequence, counted from 0, without those before it.
  @inlinable package static func number(_ index: Int, ofSeed seed: UInt64) -> UInt64 {
    mix(seed &+ (UInt64(truncatingIfNeeded: index) &+ 1) &* increment)
  }

  /// Scrambles a number: different numbers give different ones, and a change of one bit changes about half of them.
  @inlinable package static func mix(_ value: UInt64) -> UInt64 {
    var mixed = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
