import ScenarioModel
import SocketCore
import SocketValues

/// One socket of the library as its host keeps it: the engine, and the state that stands for descriptors. The host's
/// methods are in `SimulatedCase+Hosting.swift` and the files beside it.
final class SimulatedSubject {
  let index: Int
  /// The lab's.
  let name: String
  let engine: SocketEngine
  var turns: SeededRandom
  var timers: SeededRandom
  /// Draws which thread does what, and when, where real threads would race.
  var schedules: SeededRandom

  var delegate: SimulatedDelegate? {
    didSet { engine.delegateChanged() }
  }
  var delegateQueue: VirtualQueue?
  /// Given by the caller; nil: the socket has none.
  let socketQueue: VirtualQueue?
  let topology: QueueTopology
  /// The state of a socket of the run-loop class, which has no queues; nil for the other class.
  let runLoop: RunLoopPart?

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
  /// The lab dropped its reference; callbacks under way still keep the socket.
  var isReleased = false
  /// It has been deinitialised.
  var isGone = false
  /// How many `perform` blocks are running.
  var performDepth = 0
  /// Delegate queues that were suspended through this socket, latest last.
  var blockedQueues: [VirtualQueue] = []

  /// The input of the loop's next call.
  var inbox = Inbox()
  var isLoopScheduled = false
  /// When the loop calls about a deadline.
  var armedDeadline: Int64?
  /// Lanes to drain when the turn on the socket queue ends.
  var turnBlocks: [VirtualQueue.LaneBlock] = []
  /// The present turn is made on the loop's thread.
  var isTurnLent = false
  /// The present lane is drained on the loop's thread, or was the last one.
  var isLaneLent = false
  /// A lane that the loop's thread drains when it leaves.
  var lentWork: (block: VirtualQueue.LaneBlock, queue: VirtualQueue)?
  /// The loop's thread makes a turn when it has drained the present lane.
  var turnFollows = false
  /// The loop's thread is in a callback of this socket for so long that the loop has gone on without it.
  var isThreadAway = false

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
    var hints: Readiness = []
    var isSignalled = false
    var mayAccept = false
    /// The results of attempts and lookups, until the engine has them checked.
    var results: [(id: AttemptID, result: Result<SocketEvent, SocketFailure>)] = []
    var lookups: [(id: LookupID, result: Result<[SocketAddress], SocketFailure>)] = []
  }

  init(
    index: Int, name: String, topology: QueueTopology, delegate: SimulatedDelegate?, delegateQueue: VirtualQueue?,
    socketQueue: VirtualQueue?, runLoop: RunLoopPart? = nil, seed: DrawSource
  ) {
    self.index = index
    self.name = name
    self.topology = topology
    self.delegate = delegate
    self.delegateQueue = delegateQueue
    self.socketQueue = socketQueue
    self.runLoop = runLoop
    engine = runLoop?.engine.engine ?? SocketEngine(socketQueue: socketQueue)
    turns = SeededRandom(seed: seed, concern: .turns, index: index)
    timers = SeededRandom(seed: seed, concern: .timers, index: index)
    schedules = SeededRandom(seed: seed, concern: .schedules, index: index)
  }

  var machine: SocketMachine { engine.machine }

  /// Whether it may still be called or have callbacks.
  var isKept: Bool { engine.isInactive || engine.hasCallbacks }
}

/// A delegate, by its name.
final class SimulatedDelegate {
  let name: String

  init(name: String) { self.name = name }
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
