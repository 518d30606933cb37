import DequeModule
import SocketValues

/// The two queues of one started socket, and the bytes between them and the wire.
///
/// Laws
/// - Reads and writes are first in, first out; only the head of each queue is active, and its clock starts when it
///   becomes the head of an open connection (RDQ-01, WR-01, TMO-02, CON-13).
/// - A pass (`advance`) does everything that can be done now and leaves the machine at rest: no operation that could be
///   completed is left, unless the pass used up its budget (`needsAnotherPass`).
/// - No lost wake-up (INV-17): readiness is remembered until the transport itself would block.
/// - No recursion: a pass is a loop, whatever the queues' lengths (INV-14).
/// - It ends once. `ending` has the reason, and after it no method has any effect.
///
/// A class because it is the payload of an enum while it works; confined to the holder of the socket's lock.
package final class StreamMachine {
  let generation: UInt64
  @exclusivity(unchecked) var reads = Deque<ReadEntry>()
  @exclusivity(unchecked) var writes = Deque<WriteEntry>()
  @exclusivity(unchecked) var prebuffer = Prebuffer()

  /// Readiness as last known; true until the transport says otherwise.
  @exclusivity(unchecked) var mayReceive = true
  @exclusivity(unchecked) var maySend = true
  @exclusivity(unchecked) var hints = Readiness()

  /// An operation with a timeout was queued, or an upgrade: from then on a pass needs the time.
  @exclusivity(unchecked) var usesTime = false
  /// More operations were queued than a queue keeps room for.
  @exclusivity(unchecked) private var queuesWereLong = false
  /// The head of the reads is the active one, though its clock was not started because nobody looks at it.
  @exclusivity(unchecked) var readIsActive = false
  /// The last receive was so large that the next one should go directly into the memory of its read.
  @exclusivity(unchecked) var expectsLargeReceive = false

  /// The peer's FIN was received (everything before it is in the prebuffer or delivered).
  @exclusivity(unchecked) var endOfStream = false
  /// didCloseRead was sent: reads can't complete any more (HALF-05).
  @exclusivity(unchecked) var readSideClosed = false

  @exclusivity(unchecked) var readQuestion: TimeoutQuestion?
  @exclusivity(unchecked) var writeQuestion: TimeoutQuestion?
  @exclusivity(unchecked) var questionCount: UInt64 = 0

  @exclusivity(unchecked) var closesAfterReads = false
  @exclusivity(unchecked) var closesAfterWrites = false
  /// Makes the session when both queues have come to the barrier; nil: no upgrade was asked for.
  @exclusivity(unchecked) var makeSession: SessionMaker?
  /// The secured half of the stream, from the moment its session is made.
  @exclusivity(unchecked) var secure: SecureLayer?
  @exclusivity(unchecked) var trustQuestion: TrustQuestion?

  /// The last pass found an end and left it (`Policy.holdsEnd`, `Policy.holdsFailures`).
  @exclusivity(unchecked) var isEndHeld = false
  /// What the transport said to a write that has failed, until a pass ends the connection for it.
  @exclusivity(unchecked) var failedSend: TransportResult?
  /// `Policy.holdsFailures` of the last pass: writes are not tried again meanwhile.
  @exclusivity(unchecked) var holdsFailures = false

  @exclusivity(unchecked) var isOpen = false
  /// The pass stopped at its budget in this direction.
  @exclusivity(unchecked) var readsStoppedEarly = false
  @exclusivity(unchecked) var writesStoppedEarly = false
  /// Whether the last pass stopped at its budget: another one must follow soon. Not behind an end, which may have come
  /// in that very pass: there is nothing left to do, however long the delegate takes to hear of it.
  package var needsAnotherPass: Bool { ending == nil && (readsStoppedEarly || writesStoppedEarly) }
  @exclusivity(unchecked) var ending: Ending?
  /// The events since the driver last took them, in order.
  @exclusivity(unchecked) var events: [SocketEvent] = []

  /// How a stream has ended.
  package struct Ending: Hashable, Sendable {
    /// Why; nil: by a call of the local side.
    package var reason: SocketFailure?
    /// What becomes of written bytes.
    package var manner: CloseManner
    /// The session's last bytes for the peer, sent before the descriptor is closed.
    package var finalBytes: [UInt8]
  }

  /// An end with a reason leaves in place what was received and not delivered, for `collectUnread`.
  private let keepsUnread: Bool
  @exclusivity(unchecked) private var hasCollectedUnread = false
  /// Whether TLS was established when the end came: what the transport still has is the stream's.
  @exclusivity(unchecked) private var endsSecured = false
  /// See `Policy.endWaitsForDelivery`.
  @exclusivity(unchecked) var endAwaitsDelivery = false

  init(generation: UInt64, keepsUnread: Bool = false) {
    self.generation = generation
    self.keepsUnread = keepsUnread
  }

  /// Whether the delegate can be asked about timeouts, and what FIN does; read afresh in each pass.
  package struct Policy: Sendable {
    /// Whether the peer's end of stream ends the connection; otherwise didCloseRead reports it (HALF-01, HALF-02).
    package var closesOnEndOfStream: Bool
    /// Whether a delegate can be asked about timeouts and trust; without one, timeouts are enforced at once (TMO-16).
    package var canAskDelegate: Bool
    /// An orderly end of the peer's waits for another pass, because the caller may be about to ask for one (DIS-05).
    package var holdsEnd: Bool
    /// The failure of a write waits for another pass, because a read that the running callback is about to queue can
    /// still be served from what has arrived (WR-10).
    package var holdsFailures: Bool
    /// The peer's end is found only when all that came before it has been delivered: a read that a callback queues can
    /// then still be served (RL-09). Leftovers do not hold it back (RL-10).
    package var endWaitsForDelivery: Bool
    /// Whether earlier passes have completed something that is not delivered yet.
    package var hasUndelivered: Bool

    package init(
      closesOnEndOfStream: Bool, canAskDelegate: Bool, holdsEnd: Bool = false, holdsFailures: Bool = false,
      endWaitsForDelivery: Bool = false, hasUndelivered: Bool = false
    ) {
      self.closesOnEndOfStream = closesOnEndOfStream
      self.canAskDelegate = canAskDelegate
      self.holdsEnd = holdsEnd
      self.holdsFailures = holdsFailures
      self.endWaitsForDelivery = endWaitsForDelivery
      self.hasUndelivered = hasUndelivered
    }
  }

  var forbidsOperations: Bool { closesAfterReads || closesAfterWrites }

  func enqueue(_ request: ReadRequest) {
    guard ending == nil, !forbidsOperations else { return }
    if request.timeout >= 0 { usesTime = true }
    reads.append(.request(ReadOperation(request)))
    if reads.count > Self.many { queuesWereLong = true }
  }

  func enqueue(_ request: WriteRequest) {
    guard ending == nil, !forbidsOperations else { return }
    if request.timeout >= 0 { usesTime = true }
    writes.append(.request(WriteOperation(request)))
    if writes.count > Self.many { queuesWereLong = true }
  }

  private static let many = 256
  /// As many as may wait while a queue that was long gives its memory back: a server's read, for one, is there always.
  private static let few = 16

  /// Frees memory that is not needed any more: there may be many idle connections.
  func trim() {
    prebuffer.trim()
    secure?.session.rest()
    guard queuesWereLong, reads.count <= Self.few, writes.count <= Self.few else { return }
    queuesWereLong = false
    reads = reads.inNewMemory
    writes = writes.inNewMemory
  }

  /// Queues the upgrade barrier in both queues; a second one is ignored (TLS-08).
  func enqueueUpgrade(_ makeSession: @escaping SessionMaker) {
    guard ending == nil, !forbidsOperations, self.makeSession == nil else { return }
    self.makeSession = makeSession
    usesTime = true
    reads.append(.upgrade)
    writes.append(.upgrade)
  }

  /// The head of the reads is done.
  func removeRead() {
    reads.removeFirst()
    readIsActive = false
  }

  /// Closes when the operations are done. What is due already waits for nothing that is asked for later, though no
  /// pass may have seen it yet: calls take effect in order (DIS-12, DIS-14).
  func closeAfter(reads: Bool, writes: Bool) {
    guard !pendingCloseIsDue else { return }
    closesAfterReads = closesAfterReads || reads
    closesAfterWrites = closesAfterWrites || writes
  }

  /// Whether a close after queued operations is pending and those are done (DIS-09…DIS-14).
  var pendingCloseIsDue: Bool {
    forbidsOperations && (!closesAfterReads || reads.isEmpty) && (!closesAfterWrites || writes.isEmpty)
  }

  func end(_ reason: SocketFailure?, manner: CloseManner = .immediate) {
    guard ending == nil else { return }
    // The last bytes are the end of the layer.
    endsSecured = secure?.phase == .established
    ending = Ending(
      reason: reason, manner: endsSecured && manner == .immediate ? .secured : manner,
      finalBytes: secure?.finalBytes(keepsOutput: manner == .graceful) ?? [])
    if keepsUnread, reason != nil { gatherUnread() } else { prebuffer = Prebuffer() }
    reads.removeAll()
    writes.removeAll()
    readQuestion = nil
    writeQuestion = nil
    trustQuestion = nil
  }
}

