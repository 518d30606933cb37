import ScenarioModel
import SocketCore

/// One socket of the library as its driver keeps it: the machine, the mailbox, and what stands for descriptors. The
/// driver's duties themselves are in `SimulatedCase+Driving.swift` and its neighbours.
final class SimulatedSubject {
  let index: Int
  /// The lab's.
  let name: String
  let machine = SocketMachine()
  var mailbox = Mailbox<Int, Int, SocketEvent>(isSameQueue: ==)
  var turns: SeededRandom
  var timers: SeededRandom

  /// Index into the case's delegates.
  var delegate: Int?
  /// Index into the case's queues.
  var delegateQueue: Int?
  /// Given by the caller; nil: the socket has none.
  let socketQueue: Int?
  let topology: QueueTopology

  var connection: Connection?
  var attempts: [Attempt] = []
  /// Indices into the network's listeners: IPv4 first, then IPv6; or one Unix-domain listener.
  var listeners: [Int] = []
  /// Where it listens, or did last; the IPv4 address if there are two.
  var listeningPlace: SimulatedNetwork.Place?
  /// The Unix-domain path it connects to as a client.
  var connectedPath: String?

  /// What its delegate was asked about trust; the newest last. A question can be answered at any time, and twice.
  var trustQuestions: [TrustQuestion] = []
  var userData: String?
  var notifiesDisconnectBeforeReturning = false
  /// An accepted child does nothing before didAccept has returned.
  var isCorked = false
  /// The lab dropped its reference; callbacks under way still keep the socket.
  var isReleased = false
  /// It has gone.
  var isGone = false
  /// How many `perform` blocks are running.
  var performDepth = 0
  /// Delegate queues that were suspended through this socket, latest last.
  var blockedQueues: [Int] = []

  /// What waits for the driver's next turn.
  var inbox = Inbox()
  var isTurnScheduled = false
  /// When a deadline event is due.
  var armedDeadline: Int64?
  /// Lanes to serve without a hop when the current turn ends.
  var inlineLanes: [VirtualQueue.Lane] = []
  var isInTurn = false
  /// A pass is due when the commands at hand are done.
  var needsPassNow = false

  struct Connection {
    var link: SimulatedLink
    var side: LinkSide
  }

  struct Attempt {
    var id: AttemptID
    /// Index into the case's connects.
    var connect: Int
  }

  struct Inbox {
    var hints: ReadinessHints = []
    var results: [(id: AttemptID, result: Result<SocketEvent, SocketFailure>)] = []
    var lookups: [(id: LookupID, result: Result<[SocketAddress], SocketFailure>)] = []
    var mayAccept = false
    var needsPass = false
    var deadlineCame = false
  }

  init(
    index: Int, name: String, topology: QueueTopology, delegate: Int?, delegateQueue: Int?, socketQueue: Int?,
    seed: UInt64
  ) {
    self.index = index
    self.name = name
    self.topology = topology
    self.delegate = delegate
    self.delegateQueue = delegateQueue
    self.socketQueue = socketQueue
    turns = SeededRandom(seed: seed, concern: .turns, index: index)
    timers = SeededRandom(seed: seed, concern: .timers, index: index)
  }

  /// Somebody will still call it or be called by it.
  var isKept: Bool { isCorked || !mailbox.isEmpty }
}

/// A connect under way: a subject's attempt or a peer's.
struct SimulatedConnect {
  enum Initiator {
    case subject(Int, AttemptID)
    case peer(Int)
  }

  var initiator: Initiator
  var destination: SimulatedNetwork.Place
  /// The connecting socket's own address; nil for Unix-domain sockets.
  var local: SocketAddress?
  var startedAt: Int64
  /// SYNs sent again so far.
  var retries = 0
  var isAbandoned = false
  /// Once established.
  var link: Int?
}
