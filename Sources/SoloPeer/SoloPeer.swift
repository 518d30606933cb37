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

  private let place: Place
  private let tell: (TraceEvent) -> Void
  private var start: Instant
  private let lane: SoloLane
  private let certificates: PeerCertificates
  private var machine: PeerMachine
  private var sync = SyncBoard()
  private var gate = 0
  private var seen: [PeerObservation] = []
  private var readiness = ReadinessSet()
  private var connectionIsOver = false
  /// The other end has ended its side, and may go on reading.
  private var otherEndHasFinished = false
  /// Whether there has been a connection since the play began.
  package private(set) var hasConnection = false
  /// When a connection that has deviated is broken off; nil: none has.
  private var breaksOffAt: Duration?
  private lazy var socket = PeerSocket(receiveBuffer: lane.lane.receiveBuffer) { [unowned self] in seen.append($0) }

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
    start = Instant.now()
    certificates = instant.map { PeerCertificates(around: $0) } ?? .pinned
    machine = PeerMachine(lane: lane.lane, cut: .whole, seed: 1, certificates: certificates)
    sync = Self.board(for: lane)
  }

  /// Nothing is reached yet, and whoever the lane connects to is there.
  private static func board(for lane: SoloLane) -> SyncBoard {
    var board = SyncBoard()
    for step in lane.lane.steps { if case .connect(let name) = step.value { board.listens(name) } }
    return board
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
    if case .listens = place { try socket.startAgain(answer: answer) } else { socket.closeAll() }
    start = Instant.now()
    machine = PeerMachine(lane: lane.lane, cut: .whole, seed: 1, certificates: certificates)
    sync = Self.board(for: lane)
    gate = 0
    seen = []
    (hasConnection, connectionIsOver, breaksOffAt) = (false, false, nil)
    otherEndHasFinished = false
  }

  /// What was sent still goes to another end that has ended its side and reads on; a reset would take it away.
  private func closeInOrder() {
    if laneIsOver, deviation == nil, otherEndHasFinished { socket.perform(.close) }
  }

  private var answer: PeerSocket.Answer {
    switch lane.lane.steps.first?.value {
    case .refuse: .refuses
    case .blackhole: .hangs
    default: .listens
    }
  }

  /// What it waits for, in words.
  package var waitsFor: String { machine.waitingFor }

  /// How the other end did not do as the lane says; nil: there is no such thing.
  package var deviation: Deviation? { machine.deviation }

  /// Whether all steps are done, or a deviation has stopped it.
  package var laneIsOver: Bool { machine.isFinished }

  /// Whether nothing more comes. A lane that ends in `refuse` or `blackhole` is never over: it goes on refusing.
  package var isOver: Bool {
    machine.isFinished && (!answersNobody || deviation != nil) && (connectionIsOver || !hasConnection)
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
    gate < lane.gates.count && machine.awaitedPoint == lane.gates[gate].point ? lane.gates[gate].position : nil
  }

  /// Does what can be done, and then waits for more, for `limit` at most, or until `descriptor` can be read. True: it
  /// can.
  package func turn(limit: Duration, watching descriptor: Int32? = nil) -> Bool {
    advance()
    readiness.removeAll()
    if let descriptor { readiness.add(descriptor, reading: true, writing: false) }
    socket.addInterest(to: &readiness)
    let bound = min(machine.deadline ?? now + limit, breaksOffAt ?? now + limit, now + limit)
    readiness.wait(until: start.advanced(by: bound.wholeNanoseconds))
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
      guard gate < lane.gates.count else { return }
      sync.reach(lane.gates[gate].point, at: now)
      gate += 1
    // Without a connection there is nothing to end.
    case .reset: if hasConnection, !connectionIsOver { act(.reset) }
    case .finish: if hasConnection, !connectionIsOver { act(.finish) }
    }
    advance()
  }

  /// Holds no step back any more.
  package func release() { while gate < lane.gates.count { press(.next) } }

  /// Ends the connection, if there is one, and gives the address back.
  package func close() {
    let path = socket.address?.unixPath
    closeInOrder()
    socket.closeAll()
    if let path { unlink(path) }
  }

  private var now: Duration { .nanoseconds(start.nanoseconds(until: Instant.now())) }

  private func advance() {
    observe()
    while let action = machine.nextAction(now: now, sync: &sync) {
      act(action)
      observe()
    }
    for event in machine.takeTLSEvents() { note(.tls(event, peer: machine.name)) }
    breakOffIfDue()
  }

  private func breakOffIfDue() {
    guard deviation != nil, hasConnection, !connectionIsOver else { return breaksOffAt = nil }
    let bound = breaksOffAt ?? now + Self.patience
    breaksOffAt = bound
    if now >= bound { act(.reset) }
  }

  private func act(_ action: PeerAction) {
    note(.peerAction(action, peer: machine.name))
    switch (action, place) {
    case (.accept, .connects(let address)), (.connect, .connects(let address)): socket.connect(to: address)
    case (.connect, .listens): socket.perform(.accept)
    default: socket.perform(action)
    }
    switch action {
    case .close, .reset: connectionIsOver = true
    default: break
    }
  }

  private func observe() {
    while !seen.isEmpty {
      let observations = seen
      seen = []
      for observation in observations {
        if case .received = observation, deviation != nil { continue }
        switch observation {
        case .connected: (hasConnection, connectionIsOver, otherEndHasFinished) = (true, false, false)
        case .endOfStream: (connectionIsOver, otherEndHasFinished) = (true, true)
        case .broken, .connectFailed: (connectionIsOver, otherEndHasFinished) = (true, false)
        case .sent, .sendFailed, .received: break
        }
        note(.peerSaw(observation, peer: machine.name))
        machine.observe(observation, at: now)
      }
    }
  }

  private func note(_ kind: TraceKind) { tell(TraceEvent(at: now, kind: kind, position: machine.position)) }
}

extension Duration {
  fileprivate var wholeNanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
}
