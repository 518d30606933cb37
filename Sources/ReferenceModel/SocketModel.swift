/// What a socket must do, in the dullest way: one thread, no buffers, no readiness, no segments. The whole stream lies
/// in an array and each read cuts its piece off the front; a search starts anew each time; the kernel is a number of
/// bytes that it still takes. Written from the contract, for lockstep: a verb is called on the model and on a real
/// socket, both come to rest, and then both must have told the same.
///
/// Where the contract leaves a choice
/// - How much a read-any takes is the socket's choice, from 1 to its limit and what there is (RD-ANY-01). The choice
///   that was seen is given beforehand (`choose`); without one the model takes all it may. What can't be is not taken.
/// - Partial reports come when the socket comes to rest, one for each direction. A socket may cut them finer; what
///   counts is their sum at rest, which `reportedRead` and `reportedWrite` say (INV-16).
/// - At rest, reads come before writes, then a fulfilled wish to close, then the end of the peer's stream (so a wish
///   that the last read fulfils wins over the end behind it, DIS-20), then clocks, the read's first. Bytes that come at
///   the instant of a deadline count (TMO-13).
/// - A break of a half-closed connection is noticed (HALF-09).
/// - When the peer finished and then broke the connection, either may be the reason: `Reason.closedOrBroken`.
///
/// Tags are those of `SocketProgram`: the k-th call of read has tag k, whatever becomes of it. Times are milliseconds.
package struct SocketModel {
  /// Where a life stands; deadlines in milliseconds, nil: never.
  package enum Phase: Hashable, Sendable {
    case idle
    case connecting(deadline: Int?)
    case listening
    case open
  }

  struct PendingRead {
    var tag: Int
    var read: SocketProgram.Read
    var clock: Clock
  }

  struct PendingWrite {
    var tag: Int
    /// Its bytes in `accepted`.
    var bytes: Range<Int>
    var clock: Clock
  }

  /// An operation's time. It runs from the operation's turn on an open connection (TMO-02, CON-13).
  struct Clock {
    var timeout: Int?
    var isRunning = false
    var deadline: Int?
    var elapsed = 0

    mutating func start(at now: Int) {
      guard !isRunning else { return }
      isRunning = true
      deadline = timeout.map { now + $0 }
      elapsed = timeout ?? 0
    }
  }

  /// What FIN does (autoDisconnectOnClosedReadStream).
  package var closesOnEndOfStream = true

  /// The socket is of the class that lives on a run loop. Ends that the caller did not ask for are announced (RL-01),
  /// with what they leave unread (RL-03); the peer's end ends both directions (HALF-14), although bytes are unread if
  /// no read waits for them (RL-07, RL-10).
  package var livesOnRunLoop = false

  /// Where the present life stands.
  package internal(set) var phase = Phase.idle
  /// The time, in milliseconds from 0; it only grows.
  package internal(set) var now = 0

  /// Whether there is a connection, half-closed or not.
  package var isOpen: Bool {
    if case .open = phase { return true }
    return false
  }

  /// Whether nothing is started.
  package var isIdle: Bool {
    if case .idle = phase { return true }
    return false
  }

  /// Whether the socket accepts connections.
  package var isListening: Bool {
    if case .listening = phase { return true }
    return false
  }

  /// All that the peers ever sent, over all connections.
  package internal(set) var arrived: [UInt8] = []
  /// How many bytes of `arrived` were read, or lost with their connection.
  package internal(set) var consumed = 0
  /// The bytes of all writes that were accepted.
  var accepted: [UInt8] = []
  /// All that the kernel ever took, over all connections.
  package internal(set) var wire: [UInt8] = []

  var reads: [PendingRead] = []
  var writes: [PendingWrite] = []
  /// How many calls of read there were: the tag of the next one.
  package internal(set) var readCalls = 0
  /// How many calls of write there were: the tag of the next one.
  package internal(set) var writeCalls = 0

  /// How many bytes each call of write had, by its tag; 0 for one without any.
  package internal(set) var writeLengths: [Int] = []

  /// The sum of the active read's partial reports, in bytes.
  package internal(set) var reportedRead = 0
  /// The sum of the active write's partial reports, in bytes.
  package internal(set) var reportedWrite = 0
  /// How much of the active write the kernel took.
  var written = 0

  /// How many more bytes the kernel takes; nil: all.
  package internal(set) var room: Int?
  var hasFinished = false
  var isBroken = false
  /// The peer's end was told, and the connection stays: reads complete no more (HALF-02, HALF-05).
  package internal(set) var isReadClosed = false
  /// The delegate has been asked about the active read's timeout and has not answered: reading rests (TMO-10).
  package internal(set) var asksRead = false
  /// The delegate has been asked about the active write's timeout and has not answered: writing rests (TMO-10).
  package internal(set) var asksWrite = false
  var closesAfterReads = false
  var closesAfterWrites = false
  /// The last connection ended because queued operations were done: what was written reaches the peer (DIS-22).
  package internal(set) var endedGracefully = false

  /// The events that the delegate must get, in order; the comparison removes them.
  package var events: [ModelEvent] = []
  var choices: [Choice] = []

  struct Choice {
    var tag: Int
    var count: Int
  }

  package init() {}

  // MARK: The caller

  /// Makes one of the calls below.
  package mutating func call(_ call: SocketProgram.Call) {
    switch call {
    case .read(let read, let timeout): self.read(read, timeout: timeout)
    case .write(let bytes, let timeout): bytes.withUnsafeBytes { write($0, timeout: timeout) }
    case .disconnect: disconnect()
    case .disconnectAfter(let reads, let writes): disconnect(afterReads: reads, afterWrites: writes)
    }
  }

  /// Queues a read. `timeout` in milliseconds; nil: never. A call that is ignored (the socket takes no operations, or
  /// `Read.isNothing`) uses up a tag all the same.
  package mutating func read(_ read: SocketProgram.Read, timeout: Int?) {
    let tag = readCalls
    readCalls += 1
    guard takesOperations, !read.isNothing else { return }
    reads.append(PendingRead(tag: tag, read: read, clock: Clock(timeout: timeout)))
    settle()
  }

  /// Queues a write. `timeout` in milliseconds; nil: never. A call that is ignored (the socket takes no operations, or
  /// there are no bytes) uses up a tag all the same.
  package mutating func write(_ bytes: UnsafeRawBufferPointer, timeout: Int?) {
    let tag = writeCalls
    writeCalls += 1
    writeLengths.append(bytes.count)
    // Nothing to write is no write (WR-02).
    guard takesOperations, !bytes.isEmpty else { return }
    let start = accepted.count
    accepted.append(contentsOf: bytes)
    writes.append(PendingWrite(tag: tag, bytes: start..<accepted.count, clock: Clock(timeout: timeout)))
    settle()
  }

  /// Started (RDQ-03, WR-06), and no wish to close was uttered (DIS-13, WR-11).
  private var takesOperations: Bool { !isIdle && !hasWish }
  var hasWish: Bool { closesAfterReads || closesAfterWrites }

  /// Ends the life at once, whatever is queued (DIS-01).
  package mutating func disconnect() {
    // Of an idle socket it is nothing (LIFE-15).
    if !isIdle { end(.wish) }
  }

  /// Ends the life when the operations queued so far are done: reads, writes, or both (DIS-09…DIS-14).
  package mutating func disconnect(afterReads: Bool, afterWrites: Bool) {
    guard !isIdle else { return }
    // Wishes add up (DIS-14).
    closesAfterReads = closesAfterReads || afterReads
    closesAfterWrites = closesAfterWrites || afterWrites
    if isOpen {
      settle()
    } else if wishIsMet {
      end(.wish)  // DIS-16, DIS-17
    }
  }

  /// The delegate's answer about the active read: more milliseconds if positive, otherwise the timeout is enforced
  /// (TMO-07). An answer without an open question is ignored (TMO-11).
  package mutating func answerRead(extension milliseconds: Int) {
    guard asksRead else { return }
    asksRead = false
    guard milliseconds > 0 else { return end(.readTimeout) }
    reads[0].clock.elapsed += milliseconds
    reads[0].clock.deadline = now + milliseconds
    settle()
  }

  /// The delegate's answer about the active write, in the same way.
  package mutating func answerWrite(extension milliseconds: Int) {
    guard asksWrite else { return }
    asksWrite = false
    guard milliseconds > 0 else { return end(.writeTimeout) }
    writes[0].clock.elapsed += milliseconds
    writes[0].clock.deadline = now + milliseconds
    settle()
  }

  /// Says beforehand how many bytes the read-any with this tag was seen to take.
  package mutating func choose(tag: Int, count: Int) { choices.append(Choice(tag: tag, count: count)) }

  /// Takes back the choices that no read has used.
  package mutating func forgetChoices() {
    if !choices.isEmpty { choices.removeAll(keepingCapacity: true) }
  }

  // MARK: Starting

  /// A connection is made. `announced`: the delegate hears of it. `room`: how many bytes the kernel takes at first;
  /// nil: all.
  package mutating func open(announced: Bool = true, room: Int? = nil) {
    if isIdle { begin() }
    phase = .open
    self.room = room
    if announced { events.append(.connected) }
    settle()
  }

  /// Begins a life that waits for a connection. `timeout` in milliseconds; nil: never (CON-08).
  package mutating func startConnecting(timeout: Int?) {
    begin()
    phase = .connecting(deadline: timeout.map { now + $0 })
  }

  /// Every attempt has failed; nothing where none is under way.
  package mutating func connectFailed() {
    if case .connecting = phase { end(.connectFailed) }
  }

  /// Begins the life of a listener.
  package mutating func startListening() {
    begin()
    phase = .listening
  }

  /// A new life begins clean (LIFE-10).
  private mutating func begin() {
    consumed = arrived.count
    reads = []
    writes = []
    reportedRead = 0
    reportedWrite = 0
    written = 0
    hasFinished = false
    isBroken = false
    isReadClosed = false
    asksRead = false
    asksWrite = false
    closesAfterReads = false
    closesAfterWrites = false
    endedGracefully = false
  }

  // MARK: The wire

  /// These bytes arrive from the peer, at that time in milliseconds, or now if that is later. Nothing arrives after the
  /// peer's end. `withEnd`: the peer's end comes with them, and both are found at once.
  package mutating func arrive(_ bytes: UnsafeRawBufferPointer, at instant: Int = 0, withEnd: Bool = false) {
    now = max(now, instant)
    guard isOpen, !hasFinished, !isBroken else { return }
    arrived.append(contentsOf: bytes)
    hasFinished = withEnd
    settle()
  }

  /// The peer's FIN arrives.
  package mutating func peerFinishes() {
    guard isOpen, !isBroken else { return }
    hasFinished = true
    settle()
  }

  /// The peer breaks the connection.
  package mutating func peerResets() {
    guard isOpen else { return }
    isBroken = true
    settle()
  }

  /// The kernel will take `bytes` more bytes.
  package mutating func makeRoom(_ bytes: Int) {
    guard isOpen else { return }
    room = room.map { $0 + bytes }
    settle()
  }

  // MARK: Time

  /// It is that many milliseconds now. Deadlines in between are to be visited one by one (`nextDeadline`).
  package mutating func advance(to instant: Int) {
    now = max(now, instant)
    if case .connecting(let deadline?) = phase, deadline <= now { return end(.connectTimeout) }
    settle()
  }

  /// The next instant at which something happens by itself, in milliseconds; nil: nothing does.
  package var nextDeadline: Int? {
    switch phase {
    case .idle, .listening: return nil
    case .connecting(let deadline): return deadline
    case .open:
      let read = readDeadline
      let write = asksWrite ? nil : writes.first?.clock.deadline
      guard let read, let write else { return read ?? write }
      return min(read, write)
    }
  }

  /// When the active read's timeout comes, in milliseconds; nil: never, or the delegate is being asked.
  package var readDeadline: Int? { isOpen && !asksRead ? reads.first?.clock.deadline : nil }

  // MARK: What a caller may ask at rest

  /// How many reads are queued, the active one included.
  package var pendingReads: Int { reads.count }
  /// How many writes are queued, the active one included.
  package var pendingWrites: Int { writes.count }
  /// Bytes that arrived in this connection and no read has got.
  package var unread: Int { isOpen ? arrived.count - consumed : 0 }

  /// How far the active operation is (DIAG-11, WR-17): `total` 0 when the end is not known beforehand.
  package struct Progress: Hashable, Sendable {
    /// The tag of the operation.
    package var tag: Int
    /// Bytes gathered for the read, or taken by the kernel of the write.
    package var done: Int
    /// Bytes asked for, or to be written.
    package var total: Int
  }

  /// How far the active read is; nil: there is none.
  package var readProgress: Progress? {
    guard isOpen, let first = reads.first else { return nil }
    let total = if case .exactly(let length) = first.read { length } else { 0 }
    return Progress(tag: first.tag, done: reportedRead, total: total)
  }

  /// How far the active write is; nil: there is none.
  package var writeProgress: Progress? {
    guard isOpen, let first = writes.first else { return nil }
    return Progress(tag: first.tag, done: written, total: first.bytes.count)
  }
}

extension SocketProgram.Read {
  /// Calls that are none: a length of 0, no delimiter, or a limit that it can't fit into (RD-LEN-02, RD-DELIM-02,
  /// RD-MAX-05).
  package var isNothing: Bool {
    switch self {
    case .available: false
    case .exactly(let length): length <= 0
    case .through(let delimiter, let limit): delimiter.isEmpty || (limit > 0 && limit < delimiter.count)
    }
  }
}
