/// A small deterministic generator (SplitMix64). Every concern of a simulated case draws from a stream of its own, so
/// that a draw added in one place shifts no other.
package struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// What a stream of draws is for.
  package enum Concern: UInt64, Sendable {
    case delivery = 1
    case segments, sending, receiving, dispatch, turns, timers, connecting, lookups, ties, schedules, runLoops
  }

  package init(seed: UInt64) { state = seed }

  /// The stream of one concern of one thing (a link's direction, a queue, a socket) under a case's seed.
  package init(seed: UInt64, concern: Concern, index: Int) {
    let branch = Self.mix(seed &+ concern.rawValue &* 0xD1B5_4A32_D192_ED03)
    state = Self.mix(branch &+ UInt64(truncatingIfNeeded: index) &* 0x9E37_79B9_7F4A_7C15)
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  /// True with this probability; draws nothing when the answer is certain.
  package mutating func chance(_ probability: Double) -> Bool {
    guard probability > 0 else { return false }
    guard probability < 1 else { return true }
    return Double(next() >> 11) * 0x1p-53 < probability
  }

  /// A number of the range, each as likely; draws nothing when there is only one. Not for the full range of Int64.
  package mutating func pick(_ range: ClosedRange<Int64>) -> Int64 {
    guard range.lowerBound < range.upperBound else { return range.lowerBound }
    let width = UInt64(bitPattern: range.upperBound &- range.lowerBound) &+ 1
    return range.lowerBound &+ Int64(bitPattern: next().multipliedFullWidth(by: width).high)
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    var mixed = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
