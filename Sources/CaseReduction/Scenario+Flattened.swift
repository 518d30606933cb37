import ScenarioModel

/// A thing in a scenario that can be left out.
enum ScenarioItem: Hashable {
  /// Step of a peer's lane: the lane's place, the step's.
  case peer(Int, Int)
  /// Step of a lane of calls.
  case call(Int, Int)
  /// Step of a reaction.
  case reaction(Int, Int)
  /// Of `expect`, at its top.
  case expectation(Int)
  case ending
}

extension Scenario {
  /// More steps than this are not written out.
  private static let most = 2000

  /// The same scenario without `repeat`, and with one expectation for each time that an event must come, so that each
  /// repetition can be left out alone. Steps and expectations keep their places in the file.
  var flattened: Scenario {
    var flat = self
    for lane in peers.indices {
      let steps = Self.unrolled(peers[lane].steps)
      if steps.count <= Self.most { flat.peers[lane].steps = steps }
    }
    for lane in subjects.indices {
      let steps = Self.unrolled(subjects[lane].steps)
      if steps.count <= Self.most { flat.subjects[lane].steps = steps }
    }
    let events = expectations.flatMap(Self.unrolled)
    if events.count <= Self.most { flat.expectations = events }
    return flat
  }

  private static func unrolled(_ steps: [Located<PeerStep>]) -> [Located<PeerStep>] {
    steps.flatMap { step -> [Located<PeerStep>] in
      guard case .repeated(let times, let inner) = step.value, inner.count * times <= most else { return [step] }
      let once = unrolled(inner)
      return (0..<times).flatMap { _ in once }
    }
  }

  private static func unrolled(_ steps: [LocatedStep]) -> [LocatedStep] {
    steps.flatMap { step -> [LocatedStep] in
      guard case .repeated(let times, let inner) = step.step, inner.count * times <= most else { return [step] }
      let once = unrolled(inner)
      return (0..<times).flatMap { _ in once }
    }
  }

  private static func unrolled(_ expectation: Expectation) -> [Expectation] {
    guard case .event(var event) = expectation, event.times > 1, event.times <= most, !event.optional,
      event.window == nil
    else { return [expectation] }
    let times = event.times
    event.times = 1
    return Array(repeating: .event(event), count: times)
  }

  /// All that can be left out, lane by lane.
  var items: [ScenarioItem] {
    var items: [ScenarioItem] = []
    for (lane, peer) in peers.enumerated() { items += peer.steps.indices.map { .peer(lane, $0) } }
    for (lane, subject) in subjects.enumerated() { items += subject.steps.indices.map { .call(lane, $0) } }
    for (place, reaction) in reactions.enumerated() { items += reaction.steps.indices.map { .reaction(place, $0) } }
    items += expectations.indices.map { .expectation($0) }
    if ending != nil { items.append(.ending) }
    return items
  }

  /// The scenario without these; nothing else of it changes. Reactions that do nothing any more go with their steps,
  /// and so do lanes of calls and sockets that nothing mentions any more.
  func without(_ left: Set<ScenarioItem>) -> Scenario {
    var rest = self
    for lane in peers.indices {
      rest.peers[lane].steps = Self.kept(peers[lane].steps) { !left.contains(.peer(lane, $0)) }
    }
    for lane in subjects.indices {
      rest.subjects[lane].steps = Self.kept(subjects[lane].steps) { !left.contains(.call(lane, $0)) }
    }
    for place in reactions.indices {
      rest.reactions[place].steps = Self.kept(reactions[place].steps) { !left.contains(.reaction(place, $0)) }
    }
    rest.reactions.removeAll(where: \.steps.isEmpty)
    rest.expectations = Self.kept(expectations) { !left.contains(.expectation($0)) }
    if left.contains(.ending) { (rest.ending, rest.endingPosition) = (nil, nil) }
    return rest.tidied
  }

