/// Two addresses of one host, tried one after the other with a head start for the first; the first connection wins.
///
/// Laws
/// - The preferred address is tried first. The alternate starts when the head start is over, or as soon as the
///   preferred attempt has failed (CON-17, CON-18).
/// - The race is lost only when every address was tried; the last failure is its reason (CON-19).
/// - Attempts carry the generation, so nothing that belongs to an earlier race can decide this one (INV-18).
package struct ConnectRace {
  package struct Entrant: Hashable, Sendable {
    package var remote: SocketAddress
    package var local: SocketAddress?

    package init(remote: SocketAddress, local: SocketAddress?) {
      self.remote = remote
      self.local = local
    }
  }

  private enum State { case waiting, running, failed }

  package let generation: UInt64
  private let entrants: [Entrant]
  private var states: [State]
  private var alternateAt: Instant?

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
  }

  /// When the alternate's head start is over; nil if there is nothing to wait for.
  package var nextDeadline: Instant? { alternateAt }

  package var running: [AttemptID] {
    states.indices.filter { states[$0] == .running }.map { AttemptID(generation: generation, index: $0) }
  }

  package func remote(of attempt: AttemptID) -> SocketAddress { entrants[attempt.index].remote }

  /// The first attempt.
  package mutating func start(headStart seconds: Double, now: Instant) -> [SocketCommand] {
    if entrants.count > 1 {
      alternateAt = now.after(seconds: max(0, seconds))
    }
    return launch(0)
  }

  /// Starts the alternate when its time has come.
  package mutating func tick(now: Instant) -> [SocketCommand] {
    guard let due = alternateAt, due <= now else { return [] }
    alternateAt = nil
    return launch(1)
  }

  package mutating func failed(_ attempt: AttemptID, _ failure: SocketFailure) -> ([SocketCommand], Outcome) {
    guard attempt.generation == generation, states[attempt.index] == .running else { return ([], .undecided) }
    states[attempt.index] = .failed
    if let waiting = states.firstIndex(of: .waiting) {
      alternateAt = nil
      return (launch(waiting), .undecided)
    }
    return ([], states.contains(.running) ? .undecided : .lost(failure))
  }

  /// Whether this attempt may win: it is one of this race's and still running.
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
