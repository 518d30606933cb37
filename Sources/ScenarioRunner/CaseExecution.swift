import ScenarioModel
import ScriptedPeer

/// One case while it runs: its lanes, its trace, and the observers of the trace.
struct CaseExecution {
  /// Why a case stops before its time.
  enum Halt {
    case hang(String)
    /// The call did not return because the scenario's own `hold`, which stands there, has the thread that it needs.
    case held(String, SourcePosition)
    case unsupported(String)
    case fault(SubjectFault)
  }

  let scenario: Scenario
  let tolerance: Tolerance
  /// Where the scenario tolerates more than it wishes for, and what is on record.
  let disputes: Disputes
  private let maxEvents: Int
  var trace: [TraceEvent] = []
  /// Secrets of TLS sessions, as they became known.
  var keyLog: [String] = []
  var judge: Judge
  var invariants: InvariantChecker
  var ending: EndingObserver
  var reactions: ReactionLedger
  var sync: SyncBoard
  var peers: [PeerMachine]
  var subjects: [SubjectLaneMachine]
  /// nil: the scenario has no network of its own.
  var network: SubjectLaneMachine?
  /// Deviations that neither the judge nor the invariants saw: refusals, checks, peers.
  var findings: [Deviation] = []
  var now = Duration.zero
  /// The last event that says the case is not over yet.
  var lastActivityAt = Duration.zero
  /// Whether ends that peers make wait for calls of the subject's lanes (`nextAction`).
  var ordersEnds = false
  /// Whether the case is not at rest while the subject owes the completion of a read.
  var awaitsOwedReads = false
  var halt: Halt?
  var reachedLimit = false

  private let connectedPeers: ConnectedPeers
  private var knownPoints = 0
  private var hasDeviated = false
  /// Of the peers: whose deviation has been written down.
  private var reported: [Bool]

  init(_ script: CaseScript, variant: Variant, seed: UInt64, tolerance: Tolerance) {
    scenario = script.scenario
    self.tolerance = tolerance
    disputes = script.disputes
    maxEvents = script.maxEvents
    judge = Judge(program: script.program, tolerance: tolerance)
    invariants = InvariantChecker(scenario: script.scenario, subject: variant.subject)
    ending = EndingObserver(scenario: script.scenario)
    connectedPeers = script.connectedPeers
    reactions = ReactionLedger(script.scenario.reactions)
    sync = script.sync
    peers = script.scenario.peers.map { PeerMachine(lane: $0, cut: variant.cut, seed: seed) }
    subjects = script.scenario.subjects.map { SubjectLaneMachine(lane: $0) }
    network = script.scenario.network.map { SubjectLaneMachine(lane: SubjectLane(name: "network", steps: $0.steps)) }
    reported = Array(repeating: false, count: peers.count)
    trace.reserveCapacity(32)
  }

  // MARK: - Trace

  mutating func record(
    _ kind: TraceKind, at instant: Duration, position: SourcePosition? = nil, isActivity: Bool = true
  ) {
    let index = trace.count
    let event = TraceEvent(at: instant, kind: kind, position: position)
    judge.observe(event, index: index)
    invariants.observe(event, index: index)
    ending.observe(event)
    trace.append(event)
    if trace.count > maxEvents, halt == nil { halt = .hang("the case is not at rest after \(maxEvents) events") }
    if isActivity, instant > lastActivityAt { lastActivityAt = instant }
  }

  /// Something that leaves no event says that the case is not over yet.
  mutating func noteActivity(at instant: Duration) { lastActivityAt = max(lastActivityAt, instant) }

  /// Takes what the end of the case showed. Of a subject that had stopped already it is no evidence.
  mutating func take(_ remark: ClosingRemark) {
    record(.note(remark.text), at: now, isActivity: false)
    guard remark.isFault, halt == nil else { return }
    findings.append(
      Deviation(
        kind: .invariant, expected: "at the end of the case the subject lets go of all that it has",
        actual: remark.text, traceIndex: trace.count - 1))
  }

  mutating func clock(_ instant: Duration) { if instant > now { now = instant } }

