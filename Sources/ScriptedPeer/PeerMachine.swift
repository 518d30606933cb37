import ScenarioModel

/// The interpreter of one scripted peer: observations, instants and sync points in; actions out. It never touches a
/// descriptor or a clock, so that the kernel and the simulated wire are driven by the same peer.
///
/// Laws
/// - Actions come out in the order of the lane's steps; a step that waits holds back all later ones.
/// - What is expected does not depend on how the bytes were chunked on their way (whole = byte by byte = any split).
/// - Received bytes that no step has consumed stay; `expectEnd` and `expectSilence` object to them.
/// - FIN and RST are never taken for each other: the first end that is seen of a connection is its end.
/// - Under TLS the steps speak plaintext, and all of the above holds for plaintext; what TLS sends besides (a
///   handshake, an alert, an answer) goes out as it comes, whatever the lane is doing, be it finished.
/// - A TLS that fails is a deviation unless the step expects it or the next one waits for an alert.
/// - When TLS is over, what arrives is recorded all the same: bytes in clear are for steps that expect bytes, and a
///   deviation where none does.
/// - The session is a reference: of a machine that speaks TLS only one copy may live on.
/// - Only `send` is cut into pieces as the variant asks; `drip` and `echo` have their own rhythm.
/// - A send that fails is no deviation: the connection is over, and later expectations will fail. Further sends on the
///   same connection are skipped.
/// - After the first deviation, and after the last step, the lane acts no more but keeps its connection open and goes
///   on reading (at the pace a `drain` has set).
package struct PeerMachine: Sendable {
  /// The name of the lane.
  package let name: String
  /// The deviation from the lane's steps at which the machine stopped; nil: there is none.
  package internal(set) var deviation: Deviation?
  /// The errno of a connect (or accept) that failed, which is a deviation too; nil: none has.
  package internal(set) var connectFailure: Int32?
  /// Whether the lane ever had a connection.
  package internal(set) var hasConnected = false

  /// While this is set, a step that ends what the peer sends does not begin.
  package var holdsEnd = false
  /// Whether such a step waits.
  package private(set) var endIsHeld = false
  /// How many bytes of the send that is under way the kernel has taken, as the machine's world says; for `waitingFor`.
  package var takenUnderWay = 0

  /// The events of TLS since the last call of `takeTLSEvents`.
  package internal(set) var tlsEvents: [TLSEvent] = []
  var cursor: LaneCursor<Located<PeerStep>>
  var cutter: SegmentCutter
  /// Whether the lane makes records by hand.
  let forges: Bool
  let contexts: PeerTLSContextCache
  var activity = Activity.ready
  /// Where the present step stands in its file.
  package internal(set) var position = SourcePosition(line: 0, column: 0)
  var connection: Connection?
  var pacing: Pacing?
  /// When the last step began, if the subject decided when it was over.
  var waitedSince: Duration?

  /// What the present step is doing.
  enum Activity: Sendable {
    case ready
    case connecting(accepts: Bool)
    case awaitingListener(socket: String)
    case sending(Outgoing)
    case expecting([UInt8], matched: Int)
    case counting(left: Int, total: Int, ContentHash, wanted: String?)
    case ending(StreamEnd)
    case silent(until: Duration)
    case echoing(left: Int?, awaitsSent: Bool)
    /// With the alert that the handshake must fail with.
    case shaking(AlertPattern?)
    case alerted(AlertPattern)
    case rekeyed
    /// TLS has bytes on their way; after them comes the act.
    case flushing(then: PeerAction?)
    case waiting(until: Duration)
    /// Boxed: a sync point is large, and the activity is copied often.
    indirect case after(SyncPoint, seen: Int)
    case finished
  }

  /// The connection that steps speak on.
  struct Connection: Sendable {
    var input = PeerMachineInput()
    var end: StreamEnd?
    var errno: Int32?
    var endWasExpected = false
    var cannotSend = false
    var hasShutReading = false
    var isAccepted = false
    var tls: PeerTLSSession?
    /// Bytes from TLS that are on their way.
    var outgoing: Outgoing?
    /// Bytes came in clear when TLS was over.
    var hasClear = false
    /// A step has taken the failure of TLS for good.
    var failureIsTaken = false
  }

  /// A payload on its way out, piece by piece.
  struct Outgoing: Sendable {
    var bytes: [UInt8]
    var lengths: PieceLengths
    /// Between the answer to one piece and the next, or (drips) from one piece's start to the next one's.
    var gap: Duration
    var isDrip: Bool
    var position = 0
    var pieces = 0
    var unsent = 0
    var startedAt = Duration.zero
    var nextAt: Duration?

    /// When the next piece goes out; nil: not before the last one is through.
    var dueAt: Duration? { unsent == 0 ? nextAt : nil }
  }

  /// `drain` with a chunk: a number of bytes at each interval.
  struct Pacing: Sendable {
    var chunk: Int
    var every: Duration
    var grantedAt: Duration
    /// Received since the last grant.
    var used: Int
  }

  /// Between the pieces of one payload, so that segments really are separate.
  static let splitGap = Duration.milliseconds(1)

  package init(lane: PeerLane, cut: Variant.Cut, seed: UInt64, certificates: PeerCertificates = .pinned) {
    name = lane.name
    contexts = PeerTLSContextCache(certificates)
    cursor = LaneCursor(lane.steps)
    forges = lane.forgesRecords
    cutter = SegmentCutter(cut: cut, seed: seed, lane: lane.name)
  }

  /// The next thing to do now; nil: the lane waits (see `deadline`) or is finished. Ask until it says nil, and again
  /// after every observation, every reached sync point and when the deadline has come.
  package mutating func nextAction(now: Duration, sync: inout SyncBoard) -> PeerAction? {
    if let action = nextGrant(now: now) ?? nextPiece(now: now) { return action }
    while deviation == nil {
      switch resume(now: now, sync: sync) {
      case .act(let action): return action
      case .wait: return nil
      case .proceed:
        endIsHeld = holdsEnd && nextStepEnds
        if endIsHeld {
          activity = .ready
          return nil
        }
        guard let step = cursor.next() else {
          activity = .finished
          objectToClear()
          return nil
        }
        position = step.position
        if let action = begin(step.value, now: now, sync: &sync) ?? nextPiece(now: now) { return action }
      }
    }
    return nextPiece(now: now)
  }

  /// When time alone lets the lane go on; nil: only an event does. It changes nothing, and is `mutating` because it is
  /// asked between any two events: a caller in another module would copy the whole machine otherwise.
  package var deadline: Duration? {
    mutating get {
      var earliest = deviation == nil ? ownDeadline : nil
      if let pacing, pacing.used > 0 { earliest = Self.earlier(earliest, pacing.grantedAt + pacing.every) }
      if let piece = connection?.outgoing?.dueAt { earliest = Self.earlier(earliest, piece) }
      return earliest
    }
  }

  private static func earlier(_ one: Duration?, _ other: Duration) -> Duration { one.map { min($0, other) } ?? other }

  /// True when all steps are done, or the machine stopped at a deviation. An endless echo as the last step counts as
  /// done: the case does not wait for it.
  package var isFinished: Bool {
    if deviation != nil { return true }
    switch activity {
    case .finished: return true
    case .echoing(left: nil, awaitsSent: false): return cursor.isAtEnd
    default: return false
    }
  }

  /// The events of the peer's TLS since the last call, in order. To be called after every observation and every action.
  package mutating func takeTLSEvents() -> [TLSEvent] {
    defer { tlsEvents = [] }
    return tlsEvents
  }

  private var nextStepEnds: Bool {
    var ahead = cursor
    return ahead.next()?.value.endsSending == true
  }

  private var ownDeadline: Duration? {
    switch activity {
    case .waiting(let until), .silent(let until): until
    case .sending(let outgoing): outgoing.dueAt
    default: nil
    }
  }

  private mutating func nextGrant(now: Duration) -> PeerAction? {
    guard let paced = pacing, paced.used > 0, now >= paced.grantedAt + paced.every else { return nil }
    pacing = Pacing(chunk: paced.chunk, every: paced.every, grantedAt: now, used: 0)
    return .setReading(.atMost(paced.chunk))
  }
}

extension PeerStep {
  /// Whether the subject can see from then on that no more comes.
  fileprivate var endsSending: Bool {
    switch self {
    case .finish, .close, .reset, .truncate, .closeNotify, .alert: true
    default: false
    }
  }
}
