import SocketValues

/// One socket of the library: its configuration and its life, from start to didDisconnect and round again.
///
/// Laws
/// - Every transition is in this type's files; drivers carry out commands and report their results.
/// - A method never calls out. It appends to `commands` and `events`, both in order; the driver takes them when the
///   method has returned and the machine is at rest.
/// - `generation` counts starts. Everything that comes back later (lookups, attempts, timeout answers) carries it and
///   is ignored if it is not the current one (INV-18).
/// - A reason for ending exists once: didDisconnect is produced where the phase leaves a started state, nowhere else
///   (INV-01). A start that is refused leaves no trace (LIFE-14).
///
///            connect(toHost:)          lookupFinished            attemptSucceeded
///     idle ────────────────▶ resolving ───────────▶ connecting ────────────────▶ open
///      ▲  ╲────────────────────────── accept, adopt ─────────────────────────────▶ │
///      │   ╲──▶ listening                                                           │
///      └──────────┴────────── disconnect, failure, end of stream, timeout ──────────┘
package final class SocketMachine {
  /// Settings; a disconnect leaves them as they are (LIFE-11).
  package var configuration = SocketConfiguration()
  @exclusivity(unchecked) var phase = Phase.idle {
    didSet {
      if case .open(let stream) = phase { openStream = stream } else { openStream = nil }
    }
  }
  /// The stream while the phase is open.
  @exclusivity(unchecked) private(set) var openStream: StreamMachine? {
    didSet { openReference = openStream.map(Unmanaged.passUnretained) }
  }
  @exclusivity(unchecked) private var openReference: Unmanaged<StreamMachine>?
  /// How many starts there have been; 0 before the first. Names the present start, or the last one.
  package var generation: UInt64 { starts }
  @exclusivity(unchecked) var starts: UInt64 = 0

  /// The end that willDisconnect announces, until `concludeEnd`.
  @exclusivity(unchecked) private(set) var announcedEnd: StreamMachine.Ending?

  /// Why the present start has failed, found in the start call itself and not yet processed.
  @exclusivity(unchecked) var postponedFailure: PostponedFailure?

  /// What the driver has to do, in order.
  @exclusivity(unchecked) var commands: [SocketCommand] = []
  @exclusivity(unchecked) var events: [SocketEvent] = []

  package init() {}

  enum Phase {
    case idle
    case resolving(Resolution, StreamMachine)
    case connecting(ConnectRace, deadline: Instant?, StreamMachine)
    case listening(ListenerMachine, StreamMachine)
    case open(StreamMachine)
  }

  struct Resolution {
    /// That of the start: what is changed meanwhile is for the next one (CFG-03, CON-22).
    let configuration: SocketConfiguration
    var port: UInt16
    var local: LocalAddresses?
    var deadline: Instant?
    /// The driver was asked to look the host up and has not answered yet.
    var isUnderWay = false
  }

  /// Of an attempt; nil: of the start as a whole.
  struct PostponedFailure {
    let attempt: AttemptID?
    let failure: SocketFailure
  }

  // MARK: Commands and events

  /// Takes the commands produced since the last call, in order.
  package func takeCommands() -> [SocketCommand] {
    guard !commands.isEmpty else { return [] }
    defer { commands = [] }
    return commands
  }

  /// The first of the commands, of which there must be one.
  func takeCommand() -> SocketCommand { commands.removeFirst() }

  var hasCommands: Bool { !commands.isEmpty }

  var hasEvents: Bool { !events.isEmpty }

  /// Takes the events produced since the last call, in order.
  package func drainEvents(_ body: (SocketEvent) -> Void) {
    guard events.count != 1 else { return body(events.removeLast()) }
    guard !events.isEmpty else { return }
    var drained: [SocketEvent] = []
    swap(&drained, &events)
    for event in drained { body(event) }
    // The room is kept for the next few, not the room that a burst took.
    guard events.isEmpty, drained.capacity <= Self.maxKeptEvents else { return }
    drained.removeAll(keepingCapacity: true)
    swap(&drained, &events)
  }

  private static let maxKeptEvents = 64

  // MARK: State

  /// Whether nothing is started, so that a start call is accepted (LIFE-02, DIAG-01).
  package var isDisconnected: Bool {
    if case .idle = phase { return true }
    return false
  }

  /// Whether there is a connection, half-closed or not (DIAG-01).
  package var isConnected: Bool { openStream != nil }

  /// Whether the socket accepts connections.
  package var isListening: Bool {
    if case .listening = phase { return true }
    return false
  }

  /// The earliest instant at which `tick` or `advance` has something to do; nil: there is none.
  package var nextDeadline: Instant? {
    switch phase {
    case .idle: return nil
    case .resolving(let resolution, _): return resolution.deadline
    case .connecting(let race, let deadline, _):
      guard let next = race.nextDeadline else { return deadline }
      return deadline.map { min($0, next) } ?? next
    case .listening(let listener, _): return listener.retryAt
    case .open(let stream): return stream.nextDeadline
    }
  }

  /// Whether the last pass stopped at its budget: another one must follow soon.
  package var needsAnotherPass: Bool { openStream?.needsAnotherPass ?? false }

  /// Whether verbs need the time, and `nextDeadline` can be another than nil: not while the connection is open and
  /// nothing with a timeout was queued on it, nor an upgrade.
  package var usesTime: Bool { openStream?.usesTime ?? true }

  var stream: StreamMachine? {
    switch phase {
    case .idle: nil
    case .resolving(_, let stream), .connecting(_, _, let stream), .listening(_, let stream), .open(let stream): stream
    }
  }

  /// Runs `body`, which cannot change the phase, on the open stream without counting a reference: this happens several
  /// times for each message. Returns nil in any other phase.
  ///
  /// Unsafe: `phase` owns the stream meanwhile, and no method of `StreamMachine` reaches this machine.
  @inline(__always)
  func withOpenStream<Result>(_ body: (StreamMachine) -> Result) -> Result? {
    openReference?._withUnsafeGuaranteedRef(body)
  }

  // MARK: Ending

  /// Leaves whatever was started: the only place where didDisconnect is produced.
  func finish(_ reason: SocketFailure?, manner: CloseManner = .immediate, finalBytes: [UInt8] = []) {
    let isAnnounced = announcedEnd != nil
    announcedEnd = nil
    postponedFailure = nil
    switch phase {
    case .idle: return
    case .resolving(let resolution, _):
      if resolution.isUnderWay { commands.append(.forgetLookup(LookupID(generation: generation))) }
    case .connecting(let race, _, _): commands += race.running.map { .abandon($0) }
    case .listening, .open: commands.append(.close(manner, finalBytes: finalBytes))
    }
    phase = .idle
    if configuration.announcesEnds, !isAnnounced, let reason { events.append(.willDisconnect(reason)) }
    events.append(.didDisconnect(reason))
  }

  /// Ends the connection after the delegate has received willDisconnect, unless it has ended meanwhile.
  package func concludeEnd() {
    guard let ending = announcedEnd else { return }
    finish(ending.reason, manner: ending.manner, finalBytes: ending.finalBytes)
  }

  /// Whether the peer has ended its stream, and that is about to end the connection (DIAG-09).
  package var isEndedByPeer: Bool { announcedEnd?.reason == .closedByPeer }

  /// Closes at once; without an event on an idle instance (DIS-01, LIFE-15).
  package func disconnect() { endStream(nil) }

  /// Closes because of a failure of the driver.
  package func disconnect(because failure: SocketFailure) { endStream(failure) }

  /// Ends the stream; its events come first.
  private func endStream(_ reason: SocketFailure?) {
    if let ending = announcedEnd { return finish(ending.reason, manner: ending.manner, finalBytes: ending.finalBytes) }
    if let stream = openStream {
      stream.end(reason)
      collect(stream)
      guard announcedEnd == nil else { return }
    }
    finish(reason)
  }

  /// Takes the stream's events, and its end if it has come.
  func collect(_ stream: StreamMachine) {
    if !stream.events.isEmpty {
      if events.isEmpty { swap(&events, &stream.events) } else { events += stream.events }
      stream.events.removeAll(keepingCapacity: true)
    }
    guard let ending = stream.ending, announcedEnd == nil else { return }
    if configuration.announcesEnds, let reason = ending.reason, isConnected {
      announcedEnd = ending
      events.append(.willDisconnect(reason))
    } else {
      finish(ending.reason, manner: ending.manner, finalBytes: ending.finalBytes)
    }
  }

  /// Closes when the operations queued so far are done: reads, writes, or both (DIS-09…DIS-18). An open connection
  /// needs a pass afterwards.
  package func disconnect(afterReads reads: Bool, afterWrites writes: Bool) {
    guard let stream else { return }
    stream.closeAfter(reads: reads, writes: writes)
    if !owesClose, !isConnected, stream.pendingCloseIsDue { finish(nil) }
  }

  /// Whether a graceful disconnect of a listener is due that must not act within its call: on a run loop it waits for a
  /// turn (DIS-27), where `closeIfOwed` is called.
  package var owesClose: Bool {
    guard configuration.announcesEnds, case .listening(_, let stream) = phase else { return false }
    return stream.pendingCloseIsDue
  }

  /// Closes a listener whose graceful disconnect has waited.
  package func closeIfOwed() {
    if owesClose { finish(nil) }
  }
}

