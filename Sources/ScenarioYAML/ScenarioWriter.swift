import ScenarioModel

/// Writes scenarios in the form people write them.
///
/// Law: reading what was written gives the same scenario, but for positions, and but for what no file can say (a
/// negative duration, say). The reader lists every socket there is, so a scenario made by hand must list `socket` too
/// if it is to come back equal.
package enum ScenarioWriter {
  /// The text of a scenario file, ending with a line break.
  package static func yaml(_ scenario: Scenario) -> String {
    var writer = Writing(scenario)
    writer.write()
    return writer.text
  }
}

/// One scenario being written.
struct Writing {
  let scenario: Scenario
  /// Where a callback or step without prefix belongs to.
  let hasDefaultSocket: Bool
  private(set) var text = ""

  init(_ scenario: Scenario) {
    self.scenario = scenario
    hasDefaultSocket = scenario.subjects.contains { $0.name == "socket" }
  }

  mutating func line(_ indent: Int, _ content: String) {
    text += String(repeating: "  ", count: indent) + content + "\n"
  }

  /// `- item`, with the list at this depth.
  mutating func item(_ indent: Int, _ content: String) { line(indent, "- " + content) }

  mutating func write() {
    let depth = scenario.id.utf8.count { $0 == UInt8(ascii: "/") }
    line(0, "# yaml-language-server: $schema=" + String(repeating: "../", count: depth) + "schema.json")
    writeHeader()
    writePeers()
    writeSubjects()
    writeReactions()
    if !scenario.expectations.isEmpty {
      line(0, "expect:")
      for expectation in scenario.expectations { write(expectation, 1) }
    } else if scenario.expectsNothing {
      line(0, "expect: []")
    }
    if let ending = scenario.ending { line(0, "ending: \(ending.text)") }
  }

  private mutating func writeHeader() {
    line(0, "title: " + ScalarText.text(scenario.title))
    line(0, "requirements: [\(scenario.requirements.joined(separator: ", "))]")
    if !scenario.tags.isEmpty { line(0, "tags: [\(scenario.tags.joined(separator: ", "))]") }
    if scenario.network == nil, let world = scenario.worlds.first, scenario.worlds.count == 1 {
      let reason = ScalarText.quoted(scenario.worldsReason ?? "")
      line(0, "worlds: { only: \(world.rawValue), because: \(reason) }")
    }
    writeMatrix()
    if scenario.limit != .seconds(10) { line(0, "limit: \(DurationText.text(scenario.limit))") }
    if scenario.settle != .milliseconds(50) { line(0, "settle: \(DurationText.text(scenario.settle))") }
    if let schedule = scenario.schedule { line(0, "schedule: " + FlowText.schedule(schedule)) }
    if let control = scenario.control { line(0, "control: " + ScalarText.text(control)) }
    if scenario.canary { line(0, "canary: true") }
    if !scenario.hosts.isEmpty {
      line(0, "hosts:")
      for host in scenario.hosts {
        let addresses = "[" + host.addresses.map(ScalarText.quoted).joined(separator: ", ") + "]"
        let delay = DurationText.text(host.delay)
        line(1, ScalarText.quoted(host.name) + ": { addresses: \(addresses), delay: \(delay) }")
      }
    }
    if let network = scenario.network { write(network) }
    writeSockets()
  }

  private mutating func write(_ network: NetworkSetup) {
    line(0, "network:")
    line(1, "links:")
    for link in network.links {
      let parts: [(String, String?)] = [("family", link.family?.rawValue), ("mtu", SizeText.text(link.mtu))]
      line(2, link.name + ": " + FlowText.mapping(parts))
    }
    if let count = network.retransmissions { line(1, "retransmissions: \(count)") }
    if let names = network.resolver {
      line(1, names.isEmpty ? "resolver: {}" : "resolver:")
      for name in names {
        let addresses = "[" + name.addresses.map(ScalarText.quoted).joined(separator: ", ") + "]"
        let parts: [(String, String?)] = [
          ("addresses", addresses), ("delay", DurationText.text(name.delay)), ("fails", name.fault?.rawValue),
        ]
        line(2, ScalarText.quoted(name.name) + ": " + FlowText.mapping(parts))
      }
    }
    line(1, network.steps.isEmpty ? "steps: []" : "steps:")
    for step in network.steps { write(step.step, 2, lane: defaultSocket) }
  }

