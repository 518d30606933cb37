import ScenarioModel

extension SubjectClaims {
  /// What the variant of the scenario needs and the subject does not offer; nil: it can be played.
  ///
  /// - Parameter scope: whom a requirement of the register binds.
  package func missing(
    for scenario: Scenario, _ variant: Variant, scope: (String) -> RequirementScope
  ) -> MissingClaim? {
    do throws(CallTranslation.Obstacle) {
      var demands = ScenarioDemands(claims: self, family: variant.family, scenario)
      try demands.check(scenario, variant, scope: scope)
      return nil
    } catch {
      switch error {
      case .unsupported(let claim): return claim
      // Names stand for something here, whatever they are in the case.
      case .noObject: return nil
      }
    }
  }
}

/// Walks a scenario with the claims of a subject.
private struct ScenarioDemands {
  /// In which every name stands for something.
  private struct Anything: CaseDirectory {
    var family: AddressFamily

    func port(_ reference: PortReference) -> UInt16? { 1 }
    func place(ofPeer name: String) -> PeerPlace? {
      family == .unix ? .path(name) : .address(host: family == .ipv6 ? "::1" : "127.0.0.1", port: 1)
    }
    func path(ofListener name: String) -> String? { family == .unix ? name : nil }
    func absolute(_ path: String) -> String { path }
    func freePort(for socket: String) -> UInt16 { 0 }
    // Every program's every case is asked about before a run begins; bytes make no demand.
    func encoded(_ payload: Payload) -> String { "" }
    var validationTime: Int64 { 0 }
    func identity(_ name: CertificateName) -> PEMIdentity? { PEMIdentity(chain: "", key: "") }
    func anchors(_ anchors: TLSCommand.Anchors) -> String? { nil }
    func revocationLists(outdated: Bool) -> String? { nil }
  }

  typealias Obstacle = CallTranslation.Obstacle

  let claims: SubjectClaims
  let translation: CallTranslation
  private let directory: Anything
  private var connects: [String: Int] = [:]
  /// The tag of scenarios that are named as controls.
  private static let control = "control"
  private var reads: [String: Int] = [:]

  init(claims: SubjectClaims, family: AddressFamily, _ scenario: Scenario) {
    self.claims = claims
    translation = CallTranslation(claims, family: family, scenario)
    directory = Anything(family: family)
  }

  private func lacks(_ what: String) -> Obstacle { .unsupported(MissingClaim(what)) }

  private func demand(_ claim: SubjectClaim, _ what: String) throws(Obstacle) {
    guard claims.features.contains(claim) else { throw lacks("\(claims.name) \(what) (`\(claim.rawValue)`)") }
  }

  mutating func check(
    _ scenario: Scenario, _ variant: Variant, scope: (String) -> RequirementScope
  ) throws(Obstacle) {
    // A control shows what other scenarios rest on, whichever class its requirements bind.
    for requirement in scenario.tags.contains(Self.control) ? [] : scenario.requirements {
      let text = "\(requirement) is no requirement of any stream socket"
      switch scope(requirement) {
      case .any: break
      case .gcd: guard claims.flavours.contains(.gcd) else { throw lacks("\(text), but of the flavour `gcd`") }
      case .runLoop: guard claims.flavours.contains(.runLoop) else { throw lacks(text) }
      }
    }
    guard scenario.hosts.isEmpty else { throw lacks("the protocol has no names of the case's own") }
    guard scenario.network == nil else { throw lacks("the protocol has no networks of the case's own") }
    guard scenario.matrix.queues.contains(.separate) else { throw lacks("the protocol has no choice of queues") }
    let scenario = variant.security.version.map { scenario.secured(with: $0) } ?? scenario
    if let version = variant.security.version { try translation.demand(version) }
    try check(variant.family)
    for family in scenario.peers.compactMap(\.family) { try check(family) }
    for socket in scenario.sockets {
      guard socket.hasDelegate, socket.hasDelegateQueue, !socket.hasConcurrentDelegateQueue, socket.queues == nil else {
        throw lacks("the protocol has no sockets without callbacks, and no queues of them")
      }
    }
    for peer in scenario.peers { try check(peer.steps) }
    for lane in scenario.subjects { try check(lane.steps) }
    if let name = connects.first(where: { $0.value > 1 })?.key { try demand(.reuse, "can't connect \(name) twice") }
    var id = 0
    for reaction in scenario.reactions {
      _ = try translation.reaction(reaction, id: &id, in: directory) { _, _ in }
    }
    for expectation in scenario.expectations { try check(expectation) }
    try checkEnds(scenario)
  }

