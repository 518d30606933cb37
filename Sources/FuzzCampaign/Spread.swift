/// A measure over several trials. Five or more say something about the next one; fewer are anecdotes.
package struct Spread: Hashable, Sendable, Codable {
  package static let enough = 5

  package var median: Double
  package var low: Double
  package var high: Double
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