  /// Advances the judge's time. The first deviation counts as activity, so that its consequences are still seen.
  mutating func advance() {
    judge.advance(to: now)
    guard !hasDeviated, hasDeviation else { return }
    hasDeviated = true
    lastActivityAt = max(lastActivityAt, now)
  }

  /// Takes an event of the world.
  mutating func take(_ event: WorldEvent, port: (PortReference) -> UInt16?) {
    clock(event.at)
    // What is queued behind a callback that holds its queue comes when it returns.
    if let held = reactions.observe(event) { noteActivity(at: event.at + min(held, scenario.limit)) }
    switch event.kind {
    case .callback(let delivered):
      record(.callback(delivered), at: event.at, isActivity: !delivered.callback.kind.isIncidental)
      if var fault = connectedPeers.fault(of: delivered, port: port) {
        fault.traceIndex = trace.count - 1
        findings.append(fault)
      }
      sync.count(delivered)
    case .peer(let name, let observation):
      record(.peerSaw(observation, peer: name), at: event.at)
      guard let lane = peers.firstIndex(where: { $0.name == name }) else { return }
      peers[lane].observe(observation, at: event.at)
      recordTLSEvents(of: lane, at: event.at)
      report(lane)
    case .command(let command, let socket, let result, let refusal):
      let position = event.position
      record(.command(command, socket: socket, result: result, inCallback: true), at: event.at, position: position)
      judge(result, of: command, on: socket, refusal: refusal, position: position)
    case .checked(let check, let socket, let actual):
      take(check, of: socket, actual: actual, port: check.portReference.flatMap(port), at: event.at)
    case .point(let name):
      // Its callback, and so the subject, decided when.
      sync.reach(name, at: event.at, position: event.position, waitedSince: .zero)
      recordPoints()
    case .packet(let sight): record(.packet(sight), at: event.at, isActivity: false)
    case .note(let text): record(.note(text), at: event.at, isActivity: false)
    }
  }

  /// Writes down the points that were reached right before a call, which was made at that instant.
  mutating func recordPoints(to instant: Duration) {
    sync.postpone(behind: knownPoints, to: instant)
    recordPoints()
  }

  /// Writes down the points that have been reached since the last call.
  mutating func recordPoints() {
    while knownPoints < sync.points.count {
      let point = sync.points[knownPoints]
      knownPoints += 1
      judge.reached(point)
      record(.point(point.name), at: point.at, position: point.position)
    }
  }

  /// Records the events of the peer's TLS since the last call.
  mutating func recordTLSEvents(of lane: Int, at instant: Duration) {
    guard !peers[lane].tlsEvents.isEmpty else { return }
    let peer = peers[lane].name
    let position = peers[lane].position
    for event in peers[lane].takeTLSEvents() {
      if case .secret(let line) = event {
        keyLog.append(line)
      } else {
        record(.tls(event, peer: peer), at: instant, position: position, isActivity: false)
      }
    }
  }

  // MARK: - Findings

  mutating func judge(
    _ result: CommandResult, of command: SubjectCommand, on socket: String, refusal: ErrorPattern?,
    position: SourcePosition?
  ) {
    switch (result, refusal) {
    case (.hung, _): halt = .hang("\(socket).\(command.name) did not return")
    case (.unsupported(let what), _): halt = .unsupported(what)
    case (.done, nil): if case .listen = command { sync.listens(socket) }
    case (.returned(let answer), nil):
      guard case .runLoop(let call) = command, let wanted = call.returns, wanted != answer else { return }
      found(.refusal, "\(socket).\(command.name) returns \(wanted)", "it returned \(answer)", position: position)
    case (.done, let refusal?), (.returned, let refusal?):
      found(
        .refusal, "\(socket).\(command.name) is refused with \(refusal.text)", "it was accepted", position: position)
    case (.refused(let error), nil):
      found(
        .refusal, "\(socket).\(command.name) is accepted", "refused: \(ExpectationText.text(error))",
        position: position)
    case (.refused(let error), let refusal?):
      guard !refusal.matches(error) else { return }
      found(
        .refusal, "\(socket).\(command.name) is refused with \(refusal.text)",
        "refused: \(ExpectationText.text(error))", position: position)
    }
  }