// The bytes that an end leaves unread.
extension StreamMachine {
  /// Puts the bytes of the unfinished read in front of the buffered ones.
  private func gatherUnread() {
    guard case .request(let operation)? = reads.first, let block = operation.block, block.count > 0 else { return }
    var all = Prebuffer()
    all.append(block.bytes)
    all.append(prebuffer.bytes)
    prebuffer = all
  }

  /// The most bytes that the transport is asked for: a peer that goes on sending must not block the caller for ever.
  private static let maxCollected = 1 << 24
  /// For the same reason, the most passes of a session, each of which opens `SecureLayer.recordsPerPass` at most: where
  /// a caller asks for what is unread, and where the loop looks for an alert while its other sockets wait.
  private static let maxCollectingPasses = (ofCaller: 1 << 8, ofLoop: 1 << 3)

  /// Adds the bytes that the transport still has, once. On a connection that was being secured they are not the
  /// stream's.
  func collectUnread<Transport: StreamTransport>(_ transport: inout Transport) {
    guard ending != nil, !hasCollectedUnread else { return }
    hasCollectedUnread = true
    var left = Self.maxCollected
    if let layer = secure {
      guard endsSecured else { return }
      var secured = SecuredTransport(base: transport, layer: layer)
      _ = collect(&secured, layer, most: &left, passes: Self.maxCollectingPasses.ofCaller)
      transport = secured.base
    } else {
      _ = collect(&transport, most: &left)
    }
  }

