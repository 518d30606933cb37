import ScenarioModel

/// Works out which parts of a scenario rest on each other; see `ScenarioUnits`.
struct UnitLinking {
  /// What a callback is about.
  enum Concern: Hashable, CaseIterable { case connecting, reading, writing, ending, securing }

  /// Something that is linked: an item, bytes, or what all of a socket's concern hang on.
  enum Node: Hashable {
    case item(ScenarioItem)
    case piece(ScenarioUnits.Piece)
    case anchor(Concern, socket: String)
    case fixed
  }

  /// A call on a socket, and where it stands.
  struct Call {
    var node: Node
    var socket: String
    var command: SubjectCommand
    /// Its place among the calls is known: no callback makes it.
    var isInLane: Bool
  }

  let scenario: Scenario
  /// Calls of all lanes and reactions.
  let calls: [Call]
  private(set) var awaited: [ScenarioItem: Int] = [:]
  private var parents: [Node: Node] = [:]
  private var nodes: [Node] = []
  private var ordering: Set<Node> = []
  private var sensitive: Set<Node> = []
  /// What some check looks at.
  private(set) var looked: Set<Look> = []

  struct Look: Hashable {
    var concern: Concern
    var socket: String
  }

  init(_ scenario: Scenario) {
    self.scenario = scenario
    calls = Self.calls(of: scenario)
    add(.fixed)
    for item in scenario.items { add(.item(item)) }
  }

  mutating func link() {
    linkSteps()
    linkExpectations()
    for channel in channels { linkData(channel) }
    linkStrangers()
    linkReactions()
    linkMoments()
  }

  // MARK: Union and find

  private mutating func add(_ node: Node) {
    guard parents[node] == nil else { return }
    parents[node] = node
    nodes.append(node)
  }

  private func root(_ node: Node) -> Node {
    var node = node
    while let parent = parents[node], parent != node { node = parent }
    return node
  }

  mutating func link(_ one: Node, _ other: Node) {
    add(one)
    add(other)
    let (first, second) = (root(one), root(other))
    if first != second { parents[second] = first }
  }

  mutating func fix(_ node: Node) { link(.fixed, node) }
  mutating func markSensitive(_ node: Node) { sensitive.insert(node) }
  mutating func markOrdering(_ node: Node) { ordering.insert(node) }

  var units: [ScenarioUnits.Unit] {
    var places: [Node: Int] = [:]
    var units: [ScenarioUnits.Unit] = []
    for node in nodes {
      let root = root(node)
      if places[root] == nil {
        places[root] = units.count
        units.append(ScenarioUnits.Unit(isOrdering: true))
      }
      guard let place = places[root] else { continue }
      switch node {
      case .item(let item): units[place].items.append(item)
      case .piece(let piece): units[place].pieces.append(piece)
      case .anchor: continue
      case .fixed: units[place].isFixed = true
      }
      if !ordering.contains(node) { units[place].isOrdering = false }
      if sensitive.contains(node) { units[place].isSensitive = true }
    }
    return units.filter { $0.isFixed || !$0.items.isEmpty || !$0.pieces.isEmpty }
  }

  // MARK: Steps

  private static func calls(of scenario: Scenario) -> [Call] {
    var calls: [Call] = []
    func take(_ step: SubjectStep, _ item: ScenarioItem, _ isInLane: Bool) {
      guard case .command(let command, let socket, _) = step else { return }
      calls.append(Call(node: .item(item), socket: socket, command: command, isInLane: isInLane))
    }
    for (lane, subject) in scenario.subjects.enumerated() {
      for (place, step) in subject.steps.enumerated() { take(step.step, .call(lane, place), true) }
    }
    for (lane, reaction) in scenario.reactions.enumerated() {
      for (place, step) in reaction.steps.enumerated() { take(step.step, .reaction(lane, place), false) }
    }
    return calls
  }

  private mutating func linkSteps() {
    for call in calls { linkCall(call) }
    for (lane, subject) in scenario.subjects.enumerated() {
      for (place, step) in subject.steps.enumerated() { linkStep(step.step, .item(.call(lane, place))) }
    }
    for (lane, reaction) in scenario.reactions.enumerated() {
      for (place, step) in reaction.steps.enumerated() { linkStep(step.step, .item(.reaction(lane, place))) }
    }
    for (lane, peer) in scenario.peers.enumerated() {
      for (place, step) in peer.steps.enumerated() {
        linkPeerStep(step.value, .item(.peer(lane, place)), socket: socket(of: lane))
      }
    }
    if let network = scenario.network { linkNetwork(network.steps.map(\.step)) }
    if scenario.ending != nil {
      for socket in Set(calls.map(\.socket)) { link(.item(.ending), .anchor(.ending, socket: socket)) }
    }
  }

