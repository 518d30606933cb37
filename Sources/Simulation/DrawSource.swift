import ScenarioModel

/// Where the draws of a case come from: a seed, and what of its draws a schedule leaves.
package struct DrawSource {
  let seed: UInt64
  let book: DrawBook?

  package init(seed: UInt64) {
    self.seed = seed
    book = nil
  }

  init(seed: UInt64, schedule: Schedule?) {
    self.seed = schedule?.seed ?? seed
    book = schedule.map { DrawBook($0.draws) }
  }

  /// How often each stream was drawn from; nil: draws are not counted.
  var counts: [String: Int]? { book?.counts }
}

/// What a schedule leaves, and how much was drawn. Each case has its own book and uses it on one thread.
final class DrawBook {
  private let kept: Set<Schedule.Draw>?
  private(set) var counts: [String: Int] = [:]

  init(_ kept: Set<Schedule.Draw>?) { self.kept = kept }

  /// Counts the stream's next draw, and says whether it is left.
  func takes(_ stream: String) -> Bool {
    let number = counts[stream, default: 0]
    counts[stream] = number + 1
    return kept?.contains(Schedule.Draw(stream: stream, number: number)) ?? true
  }
}