  /// The peer's alert, which says more of a failed write than its errno does (TLS-35). nil: there is none; a missing
  /// close_notify says less. It may stand behind data that nobody has asked for, which is kept as unread. Does not
  /// wait for readiness, because no other pass follows.
  func alertBehindUnread<Transport: StreamTransport>(_ transport: inout Transport) -> SocketFailure? {
    guard let layer = secure, layer.phase == .established else { return nil }
    var left = Self.maxCollected
    let last = collect(&transport, layer, most: &left, passes: Self.maxCollectingPasses.ofLoop)
    guard case .broken(let failure)? = last, !layer.wireEnded || !failure.isTruncation else { return nil }
    return failure
  }

  /// In as many passes of the session as it takes. `transport` is that layer's.
  private func collect<Transport: StreamTransport>(
    _ transport: inout Transport, _ layer: SecureLayer, most left: inout Int, passes: Int
  ) -> TransportResult? {
    var last: TransportResult?
    // The kernel may have got more since it was last asked.
    layer.inputIsDrained = false
    for _ in 0..<passes where left > 0 {
      layer.stoppedEarly = false
      layer.beginPass()
      last = collect(&transport, most: &left)
      guard layer.stoppedEarly else { break }
    }
    layer.stoppedEarly = false
    return last
  }

  /// What the transport says behind its bytes; nil: there are more than may be taken.
  private func collect<Transport: StreamTransport>(
    _ transport: inout Transport, most left: inout Int
  ) -> TransportResult? {
    while left > 0 {
      let result = transport.receive(into: prebuffer.room(atLeast: 1 << 14))
      guard case .bytes(let count) = result, count > 0 else { return result }
      prebuffer.filled(count)
      left -= count
    }
    return nil
  }
}

extension Deque {
  /// The same elements in memory for not many more.
  var inNewMemory: Deque {
    var fresh = Deque(minimumCapacity: count)
    for element in self { fresh.append(element) }
    return fresh
  }
}

/// A read in its queue.
enum ReadEntry {
  case request(ReadOperation)
  /// startTLS: everything before it goes in clear.
  case upgrade
}

enum WriteEntry {
  case request(WriteOperation)
  case upgrade
}

/// The clock of one operation: started when it becomes active, extended by the delegate.
struct OperationClock {
  /// The original timeout plus all extensions so far, in seconds (TMO-06).
  private(set) var elapsed: Double
  private(set) var deadline: Instant?
  /// The first pass since the deadline that stopped at its budget.
  private var busySince: Instant?

  init(timeout: Double, startedAt now: Instant) {
    elapsed = timeout
    deadline = now.after(seconds: timeout)
  }

  mutating func extend(by seconds: Double, at now: Instant) {
    elapsed += seconds
    deadline = now.after(seconds: seconds)
    busySince = nil
  }

  func isDue(at now: Instant) -> Bool {
    guard let deadline else { return false }
    return deadline <= now
  }

  /// A pass that stopped at its budget was made, and the deadline is over.
  mutating func beginGrace(at now: Instant) { busySince = busySince ?? now }

  /// How long a timeout waits for a busy direction, in nanoseconds: a pass that stopped at its budget has not tried
  /// everything yet. Bounded, so that a peer that fills every pass can't delay it for ever (TMO-03). It counts from the
  /// first such pass and not from the deadline: a host that comes late has not tried anything since (INV-17).
  private static let busyGrace: Int64 = 250_000_000

  /// Whether the timeout is to be enforced behind a pass. The grace needs no timer: a busy pass asks for another one
  /// (`needsAnotherPass`).
  func isExpired(at now: Instant, whileBusy isBusy: Bool) -> Bool {
    guard isDue(at: now) else { return false }
    return !isBusy || now.nanoseconds - (busySince ?? now).nanoseconds >= Self.busyGrace
  }
}

struct ReadOperation {
  let request: ReadRequest
  /// nil until it is the active read of an open connection.
  var clock: OperationClock?
  /// The bytes that a read to length has received so far.
  var block: ByteBlock?
  /// Bytes reported by didReadPartial so far.
  var reported = 0

  init(_ request: ReadRequest) { self.request = request }
}

struct WriteOperation {
  let request: WriteRequest
  var clock: OperationClock?
  /// Bytes the transport took.
  var done = 0
  var reported = 0

  init(_ request: WriteRequest) { self.request = request }
}
