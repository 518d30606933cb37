import ScenarioModel
import Synchronization

/// The reactions of one case, asked from inside callbacks on whatever thread those run.
package final class ReactionBook: Sendable {
  private let entries: Mutex<[Entry]>

  private struct Entry {
    var reaction: Reaction
    var left: Int?
  }

  /// The scenario's reactions in file order, none of them used yet.
  package init(_ reactions: [Reaction]) {
    entries = Mutex(reactions.map { Entry(reaction: $0, left: $0.times) })
  }

  /// The steps to run inside this callback: those of the first reaction in file order that fits and is not used up.
  package func steps(for delivered: DeliveredCallback) -> [LocatedStep] {
    entries.withLock { entries in
      for index in entries.indices {
        let reaction = entries[index].reaction
        guard entries[index].left != 0, reaction.socket == nil || reaction.socket == delivered.socket,
          reaction.pattern.matches(delivered)
        else { continue }
        if let left = entries[index].left { entries[index].left = left - 1 }
        return reaction.steps
      }
      return []
    }
  }
}
