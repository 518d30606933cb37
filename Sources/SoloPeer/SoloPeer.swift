import Glibc
import ScenarioModel
import ScriptedPeer
import SocketPOSIX
import SocketValues

/// One scripted peer over the kernel, for any program at the other end.
///
/// Laws
/// - It does what its lane says, as in a scenario; each action and each observation is reported as it happens.
/// - It never blocks: `turn` waits for the connection, for time and for the caller's descriptor together, and returns
///   when something was done.
/// - When the lane is over, the peer goes on reading until the other end does something final; then `isOver`.
/// - After a deviation the other end has `patience` to end by itself, and is reset otherwise. What it sends meanwhile
///   is read and dropped, and not reported: it may be without end.
/// - Between two plays it listens on: who waits to be accepted goes on waiting.
package final class SoloPeer {
  /// Where it is.
  package enum Place: Sendable {
    case listens(RawAddress)
    case connects(RawAddress)
  }

  /// What a person can do to it between its steps.
  package enum Key: Hashable, Sendable { case next, reset, finish }

  /// The lane, played once: all that a further play begins anew.
  private struct Play {
    /// The connection that the lane speaks on.
    enum Link: Hashable {
      /// There has been none.
      case none
      case open
      /// `byFinish`: the other end has ended its side, and may go on reading.
      case ended(byFinish: Bool)
    }

    let start = Instant.now()
    var machine: PeerMachine
    /// Nothing is reached at first, and whoever the lane connects to is there.
    var sync = SyncBoard()
    /// How many gates are open.
    var gate = 0
    var seen: [PeerObservation] = []
    var link = Link.none
    /// When a connection that has deviated is broken off; nil: none has.
    var breaksOffAt: Duration?

    init(_ lane: PeerLane, certificates: PeerCertificates) {
      machine = PeerMachine(lane: lane, cut: .whole, seed: 1, certificates: certificates)
      for step in lane.steps { if case .connect(let name) = step.value { sync.listens(name) } }
    }

    mutating func nextAction(at now: Duration) -> PeerAction? { machine.nextAction(now: now, sync: &sync) }

    /// What has never been open can't end.
    mutating func endLink(byFinish: Bool) { if link != .none { link = .ended(byFinish: byFinish) } }
  }

  private let place: Place
  private let tell: (TraceEvent) -> Void
  private let lane: SoloLane
  private let certificates: PeerCertificates
  private var play: Play
  private var readiness = ReadinessSet()
  private lazy var socket = PeerSocket(receiveBuffer: lane.lane.receiveBuffer) { [unowned self] in
    play.seen.append($0)
  }

  /// How long the other end has after a deviation.
  package static let patience = Duration.seconds(1)

  /// Nothing happens before `open`. `tell` gets each event as it comes.
  ///
  /// - Parameter instant: what the certificates of TLS are valid around, in Unix seconds; nil: the pinned instant.
  package init(
    _ lane: SoloLane, at place: Place, certificatesAround instant: Int64? = nil,
    tell: @escaping (TraceEvent) -> Void
  ) {
    self.lane = lane
    self.place = place
    self.tell = tell
    certificates = instant.map { PeerCertificates(around: $0) } ?? .pinned
    play = Play(lane.lane, certificates: certificates)
  }

  /// Takes its address, if it listens: where it can be reached.
  package func open() throws(SystemCallFailure) -> RawAddress? {
    guard case .listens(let address) = place else { return nil }
    try socket.open(at: address, answer: answer)
    return socket.address
  }

  /// Plays the lane once more, from its first step and from time zero, at the same address. A connection that is still
  /// there ends.
  package func startAgain() throws(SystemCallFailure) {
    closeInOrder()
    try socket.startAgain(answer: answer)
    play = Play(lane.lane, certificates: certificates)
  }

  /// What was sent still goes to another end that has ended its side and reads on; a reset would take it away.
  private func closeInOrder() {
    if laneIsOver, deviation == nil, play.link == .ended(byFinish: true) { socket.perform(.close) }
  }

  private var answer: PeerSocket.Answer {
    switch lane.lane.steps.first?.value {
    case .refuse: .refuses
    case .blackhole: .hangs
    default: .listens
    }
  }

  /// Whether there has been a connection since the play began.
  package var hasConnection: Bool { play.link != .none }

  /// What it waits for, in words.
  package var waitsFor: String { play.machine.waitingFor }

  /// How the other end did not do as the lane says; nil: there is no such thing.
  package var deviation: Deviation? { play.machine.deviation }

  /// Whether all steps are done, or a deviation has stopped it.
  package var laneIsOver: Bool { play.machine.isFinished }

  /// Whether nothing more comes. A lane that ends in `refuse` or `blackhole` is never over: it goes on refusing.
  package var isOver: Bool {
    laneIsOver && (!answersNobody || deviation != nil) && play.link != .open
  }

  /// Whether the lane ends in `refuse` or `blackhole`, so that no connection can arrive.
  package var answersNobody: Bool {
    switch lane.lane.steps.last?.value {
    case .refuse, .blackhole: true
    default: false
    }
  }

  /// The position of the step that `next` releases; nil: no step waits for it.
  package var nextStep: SourcePosition? {
    guard play.gate < lane.gates.count, play.machine.awaitedPoint == lane.gates[play.gate].point else { return nil }
    return lane.gates[play.gate].position
  }

  /// Does what can be done, and then waits for more, for `limit` at most, or until `descriptor` can be read. True: it
  /// can.
  package func turn(limit: Duration, watching descriptor: Int32? = nil) -> Bool {
    advance()
    readiness.removeAll()
    if let descriptor { readiness.add(descriptor, reading: true, writing: false) }
    socket.addInterest(to: &readiness)
    let bound = min(play.machine.deadline ?? now + limit, play.breaksOffAt ?? now + limit, now + limit)
    readiness.wait(until: play.start.advanced(by: bound.wholeNanoseconds))
    socket.serve()
    advance()
    return descriptor != nil && readiness.isReady(0)
  }

  /// The keys that `take` knows, in words.
  package static let keys = "n next  r reset  f half-close  g go on  q quit"

  /// Does what a key of the keyboard stands for; others do nothing. False: the person has enough.
  package func take(_ key: UInt8) -> Bool {
    switch key {
    case UInt8(ascii: "n"), UInt8(ascii: " "), UInt8(ascii: "\n"): press(.next)
    case UInt8(ascii: "r"): press(.reset)
    case UInt8(ascii: "f"): press(.finish)
    case UInt8(ascii: "g"): release()
    // Ctrl-C and Ctrl-D as well, where they are keys.
    case UInt8(ascii: "q"), 3, 4: return false
    default: break
    }
    return true
  }

  /// A person's wish.
  package func press(_ key: Key) {
    switch key {
    case .next:
      guard play.gate < lane.gates.count else { return }
      play.sync.reach(lane.gates[play.gate].point, at: now)
      play.gate += 1
    // Without a connection there is nothing to end.
    case .reset: if play.link == .open { act(.reset) }
    case .finish: if play.link == .open { act(.finish) }
    }
    advance()
  }

  /// Holds no step back any more.
  package func release() { while play.gate < lane.gates.count { press(.next) } }

  /// Ends the connection, if there is one, and gives the address back.
  package func close() {
    let path = socket.address?.unixPath
    closeInOrder()
    socket.closeAll()
    if let path { unlink(path) }
  }

  private var now: Duration { .nanoseconds(play.start.nanoseconds(until: Instant.now())) }

  private func advance() {
    observe()
    while let action = play.nextAction(at: now) {
      act(action)
      observe()
    }
    for event in play.machine.takeTLSEvents() { note(.tls(event, peer: play.machine.name)) }
    breakOffIfDue()
  }

  private func breakOffIfDue() {
    guard deviation != nil, play.link == .open else { return play.breaksOffAt = nil }
    let bound = play.breaksOffAt ?? now + Self.patience
    play.breaksOffAt = bound
    if now >= bound { act(.reset) }
  }

  private func act(_ action: PeerAction) {
    note(.peerAction(action, peer: play.machine.name))
    switch (action, place) {
    case (.accept, .connects(let address)), (.connect, .connects(let address)): socket.connect(to: address)
    case (.connect, .listens): socket.perform(.accept)
    default: socket.perform(action)
    }
    switch action {
    case .close, .reset: play.endLink(byFinish: false)
    default: break
    }
  }

  private func observe() {
    while !play.seen.isEmpty {
      let observations = play.seen
      play.seen = []
      for observation in observations {
        if case .received = observation, deviation != nil { continue }
        switch observation {
        case .connected: play.link = .open
        case .endOfStream: play.endLink(byFinish: true)
        case .broken, .connectFailed: play.endLink(byFinish: false)
        case .sent, .sendFailed, .received: break
        }
        note(.peerSaw(observation, peer: play.machine.name))
        play.machine.observe(observation, at: now)
      }
    }
  }

  private func note(_ kind: TraceKind) { tell(TraceEvent(at: now, kind: kind, position: play.machine.position)) }
}

extension Duration {
  fileprivate var wholeNanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
}