  private mutating func writeMatrix() {
    let standard = Matrix()
    var parts: [(String, String?)] = []
    if let subjects = scenario.matrix.subjects { parts.append(("subject", Self.words(subjects))) }
    if scenario.matrix.families != standard.families {
      parts.append(("family", Self.words(scenario.matrix.families)))
    }
    if scenario.matrix.segmentations != standard.segmentations {
      parts.append(("segmentation", Self.words(scenario.matrix.segmentations)))
    }
    if scenario.matrix.queues != standard.queues { parts.append(("queues", Self.words(scenario.matrix.queues))) }
    if scenario.matrix.securities != standard.securities {
      parts.append(("security", Self.words(scenario.matrix.securities)))
    }
    if scenario.matrix.speeds != standard.speeds { parts.append(("speed", Self.words(scenario.matrix.speeds))) }
    if !parts.isEmpty { line(0, "matrix: " + FlowText.mapping(parts)) }
  }

  private static func words<Word: RawRepresentable>(_ words: [Word]) -> String where Word.RawValue == String {
    if let only = words.first, words.count == 1 { return only.rawValue }
    return "[" + words.map(\.rawValue).joined(separator: ", ") + "]"
  }

  private mutating func writeSockets() {
    let isPlain = scenario.sockets.allSatisfy { $0 == SocketSetup(name: $0.name) }
    guard !isPlain || scenario.sockets.map(\.name) != impliedSockets else { return }
    line(0, "sockets:")
    for socket in scenario.sockets {
      let parts: [(String, String?)] = [
        ("queues", socket.queues?.rawValue), ("delegate", socket.hasDelegate ? nil : "none"),
        ("delegateQueue", delegateQueue(of: socket)), ("runLoop", socket.runLoop),
        ("modes", socket.modes.map(FlowText.list)), ("userData", socket.userNumber.map(String.init)),
      ]
      line(1, socket.name + ": " + FlowText.mapping(parts))
    }
  }

  private func delegateQueue(of socket: SocketSetup) -> String? {
    socket.hasDelegateQueue ? socket.hasConcurrentDelegateQueue ? "concurrent" : nil : "none"
  }

  /// The sockets a reader finds without being told.
  private var impliedSockets: [String] {
    var names = ["socket"]
    func add(_ name: String) {
      if !SocketNames.isChild(name), !names.contains(name) { names.append(name) }
    }
    func add(_ steps: [LocatedStep]) {
      for call in LocatedCall.all(in: steps) {
        switch call.command {
        case .connect, .listen: add(call.socket)
        default: break
        }
      }
    }
    for lane in scenario.subjects {
      add(lane.name)
      add(lane.steps)
    }
    for reaction in scenario.reactions { add(reaction.steps) }
    return names
  }

  private mutating func writePeers() {
    if let only = scenario.peers.first, scenario.peers.count == 1, only == PeerLane(name: "peer", steps: only.steps) {
      line(0, only.steps.isEmpty ? "peer: []" : "peer:")
      for step in only.steps { write(step.value, 1) }
      return
    }
    guard !scenario.peers.isEmpty else { return }
    line(0, "peers:")
    for lane in scenario.peers {
      line(1, "\(lane.name):")
      if let family = lane.family { line(2, "family: \(family.rawValue)") }
      if let other = lane.samePortAs { line(2, "samePortAs: \(other)") }
      if let buffer = lane.receiveBuffer { line(2, "receiveBuffer: \(SizeText.text(buffer))") }
      line(2, lane.steps.isEmpty ? "steps: []" : "steps:")
      for step in lane.steps { write(step.value, 3) }
    }
  }

  private mutating func writeSubjects() {
    if let only = scenario.subjects.first, scenario.subjects.count == 1, only.name == "socket" {
      line(0, "subject:")
      for step in only.steps { write(step.step, 1, lane: "socket") }
      return
    }
    line(0, "subjects:")
    for lane in scenario.subjects {
      line(1, lane.steps.isEmpty ? "\(lane.name): []" : "\(lane.name):")
      for step in lane.steps { write(step.step, 2, lane: lane.name) }
    }
  }

  private mutating func writeReactions() {
    guard !scenario.reactions.isEmpty else { return }
    line(0, "reactions:")
    for reaction in scenario.reactions {
      let prefix = reaction.socket.map { $0 + "." } ?? ""
      let fields = FlowText.fields(reaction.pattern)
      let name = prefix + reaction.pattern.kind.rawValue
      item(1, "when: " + (fields.isEmpty ? name : "{ \(name): \(FlowText.mapping(fields)) }"))
      if reaction.times != 1 { line(2, "times: " + (reaction.times.map(String.init) ?? "always")) }
      if reaction.isOptional { line(2, "optional: true") }
      line(2, "do:")
      for step in reaction.steps { write(step.step, 3, lane: reaction.socket ?? (hasDefaultSocket ? "socket" : nil)) }
    }
  }

  /// The prefix of a callback of this socket, where none means `fallback`.
  func prefix(_ socket: String, fallback: String?) -> String { socket == fallback ? "" : socket + "." }

  /// The socket that expectations and peers' moments without prefix mean.
  var defaultSocket: String? { hasDefaultSocket ? "socket" : nil }
}
