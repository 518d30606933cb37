import ScenarioModel

/// Inputs for fuzz bodies that are the same in each run.
enum RandomInput {
  /// So many random bytes; equal seeds give equal beginnings.
  static func bytes(_ count: Int, seed: Int) -> [UInt8] {
    var random = SplitMix64(seed: UInt64(truncatingIfNeeded: seed))
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
  }
}
