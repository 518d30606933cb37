import SocketValues

/// Two addresses of one host, tried one after the other with a head start for the first; the first connection wins. Or
/// one attempt that the driver makes itself, to a Unix-domain path.
///
/// Laws
/// - The preferred address is tried first. The alternate starts when the head start is over, or as soon as the
///   preferred attempt has failed (CON-17, CON-18).
/// - The race is lost only when every address was tried; the last failure is its reason (CON-19).
/// - An attempt that could not begin, because the backlog of a Unix-domain listener is full, is retried after pauses
///   that grow up to `longestPause`; only the connect timeout ends that (CON-08, WR-14).
/// - Attempts carry the generation, so nothing that belongs to an earlier race can decide this one (INV-18).
package struct ConnectRace {
  /// An address to try, and where to bind for it.
  package struct Entrant: Hashable, Sendable {
    /// The address to connect to.
    package var remote: SocketAddress
    /// The address to bind before; nil: the kernel chooses.
    package var local: SocketAddress?

    package init(remote: SocketAddress, local: SocketAddress?) {
      self.remote = remote
      self.local = local
    }
  }

  private enum State { case waiting, running, failed }

  /// The start that the race belongs to.
  package let generation: UInt64
  private let entrants: [Entrant]
  private var states: [State]
  private var alternateAt: Instant?
  /// The next try of each attempt that could not begin; nil: none is needed.
  private var retries: [Retry?]

  private struct Retry {
    /// When it is begun again; nil while that is under way.
    var at: Instant?
    /// The pause before that, in seconds.
    var pause: Double
  }

  /// In seconds. A server that accepts as fast as it can has room again within microseconds; a busy one must not be
  /// kept busy by many clients that retry.
  private static let firstPause = 0.001
  private static let longestPause = 0.1

  /// What the failure of an attempt means for the race: it goes on, or it is lost for the reason of the last failure
  /// (CON-19).
  package enum Outcome: Hashable, Sendable {
    case undecided
    case lost(SocketFailure)
  }

  /// One or two entrants, the preferred one first.
  package init(generation: UInt64, entrants: [Entrant]) {
    precondition((1...2).contains(entrants.count))
    self.generation = generation
    self.entrants = entrants
    states = entrants.map { _ in .waiting }
    retries = entrants.map { _ in nil }
  }

  /// The one attempt to a Unix-domain path, which is under way.
  package init(generation: UInt64) {
    self.generation = generation
    entrants = []
    states = [.running]
    retries = [nil]
  }

  /// When `tick` has something to do: start the alternate, or retry an attempt.
  package var nextDeadline: Instant? { (retries.map { $0?.at } + [alternateAt]).compactMap(\.self).min() }

  /// The attempts under way, including those that wait for another try.
  package var running: [AttemptID] {
    states.indices.filter { states[$0] == .running }.map { AttemptID(generation: generation, index: $0) }
  }

  /// Where the attempt leads; nil: to the Unix-domain path.
  private func remote(of attempt: AttemptID) -> SocketAddress? {
    entrants.indices.contains(attempt.index) ? entrants[attempt.index].remote : nil
  }

  /// Starts the first attempt; returns the command for it.
  package mutating func start(headStart seconds: Double, now: Instant) -> [SocketCommand] {
    if entrants.count > 1 {
      alternateAt = now.after(seconds: max(0, seconds))
    }
    return launch(0)
  }

  /// Starts the alternate when its time has come, and retries attempts that could not begin.
  package mutating func tick(now: Instant) -> [SocketCommand] {
    var commands: [SocketCommand] = []
    for index in retries.indices {
      guard let due = retries[index]?.at, due <= now else { continue }
      retries[index]?.at = nil
      let attempt = AttemptID(generation: generation, index: index)
      commands.append(.retry(attempt, remote: remote(of: attempt)))
    }
    guard let due = alternateAt, due <= now else { return commands }
    alternateAt = nil
    return commands + launch(1)
  }

  /// The attempt could not begin because the listener's backlog is full: schedules another try.
  package mutating func mustRetry(_ attempt: AttemptID, now: Instant) {
    guard isRunning(attempt) else { return }
    let pause = retries[attempt.index].map { min($0.pause * 2, Self.longestPause) } ?? Self.firstPause
    retries[attempt.index] = Retry(at: now.after(seconds: pause), pause: pause)
  }

  /// Records that an attempt failed. Returns the commands that start the other address, if it was not tried yet, and
  /// what this means for the race. An attempt of another race, or one that is over, changes nothing.
  package mutating func failed(_ attempt: AttemptID, _ failure: SocketFailure) -> ([SocketCommand], Outcome) {
    guard attempt.generation == generation, states[attempt.index] == .running else { return ([], .undecided) }
    states[attempt.index] = .failed
    retries[attempt.index] = nil
    if let waiting = states.firstIndex(of: .waiting) {
      alternateAt = nil
      return (launch(waiting), .undecided)
    }
    return ([], states.contains(.running) ? .undecided : .lost(failure))
  }

  /// Whether this attempt belongs to this race and is still running, so that it may win.
  package func isRunning(_ attempt: AttemptID) -> Bool {
    attempt.generation == generation && states.indices.contains(attempt.index) && states[attempt.index] == .running
  }

  private mutating func launch(_ index: Int) -> [SocketCommand] {
    guard states[index] == .waiting else { return [] }
    states[index] = .running
    let entrant = entrants[index]
    let attempt = AttemptID(generation: generation, index: index)
    return [.attempt(attempt, remote: entrant.remote, local: entrant.local)]
  }
}