  mutating func take(
    _ check: PropertyCheck, of socket: String, actual: PropertyValue, port: UInt16?, at instant: Duration
  ) {
    let holds = check.holds(actual, port: port)
    record(.checked(check, socket: socket, actual: actual, holds: holds), at: instant, position: check.position)
    guard !holds else { return }
    found(.check, check.text(socket), actual.text, position: check.position)
  }

  /// The next act of the network's lane; nil: it waits, or there is none.
  mutating func nextNetworkStep() -> LocatedStep? { network?.nextCall(now: now, sync: &sync) }

  /// The network could not be made what the scenario asks for: the lab's doing, or an address that is not there.
  mutating func fail(_ action: NetworkAction, _ trouble: String, position: SourcePosition) {
    let words = action.words(duration: Wording.duration, size: Wording.count)
    found(.peer, "the network does `\(words.word)` (\(words.detail))", trouble, position: position)
  }

  /// Has the lanes of peers know how much of what they are sending the kernel has taken.
  mutating func noteTaken(by takenUnderWay: (String) -> Int) {
    for lane in peers.indices where !peers[lane].isFinished {
      peers[lane].takenUnderWay = takenUnderWay(peers[lane].name)
    }
  }

  /// Writes a peer's deviation down, once.
  mutating func report(_ lane: Int) {
    guard !reported[lane], var deviation = peers[lane].deviation else { return }
    reported[lane] = true
    if scenario.ending == .neverConnected, peers[lane].connectFailure != nil, !peers[lane].hasConnected { return }
    deviation.traceIndex = trace.isEmpty ? nil : trace.count - 1
    findings.append(deviation)
  }

  private mutating func found(
    _ kind: Deviation.Kind, _ expected: String, _ actual: String, position: SourcePosition?
  ) {
    findings.append(
      Deviation(
        kind: kind, expected: expected, actual: actual, position: position,
        traceIndex: trace.isEmpty ? nil : trace.count - 1))
  }

  // MARK: - Over?

  var hasDeviation: Bool {
    !findings.isEmpty || !judge.deviations.isEmpty || !invariants.deviations.isEmpty
  }

  /// The story is played out, and everything expected was seen; the ending may be outstanding.
  var isDone: Bool { isPlayedOut && judge.isSatisfied }

  /// All lanes are done, every reaction has run that must, and none has anything left to do.
  var isPlayedOut: Bool {
    if reactions.isRunning || owesReactions { return false }
    // By index: iterating over the machines themselves would copy each.
    for lane in peers.indices where !peers[lane].isFinished { return false }
    for lane in subjects.indices where !subjects[lane].isFinished { return false }
    if let network, !network.isFinished { return false }
    return true
  }

  /// A canary must go wrong by what it expects.
  var owesReactions: Bool { !scenario.canary && reactions.owesReactions }

  /// When the case is over unless something happens before; nil: not yet in sight.
  var quietDeadline: Duration? {
    if hasDeviation { return lastActivityAt + scenario.settle }
    guard isDone else { return nil }
    guard let wanted = scenario.ending, ending.standing(wanted) == .mayStillCome else {
      let quiet = lastActivityAt + scenario.settle
      // Asked only when the case would be over.
      guard awaitsOwedReads, now >= quiet, invariants.owesRead else { return quiet }
      return lastActivityAt + max(scenario.settle, tolerance.ending)
    }
    return lastActivityAt + max(scenario.settle, tolerance.ending)
  }

  /// Whether nothing has happened for as long as the scenario wants to watch.
  var isSettled: Bool { now - lastActivityAt >= scenario.settle }

  /// The next instant at which a lane or the judge goes on by itself. It is asked between any two events: `mutating`,
  /// so that the lanes are asked in their place.
  var ownDeadline: Duration? {
    mutating get {
      var earliest = judge.nextDeadline
      func consider(_ instant: Duration?) {
        guard let instant else { return }
        earliest = earliest.map { min($0, instant) } ?? instant
      }
      consider(network?.deadline)
      for lane in peers.indices { consider(peers[lane].deadline) }
      for lane in subjects.indices { consider(subjects[lane].deadline) }
      consider(heldEndDeadline)
      return earliest
    }
  }
}
