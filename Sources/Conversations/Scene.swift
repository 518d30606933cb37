import ScenarioModel

/// Moves that come once, or that come again and again: a round of questions and answers, or what one side does alone.
enum Scene: Hashable, Sendable {
  case once(Move)
  /// Turns of both sides that are repeated `times` times; `lead` is the first pause of all where that is the subject's.
  case rounds(times: Int, lead: RecordedPause, [Move])
  /// Changes of one side's keys, repeated `times` times; those of the peer may each have a turn behind them.
  case keyChanges(times: Int, [Move])

  /// Fewer are written out.
  private static let fewest = 3
  /// Turns of a round; of several that fit, the one that tells most, then the shortest.
  private static let periods = [2, 4, 6]
  /// Pauses that differ by at most this factor are alike, and so are all below `shortest`.
  private static let factor = 3
  private static let shortest = Duration.milliseconds(5)

  /// The scenes of a conversation. Rounds are alike to the byte, and about alike in their pauses, of which they have
  /// the middle ones. The side that is replaced says all of a turn at once there: the subject repeats rounds inside
  /// its callbacks, which cannot wait.
  static func scenes(of moves: [Move], subject: Conversation.Side) -> [Scene] {
    var scenes: [Scene] = []
    var place = 0
    while place < moves.count {
      let found = periods.map { (period: $0, times: rounds(in: moves, at: place, of: $0, subject: subject)) }
      let longest = found.filter { $0.times >= fewest }.max { left, right in
        (left.period * left.times, -left.period) < (right.period * right.times, -right.period)
      }
      if let (period, times) = keyChanges(in: moves, at: place, subject: subject) {
        scenes.append(.keyChanges(times: times, Array(moves[place..<place + period])))
        place += period * times
      } else if let (period, times) = longest {
        let lead = moves[place].side == subject ? moves[place].pieces[0].pause : .zero
        let round = middle(of: moves[place..<place + period * times], period: period)
        scenes.append(.rounds(times: times, lead: lead, round))
        place += period * times
      } else {
        scenes.append(.once(moves[place]))
        place += 1
      }
    }
    return scenes
  }

  /// How often a change of keys comes in a row from here on, with the turn behind it or alone; nil: less often than is
  /// told so.
  private static func keyChanges(
    in moves: [Move], at place: Int, subject: Conversation.Side
  ) -> (period: Int, times: Int)? {
    guard case .keyUpdate = moves[place].kind else { return nil }
    let side = moves[place].side
    let isTurnToo =
      side != subject && place + 1 < moves.count && moves[place + 1].side == side && !moves[place + 1].pieces.isEmpty
    let period = isTurnToo ? 2 : 1
    var times = 1
    while place + (times + 1) * period <= moves.count,
      (0..<period).allSatisfy({ areAlike(moves[place + $0], moves[place + times * period + $0]) })
    {
      times += 1
    }
    return times < fewest ? nil : (period, times)
  }

  private static func rounds(in moves: [Move], at place: Int, of period: Int, subject: Conversation.Side) -> Int {
    guard place + period <= moves.count else { return 0 }
    let round = moves[place..<place + period]
    guard round.allSatisfy({ !$0.pieces.isEmpty }), zip(round, round.dropFirst()).allSatisfy({ $0.side != $1.side }),
      round.allSatisfy({ $0.side != subject || $0.pieces.dropFirst().allSatisfy { $0.pause == .zero } })
    else { return 0 }
    // Before its first words the subject waits where it can: in its lane, as long as it did.
    let isLed = moves[place].side == subject
    var times = 1
    while place + (times + 1) * period <= moves.count,
      (0..<period).allSatisfy({ offset in
        let next = moves[place + times * period + offset]
        guard isLed, offset == 0 else { return areAlike(moves[place + offset], next) }
        return moves[place].unpaced == next.unpaced && areAlike(moves[place + period], next)
      })
    {
      times += 1
    }
    return times
  }

  private static func areAlike(_ one: Move, _ other: Move) -> Bool {
    one == other
      || one.side == other.side && one.unpaced == other.unpaced && areAlike(one.pause, other.pause)
        && zip(one.pieces, other.pieces).allSatisfy { areAlike($0.pause, $1.pause) }
  }

  private static func areAlike(_ one: RecordedPause, _ other: RecordedPause) -> Bool {
    max(one.length, other.length) <= max(min(one.length, other.length), shortest) * factor
  }

  /// The first round, with the middle one of all pauses in each place.
  private static func middle(of moves: ArraySlice<Move>, period: Int) -> [Move] {
    let start = moves.startIndex
    return (0..<period).map { offset in
      let same = stride(from: start + offset, to: moves.endIndex, by: period).map { moves[$0].pieces }
      var move = moves[start + offset]
      move.kind = .turn(
        move.pieces.enumerated().map { index, piece in
          let pauses = same.map { $0[index].pause }.sorted()
          return Move.Piece(pause: pauses[(pauses.count - 1) / 2], content: piece.content)
        })
      return move
    }
  }
}
