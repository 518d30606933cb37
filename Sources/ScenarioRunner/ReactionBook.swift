import ScenarioModel
import Synchronization

/// The reactions of one case, asked from inside callbacks on whatever thread those run.
package final class ReactionBook: Sendable {
  private let choice: Mutex<ReactionChoice>

  /// The scenario's reactions in file order, none of them used yet.
  package init(_ reactions: [Reaction]) { choice = Mutex(ReactionChoice(reactions)) }

  /// The steps to run inside this callback, which `note` writes down: of two callbacks at once, the one that is noted
  /// first chooses first.
  package func steps(for delivered: DeliveredCallback, note: () -> Void = {}) -> [LocatedStep] {
    choice.withLock { choice in
      note()
      return choice.next(for: delivered).map { choice.reactions[$0].steps } ?? []
    }
  }
}
