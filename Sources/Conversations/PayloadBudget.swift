/// The room that a scenario file has for payloads.
///
/// Laws
/// - What is known of a conversation fits: a log keeps no more of it.
/// - What is not known is a pattern, which need not be as long as what it stands for: it is cut where all patterns
///   together are too long, and `leftOut` says by how much. Long ones leave room for short ones behind them.
struct PayloadBudget {
  /// What is compared by its bytes besides, and all of this, is less than the 64 MiB of a file.
  static let maxCompared = 24 << 20
  private static let maxKnown = 24 << 20
  private static let maxUnknown = 14 << 20
  private static let keptForShort = 2 << 20
  private static let short = 4 << 10

  private var known = 0
  private var unknown = 0
  /// Bytes that are not known, and not told either.
  private(set) var leftOut: [Conversation.Side: Int] = [:]

  /// The turn as far as there is room for it, and without pieces where nothing is left of it; nil: there is none for
  /// what is known of it.
  mutating func take(_ move: Move) -> Move? {
    var pieces: [Move.Piece] = []
    for piece in move.pieces {
      var kept = Move.Piece(pause: piece.pause, content: [])
      for content in piece.content {
        switch content {
        case .bytes(let bytes):
          known += bytes.count
          kept.content.append(content)
        case .missing(let count, let lack):
          let most = Self.maxUnknown - (count <= Self.short ? 0 : Self.keptForShort)
          let fitting = max(0, min(count, most - unknown))
          unknown += fitting
          if fitting < count { leftOut[move.side, default: 0] += count - fitting }
          if fitting > 0 { kept.content.append(.missing(fitting, lack)) }
        }
      }
      if !kept.content.isEmpty { pieces.append(kept) }
    }
    guard known <= Self.maxKnown else { return nil }
    var fitting = move
    fitting.kind = .turn(pieces)
    return fitting
  }
}
