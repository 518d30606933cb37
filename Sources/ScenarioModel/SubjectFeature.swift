/// Something that a scenario uses and only one of the classes has.
package struct SubjectFeature: Hashable, Sendable {
  /// The only class that has it.
  package var owner: SubjectKind
  /// As a message names it: `` `perform` ``.
  package var name: String
  /// Where it stands in the file; nil: in a part of the header, which `key` names.
  package var position: SourcePosition?
  /// The top-level key it stands below.
  package var key: String

  /// What is not said of a scenario for the other class alone: there it is impossible in any case.
  package static let acceptedConnect = "`didConnect` of an accepted socket"

  fileprivate init(_ owner: SubjectKind, _ name: String, at position: SourcePosition?, below key: String) {
    self.owner = owner
    self.name = name
    self.position = position
    self.key = key
  }
}

// The table: what only one class has, by the lists of the classes' methods (contract 22a). The library gives the
// run-loop class isSecure besides.

extension SubjectCommand {
  /// Called by name; nil: both classes have the call, as it is made here.
  fileprivate var owner: SubjectKind? {
    switch self {
    case .perform, .setDelegateQueue, .blockDelegateQueue, .unblockDelegateQueue, .answerTrust: .gcd
    case .connect(let connect): connect.owner
    case .listen(let listen): if case .path = listen.place { .gcd } else { nil }
    case .startTLS(let tls): tls.manualTrust == true ? .gcd : nil
    case .set(let setting): setting.owner
    case .runLoop: .runLoop
    case .read, .write, .disconnect, .disconnectAfterReading, .disconnectAfterWriting,
      .disconnectAfterReadingAndWriting, .setDelegate, .exhaustDescriptors, .freeDescriptors, .release:
      nil
    }
  }

  fileprivate var featureName: String {
    switch self {
    case .connect(let connect): connect.interface == nil ? "`connect` with a path" : "`connect` with `via`"
    case .listen: "`listen` with a path"
    case .startTLS: "`startTLS` with `manualTrust`"
    case .set(let setting): setting.featureName
    default: "`\(name)`"
    }
  }
}

extension ConnectCommand {
  /// The run-loop class takes an interface with an address only.
  fileprivate var owner: SubjectKind? {
    switch target {
    case .path: .gcd
    case .peer, .host: interface == nil ? nil : .gcd
    case .address: nil
    }
  }
}

extension SubjectSetting {
  fileprivate var owner: SubjectKind {
    if case .userNumber = self { .runLoop } else { .gcd }
  }

  fileprivate var featureName: String {
    switch self {
    case .ipv4Enabled: "`ipv4Enabled`"
    case .ipv6Enabled: "`ipv6Enabled`"
    case .ipv4Preferred: "`ipv4Preferred`"
    case .autoDisconnectOnClosedReadStream: "`autoDisconnectOnClosedReadStream`"
    case .alternateAddressDelay: "`alternateAddressDelay`"
    case .notifiesDisconnectBeforeReturning: "`notifiesDisconnectBeforeReturning`"
    case .userData: "`userData` with a text"
    case .userNumber: "`userData` with a number"
    case .keepAlive: "`keepAlive`"
    case .userTimeout: "`userTimeout`"
    case .linger: "`linger`"
    }
  }
}

extension PropertyCheck {
  fileprivate var owner: SubjectKind? {
    switch property {
    case .connectedURL, .ipv4Enabled, .ipv6Enabled, .ipv4Preferred, .autoDisconnectOnClosedReadStream,
      .alternateAddressDelay, .peerCertificate:
      return .gcd
    case .unreadData, .canSafelySetDelegate, .runLoopModes, .description: return .runLoop
    case .userData:
      if case .value(.number) = expected { return .runLoop }
      return .gcd
    case .isConnected, .isDisconnected, .isSecure, .isIPv4, .isIPv6, .connectedHost, .connectedPort, .localHost,
      .localPort,
      .connectedAddress, .localAddress, .progressOfRead, .progressOfWrite, .buffer:
      return nil
    }
  }
}

extension CallbackKind {
  fileprivate var owner: SubjectKind? {
    switch self {
    case .newSocketQueue, .didConnectToURL, .didCloseRead, .didReceiveTrust: .gcd
    case .willConnect, .willDisconnect, .wantsRunLoop: .runLoop
    case .didConnect, .didAccept, .didRead, .didReadPartial, .didWrite, .didWritePartial, .shouldTimeoutRead,
      .shouldTimeoutWrite, .didDisconnect, .didSecure:
      nil
    }
  }
}

extension ErrorPattern {
  /// An error that can only be one class's; a list counts if all in it are.
  fileprivate var owner: SubjectKind? {
    guard case .oneOf(let names) = self, let first = names.first?.owner else { return nil }
    return names.allSatisfy { $0.owner == first } ? first : nil
  }
}

extension ErrorName {
  fileprivate var owner: SubjectKind? {
    switch self {
    case .library(.badConfig), .library(.badParam), .library(.other): .gcd
    case .runLoop, .misuse: .runLoop
    case .none, .library, .posix, .netDB, .ssl: nil
    }
  }
}

extension SubjectStep.Decision {
  fileprivate static let owner = SubjectKind.runLoop
}

