import Foundation

/// What can be said of few figures without knowing how they are distributed.
package enum SampleMath {
  /// The mean of the middle two of an even number; nil: of nothing.
  package static func median(_ values: [Double]) -> Double? {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    guard !sorted.isEmpty else { return nil }
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// The median distance from the median; nil: of nothing.
  package static func deviation(_ values: [Double]) -> Double? {
    median(values).flatMap { middle in median(values.map { abs($0 - middle) }) }
  }

  /// The probability that the values of `one` are as much above those of `other` by chance alone: the rank test of Mann
  /// and Whitney, one-sided, by the normal approximation with corrections for ties and continuity. 1 for nothing.
  package static func chanceOfBeingAbove(_ one: [Double], _ other: [Double]) -> Double {
    guard !one.isEmpty, !other.isEmpty else { return 1 }
    let (m, n) = (Double(one.count), Double(other.count))
    // For each pair 1 if the first is larger, and a half if both are equal.
    var wins = 0.0
    for left in one { for right in other { wins += left > right ? 1 : left == right ? 0.5 : 0 } }
    var counts: [Double: Int] = [:]
    for value in one + other { counts[value, default: 0] += 1 }
    let ties = Double(counts.values.reduce(0) { $0 + $1 * $1 * $1 - $1 })
    let total = m + n
    let correction = ties / (total * (total - 1))
    let variance = m * n / 12 * (total + 1 - correction)
    guard variance > 0 else { return 1 }
    let z = (wins - m * n / 2 - 0.5) / variance.squareRoot()
    return erfc(z / 2.0.squareRoot()) / 2
  }
}
