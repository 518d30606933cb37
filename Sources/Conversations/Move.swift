import ScenarioModel

/// A conversation as the lanes of a scenario tell it: who speaks until the other one does, in which pieces, and how it
/// ends.
///
/// Laws
/// - Neither bytes nor their order are changed: the pieces of all turns of a side, joined, are its stream.
/// - A turn has no more than some hundreds of pieces and of holes: the last piece is the rest of a turn that had more,
///   and what was seen between more holes is missing with them.
/// - Pauses below `Pacing.shortest` are none; others are rounded, and cut at `Pacing.longest`.
/// - Pieces between which there is no pause are one when the first is as long as a full segment may be: where its bytes
///   were cut then says nothing about the sender.
struct Move: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case turn([Piece])
    case urgent(UInt8)
    case finish
    case reset
    case window(isOpen: Bool)
    case handshake(Conversation.Handshake)
    case closeNotify
    case alert(TLSAlert)
    case keyUpdate(requested: Bool)
  }

  /// Bytes that go out together.
  struct Piece: Hashable, Sendable {
    /// After the piece before it; of the first one, after the move before.
    var pause: RecordedPause
    var content: [Content]

    var count: Int { content.reduce(0) { $0 + $1.count } }
  }

  enum Content: Hashable, Sendable {
    case bytes([UInt8])
    case missing(Int, Conversation.Lack)

    var count: Int {
      switch self {
      case .bytes(let bytes): bytes.count
      case .missing(let count, _): count
      }
    }
  }

  var side: Conversation.Side
  /// After the move before; of a turn, its first piece says so.
  var pause: RecordedPause
  var kind: Kind

  var pieces: [Piece] {
    if case .turn(let pieces) = kind { pieces } else { [] }
  }

  var count: Int { pieces.reduce(0) { $0 + $1.count } }

  /// Whether it ends a direction, or the connection.
  var isEnd: Bool {
    switch kind {
    case .finish, .reset, .closeNotify: true
    case .turn, .urgent, .window, .handshake, .alert, .keyUpdate: false
    }
  }

  /// Everything that the move says; nil: some of it is not known.
  var bytes: [UInt8]? {
    var bytes: [UInt8] = []
    for content in pieces.flatMap(\.content) {
      guard case .bytes(let known) = content else { return nil }
      bytes += known
    }
    return bytes
  }

  /// The same without pauses: what is said, and in which pieces.
  var unpaced: Move {
    var move = self
    move.pause = .zero
    if case .turn(let pieces) = kind {
      move.kind = .turn(pieces.map { Piece(pause: .zero, content: $0.content) })
    }
    return move
  }
}

/// A pause as a scenario repeats it, and as it was. The greater one is the one that is repeated longer; of equal ones,
/// the one that was longer.
struct RecordedPause: Hashable, Sendable, Comparable {
  static let zero = RecordedPause(length: .zero, seen: .zero)

  /// As it is repeated.
  var length: Duration
  /// As it was, where it was cut; otherwise `length`: rounding alone is not worth telling.
  var seen: Duration

  var isCut: Bool { seen > length }

  static func + (left: Self, right: Self) -> Self {
    RecordedPause(length: left.length + right.length, seen: left.seen + right.seen)
  }

  static func < (left: Self, right: Self) -> Bool { (left.length, left.seen) < (right.length, right.seen) }
}

/// Which pauses a scenario repeats.
package struct Pacing: Hashable, Sendable {
  /// Shorter ones are not repeated.
  package var shortest: Duration
  /// Longer ones are cut.
  package var longest: Duration

  package init(shortest: Duration = .milliseconds(5), longest: Duration = .seconds(2)) {
    self.shortest = shortest
    self.longest = longest
  }

  /// What is repeated of a time in which nothing happened.
  func pause(_ gap: Duration) -> RecordedPause {
    let length = rounded(gap)
    return RecordedPause(length: length, seen: length > .zero && gap > longest ? gap : length)
  }

  /// The nearest of 1, 2, 5, 10, 20, 50, … milliseconds, in proportion; zero for what is not repeated.
  private func rounded(_ gap: Duration) -> Duration {
    guard gap >= shortest, gap > .zero else { return .zero }
    let bounded = min(gap, longest)
    var unit = Duration.nanoseconds(1)
    while unit * 10 <= bounded { unit = unit * 10 }
    // Between two steps their geometric mean decides.
    let ratio = bounded / unit
    let steps = ratio < 2.0.squareRoot() ? 1 : ratio < 10.0.squareRoot() ? 2 : ratio < 50.0.squareRoot() ? 5 : 10
    return min(unit * steps, longest)
  }
}
