import Foundation

/// Where the values of several rounds lie.
package struct Spread: Hashable, Codable, Sendable {
  /// The smallest value.
  package var lowest: Double
  /// A quarter of the values lies below it.
  package var lowerQuartile: Double
  /// Half of the values lies below it.
  package var median: Double
  /// A quarter of the values lies above it.
  package var upperQuartile: Double
  /// The largest value.
  package var highest: Double

  /// nil without values. Quartiles are interpolated between neighbours (type 7 of Hyndman and Fan, as in R and NumPy).
  package init?(_ values: [Double]) {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    lowest = sorted[0]
    highest = sorted[sorted.count - 1]
    lowerQuartile = Self.quantile(0.25, of: sorted)
    median = Self.quantile(0.5, of: sorted)
    upperQuartile = Self.quantile(0.75, of: sorted)
  }

  private static func quantile(_ part: Double, of sorted: [Double]) -> Double {
    let place = part * Double(sorted.count - 1)
    let below = Int(place.rounded(.down))
    let above = min(below + 1, sorted.count - 1)
    return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
  }
}

/// How cost grows: the exponent of a power law. 1 is linear, 2 is quadratic.
package enum Growth {
  /// The exponent that fits the upper half of the points best (least squares of the logarithms). The lower half is left
  /// out, because a fixed cost hides there what grows. nil for fewer than two positive points.
  package static func slope(of points: [(size: Double, cost: Double)]) -> Double? {
    let usable = points.filter { $0.size > 0 && $0.cost > 0 }.sorted { $0.size < $1.size }
    let upper = usable.suffix(max(3, (usable.count + 1) / 2)).map { (x: log($0.size), y: log($0.cost)) }
    guard upper.count >= 2 else { return nil }
    let meanX = upper.map(\.x).reduce(0, +) / Double(upper.count)
    let meanY = upper.map(\.y).reduce(0, +) / Double(upper.count)
    let spread = upper.map { ($0.x - meanX) * ($0.x - meanX) }.reduce(0, +)
    guard spread > 0 else { return nil }
    return upper.map { ($0.x - meanX) * ($0.y - meanY) }.reduce(0, +) / spread
  }
}

/// Numbers that are the same for the same seed on every machine (SplitMix64).
package struct SeededNumbers: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Starts from a seed.
  package init(seed: UInt64) { state = seed }

  /// The next number.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
