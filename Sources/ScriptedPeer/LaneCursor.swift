/// The place a lane has reached in its steps: a stack of loops instead of recursion, so `repeat` costs no stack.
package struct LaneCursor<Step: Sendable>: Sendable {
  private struct Frame {
    var steps: [Step]
    var index: Int
    /// Rounds still to do, the present one included.
    var rounds: Int
  }

  private var frames: [Frame]

  /// Before the first step.
  package init(_ steps: [Step]) {
    frames = [Frame(steps: steps, index: 0, rounds: 1)]
  }

  /// Moves to the next step and returns it; nil at the end of the lane.
  package mutating func next() -> Step? {
    while let last = frames.indices.last {
      let index = frames[last].index
      if index < frames[last].steps.count {
        frames[last].index = index + 1
        return frames[last].steps[index]
      }
      if frames[last].rounds > 1 {
        frames[last].rounds -= 1
        frames[last].index = 0
      } else {
        frames.removeLast()
      }
    }
    return nil
  }

  /// The step that `next` would return, as far as it stands in the same list.
  package var peek: Step? {
    guard let last = frames.last, last.index < last.steps.count else { return nil }
    return last.steps[last.index]
  }

  /// Whether a step to come is a wanted one; those of a loop under way may come again.
  package func holds(where wanted: (Step) -> Bool) -> Bool {
    frames.contains { frame in
      frame.steps[(frame.rounds > 1 ? 0 : min(frame.index, frame.steps.count))...].contains(where: wanted)
    }
  }

  /// Whether no step follows the present one.
  package var isAtEnd: Bool { frames.allSatisfy { $0.index >= $0.steps.count && $0.rounds <= 1 } }

  /// Runs the steps `times` times before whatever follows the present step.
  package mutating func enter(_ steps: [Step], times: Int) {
    guard times > 0, !steps.isEmpty else { return }
    frames.append(Frame(steps: steps, index: 0, rounds: times))
  }
}
