import ScenarioModel

/// Cuts the payloads of one peer's sends as the variant asks.
///
/// The same seed and lane name give the same cuts. Gaps between pieces are bounded (`maxGaps`), because a long payload
/// cut into single bytes would otherwise outlast every limit; pieces after that many follow each other at once.
package struct SegmentCutter: Sendable {
  /// No more pieces than this for a random cut.
  package static let maxRandomPieces = 9
  /// The number of gaps within one payload after which the pieces follow without a gap.
  package static let maxGaps = 256

  private let cut: Variant.Cut
  private var random: SplitMix64

  /// `seed` is the case's; the lane's name keeps the lanes apart.
  package init(cut: Variant.Cut, seed: UInt64, lane: String) {
    self.cut = cut
    random = SplitMix64(seed: seed ^ ContentHash(of: lane.utf8).value)
  }

  /// The pieces of the next payload, which has `count` bytes.
  package mutating func pieces(of count: Int) -> PieceLengths {
    switch cut {
    case .whole: return .even(max(count, 1))
    case .bytes: return .even(1)
    case .split(let at):
      guard at > 0, count > at else { return .even(max(count, 1)) }
      return .uneven([at, count - at])
    case .random: return .uneven(randomPieces(of: count))
    }
  }

  /// The pieces of a flight of TLS; a split at one place waits for a payload.
  package mutating func pieces(ofHandshake count: Int) -> PieceLengths {
    if case .split = cut { return .even(max(count, 1)) }
    return pieces(of: count)
  }

  private mutating func randomPieces(of count: Int) -> [Int] {
    guard count > 1 else { return [count] }
    var lengths: [Int] = []
    var left = count
    for _ in 0..<random.below(min(Self.maxRandomPieces, count)) {
      guard left > 1 else { break }
      // Half of the cuts are near the start of the remaining bytes: short pieces find more than long ones.
      let reach = random.below(2) == 0 ? min(left - 1, 4) : left - 1
      let length = 1 + random.below(reach)
      lengths.append(length)
      left -= length
    }
    lengths.append(left)
    return lengths
  }
}

/// The lengths of a payload's pieces, in order.
package enum PieceLengths: Hashable, Sendable {
  /// This many bytes each, the last one what is left.
  case even(Int)
  case uneven([Int])

  /// The length of piece number `index` (from 0) when `left` bytes are left; never more than that, never less than 1.
  package func length(of index: Int, left: Int) -> Int {
    switch self {
    case .even(let length): min(max(length, 1), left)
    case .uneven(let lengths): index < lengths.count ? min(max(lengths[index], 1), left) : left
    }
  }
}