  private mutating func linkCall(_ call: Call) {
    let end = Node.anchor(.ending, socket: call.socket)
    switch call.command {
    case .read(let read) where read.timeout.seconds >= 0: markSensitive(call.node)
    case .write(let write) where write.timeout.seconds >= 0: markSensitive(call.node)
    case .read, .write: break
    case .disconnect, .disconnectAfterReading, .disconnectAfterWriting, .disconnectAfterReadingAndWriting:
      markSensitive(call.node)
      link(end, call.node)
    case .set(.autoDisconnectOnClosedReadStream): link(end, call.node)
    case .startTLS, .answerTrust:
      markSensitive(call.node)
      link(end, call.node)
      link(.anchor(.securing, socket: call.socket), end)
    case .connect, .listen, .setDelegate, .setDelegateQueue, .set, .blockDelegateQueue, .unblockDelegateQueue,
      .exhaustDescriptors, .freeDescriptors, .perform, .release, .runLoop:
      fix(call.node)
      if case .perform = call.command { link(end, call.node) }
      if case .release = call.command { link(end, call.node) }
      // Only what makes a connection and no more is indifferent to time.
      switch call.command {
      case .connect(let connect) where connect.timeout.seconds < 0: break
      case .listen, .set: break
      default: markSensitive(call.node)
      }
    }
  }

  private mutating func linkStep(_ step: SubjectStep, _ node: Node) {
    switch step {
    case .command: break
    case .check(let checks, let socket):
      markSensitive(node)
      for concern in Set(checks.compactMap(\.property.concern)) {
        looked.insert(Look(concern: concern, socket: socket))
        link(.anchor(concern, socket: socket), node)
      }
    case .wait, .hold, .after: markOrdering(node)
    case .reach(let point): linkPoint(point, node)
    case .repeated(_, let steps):
      fix(node)
      // Repeated too often to be written out, so it is unknown which of its calls belong to what.
      for socket in steps.reduce(into: Set<String>(), { $0.formUnion($1.step.mentioned) }) {
        for concern in Concern.allCases { fix(.anchor(concern, socket: socket)) }
      }
    case .answer, .decide: fix(node)
    // Of the network's own lane, which is not reduced.
    case .network: break
    }
    if case .after(.point(let point)) = step { linkPoint(point, node) }
    if case .command(_, _, .some) = step { markSensitive(node) }
  }

  /// The lane of the network stays, with all that it waits for; what packets meet is a matter of time.
  private mutating func linkNetwork(_ steps: [SubjectStep]) {
    for call in calls { markSensitive(call.node) }
    for step in steps {
      switch step {
      case .after(.callback(_, let socket, _)):
        for (place, expectation) in scenario.expectations.enumerated() where expectation.sockets.contains(socket) {
          fix(.item(.expectation(place)))
        }
      case .after(.point(let point)), .reach(let point): fix(.anchor(.connecting, socket: "point " + point))
      case .repeated(_, let steps): linkNetwork(steps.map(\.step))
      default: break
      }
    }
  }

  private mutating func linkPoint(_ point: String, _ node: Node) {
    markOrdering(node)
    let anchor = Node.anchor(.connecting, socket: "point " + point)
    markOrdering(anchor)
    link(anchor, node)
  }

  private mutating func linkPeerStep(_ step: PeerStep, _ node: Node, socket: String?) {
    switch step {
    case .accept, .connect, .refuse, .blackhole, .stopListening, .listenAgain, .repeated: fix(node)
    case .send, .drip, .expect, .expectCount, .echo: break
    case .wait, .expectSilence, .after(.callback): markOrdering(node)
    case .after(.point(let point)), .reach(let point): linkPoint(point, node)
    case .stall, .drain, .sendUrgent, .shutdownRead:
      markSensitive(node)
      fix(node)
    case .finish, .close, .reset, .expectEnd, .tls, .expectTLS, .expectAlert, .expectKeyUpdate, .closeNotify,
      .truncate, .keyUpdate, .tickets, .alert, .record, .raw:
      markSensitive(node)
      if let socket { link(.anchor(.ending, socket: socket), node) } else { fix(node) }
    }
    if case .drip = step { markSensitive(node) }
  }