  /// An end by the peer that no read waits for is one that not every library tells. Whether one waits is seen by the
  /// number of reads; one inside a callback may be any.
  private func checkEnds(_ scenario: Scenario) throws(Obstacle) {
    let reactions = scenario.reactions.flatMap(\.steps).contains { step in
      if case .command(.read, _, _) = step.step { true } else { false }
    }
    guard !reactions else { return }
    var read: [String: Int] = [:]
    for case .event(let event) in scenario.expectations {
      if event.pattern.kind == .didRead { read[event.socket, default: 0] += event.times }
      guard event.pattern.kind == .didDisconnect, !event.optional,
        case .oneOf(let names)? = event.pattern.error, names.contains(.library(.closed)),
        reads[event.socket, default: 0] <= read[event.socket, default: 0]
      else { continue }
      try demand(.endWithoutRead, "does not tell an end that no read waits for")
    }
  }

  /// One that it can tell is enough; but an error of the system's is what happened to it, whatever else might have.
  private func check(_ error: ErrorPattern?) throws(Obstacle) {
    guard case .oneOf(let names)? = error else { return }
    for case .posix in names { try demand(.systemErrors, "does not tell errors of the system by their names") }
    var obstacle: Obstacle?
    for name in names {
      do throws(Obstacle) { return try check(name) } catch { obstacle = error }
    }
    if let obstacle { throw obstacle }
  }

  private func check(_ error: ErrorName) throws(Obstacle) {
    switch error {
    case .posix, .netDB(.some): try demand(.systemErrors, "does not tell errors of the system by their names")
    case .library(.badConfig), .library(.badParam): try demand(.misuse, "does not refuse what can't be asked")
    default: break
    }
  }

  private func check(_ family: AddressFamily) throws(Obstacle) {
    switch family {
    case .ipv4: break
    case .ipv6: try demand(.ipv6, "has no IPv6")
    case .unix: try demand(.unix, "has no Unix-domain sockets")
    }
  }

  private func check(_ steps: [Located<PeerStep>]) throws(Obstacle) {
    for step in steps {
      switch step.value {
      case .after(let point): try check(point)
      case .repeated(_, let inner): try check(inner)
      case .tls(let tls):
        guard let name = tls.certificate, name.isAboutTime else { break }
        try demand(.tlsTime, "looks at no instant of a certificate that it is told")
      default: break
      }
    }
  }

  private mutating func check(_ steps: [LocatedStep]) throws(Obstacle) {
    for step in steps {
      switch step.step {
      case .command(let command, let socket, let refusal):
        if case .connect = command { connects[socket, default: 0] += 1 }
        if case .read = command { reads[socket, default: 0] += 1 }
        try check(refusal)
        // Others tell by didDisconnect what is wrong with certificates and keys.
        if case .startTLS = command, refusal != nil { try demand(.misuse, "does not refuse what can't be asked") }
        _ = try translation.call(command, on: socket, id: 0, in: directory)
      case .check(let checks, _): for check in checks { try translation.ask(check.property) }
      case .after(let point): try check(point)
      case .repeated(let times, let inner):
        try check(inner)
        if times > 1 { try check(inner) }
      case .network: throw lacks("the protocol has no networks of the case's own")
      case .wait, .reach, .hold, .answer, .decide: break
      }
    }
  }

  private func check(_ point: SyncPoint) throws(Obstacle) {
    if case .callback(let pattern, _, _) = point { try check(pattern) }
  }

  private func check(_ pattern: CallbackPattern) throws(Obstacle) {
    guard claims.callbacks.contains(pattern.kind) else {
      throw lacks("\(claims.name) has no callback `\(pattern.kind.rawValue)`")
    }
    try check(pattern.error)
    if pattern.delegate != nil { throw lacks("the protocol has no delegates") }
    if pattern.runLoop != nil || pattern.mode != nil { throw lacks("the protocol has no run loops") }
  }

  private func check(_ expectation: Expectation) throws(Obstacle) {
    switch expectation {
    case .event(let event): if !event.optional { try check(event.pattern) }
    case .anyOrder(let items, _): for item in items { try check(item) }
    case .stream, .nothing: break
    // Which of them comes is not always the subject's choice.
    case .oneOf(let alternatives, _):
      for alternative in alternatives {
        for item in alternative.expectations { try check(item) }
      }
    }
  }
}
