import ScenarioModel
import ScriptedPeer

/// Which reactions have run, and how far, as the events of a case show it.
///
/// What is seen decides, not who was asked for steps: a subject that is a program of its own runs the reactions itself,
/// or leaves them out.
struct ReactionLedger: Sendable {
  /// A reaction that has begun, and of which something is still to be seen.
  private struct Run: Sendable {
    let reaction: Int
    var steps: LaneCursor<LocatedStep>
    /// Where the calls, checks and points of the present step stand.
    var awaited: ArraySlice<SourcePosition> = []

    /// Goes on to the next step of which something is seen; false: there is none.
    mutating func advance() -> Bool {
      while awaited.isEmpty {
        guard let step = steps.next() else { return false }
        switch step.step {
        case .command, .reach: awaited = [step.position]
        case .check(let checks, _): awaited = checks.map(\.position)[...]
        case .repeated(let times, let inner): steps.enter(inner, times: times)
        case .wait, .after, .network, .hold, .answer, .decide: break
        }
      }
      return true
    }
  }

  private var choice: ReactionChoice
  private var hasRun: [Bool]
  private var runs: [Run] = []

  init(_ reactions: [Reaction]) {
    choice = ReactionChoice(reactions)
    hasRun = reactions.map { _ in false }
  }

  /// Takes an event of the world. What happens inside a callback comes in the order of its steps.
  mutating func observe(_ event: WorldEvent) {
    guard !hasRun.isEmpty else { return }
    switch event.kind {
    case .callback(let delivered):
      guard let index = choice.next(for: delivered) else { return }
      hasRun[index] = true
      var run = Run(reaction: index, steps: LaneCursor(choice.reactions[index].steps))
      if run.advance() { runs.append(run) }
    case .checked(let check, _, _): see(check.position)
    case .command, .point: if let position = event.position { see(position) }
    case .peer, .packet, .note: break
    }
  }

  private mutating func see(_ position: SourcePosition) {
    guard let index = runs.firstIndex(where: { $0.awaited.first == position }) else { return }
    runs[index].awaited.removeFirst()
    if !runs[index].advance() { runs.remove(at: index) }
  }

  /// Whether a reaction has begun that has something left to do that will be seen.
  var isRunning: Bool { !runs.isEmpty }

  /// Of each reaction that has begun and not ended: where its next step stands.
  var outstanding: [(reaction: Reaction, position: SourcePosition?)] {
    runs.map { (choice.reactions[$0.reaction], $0.awaited.first) }
  }

  /// Reactions that had to run, to callbacks that have not come.
  var unused: [Reaction] { zip(choice.reactions, hasRun).filter { !$1 && !$0.isOptional }.map(\.0) }
}
