import ScenarioModel

/// Which reactions have run, and what is still to be seen of them, as the events of a case show it.
///
/// Only observed steps count, not requested ones: a subject that is a program of its own runs the reactions itself, and
/// may leave steps out or take more. Steps are counted by their places, because nothing tells which of several
/// callbacks under way took one.
struct ReactionLedger: Sendable {
  private var choice: ReactionChoice
  /// By the place of a call, check or point: how often it is to be seen yet; below zero: its callback may come late.
  private var balance: [SourcePosition: Int] = [:]
  /// The positions of steps that were seen more often than callbacks had asked for.
  private(set) var surplus: [SourcePosition] = []
  /// Whether callbacks are shown that did not come, or not as they came: the steps prove nothing then.
  var isFalsified = false
  /// The `hold` of the last callback that had one.
  private(set) var hold: (position: SourcePosition, since: Duration, until: Duration)?
  /// How many places are to be seen yet.
  private var outstandingCount = 0
  /// Reactions that must run, and have not; of copies the first, by what they are copies of.
  private var owedByOrigin: [Int: Reaction] = [:]

  init(_ reactions: [Reaction]) {
    choice = ReactionChoice(reactions)
    for (origin, reaction) in zip(choice.origins, reactions) where !reaction.isOptional {
      if owedByOrigin[origin] == nil { owedByOrigin[origin] = reaction }
    }
  }

  /// Takes an event of the world. Gives back how long the reaction to it holds its callback; nil: it does not.
  mutating func observe(_ event: WorldEvent) -> Duration? {
    guard !choice.reactions.isEmpty else { return nil }
    switch event.kind {
    case .callback(let delivered):
      guard !event.isForged, let index = choice.next(for: delivered) else { return nil }
      let reaction = choice.reactions[index]
      owedByOrigin[choice.origins[index]] = nil
      expect(reaction.steps, times: 1)
      guard let held = Self.hold(reaction.steps) else { return nil }
      hold = (Self.firstHold(reaction.steps) ?? reaction.position, event.at, event.at + held)
      return held
    case .checked(let check, _, _): see(check.position)
    case .command, .point: if let position = event.position { see(position) }
    case .peer, .packet, .note: break
    }
    return nil
  }

  /// All that these steps hold; nil: nothing.
  private static func hold(_ steps: [LocatedStep]) -> Duration? {
    let sum = steps.reduce(Duration.zero) { sum, step in
      switch step.step {
      case .hold(let duration): sum + duration
      case .repeated(let times, let steps): sum + (hold(steps) ?? .zero) * min(max(times, 0), 1_000)
      case .command, .reach, .check, .wait, .after, .network, .answer, .decide: sum
      }
    }
    return sum > .zero ? sum : nil
  }

  private static func firstHold(_ steps: [LocatedStep]) -> SourcePosition? {
    for step in steps {
      switch step.step {
      case .hold: return step.position
      case .repeated(_, let inner): if let position = firstHold(inner) { return position }
      default: continue
      }
    }
    return nil
  }

  private mutating func see(_ position: SourcePosition) {
    if isFalsified || balance[position, default: 0] > 0 {
      count(position, by: -1)
    } else {
      surplus.append(position)
    }
  }

  private mutating func expect(_ steps: [LocatedStep], times: Int) {
    for step in steps {
      switch step.step {
      case .command, .reach: count(step.position, by: times)
      case .check(let checks, _): for check in checks { count(check.position, by: times) }
      case .repeated(let inner, let steps):
        let (product, overflow) = times.multipliedReportingOverflow(by: max(inner, 0))
        expect(steps, times: overflow ? .max : product)
      case .wait, .after, .network, .hold, .answer, .decide: break
      }
    }
  }

  private mutating func count(_ position: SourcePosition, by number: Int) {
    guard number != 0 else { return }
    let before = balance[position, default: 0]
    let (sum, overflow) = before.addingReportingOverflow(number)
    let after = overflow ? .max : sum
    balance[position] = after == 0 ? nil : after
    outstandingCount += (after > 0 ? 1 : 0) - (before > 0 ? 1 : 0)
  }

  /// Whether a reaction that has begun has something left to do that will be seen.
  var isRunning: Bool { outstandingCount > 0 }

  /// Where the steps stand that are to be seen yet.
  var outstanding: [SourcePosition] { balance.filter { $0.value > 0 }.keys.sorted() }

  /// Reactions that must run, and have not, in order.
  var owed: [Reaction] { owedByOrigin.sorted { $0.key < $1.key }.map(\.value) }

  /// Whether there is one.
  var owesReactions: Bool { !owedByOrigin.isEmpty }
}
