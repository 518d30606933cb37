/// Beats that come once, or a round of question and answer that comes again and again.
enum Scene: Hashable, Sendable {
  case once(Beat)
  /// Two turns, of one side and the other, so many times in a row.
  case rounds(times: Int, Beat, Beat)

  /// Fewer are written out.
  private static let fewest = 3

  /// The scenes of a conversation. Rounds are alike to the byte and to the rounded pause, and the side that is replaced
  /// makes no pause within them: the subject repeats them inside its callbacks, which cannot wait.
  static func scenes(of beats: [Beat], subject: Conversation.Side) -> [Scene] {
    var scenes: [Scene] = []
    var place = 0
    while place < beats.count {
      let times = rounds(in: beats, at: place, subject: subject)
      if times >= fewest {
        scenes.append(.rounds(times: times, beats[place], beats[place + 1]))
        place += 2 * times
      } else {
        scenes.append(.once(beats[place]))
        place += 1
      }
    }
    return scenes
  }

  private static func rounds(in beats: [Beat], at place: Int, subject: Conversation.Side) -> Int {
    guard place + 1 < beats.count else { return 0 }
    let (first, second) = (beats[place], beats[place + 1])
    guard first.side != second.side, !first.pieces.isEmpty, !second.pieces.isEmpty else { return 0 }
    let own = first.side == subject ? first : second
    guard own.pieces.allSatisfy({ $0.pause == .zero }) else { return 0 }
    var times = 1
    while place + 2 * times + 1 < beats.count, beats[place + 2 * times] == first,
      beats[place + 2 * times + 1] == second
    {
      times += 1
    }
    return times
  }
}
