import ScenarioModel

extension Reading {
  static let topLevelKeys =
    [
      "title", "requirements", "tags", "worlds", "matrix", "limit", "settle", "schedule", "control", "canary", "hosts",
      "network", "sockets", "peer", "peers", "subject", "subjects", "reactions", "expect", "ending",
    ] + tableKeys

  /// Reads the whole document; the result counts only if the log has no errors.
  mutating func scenario(_ root: YAMLNode, id: String) -> Scenario {
    var scenario = Scenario(id: id, title: "")
    let help = "a scenario is a mapping: `title: …`, `requirements: […]`, `subject: […]` and so on"
    guard let fields = fields(root, of: "a scenario", allowed: Self.topLevelKeys, help: help) else { return scenario }
    header(fields, into: &scenario)
    var clean: Set<ScenarioCheck.Section> = []
    scenario.peers = noting(.peers, in: &clean) { $0.peers(fields) }
    scenario.subjects = noting(.subjects, in: &clean) { $0.subjects(fields) }
    scenario.sockets = noting(.sockets, in: &clean) { $0.allSockets(fields) }
    if let node = fields["network"] {
      scenario.network = network(node, fields)
      scenario.worlds = [.loopback]
      if scenario.matrix.families.contains(.unix) {
        report(
          .conflictingKeys, at: node.position, "a Unix-domain connection takes no network",
          help: "leave `unix` out of the matrix")
      }
    }
    isSimulated = scenario.worlds.contains(.simulated)
    scenario.reactions = noting(.reactions, in: &clean) { reading in
      fields["reactions"].map { reading.reactions($0) } ?? []
    }
    scenario.expectations = noting(.expectations, in: &clean) { reading in
      fields["expect"].map { reading.expectations($0, of: "`expect`", mayBeEmpty: true) } ?? []
    }
    scenario.expectsNothing = fields["expect"] != nil && scenario.expectations.isEmpty
    checkCounts(fields)
    if let node = fields["ending"] {
      scenario.ending = ending(node)
      scenario.endingPosition = node.position
    }
    checkPoints()
    // A read with a fault may be the one that names the buffer.
    if clean.isSuperset(of: [.subjects, .reactions]) { checkBuffers() }
    guard max(outline.peers.count, outline.sockets.count) <= Self.maxSockets else { return scenario }
    let saysSubjects = scenario.matrix.subjects != nil
    if let citations {
      scenario = scenario.withBoundSubjects(scope: citations.scope)
      if let node = fields["requirements"] { checkScopes(of: node, scenario, citations) }
    }
    var check = ScenarioCheck(scenario, saysSubjects: saysSubjects, keys: fields, clean: clean, log: log)
    check.run()
    log = check.log
    checkUses(fields, scenario)
    return scenario
  }

  /// Reports requirements that bind none of the classes that play the scenario: it can witness nothing of them.
  private mutating func checkScopes(of node: YAMLNode, _ scenario: Scenario, _ citations: CitationRules) {
    guard let subjects = scenario.matrix.subjects else { return }
    for item in node.items ?? [] {
      guard case .scalar(let id, _) = item.content, scenario.requirements.contains(id) else { continue }
      let bound: SubjectKind? =
        switch citations.scope(id) {
        case .any: nil
        case .gcd: .gcd
        case .runLoop: .runLoop
        }
      guard let bound, !subjects.contains(bound) else { continue }
      report(
        .badRequirement, at: item.position,
        "`\(id)` binds sockets of the class `\(bound.rawValue)` only, and none plays this scenario",
        help: "add `\(bound.rawValue)` to `subject` in the matrix, or cite what holds for the others")
    }
  }

  /// Reads a part of the file and notes whether it had no errors.
  private mutating func noting<Value>(
    _ section: ScenarioCheck.Section, in clean: inout Set<ScenarioCheck.Section>, _ read: (inout Reading) -> Value
  ) -> Value {
    let before = log.errorCount
    let value = read(&self)
    if log.errorCount == before { clean.insert(section) }
    return value
  }

  /// A case has a descriptor or two for each of these.
  private static let maxSockets = 256

  private mutating func checkCounts(_ fields: Fields) {
    let counts = [
      (outline.peers.count, "peers", fields.present(["peers"])),
      (outline.sockets.count, "sockets", fields.present(["sockets", "subjects", "subject"])),
    ]
    for (count, what, keys) in counts where count > Self.maxSockets {
      let position = keys.first?.position ?? fields.position
      report(.tooMany, at: position, "the scenario has \(count) \(what); it may have \(Self.maxSockets)")
    }
  }