  // MARK: Expectations

  private mutating func linkExpectations() {
    var previous: [String: Node] = [:]
    for (place, expectation) in scenario.expectations.enumerated() {
      let node = Node.item(.expectation(place))
      for socket in Set(expectation.sockets) {
        for concern in expectation.concerns(of: socket) where !isSimple(expectation, concern) {
          link(.anchor(concern, socket: socket), node)
          if concern == .connecting { fix(node) }
          if concern == .ending || concern == .securing { markSensitive(node) }
        }
        if expectation.countsFromPrevious, let before = previous[socket] { link(before, node) }
        previous[socket] = node
      }
      if case .nothing = expectation { markSensitive(node) }
      if case .event(let event) = expectation, let window = event.window {
        if window.earliest != nil { markSensitive(node) }
        if case .point(let point) = window.origin {
          link(.anchor(.connecting, socket: "point " + point), node)
        }
      }
    }
  }

  /// Whether it is about one read or one write alone, so that it may be matched with the call.
  private func isSimple(_ expectation: Expectation, _ concern: Concern) -> Bool {
    guard case .event(let event) = expectation, !event.optional, event.times == 1 else { return false }
    return concern == .reading && event.pattern.kind == .didRead
      || concern == .writing && event.pattern.kind == .didWrite
  }

  // MARK: The rest

  /// What no rule speaks for stays together: calls on sockets whose peer is not known.
  private mutating func linkStrangers() {
    let known = Set(channels.map(\.socket))
    for call in calls where !known.contains(call.socket) { fix(call.node) }
    for (place, expectation) in scenario.expectations.enumerated() {
      for socket in expectation.sockets where !known.contains(socket) { fix(.item(.expectation(place))) }
    }
    let lanes = Set(channels.map(\.lane))
    for (lane, peer) in scenario.peers.enumerated() where !lanes.contains(lane) {
      for place in peer.steps.indices { fix(.item(.peer(lane, place))) }
    }
  }

  /// A reaction goes with what it answers.
  private mutating func linkReactions() {
    for (lane, reaction) in scenario.reactions.enumerated() {
      let first = Node.item(.reaction(lane, 0))
      for place in reaction.steps.indices { link(first, .item(.reaction(lane, place))) }
      var isKnown = false
      for (place, expectation) in scenario.expectations.enumerated() {
        guard case .event(let event) = expectation, reaction.pattern.isMet(by: event),
          reaction.socket == nil || reaction.socket == event.socket
        else { continue }
        link(.item(.expectation(place)), first)
        isKnown = true
      }
      if !isKnown || !reaction.pattern.isPlain { fix(first) }
    }
  }

  private mutating func linkMoments() {
    func target(_ moment: SyncPoint) -> Int? {
      guard case .callback(let pattern, let socket, let occurrence) = moment, pattern.isPlain else { return nil }
      let places = scenario.expectations.indices.filter { place in
        guard case .event(let event) = scenario.expectations[place] else { return false }
        return event.socket == socket && event.times == 1 && !event.optional && pattern.isMet(by: event)
      }
      return places.count >= occurrence && occurrence > 0 ? places[occurrence - 1] : nil
    }
    func freeze(_ item: ScenarioItem, socket: String, _ linking: inout UnitLinking) {
      linking.fix(.item(item))
      for concern in [Concern.reading, .writing, .ending, .securing] {
        linking.fix(.anchor(concern, socket: socket))
        for call in linking.calls where call.socket == socket { linking.fix(call.node) }
      }
    }
    for (lane, peer) in scenario.peers.enumerated() {
      for (place, step) in peer.steps.enumerated() {
        guard case .after(let moment) = step.value, case .callback(_, let socket, _) = moment else { continue }
        let item = ScenarioItem.peer(lane, place)
        if let target = target(moment) { awaited[item] = target } else { freeze(item, socket: socket, &self) }
      }
    }
    for (lane, subject) in scenario.subjects.enumerated() {
      for (place, step) in subject.steps.enumerated() {
        guard case .after(let moment) = step.step, case .callback(_, let socket, _) = moment else { continue }
        let item = ScenarioItem.call(lane, place)
        if let target = target(moment) { awaited[item] = target } else { freeze(item, socket: socket, &self) }
      }
    }
  }
}
