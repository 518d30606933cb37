import ScenarioModel

/// The random decisions of a simulated case. Every concern of a simulated case draws from a stream of its own, so
/// that a draw added in one place shifts no other.
package struct SeededRandom: RandomNumberGenerator {
  private var generator: SplitMix64
  /// nil: everything is drawn.
  private var book: DrawBook?
  private var stream = ""

  /// What a stream of draws is for.
  package enum Concern: UInt64, Sendable {
    case delivery = 1
    case segments, sending, receiving, dispatch, turns, timers, connecting, lookups, ties, schedules, runLoops
  }

  package init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  /// The stream of one concern of one thing (a link's direction, a queue, a socket) under a case's seed.
  package init(seed: DrawSource, concern: Concern, index: Int) {
    if let book = seed.book {
      self.book = book
      stream = "\(concern).\(index)"
    }
    let branch = SplitMix64.mix(seed.seed &+ concern.rawValue &* 0xD1B5_4A32_D192_ED03)
    generator = SplitMix64(seed: SplitMix64.number(index - 1, ofSeed: branch))
  }

  /// 0 for a draw that a schedule does not leave.
  package mutating func next() -> UInt64 {
    let isLeft = book?.takes(stream) ?? true
    let drawn = draw()
    return isLeft ? drawn : 0
  }

  private mutating func draw() -> UInt64 { generator.next() }

  /// True with this probability; draws nothing when the answer is certain. False for a draw that a schedule does not
  /// leave.
  package mutating func chance(_ probability: Double) -> Bool {
    guard probability > 0 else { return false }
    guard probability < 1 else { return true }
    if let book, !book.takes(stream) {
      _ = draw()
      return false
    }
    return Double(draw() >> 11) * 0x1p-53 < probability
  }

  /// A number of the range, each as likely; draws nothing when there is only one. Not for the full range of Int64.
  package mutating func pick(_ range: ClosedRange<Int64>) -> Int64 {
    guard range.lowerBound < range.upperBound else { return range.lowerBound }
    let width = UInt64(bitPattern: range.upperBound &- range.lowerBound) &+ 1
    return range.lowerBound &+ Int64(bitPattern: next().multipliedFullWidth(by: width).high)
  }
}