  /// Without the waits of calls for a callback that the lane has waited for before, and those behind its last call.
  var withoutIdleWaits: Scenario {
    var rest = self
    for lane in subjects.indices {
      var awaited: Set<SyncPoint> = []
      rest.subjects[lane].steps = subjects[lane].steps.filter { step in
        guard case .after(let moment) = step.step, case .callback = moment else { return true }
        return awaited.insert(moment).inserted
      }
      while case .after(.callback)? = rest.subjects[lane].steps.last?.step { rest.subjects[lane].steps.removeLast() }
    }
    return rest
  }

  private static func kept<Element>(_ elements: [Element], _ isKept: (Int) -> Bool) -> [Element] {
    elements.indices.filter(isKept).map { elements[$0] }
  }

  /// Without lanes in which nothing happens. One lane of calls stays, because a file has one.
  private var tidied: Scenario {
    var tidy = self
    let used = references
    tidy.peers.removeAll { $0.steps.isEmpty && !used.contains($0.name) }
    if tidy.subjects.contains(where: { !$0.steps.isEmpty }) { tidy.subjects.removeAll(where: \.steps.isEmpty) }
    let lanes = Set(tidy.subjects.map(\.name))
    tidy.sockets.removeAll { $0.name != "socket" && !lanes.contains($0.name) && !used.contains($0.name) }
    return tidy
  }

  /// Names of sockets and peers that some step or expectation mentions.
  private var references: Set<String> {
    var names: Set<String> = []
    for lane in subjects { for step in lane.steps { names.formUnion(step.step.mentioned) } }
    for step in network?.steps ?? [] { names.formUnion(step.step.mentioned) }
    for reaction in reactions {
      if let socket = reaction.socket { names.insert(socket) }
      for step in reaction.steps { names.formUnion(step.step.mentioned) }
    }
    for lane in peers {
      if let other = lane.samePortAs { names.insert(other) }
      for step in lane.steps {
        switch step.value {
        case .connect(let socket): names.insert(socket)
        case .after(.callback(_, let socket, _)): names.insert(socket)
        default: break
        }
      }
    }
    for expectation in expectations { names.formUnion(expectation.sockets) }
    return names
  }
}

extension Expectation {
  /// The sockets that it is about.
  var sockets: [String] {
    switch self {
    case .event(let event): [event.socket]
    case .stream(let stream): [stream.socket]
    case .nothing(_, let socket, _): [socket]
    case .anyOrder(let items, _): items.flatMap(\.sockets)
    case .oneOf(let alternatives, _): alternatives.flatMap { $0.expectations.flatMap(\.sockets) }
    }
  }
}

extension SubjectStep {
  /// Names of sockets and peers in it.
  var mentioned: Set<String> {
    switch self {
    case .command(let command, let socket, _): Set(command.mentioned).union([socket])
    case .check(let checks, let socket):
      Set(
        checks.flatMap { check -> [String] in
          guard case .port(let port) = check.expected else { return [] }
          return port.mentioned
        }
      ).union([socket])
    case .after(.callback(_, let socket, _)): [socket]
    case .repeated(_, let steps): steps.reduce(into: []) { $0.formUnion($1.step.mentioned) }
    case .wait, .after, .reach, .hold, .answer, .decide, .network: []
    }
  }
}

extension SubjectCommand {
  fileprivate var mentioned: [String] {
    switch self {
    case .connect(let connect):
      switch connect.target {
      case .peer(let name): return [name]
      case .host(_, let port): return port.mentioned
      case .address, .path: return []
      }
    case .listen(let listen):
      switch listen.place {
      case .anywhere(.of(let name)), .interface(_, .of(let name)): return [name]
      default: return []
      }
    case .perform(let commands): return commands.flatMap(\.mentioned)
    default: return []
    }
  }
}

extension PortReference {
  fileprivate var mentioned: [String] {
    switch self {
    case .number: []
    case .peer(let name), .listener(let name): [name]
    }
  }
}
