import SocketValues

extension SocketMachine {
  /// The answer to a `lookUp` command; addresses in the resolver's order. One that comes behind the connect timeout is
  /// too late, even if a loop that was held up has not told of that timeout yet (CON-08, CON-11).
  package func lookupFinished(
    _ lookup: LookupID, _ result: Result<[SocketAddress], SocketFailure>, now: Instant
  ) {
    guard lookup.generation == generation, case .resolving(var resolution, let stream) = phase else { return }
    resolution.isUnderWay = false
    phase = .resolving(resolution, stream)
    if let deadline = resolution.deadline, deadline < now { return finish(.connectTimeout) }
    switch result {
    case .failure(let failure): finish(failure)
    case .success(let addresses):
      switch entrants(addresses, resolution) {
      case .failure(let failure): finish(failure)
      case .success(let entrants):
        let headStart = resolution.configuration.alternateAddressDelay
        race(entrants, stream, headStart: headStart, deadline: resolution.deadline, now: now)
      }
    }
  }

  /// The host's addresses are known in the call. That none can be used ends the start later (LIFE-02).
  func lookUpInCall(_ addresses: [SocketAddress], _ resolution: Resolution, now: Instant) {
    if !configuration.announcesEnds, case .failure(let failure) = entrants(addresses, resolution) {
      postponedFailure = PostponedFailure(attempt: nil, failure: failure)
    } else {
      lookupFinished(LookupID(generation: generation), .success(addresses), now: now)
    }
  }

  /// The first address of each usable family, the preferred family first (CON-21, CFG-04, CFG-05, CON-28).
  private func entrants(
    _ addresses: [SocketAddress], _ resolution: Resolution
  ) -> Result<[ConnectRace.Entrant], SocketFailure> {
    let configuration = resolution.configuration
    let order: [SocketAddress.Family] = configuration.isIPv4Preferred ? [.ipv4, .ipv6] : [.ipv6, .ipv4]
    guard !addresses.isEmpty else { return .failure(.other("The host has no IPv4 or IPv6 address.")) }
    let allowed = addresses.filter { configuration.allows($0) }
    let enabled = order.compactMap { family in allowed.first { $0.family == family } }
    guard !enabled.isEmpty else {
      return .failure(.other("The host has only addresses of a family that is disabled on this socket."))
    }
    guard let local = resolution.local else {
      return .success(enabled.map { .init(remote: $0, local: nil) })
    }
    let bound = enabled.filter { local[$0.family] != nil }
    guard !bound.isEmpty else {
      return .failure(.other("The interface has no address of a family that the host has."))
    }
    return .success(bound.map { .init(remote: $0, local: local[$0.family]) })
  }

  /// - Parameter headStart: of the first of two entrants, in seconds.
  func race(
    _ entrants: [ConnectRace.Entrant], _ stream: StreamMachine, headStart: Double = 0, deadline: Instant?, now: Instant
  ) {
    var race = ConnectRace(generation: generation, entrants: entrants)
    commands += race.start(headStart: headStart, now: now)
    phase = .connecting(race, deadline: deadline, stream)
  }

  /// Whether the attempt is one the machine still waits for.
  package func isRunning(_ attempt: AttemptID) -> Bool {
    guard attempt.generation == generation, case .connecting(let race, _, _) = phase else { return false }
    return race.isRunning(attempt)
  }

  /// Reports that an attempt is connected. A pass over the new connection must follow. An attempt that the machine does
  /// not wait for is abandoned.
  package func attemptSucceeded(_ attempt: AttemptID, announcing announce: SocketEvent) {
    guard isRunning(attempt), case .connecting(let race, _, let stream) = phase else {
      return commands.append(.abandon(attempt))
    }
    commands += race.running.filter { $0 != attempt }.map { .abandon($0) }
    commands.append(.establish(attempt))
    open(stream, announcing: announce)
  }

  /// Reports that an attempt failed; its descriptor is closed by now.
  package func attemptFailed(_ attempt: AttemptID, _ failure: SocketFailure) {
    guard isRunning(attempt), case .connecting(var race, let deadline, let stream) = phase else { return }
    let (next, outcome) = race.failed(attempt, failure)
    phase = .connecting(race, deadline: deadline, stream)
    commands += next
    if case .lost(let reason) = outcome { finish(reason) }
  }

  /// Reports that an attempt failed within the call that started the socket: `takeUpPostponedFailure` must follow, in
  /// no call. From the moment when a start call returns success, the socket is started (LIFE-02).
  package func attemptFailedInCall(_ attempt: AttemptID, _ failure: SocketFailure) {
    // Both attempts may fail before anybody comes for the first failure; that one leaves the race to the other.
    takeUpPostponedFailure()
    if isRunning(attempt) { postponedFailure = PostponedFailure(attempt: attempt, failure: failure) }
  }

  /// Whether the present start has failed within its call, and that has not been processed.
  package var hasPostponedFailure: Bool { postponedFailure != nil }

  /// Processes a failure that was found in the start call.
  package func takeUpPostponedFailure() {
    guard let postponed = postponedFailure else { return }
    postponedFailure = nil
    guard let attempt = postponed.attempt else { return finish(postponed.failure) }
    attemptFailed(attempt, postponed.failure)
  }

  /// Reports that an attempt could not begin, because the listener's backlog is full; its descriptor stays open. It is
  /// retried when `tick` says so, until the connect timeout (CON-08, WR-14).
  package func attemptMustRetry(_ attempt: AttemptID, now: Instant) {
    guard isRunning(attempt), case .connecting(var race, let deadline, let stream) = phase else { return }
    race.mustRetry(attempt, now: now)
    phase = .connecting(race, deadline: deadline, stream)
  }

  /// Reports that a start that must fail in the call itself could not open or bind its socket: back to idle, without an
  /// event (CON-27, CON-35).
  package func startRefused() {
    phase = .idle
    commands = []
  }

  func open(_ stream: StreamMachine, announcing announce: SocketEvent?) {
    stream.isOpen = true
    phase = .open(stream)
    if let announce { events.append(announce) }
  }

  /// Processes the passing of time: the connect timeout, the alternate's start, the end of a pause in accepting.
  /// Timeouts of reads and writes are enforced by `advance`. Returns whether accepting resumes now.
  package func tick(now: Instant) -> Bool {
    switch phase {
    case .resolving(let resolution, _):
      if let deadline = resolution.deadline, deadline <= now { finish(.connectTimeout) }
    case .connecting(var race, let deadline, let stream):
      if let deadline, deadline <= now {
        finish(.connectTimeout)
      } else {
        commands += race.tick(now: now)
        phase = .connecting(race, deadline: deadline, stream)
      }
    case .listening(var listener, let stream):
      let resumes = listener.resume(now: now)
      phase = .listening(listener, stream)
      return resumes
    case .idle, .open: break
    }
    return false
  }

  // MARK: Accepting

  /// Reports a connection that a listener accepted; one that arrives after the listener's end is dropped (INV-02).
  package func accepted(_ connection: any AnyObject & Sendable) {
    if case .listening = phase { events.append(.didAccept(connection)) }
  }

  /// Reports that accepting failed. Returns whether to go on with the next client or to pause until `nextDeadline`.
  package func acceptFailed(_ errno: Int32, now: Instant) -> ListenerMachine.Decision {
    guard case .listening(var listener, let stream) = phase else { return .pause }
    let decision = listener.acceptFailed(errno, now: now)
    phase = .listening(listener, stream)
    return decision
  }
}
