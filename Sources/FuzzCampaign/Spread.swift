/// A measure over several trials. Five or more say something about the next one; fewer are anecdotes.
package struct Spread: Hashable, Sendable, Codable {
  /// Trials from which on a difference is believed.
  package static let enough = 5

  /// Of an even number of values, the mean of the middle two.
  package var median: Double
  /// The least of the values.
  package var low: Double
  /// The greatest of the values.
  package var high: Double
  /// How many values there are; never 0.
  package var count: Int

  /// nil: of nothing.
  package init?(_ values: [Double]) {
    let sorted = values.sorted()
    guard let low = sorted.first, let high = sorted.last else { return nil }
    let middle = sorted.count / 2
    median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    self.low = low
    self.high = high
    count = sorted.count
  }

  package func isApart(from other: Spread) -> Bool { low > other.high || high < other.low }
}
