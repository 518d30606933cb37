import ScenarioModel
import ScriptedPeer

/// Matches the callbacks of a case with what its scenario expects, while they come.
///
/// Laws
/// - Order is per socket; between sockets none is implied.
/// - A callback of a socket that no expectation names is a deviation, as every callback is that no expectation of its
///   socket names: what a scenario does not expect must not happen. Only a scenario without expectations has none.
/// - Every judged callback meets the next expectation of its socket or is a deviation. Incidental kinds are judged only
///   if some expectation of that socket names the kind.
/// - All readings that are still possible are kept (optional events, alternatives, any order): a deviation is certain
///   when none is left. Items of an `anyOrder` may interleave; `times: N, optional` is absent or there N times.
/// - An event that fits but for its time or its fields is taken as the expected one, once it has been written down, so
///   that what follows is judged too. After an unexpected event the socket is not judged any further.
/// - A silence (`nothing`) lasts from the previous expectation's instant up to, not including, that instant plus its
///   duration. Windows include both their ends. Before a socket's first expectation stands the start of the case; of an
///   accepted socket, its didAccept.
package struct Judge: Sendable {
  /// More readings than this at once are not kept; the case is an error of the scenario's then.
  static let maxStates = 1024

  private struct Group: Sendable {
    var states: [MatchState]
    /// An unexpected event came: nothing after it can be judged.
    var isDerailed = false
    /// The deviation written down when a window closed, until its event comes after all.
    var overdue: Int?
  }

  /// In the order in which they became certain. Indices stay; a late one may still be reworded.
  package internal(set) var deviations: [Deviation] = []
  private let program: ExpectationProgram
  private var groups: [Group]
  var clock: WindowClock
  /// The calls on the sockets, for messages.
  var calls = CallBook()
  /// Sockets without expectations that did something, written down once each.
  private var strays: Set<String> = []
  /// Deviations of events that came before the point their window counts from.
  var openOrigins: [OpenOrigin] = []
  private var now = Duration.zero
  /// Once the case is over: events that came too long before the point that their window counts from, or without it.
  /// They are the subject's fault only if nothing else kept the point from being reached.
  package internal(set) var unmetOrigins: [Deviation] = []
  /// The expectation at which there were more readings than are kept: what was found since says nothing.
  package private(set) var overwhelmedAt: SourcePosition?

  /// Works the expectations out for this one case.
  package init(scenario: Scenario, profile: Profile, tolerance: Tolerance) {
    var program = ExpectationProgram(scenario.expectations, profile: profile)
    program.expectsNothing = scenario.expectsNothing
    self.init(program: program, tolerance: tolerance)
  }

  /// For expectations that are judged many times.
  package init(program: ExpectationProgram, tolerance: Tolerance) {
    self.program = program
    clock = WindowClock(tolerance: tolerance)
    let choices = [UInt8](repeating: 0, count: program.nonStrict.count)
    groups = program.groups.map { group in
      let count = group.sequences.count
      return Group(states: [
        MatchState(
          cursors: Array(repeating: MatchCursor(), count: count), met: Array(repeating: .zero, count: count),
          choices: choices)
      ])
    }
    for socket in program.sockets where ChildName.isChild(socket.name) {
      groups[socket.group].states[0].met[socket.slot] = WindowClock.notBegun
    }
  }

  /// What is expected of an accepted socket counts from here.
  private mutating func begins(_ child: String, at instant: Duration) {
    guard let socket = program.sockets.first(where: { $0.name == child }) else { return }
    for index in groups[socket.group].states.indices
    where groups[socket.group].states[index].met[socket.slot] == WindowClock.notBegun {
      groups[socket.group].states[index].met[socket.slot] = instant
    }
  }

  /// Takes the trace's next event, whose index is `index`.
  package mutating func observe(_ event: TraceEvent, index: Int) {
    switch event.kind {
    case .callback(let delivered): judge(delivered, at: event.at, index: index)
    case .point(let name): reached(SyncBoard.Point(name: name, at: event.at, position: event.position))
    default: calls.observe(event)
    }
  }

  /// Time has passed without an event.
  package mutating func advance(to instant: Duration) {
    guard instant > now else { return }
    now = instant
    for index in groups.indices where !groups[index].isDerailed && groups[index].overdue == nil {
      guard let (late, slot) = overdue(groups[index], sequences: program.groups[index].sequences),
        let socket = program.sockets.first(where: { $0.group == index && $0.slot == slot })
      else { continue }
      groups[index].overdue = deviations.count
      deviations.append(outstandingExpectation(late, of: socket.name).deviation(.late, by: Wording.duration(now)))
    }
  }

  /// The case is over: what was late and never came is missing. `cutShortAt`: when it ended at a deviation, with steps
  /// still to come; nil: all were taken, or the limit came.
  package mutating func finish(cutShortAt: Duration? = nil) {
    for index in groups.indices { closeOverdue(of: index) }
    closeOrigins(cutShortAt: cutShortAt)
    for index in groups.indices where !groups[index].isDerailed {
      let sound = groups[index].states.filter { $0.anchored.allSatisfy { problem(of: $0) == nil } }
      guard sound.isEmpty else {
        groups[index].states = sound
        continue
      }
      let best = accepting(groups[index], sequences: program.groups[index].sequences)?.state ?? 0
      unmetOrigins += groups[index].states[best].anchored.compactMap(problem)
    }
  }

  /// Whether everything expected has been seen and every silence kept. A socket that went astray waits for nothing.
  package var isSatisfied: Bool {
    for index in groups.indices where !groups[index].isDerailed {
      if accepting(groups[index], sequences: program.groups[index].sequences) == nil { return false }
    }
    return true
  }

  /// Whether what was seen is tolerated only. Meaningful once everything is satisfied.
  package var isNonStrict: Bool {
    groups.indices.contains { index in
      !groups[index].isDerailed
        && accepting(groups[index], sequences: program.groups[index].sequences)?.isStrict == false
    }
  }

  /// For each `oneOf`, in file order, the alternative that came, counted from 1; 0: none. Meaningful once everything is
  /// satisfied.
  package var forms: [Int] {
    guard !program.nonStrict.isEmpty else { return [] }
    var forms = program.nonStrict.map { _ in 0 }
    for (index, group) in groups.enumerated() where !group.isDerailed {
      let best = accepting(group, sequences: program.groups[index].sequences)
      for (choice, number) in (best?.choices ?? []).enumerated() where number > 0 { forms[choice] = Int(number) }
    }
    return forms
  }

  /// The next instant at which time alone changes something.
  package var nextDeadline: Duration? {
    var earliest: Duration?
    let walker = MatchWalker(clock: clock, table: program.choices)
    for (index, group) in groups.enumerated() where !group.isDerailed {
      for state in group.states {
        for (slot, nodes) in program.groups[index].sequences.enumerated() {
          guard
            let instant = walker.deadline(
              in: nodes, from: state.cursors[slot], choices: state.choices, previous: state.met[slot], now: now)
          else { continue }
          earliest = earliest.map { min($0, instant) } ?? instant
        }
      }
    }
    return earliest
  }

  /// What has not been seen yet, in the scenario's words.
  package var outstanding: [String] { outstandingExpectations.map(\.text) }

  /// Empty for sockets that went astray or whose lateness has been written down.
  package var outstandingExpectations: [Outstanding] {
    let walker = MatchWalker(clock: clock, table: program.choices)
    var found: [Outstanding] = []
    for (index, group) in groups.enumerated() where !group.isDerailed && group.overdue == nil {
      let sequences = program.groups[index].sequences
      guard accepting(group, sequences: sequences) == nil, let state = group.states.first else { continue }
      for socket in program.sockets where socket.group == index {
        let nodes = sequences[socket.slot]
        let unmet = walker.required(
          in: nodes, from: state.cursors[socket.slot], choices: state.choices, previous: state.met[socket.slot])
        found += unmet.map { outstandingExpectation($0, of: socket.name) }
      }
    }
    return found
  }

  /// Trace index to the place of the expectation that event met, in every respect.
  package var matches: [Int: SourcePosition] {
    var matches: [Int: SourcePosition] = [:]
    for (index, group) in groups.enumerated() {
      let best = accepting(group, sequences: program.groups[index].sequences)?.state ?? 0
      for (event, position) in group.states[best].history { matches[event] = position }
    }
    return matches
  }

  // MARK: - Matching

  private mutating func judge(_ delivered: DeliveredCallback, at instant: Duration, index: Int) {
    now = max(now, instant)
    if case .didAccept(let child) = delivered.callback {
      begins(child, at: instant)
      calls.accept(child, by: delivered.socket)
    }
    let kind = delivered.callback.kind
    guard let socket = program.sockets.first(where: { $0.name == delivered.socket }) else {
      if !program.isUnjudged(kind, of: delivered.socket) { judgeStray(delivered, at: instant, index: index) }
      return
    }
    guard !groups[socket.group].isDerailed else { return }
    guard !program.isUnjudged(kind, of: socket.name) || socket.judgedIncidentals.contains(kind) else { return }
    if takeAtOnce(delivered, at: instant, index: index, socket: socket) { return }
    takeEveryWay(delivered, at: instant, index: index, socket: socket)
  }

  /// A callback of a socket that no expectation names: no line says so, hence the step that started the socket.
  private mutating func judgeStray(_ delivered: DeliveredCallback, at instant: Duration, index: Int) {
    guard program.expectsNothing || !program.sockets.isEmpty, strays.insert(delivered.socket).inserted else { return }
    deviations.append(
      Deviation(
        kind: .unexpected, expected: "nothing of \(delivered.socket), which no expectation names",
        actual: "\(ExpectationText.text(delivered)) at \(Wording.duration(instant)); "
          + calls.lastCall(of: delivered.socket), position: calls.start(of: delivered.socket), traceIndex: index))
  }

  /// The common case without any choice: one reading, whose next expectation is a plain event that fits.
  private mutating func takeAtOnce(
    _ delivered: DeliveredCallback, at instant: Duration, index: Int, socket: ExpectationProgram.Socket
  ) -> Bool {
    let nodes = program.groups[socket.group].sequences[socket.slot]
    guard groups[socket.group].states.count == 1, groups[socket.group].overdue == nil else { return false }
    let place = groups[socket.group].states[0].cursors[socket.slot].index
    guard place < nodes.count, case .event(let event) = nodes[place], !event.isOptional, event.fits(delivered),
      !clock.awaitsOrigin(of: event.expectation.window),
      clock.flaw(
        event.expectation.window, at: instant, previous: groups[socket.group].states[0].met[socket.slot]) == nil
    else { return false }
    groups[socket.group].states[0].cursors[socket.slot].progress += 1
    if groups[socket.group].states[0].cursors[socket.slot].progress >= event.times {
      groups[socket.group].states[0].cursors[socket.slot] = MatchCursor(index: place + 1)
    }
    groups[socket.group].states[0].met[socket.slot] = instant
    groups[socket.group].states[0].history.append((index, event.expectation.position))
    return true
  }

  private mutating func takeEveryWay(
    _ delivered: DeliveredCallback, at instant: Duration, index: Int, socket: ExpectationProgram.Socket
  ) {
    let nodes = program.groups[socket.group].sequences[socket.slot]
    let walker = MatchWalker(clock: clock, table: program.choices)
    var clean: [MatchState] = []
    var known: Set<ChoiceTable.StateKey> = []
    var flawed: [(state: MatchState, outcome: MatchWalker.Outcome)] = []
    for state in groups[socket.group].states {
      for outcome in walker.outcomes(
        of: delivered, at: instant, in: nodes, from: state.cursors[socket.slot], choices: state.choices,
        previous: state.met[socket.slot])
      {
        var next = state
        next.cursors[socket.slot] = outcome.cursor
        next.choices = outcome.choices
        next.met[socket.slot] = instant
        guard outcome.flaw == nil else {
          flawed.append((next, outcome))
          continue
        }
        anchor(&next, outcome, delivered, at: instant, index: index)
        guard known.insert(program.choices.key(of: next)).inserted else { continue }
        guard clean.count < Self.maxStates else {
          overwhelmedAt = overwhelmedAt ?? ExpectationText.position(outcome.node)
          continue
        }
        if let position = ExpectationText.position(outcome.node) { next.history.append((index, position)) }
        clean.append(next)
      }
    }
    if clean.isEmpty {
      settle(flawed, delivered, at: instant, index: index, socket: socket)
    } else {
      groups[socket.group].states = clean
    }
  }

  /// No reading explains the event: writes down why.
  private mutating func settle(
    _ flawed: [(state: MatchState, outcome: MatchWalker.Outcome)], _ delivered: DeliveredCallback,
    at instant: Duration, index: Int, socket: ExpectationProgram.Socket
  ) {
    let explainer = DeviationExplainer(
      walker: MatchWalker(clock: clock, table: program.choices), calls: calls, delivered: delivered, at: instant,
      index: index)
    let nodes = program.groups[socket.group].sequences[socket.slot]
    let before = groups[socket.group].states[0]
    let timed = flawed.first { $0.outcome.flaw != .content }
    let wrongOrder = explainer.wrongOrder(nodes, before, slot: socket.slot, isOtherwiseNext: !flawed.isEmpty)
    if timed == nil, let wrong = wrongOrder {
      deviations.append(wrong)
      groups[socket.group].isDerailed = true
    } else if let nearest = timed ?? flawed.first {
      let deviation = explainer.flaw(nearest.outcome)
      noteOrigin(of: nearest.outcome, delivered, at: instant)
      if let overdue = groups[socket.group].overdue, nearest.outcome.flaw == .late {
        deviations[overdue] = deviation
        groups[socket.group].overdue = nil
      } else {
        deviations.append(deviation)
      }
      // Taken as the expected one so that what follows is judged; it has not met the expectation.
      groups[socket.group].states = [nearest.state]
    } else {
      deviations.append(explainer.unexpected(nodes, before, slot: socket.slot))
      groups[socket.group].isDerailed = true
    }
    closeOverdue(of: socket.group)
  }

  /// What was late and can come no more is missing.
  private mutating func closeOverdue(of group: Int) {
    guard let overdue = groups[group].overdue else { return }
    deviations[overdue].kind = .missing
    groups[group].overdue = nil
  }

  // MARK: - State

  /// The first reading that may end here, strict ones before tolerated ones.
  private func accepting(_ group: Group, sequences: [[ExpectationNode]]) -> Acceptance? {
    let walker = MatchWalker(clock: clock, table: program.choices)
    var tolerated: Acceptance?
    for (index, state) in group.states.enumerated() {
      var ways = [state.choices]
      for (slot, nodes) in sequences.enumerated() where state.cursors[slot].index < nodes.count {
        let completions = ways.flatMap { choices in
          walker.completions(
            of: nodes, from: state.cursors[slot], choices: choices, previous: state.met[slot], now: now)
        }
        // When the last one ended is of no interest any more.
        ways = program.choices.distinct(completions.map { MatchWalker.Skip(choices: $0.choices, previous: .zero) })
          .map(\.choices)
      }
      if let way = ways.first(where: program.choices.isStrict) {
        return Acceptance(state: index, choices: way, isStrict: true)
      }
      if let way = ways.first, tolerated == nil {
        tolerated = Acceptance(state: index, choices: way, isStrict: false)
      }
    }
    return tolerated
  }

  /// A reading that may end here, and how it chooses.
  private struct Acceptance {
    var state: Int
    var choices: [UInt8]
    var isStrict: Bool
  }

  /// An expectation that no reading can meet in time any more, and the slot of its socket.
  private func overdue(_ group: Group, sequences: [[ExpectationNode]]) -> (unmet: MatchWalker.Unmet, slot: Int)? {
    let walker = MatchWalker(clock: clock, table: program.choices)
    var first: (unmet: MatchWalker.Unmet, slot: Int)?
    for state in group.states {
      var late: (unmet: MatchWalker.Unmet, slot: Int)?
      for (slot, nodes) in sequences.enumerated() where late == nil {
        late = walker.overdue(
          in: nodes, from: state.cursors[slot], choices: state.choices, previous: state.met[slot], now: now
        ).map { (unmet: $0, slot: slot) }
      }
      guard let late else { return nil }
      first = first ?? late
    }
    return first
  }
}