extension Scenario {
  /// Everything the scenario uses that only one class has, in the order of the file's parts. Queues and speeds of the
  /// matrix are none: they mean nothing for the run-loop class, which is then played once.
  package var features: [SubjectFeature] {
    var gathering = FeatureGathering()
    if !matrix.families.contains(where: { $0 != .unix }) {
      gathering.add(.gcd, "a Unix-domain socket", at: nil, below: "matrix")
    }
    for socket in sockets { gathering.add(socket) }
    for peer in peers where peer.family == .unix {
      gathering.add(.gcd, "a peer at a path", at: peer.steps.first?.position, below: "peers")
    }
    for peer in peers { gathering.add(peer.steps) }
    for lane in subjects { gathering.add(lane.steps) }
    for reaction in reactions {
      gathering.add(reaction.pattern, of: reaction.socket, at: reaction.position, below: "reactions")
      gathering.add(reaction.steps)
    }
    for expectation in expectations { gathering.add(expectation) }
    return gathering.features
  }

  /// The classes that the scenario is about, by its requirements and by what it uses: those of the entries it cites,
  /// and of entries that bind both only those that have everything the scenario uses. `scope` says whom an entry binds.
  ///
  /// An entry of one class decides, whatever the scenario uses; `check` then says what does not fit. Without any, the
  /// features decide; with features of either class there is nothing that has both, and gcd is the answer.
  package func boundSubjects(scope: (String) -> RequirementScope) -> [SubjectKind] {
    let scopes = Set(requirements.map(scope))
    if scopes.contains(.runLoop) { return [.runLoop] }
    if scopes.contains(.gcd) || scopes.isEmpty { return [.gcd] }
    let owners = Set(features.map(\.owner))
    let able = SubjectKind.allCases.filter { kind in owners.allSatisfy { $0 == kind } }
    return able.isEmpty ? [.gcd] : able
  }

  /// The scenario with the classes it is about in its matrix, if that says none and `SubjectKind.isDerived`.
  package func withBoundSubjects(scope: (String) -> RequirementScope) -> Scenario {
    guard SubjectKind.isDerived, matrix.subjects == nil else { return self }
    var scenario = self
    scenario.matrix.subjects = boundSubjects(scope: scope)
    return scenario
  }
}

/// Walks a scenario and notes what only one class has.
private struct FeatureGathering {
  var features: [SubjectFeature] = []

  mutating func add(_ owner: SubjectKind?, _ name: String, at position: SourcePosition?, below key: String) {
    if let owner { features.append(SubjectFeature(owner, name, at: position, below: key)) }
  }

  mutating func add(_ socket: SocketSetup) {
    let parts: [(SubjectKind, String, Bool)] = [
      (.gcd, "queues", socket.queues != nil),
      (.gcd, "delegateQueue", !socket.hasDelegateQueue || socket.hasConcurrentDelegateQueue),
      (.runLoop, "runLoop", socket.runLoop != nil), (.runLoop, "modes", socket.modes != nil),
      (.runLoop, "userData", socket.userNumber != nil),
    ]
    for (owner, word, isUsed) in parts where isUsed {
      add(owner, "`\(word)` of the socket `\(socket.name)`", at: nil, below: "sockets")
    }
  }

  mutating func add(_ steps: [Located<PeerStep>]) {
    for step in steps {
      switch step.value {
      case .after(let syncPoint): add(syncPoint, at: step.position, below: "peers")
      case .repeated(_, let inner): add(inner)
      default: break
      }
    }
  }

  mutating func add(_ steps: [LocatedStep]) {
    for step in steps {
      switch step.step {
      case .command(let command, _, let refusal):
        add(command.owner, command.featureName, at: step.position, below: "subject")
        if let refusal { add(refusal.owner, "the error `\(refusal.text)`", at: step.position, below: "subject") }
      case .check(let checks, _):
        for check in checks {
          let isText = check.property == .userData && check.owner == .gcd
          let name = check.property == .userData ? " with a \(isText ? "text" : "number")" : ""
          add(check.owner, "`\(check.property.rawValue)`\(name)", at: check.position, below: "subject")
        }
      case .after(let syncPoint): add(syncPoint, at: step.position, below: "subject")
      case .repeated(_, let inner): add(inner)
      case .decide: add(SubjectStep.Decision.owner, "this `answer`", at: step.position, below: "reactions")
      case .wait, .reach, .hold, .answer, .network: break
      }
    }
  }

  private mutating func add(_ syncPoint: SyncPoint, at position: SourcePosition, below key: String) {
    if case .callback(let pattern, let socket, _) = syncPoint { add(pattern, of: socket, at: position, below: key) }
  }

  mutating func add(_ pattern: CallbackPattern, of socket: String?, at position: SourcePosition, below key: String) {
    add(pattern.kind.owner, "`\(pattern.kind.rawValue)`", at: position, below: key)
    if pattern.kind == .didConnect, let socket, ChildName.isChild(socket) {
      add(.runLoop, SubjectFeature.acceptedConnect, at: position, below: key)
    }
    if pattern.runLoop != nil { add(.runLoop, "`on`", at: position, below: key) }
    if pattern.mode != nil { add(.runLoop, "`mode`", at: position, below: key) }
    if let error = pattern.error { add(error.owner, "the error `\(error.text)`", at: position, below: key) }
  }

  mutating func add(_ expectation: Expectation) {
    switch expectation {
    case .event(let event): add(event.pattern, of: event.socket, at: event.position, below: "expect")
    case .anyOrder(let items, _): for item in items { add(item) }
    case .oneOf(let alternatives, _): add(alternatives)
    case .stream, .nothing: break
    }
  }

  /// One that the other class can meet is enough: only what every alternative needs is needed.
  private mutating func add(_ alternatives: [Alternative]) {
    let each = alternatives.map { alternative in
      var inner = FeatureGathering()
      for expectation in alternative.expectations { inner.add(expectation) }
      return inner.features
    }
    for owner in SubjectKind.allCases
    where each.allSatisfy({ features in features.contains { $0.owner == owner } }) {
      features += each.joined().filter { $0.owner == owner }
    }
  }
}