  private mutating func header(_ fields: Fields, into scenario: inout Scenario) {
    if let node = required("title", in: fields, of: "a scenario", help: "say in one sentence what must be so") {
      scenario.title = text(node, of: "`title`") ?? ""
      if scenario.title.isEmpty, !node.isEmpty, case .scalar = node.content {
        report(.emptyValue, at: node.position, "`title` is empty", help: "say in one sentence what must be so")
      }
    }
    if let node = required("requirements", in: fields, of: "a scenario", help: "name what it witnesses: [RD-DELIM-04]")
    {
      scenario.requirements = requirements(node)
    }
    if let node = fields["tags"] { scenario.tags = tags(node) }
    if let node = fields["worlds"] { worlds(node, into: &scenario) }
    if let node = fields["matrix"] { scenario.matrix = matrix(node) }
    if let node = fields["limit"], let value = positiveDuration(node, of: "`limit`") { scenario.limit = value }
    if let node = fields["settle"], let value = duration(node, of: "`settle`") { scenario.settle = value }
    if let node = fields["schedule"] { scenario.schedule = schedule(node) }
    if let node = fields["control"] {
      scenario.control = controlID(node, of: scenario.id)
      scenario.controlPosition = node.position
    }
    if let node = fields["canary"], let value = flag(node, of: "`canary`") { scenario.canary = value }
    if let node = fields["hosts"] { scenario.hosts = hosts(node) }
    limit = scenario.limit
    // The resolver of a network is read with its steps; what it knows is asked for before that.
    let resolver = fields["network"]?.entries?.first { $0.key == "resolver" }?.value
    hasNetworkResolver = resolver != nil
    hostNames = Set(scenario.hosts.map(\.name) + (resolver?.entries ?? []).map(\.key))
  }

  private mutating func controlID(_ node: YAMLNode, of id: String) -> String? {
    guard let control = text(node, of: "`control`") else { return nil }
    let parts = control.split(separator: "/", omittingEmptySubsequences: false)
    guard !parts.contains(where: { $0.isEmpty || $0 == ".." || $0 == "." }), !control.hasSuffix(".yaml"), control != id
    else {
      report(
        .badName, at: node.position, "`\(control.shortened)` is not the id of another scenario",
        help: "its path below Scenarios/ without `.yaml`, such as `read/plain-echo`")
      return nil
    }
    return control
  }

  private mutating func peers(_ fields: Fields) -> [PeerLane] {
    if let both = exclusive("peer", "peers", fields) {
      report(
        .conflictingKeys, at: both.position, "`peer` and `peers` exclude each other", help: "use `peers` for several")
      return []
    }
    if let node = fields["peer"] {
      return [PeerLane(name: "peer", steps: peerSteps(node, of: "`peer`", mayBeEmpty: true))]
    }
    guard let node = fields["peers"] else { return [] }
    guard let entries = node.entries else {
      reportShape(node, of: "`peers`", expected: "a mapping", help: "write `{ NAME: [steps] }`")
      return []
    }
    return entries.compactMap { entry in
      guard isGoodName(entry.key, of: "a peer's name", at: entry.position) else { return nil }
      if outline.hasSocket(entry.key) || SocketNames.isChild(entry.key) {
        report(.duplicateName, at: entry.position, "`\(entry.key)` is a socket's name already", help: "choose another")
      }
      return peerLane(entry)
    }
  }

  private mutating func peerLane(_ entry: YAMLEntry) -> PeerLane? {
    let what = "the peer `\(entry.key)`"
    if entry.value.items != nil {
      return PeerLane(name: entry.key, steps: peerSteps(entry.value, of: what, mayBeEmpty: true))
    }
    let help = "write a list of steps, or `{ family: ipv6, steps: [...] }`"
    let keys = ["family", "samePortAs", "receiveBuffer", "steps"]
    guard let fields = fields(entry.value, of: what, allowed: keys, help: help) else { return nil }
    var lane = PeerLane(name: entry.key, steps: [])
    if let node = fields["family"] { lane.family = choice(node, of: "an address family", as: AddressFamily.self) }
    if let node = fields["samePortAs"], let name = peer(node, of: "`samePortAs`") {
      if name == entry.key {
        report(.unknownPeer, at: node.position, "a peer cannot share the port with itself", help: "name another peer")
      }
      lane.samePortAs = name
      // Whoever connects to the port of the one may reach the other.
      usedPeers.insert(entry.key)
    }
    if let node = fields["receiveBuffer"] {
      lane.receiveBuffer = size(node, of: "`receiveBuffer`", atLeast: 1, atMost: Int(Int32.max))
    }
    if let node = required("steps", in: fields, of: what, help: help) {
      lane.steps = peerSteps(node, of: "`steps`", mayBeEmpty: true)
    }
    return lane
  }

