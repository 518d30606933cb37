import ScenarioModel

/// A change of a committed scenario.
///
/// Laws
/// - A change that is `faithful` leaves right whatever the scenario expects, because a requirement or the scenario
///   itself says that it makes no difference.
/// - After any other change only what must hold in every case can be judged (`unjudged`).
package struct ScenarioChange: Hashable, Sendable {
  /// What is changed.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    // Faithful.
    case tags = "other tags"
    case bytes = "other bytes throughout"
    case cuts = "a send cut in pieces"
    case joins = "two sends in one"
    case idleCalls = "calls that do nothing"
    // Not faithful.
    case leavesOut = "a step left out"
    case doubles = "a step twice"
    case swaps = "two steps swapped"
    case peerEnds = "an end by the peer"
    case calls = "a call more"
    case length = "another length, limit or delimiter"
    case timeout = "another timeout"
    case pauses = "a pause"
    case size = "another size of a payload"
    case setting = "another setting of the socket"
    case queues = "other queues"
    case handshake = "other settings of TLS"
    case delegate = "another delegate"
    case reaction = "a call inside a callback"

    /// Whether what the scenario expects stays right.
    package var isFaithful: Bool {
      switch self {
      case .tags, .bytes, .cuts, .joins, .idleCalls: true
      default: false
      }
    }
  }

  /// What is changed.
  package var kind: Kind
  /// Where and how is drawn from it.
  package var seed: UInt64

  package init(_ kind: Kind, seed: UInt64) {
    self.kind = kind
    self.seed = seed
  }

  /// A change drawn from a seed, faithful or not.
  package static func drawn(seed: UInt64, isFaithful: Bool) -> ScenarioChange {
    var random = SplitMix64(seed: seed)
    return ScenarioChange(
      random.pick(Kind.allCases.filter { $0.isFaithful == isFaithful }), seed: random.next())
  }

  /// The scenario changed; nil: it has nothing of the kind, or it can't be changed so.
  package func applied(to scenario: Scenario) -> Scenario? {
    var random = SplitMix64(seed: seed)
    var changed = scenario
    switch kind {
    case .tags:
      let shift = 1 + random.below(1000)
      var rewriting = ScenarioRewriting(tag: { $0 &+ shift })
      rewriting.rewrite(&changed)
    case .bytes: guard Self.replaceBytes(&changed, &random) else { return nil }
    case .cuts: guard Self.cut(&changed, &random) else { return nil }
    case .joins: guard Self.join(&changed, &random) else { return nil }
    case .idleCalls: guard Self.insertIdleCall(&changed, &random) else { return nil }
    default:
      var disturbance = ScenarioDisturbance(kind, random)
      guard disturbance.apply(to: &changed) else { return nil }
    }
    return changed == scenario ? nil : changed
  }

  // MARK: Faithful changes

  /// Every byte becomes another one, each the same everywhere: no two become one, so delimiters stay where they are.
  /// Where the story has TLS of its own, bytes may be taken for a record.
  private static func replaceBytes(_ scenario: inout Scenario, _ random: inout SplitMix64) -> Bool {
    guard !scenario.hasOwnTLS else { return false }
    let mask = UInt8(1 + random.below(255))
    var rewriting = ScenarioRewriting(byte: { $0 ^ mask })
    rewriting.rewrite(&scenario)
    return rewriting.isFaithful
  }

  /// The scenario says that it does not matter how a peer's sends are cut into segments; of records it says nothing.
  private static func mayBeCut(_ scenario: inout Scenario) -> Bool {
    guard scenario.matrix.segmentations.contains(.bytes) || scenario.matrix.segmentations.contains(.random),
      scenario.matrix.securities.contains(.plain), !scenario.hasOwnTLS
    else { return false }
    scenario.matrix.securities = [.plain]
    return true
  }

  private static func cut(_ scenario: inout Scenario, _ random: inout SplitMix64) -> Bool {
    guard mayBeCut(&scenario) else { return false }
    var places: [(lane: Int, step: Int, bytes: [UInt8])] = []
    for (lane, peer) in scenario.peers.enumerated() {
      for (step, located) in peer.steps.enumerated() {
        guard case .send(let payload) = located.value, (2...65_536).contains(payload.count) else { continue }
        places.append((lane, step, payload.materialised))
      }
    }
    guard !places.isEmpty else { return false }
    let place = random.pick(places)
    let point = 1 + random.below(place.bytes.count - 1)
    let position = scenario.peers[place.lane].steps[place.step].position
    let pieces = [Array(place.bytes[..<point]), Array(place.bytes[point...])]
    scenario.peers[place.lane].steps.replaceSubrange(
      place.step...place.step, with: pieces.map { Located(.send(.bytes($0)), at: position) })
    return true
  }

  private static func join(_ scenario: inout Scenario, _ random: inout SplitMix64) -> Bool {
    guard mayBeCut(&scenario) else { return false }
    var places: [(lane: Int, step: Int, payload: Payload)] = []
    for (lane, peer) in scenario.peers.enumerated() {
      for (step, pair) in zip(peer.steps, peer.steps.dropFirst()).enumerated() {
        guard case .send(let one) = pair.0.value, case .send(let other) = pair.1.value else { continue }
        places.append((lane, step, .joined([one, other])))
      }
    }
    guard !places.isEmpty else { return false }
    let place = random.pick(places)
    let position = scenario.peers[place.lane].steps[place.step].position
    scenario.peers[place.lane].steps.replaceSubrange(
      place.step...place.step + 1, with: [Located(.send(place.payload), at: position)])
    return true
  }

  /// A read to length 0 (RD-LEN-02), one whose limit is below its delimiter (RD-MAX-05), a write of nothing (WR-02).
  private static func insertIdleCall(_ scenario: inout Scenario, _ random: inout SplitMix64) -> Bool {
    let idle: [SubjectCommand] = [
      .read(ReadCommand(boundary: .exactly(0), timeout: TimeoutValue(seconds: 0.001), tag: 4711)),
      .read(ReadCommand(boundary: .through(.bytes([13, 10]), limit: 1), tag: 4711)),
      .write(WriteCommand(payload: .bytes([]), timeout: TimeoutValue(seconds: 0.001), tag: 4711)),
    ]
    let places = scenario.subjects.indices.filter { lane in
      scenario.sockets.contains { $0.name == scenario.subjects[lane].name }
    }
    guard !places.isEmpty, scenario.leaveBusyRunLoops() else { return false }
    let lane = random.pick(places)
    // A socket that is let go can't be called.
    let end = scenario.subjects[lane].steps.firstIndex { $0.step.letsGo } ?? scenario.subjects[lane].steps.count
    let place = random.below(end + 1)
    let step = SubjectStep.command(random.pick(idle), socket: scenario.subjects[lane].name, refusal: nil)
    scenario.subjects[lane].steps.insert(LocatedStep(step, at: SourcePosition(line: 0, column: 0)), at: place)
    return true
  }
}

extension Scenario {
  /// A call on a run loop waits until the callback under way has returned, and with it wait all lanes: where callbacks
  /// take their time, no call does nothing. False: the scenario is played on run loops alone.
  fileprivate mutating func leaveBusyRunLoops() -> Bool {
    guard reactions.contains(where: { $0.steps.contains { $0.step.takesTime } }) else { return true }
    let others = subjectKinds.filter { $0 != .runLoop }
    if others != subjectKinds { matrix.subjects = others }
    return !others.isEmpty
  }
}

extension SubjectStep {
  fileprivate var takesTime: Bool {
    switch self {
    case .hold, .wait, .command(.runLoop, _, _): true
    case .repeated(_, let steps): steps.contains { $0.step.takesTime }
    default: false
    }
  }

  fileprivate var letsGo: Bool {
    switch self {
    case .command(.release, _, _): true
    case .repeated(_, let steps): steps.contains { $0.step.letsGo }
    default: false
    }
  }
}
