import ScenarioModel

/// Beats that come once, or that come again and again: a round of questions and answers, or what one side does alone.
enum Scene: Hashable, Sendable {
  case once(Beat)
  /// Turns of one side and the other in turn, so many times in a row; of the first pause of all, where it is the
  /// subject's, `lead` says how long it was.
  case rounds(times: Int, lead: Duration, [Beat])
  /// Changes of one side's keys, so many times in a row; of the peer's, each may have a turn behind it.
  case keyChanges(times: Int, [Beat])

  /// Fewer are written out.
  private static let fewest = 3
  /// Turns of a round; of several that fit, the one that tells most, then the shortest.
  private static let periods = [2, 4, 6]
  /// Pauses that differ by no more are alike, as are those so short that nobody sees them.
  private static let factor = 3
  private static let shortest = Duration.milliseconds(5)

  /// The scenes of a conversation. Rounds are alike to the byte, and about alike in their pauses, of which they have
  /// the middle ones. The side that is replaced says all of a turn at once there: the subject repeats rounds inside
  /// its callbacks, which cannot wait.
  static func scenes(of beats: [Beat], subject: Conversation.Side) -> [Scene] {
    var scenes: [Scene] = []
    var place = 0
    while place < beats.count {
      let found = periods.map { (period: $0, times: rounds(in: beats, at: place, of: $0, subject: subject)) }
      let longest = found.filter { $0.times >= fewest }.max { left, right in
        (left.period * left.times, -left.period) < (right.period * right.times, -right.period)
      }
      if let (period, times) = keyChanges(in: beats, at: place, subject: subject) {
        scenes.append(.keyChanges(times: times, Array(beats[place..<place + period])))
        place += period * times
      } else if let (period, times) = longest {
        let lead = beats[place].side == subject ? beats[place].pieces[0].pause : .zero
        let round = middle(of: beats[place..<place + period * times], period: period)
        scenes.append(.rounds(times: times, lead: lead, round))
        place += period * times
      } else {
        scenes.append(.once(beats[place]))
        place += 1
      }
    }
    return scenes
  }

  /// How often a change of keys comes in a row from here on, with the turn behind it or alone; nil: less often than is
  /// told so.
  private static func keyChanges(
    in beats: [Beat], at place: Int, subject: Conversation.Side
  ) -> (period: Int, times: Int)? {
    guard case .keyUpdate = beats[place].kind else { return nil }
    let side = beats[place].side
    let isTurnToo =
      side != subject && place + 1 < beats.count && beats[place + 1].side == side && !beats[place + 1].pieces.isEmpty
    let period = isTurnToo ? 2 : 1
    var times = 1
    while place + (times + 1) * period <= beats.count,
      (0..<period).allSatisfy({ areAlike(beats[place + $0], beats[place + times * period + $0]) })
    {
      times += 1
    }
    return times < fewest ? nil : (period, times)
  }

  private static func rounds(in beats: [Beat], at place: Int, of period: Int, subject: Conversation.Side) -> Int {
    guard place + period <= beats.count else { return 0 }
    let round = beats[place..<place + period]
    guard round.allSatisfy({ !$0.pieces.isEmpty }), zip(round, round.dropFirst()).allSatisfy({ $0.side != $1.side }),
      round.allSatisfy({ $0.side != subject || $0.pieces.dropFirst().allSatisfy { $0.pause == .zero } })
    else { return 0 }
    // Before its first words the subject waits where it can: in its lane, as long as it did.
    let isLed = beats[place].side == subject
    var times = 1
    while place + (times + 1) * period <= beats.count,
      (0..<period).allSatisfy({ offset in
        let next = beats[place + times * period + offset]
        guard isLed, offset == 0 else { return areAlike(beats[place + offset], next) }
        return beats[place].unpaced == next.unpaced && areAlike(beats[place + period], next)
      })
    {
      times += 1
    }
    return times
  }

  private static func areAlike(_ one: Beat, _ other: Beat) -> Bool {
    one == other
      || one.side == other.side && one.unpaced == other.unpaced && areAlike(one.pause, other.pause)
        && zip(one.pieces, other.pieces).allSatisfy { areAlike($0.pause, $1.pause) }
  }

  private static func areAlike(_ one: Duration, _ other: Duration) -> Bool {
    max(one, other) <= max(min(one, other), shortest) * factor
  }

  /// The first round, with the middle one of all pauses in each place.
  private static func middle(of beats: ArraySlice<Beat>, period: Int) -> [Beat] {
    let start = beats.startIndex
    return (0..<period).map { offset in
      let same = stride(from: start + offset, to: beats.endIndex, by: period).map { beats[$0].pieces.map(\.pause) }
      var beat = beats[start + offset]
      beat.kind = .turn(
        beat.pieces.enumerated().map { index, piece in
          let pauses = same.map { $0[index] }.sorted()
          return Beat.Piece(pause: pauses[(pauses.count - 1) / 2], content: piece.content)
        })
      return beat
    }
  }
}