  private mutating func subjects(_ fields: Fields) -> [SubjectLane] {
    let help = "add `subject: [connect]`"
    if let both = exclusive("subject", "subjects", fields) {
      report(
        .conflictingKeys, at: both.position, "`subject` and `subjects` exclude each other",
        help: "use `subjects` for several lanes")
      return []
    }
    if let node = fields["subject"] {
      usedSockets.insert("socket")
      if node.items?.isEmpty == true { reportNoSteps(at: node.position) }
      guard node.items?.isEmpty != true else { return [] }
      return [
        SubjectLane(name: "socket", steps: subjectSteps(node, of: "`subject`", in: .lane(socket: "socket")))
      ]
    }
    guard let node = fields["subjects"] else {
      report(.noSubjectSteps, at: fields.position, "the scenario does nothing with the subject", help: help)
      return []
    }
    guard let entries = node.entries else {
      reportShape(node, of: "`subjects`", expected: "a mapping", help: "write `{ NAME: [steps] }`")
      return []
    }
    if entries.allSatisfy({ $0.value.items?.isEmpty == true }) { reportNoSteps(at: node.position) }
    return entries.compactMap { entry in
      guard isGoodName(entry.key, of: "a lane's name", at: entry.position),
        !SocketNames.isChild(entry.key) || isKnownSocket(entry.key, at: entry.position)
      else { return nil }
      usedSockets.insert(entry.key)
      if entry.value.items?.isEmpty == true { return SubjectLane(name: entry.key, steps: []) }
      let steps = subjectSteps(entry.value, of: "the lane `\(entry.key)`", in: .lane(socket: entry.key))
      return SubjectLane(name: entry.key, steps: steps)
    }
  }

  private mutating func reportNoSteps(at position: SourcePosition) {
    report(
      .noSubjectSteps, at: position, "the scenario does nothing with the subject", help: "add a step such as `connect`")
  }

  private func exclusive(_ one: String, _ other: String, _ fields: Fields) -> YAMLEntry? {
    let present = fields.present([one, other])
    return present.count == 2 ? present[1] : nil
  }

  /// Those described, and those that lanes and prefixes bring in.
  private mutating func allSockets(_ fields: Fields) -> [SocketSetup] {
    let described = fields["sockets"].map { sockets($0) } ?? []
    let byName = Dictionary(described.map { ($0.name, $0) }) { first, _ in first }
    return outline.sockets.map { byName[$0] ?? SocketSetup(name: $0) }
  }

  private mutating func reactions(_ node: YAMLNode) -> [Reaction] {
    let help = "write `- { when: didConnect, do: [read] }`"
    guard let items = list(node, of: "`reactions`", help: help) else { return [] }
    return items.compactMap { item in
      fields(item, of: "a reaction", allowed: ["when", "times", "optional", "do"], help: help)
        .flatMap { reaction($0, help: help) }
    }
  }

  private mutating func reaction(_ fields: Fields, help: String) -> Reaction? {
    let position = fields.position
    var times: Int? = 1
    if let node = fields["times"] { times = node.word == "always" ? nil : self.times(node, of: "`times`") }
    let isOptional = fields["optional"].flatMap { flag($0, of: "`optional`") } ?? false
    guard let when = required("when", in: fields, of: "a reaction", help: help),
      let steps = required("do", in: fields, of: "a reaction", help: help), let raw = rawStep(when),
      let callback = callback(raw.word, at: raw.position, value: raw.value)
    else { return nil }
    var socket: String?
    if let prefix = callback.prefix {
      guard isKnownSocket(prefix, at: raw.position) else { return nil }
      socket = prefix
    }
    guard let pattern = pattern(callback)?.0 else { return nil }
    let place = StepPlace.reaction(socket: socket, to: callback.kind)
    let inner = subjectSteps(steps, of: "`do`", in: place)
    return Reaction(
      pattern: pattern, socket: socket, times: times, isOptional: isOptional, steps: inner, position: position)
  }
}
