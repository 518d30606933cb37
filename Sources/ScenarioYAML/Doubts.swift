import ScenarioModel

/// Remarks on a file that hold only if they hold in every case of it that plays their place.
struct Doubts {
  private var remarks: [Diagnostic] = []
  private var known: Set<Diagnostic> = []
  /// Places at which some case has nothing to be remarked on.
  private var cleared: Set<SourcePosition> = []

  /// What is left once all cases have been read.
  var remaining: [Diagnostic] { remarks.filter { !cleared.contains($0.position) } }

  /// Takes a remark, once however many cases earn it.
  mutating func note(_ code: LintCode, at position: SourcePosition, _ message: String, help: String) {
    let remark = Diagnostic(
      code: code.rawValue, severity: code.severity, position: position, message: message, help: help)
    if known.insert(remark).inserted { remarks.append(remark) }
  }

  /// In one case nothing is wrong at this place.
  mutating func clear(_ position: SourcePosition) { cleared.insert(position) }
}

extension Reading {
  /// Puts into the log what was in doubt until all cases had been read. Where there are errors, a name may only seem to
  /// be unused.
  mutating func settleDoubts() {
    guard !log.hasErrors else { return }
    for remark in doubts.remaining { log.add(remark) }
  }

  // MARK: - Choices

  /// A choice that is none: one outcome alone, or one that stands twice.
  mutating func checkOutcomes(_ items: [YAMLNode], at position: SourcePosition) {
    // With a grade or a profile of its own a single outcome says something.
    if items.count == 1, items[0].items != nil {
      doubts.note(
        .idleChoice, at: position, "`oneOf` has one outcome only, so there is no choice",
        help: "add the other outcomes, or write what is in it without `oneOf`")
    } else {
      doubts.clear(position)
    }
    checkOnce(items, what: "this outcome", named: items.map(\.wording))
  }

  /// What stands twice in a list of which one must fit. `named` says of each item what it is.
  mutating func checkOnce<Name: Hashable>(_ items: [YAMLNode], what: String, named names: [Name]) {
    var seen: Set<Name> = []
    for (item, name) in zip(items, names) {
      if seen.insert(name).inserted {
        doubts.clear(item.position)
      } else {
        doubts.note(
          .idleChoice, at: item.position, "\(what) stands twice in this list", help: "leave it out, or correct it")
      }
    }
  }

  // MARK: - Names

  /// Hosts, sockets and peers that nothing has to do with.
  mutating func checkUses(_ fields: Fields, _ scenario: Scenario) {
    // A host that does not exist may be there to show that nobody asks for it.
    let found = Set(scenario.hosts.filter { !$0.addresses.isEmpty }.map(\.name))
    for entry in fields["hosts"]?.entries ?? [] where found.contains(entry.key) {
      check(
        entry, isUsed: usedHosts.contains(entry.key), "nothing looks up the host `\(entry.key.shortened)`",
        help: "write `connect: { host: \(entry.key.shortened), port: … }`, or leave it out")
    }
    for entry in fields["sockets"]?.entries ?? [] {
      check(
        entry, isUsed: usedSockets.contains(entry.key), "nothing is done with the socket `\(entry.key)`",
        help: "call it with `\(entry.key).` in front of a step, or leave it out")
    }
    let peers = fields["peers"]?.entries ?? fields.present(["peer"])
    for (entry, lane) in zip(peers, scenario.peers) where lane.listens && Self.accepts(lane.steps) {
      check(
        entry, isUsed: usedPeers.contains(lane.name), "nobody connects to the peer `\(lane.name)`",
        help: "write `connect: \(lane.name)`, or leave it out")
    }
  }

  private mutating func check(_ entry: YAMLEntry, isUsed: Bool, _ message: String, help: String) {
    if isUsed {
      doubts.clear(entry.position)
    } else {
      doubts.note(.unusedName, at: entry.position, message, help: help)
    }
  }

  private static func accepts(_ steps: [Located<PeerStep>]) -> Bool {
    steps.contains { step in
      switch step.value {
      case .accept: true
      case .repeated(_, let inner): accepts(inner)
      default: false
      }
    }
  }

  /// Checks of buffers that no read names.
  mutating func checkBuffers() {
    for check in bufferChecks where buffers[check.name] == nil {
      let guess = guess(for: check.name, among: buffers.keys.sorted()).map { "did you mean `buffer.\($0)`? " } ?? ""
      report(
        .unknownBuffer, at: check.position, "no read names the buffer `\(check.name)`",
        help: guess + "a read names it so: `read: { buffer: { name: \(check.name), size: 10B } }`")
    }
  }
}