/// The settings, which persist across disconnects (LIFE-11).
package struct SocketConfiguration: Hashable, Sendable {
  /// Whether IPv4 may be used for accepting and connecting (CFG-04).
  package var isIPv4Enabled = true
  /// Whether IPv6 may be used for accepting and connecting (CFG-04).
  package var isIPv6Enabled = true
  /// Which family is tried first when a host has addresses of both: IPv4 if true (CFG-05).
  package var isIPv4Preferred = true
  /// Whether the peer's end of stream ends the connection (HALF-01); otherwise didCloseRead reports it, and writing
  /// goes on (HALF-02).
  package var autoDisconnectOnClosedReadStream = true
  /// Seconds of head start for the preferred address.
  package var alternateAddressDelay = 0.3
  /// The run-loop class's ends: one that the local side did not ask for is announced by willDisconnect while the
  /// connection is still there, with its unread bytes (RL-01…RL-03), and bytes that no read is waiting for do not hold
  /// the peer's end back (RL-10).
  package var announcesEnds = false

  package init() {}

  /// Whether addresses of that family may be used.
  package func isEnabled(_ family: SocketAddress.Family) -> Bool { family == .ipv4 ? isIPv4Enabled : isIPv6Enabled }

  /// Whether connections to the address are allowed. One to an IPv4 address in IPv6 form needs both families: packets
  /// are IPv4's, the socket is IPv6's (CFG-04).
  package func allows(_ address: SocketAddress) -> Bool {
    isEnabled(address.family) && (isIPv4Enabled || !address.isIPv4Mapped)
  }
}
