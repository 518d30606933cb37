import ReportMarkup
import ScenarioModel

// Steps inside callbacks.
extension CallTranslation {
  /// The most steps inside one callback: more would make the line too long.
  private static let maxSteps = 2_000

  /// The reaction as it is sent to the subject; ids count up from `id`, which is left at the next one. `note` takes
  /// what each id stands for. nil: the subject does not know the callback, which need not come.
  package func reaction(
    _ reaction: Reaction, id: inout Int, in directory: some CaseDirectory, note: (Int, LocatedStep) -> Void
  ) throws(Obstacle) -> ReactionOutline? {
    if reaction.isOptional, !claims.callbacks.contains(reaction.pattern.kind) { return nil }
    try demand(.reactions, "steps inside callbacks")
    let pattern = reaction.pattern
    guard claims.callbacks.contains(pattern.kind) else {
      throw .unsupported(MissingClaim("\(claims.name) has no callback `\(pattern.kind.rawValue)`"))
    }
    var plain = CallbackPattern(kind: pattern.kind)
    (plain.tag, plain.child) = (pattern.tag, pattern.child)
    guard plain == pattern else { throw refuse("reaction that looks at more of a callback than its tag and child") }
    var steps: [ReactionStep] = []
    try add(reaction.steps, to: &steps, id: &id, directory, note)
    return ReactionOutline(
      kind: pattern.kind, socket: reaction.socket, tag: pattern.tag, child: pattern.child, times: reaction.times,
      steps: steps)
  }

  private func add(
    _ located: [LocatedStep], to steps: inout [ReactionStep], id: inout Int, _ directory: some CaseDirectory,
    _ note: (Int, LocatedStep) -> Void
  ) throws(Obstacle) {
    for step in located {
      guard steps.count < Self.maxSteps else { throw refuse("reaction of more than \(Self.maxSteps) steps") }
      switch step.step {
      case .command(let command, let socket, _):
        note(id, step)
        do throws(Obstacle) {
          steps.append(.call(try call(command, on: socket, id: id, in: directory)))
        } catch {
          if case .noObject(let what) = error { throw refuse("reaction whose names are not known before: \(what)") }
          throw error
        }
        id += 1
      case .check(let checks, let socket):
        for check in checks {
          try ask(check.property)
          note(id, LocatedStep(.check([check], socket: socket), at: check.position))
          steps.append(.get(id: id, socket: socket, property: check.property))
          id += 1
        }
      case .hold(let duration), .wait(let duration):
        try demand(.hold, "callbacks that wait")
        steps.append(.hold(duration / .seconds(1)))
      case .reach:
        note(id, step)
        steps.append(.reach(id: id))
        id += 1
      case .answer(let value):
        guard value.seconds.isFinite else { throw refuse("extension that is no number") }
        steps.append(.answer(value.seconds))
      case .repeated(let times, let inner):
        for _ in 0..<max(times, 0) { try add(inner, to: &steps, id: &id, directory, note) }
      case .decide, .after, .network: throw refuse("such step inside a callback")
      }
    }
  }

  /// Whether the property can be asked for.
  package func ask(_ property: SubjectProperty) throws(Obstacle) {
    guard property != .buffer else { throw refuse("buffers of the caller's") }
    guard claims.properties.contains(property) else {
      throw .unsupported(MissingClaim("\(claims.name) has no property `\(property.rawValue)`"))
    }
  }
}
