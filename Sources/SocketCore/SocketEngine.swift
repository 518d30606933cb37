import SocketValues

/// One socket between its core and its host: decides what is done where and when, and does none of it.
///
/// The engine owns the machine and the mailbox, and decides whether a pass is made here or on the socket queue, which
/// calls inside a callback are deferred until it returns, which thread delivers an event, and what an accepted child
/// may not do yet. A host owns the descriptors or links, the real or virtual queues, a lock and a clock; it reports
/// what happens to the engine and carries out the effects that `nextEffect` returns.
///
/// Laws
/// - The engine never calls out, and knows no queue, thread, clock or descriptor: places and instants are arguments,
///   queues and delegates are objects that it compares by identity only, the transport is an argument of the verbs that
///   move bytes.
/// - A host calls it from one thread at a time, and takes effects until there are none before it lets anybody else in.
/// - Commands come before events: a descriptor is closed, or handed over for a lingering close, before didDisconnect is
///   delivered (DIS-28).
/// - A socket without a socket queue advances wherever there is work; one with a queue advances only there (THR-12):
///   what comes elsewhere waits in the inbox for a turn. The exceptions are calls that would reveal the order:
///   `exchangeBeforeEnd`, `performDeferredWorkBeforeChange`.
/// - Calls of one thread take effect in order, whatever is deferred for speed.
///
///       calls ───────▶ ┌────────┐ ── commands ──▶ ┌──────┐
///       readiness ───▶ │ engine │ ── advance ───▶ │ host │ ──▶ descriptors, queues, the loop
///       deadlines ───▶ │        │ ◀─ transport ── │      │
///       callbacks ───▶ └────────┘ ── serve ─────▶ └──────┘ ──▶ delegate queue ──▶ Draining
package final class SocketEngine {
  /// The mailbox of a socket: queues and delegates are objects that are compared by identity.
  package typealias Box = Mailbox<AnyObject, AnyObject, SocketEvent>

  /// The state machine of the socket. Hosts report the results of its commands to it, and take the effects afterwards.
  package let machine = SocketMachine()
  @exclusivity(unchecked) var mailbox: Box
  /// The queue that input and output are confined to, if any.
  package let socketQueue: AnyObject?
  /// Which shortcuts it takes; without them the same is delivered and sent, but later. Set before the first start and
  /// never after: hosts read it without a lock.
  package var shortcuts: Shortcuts {
    get { takenShortcuts }
    set { takenShortcuts = newValue }
  }
  @exclusivity(unchecked) private var takenShortcuts = Shortcuts.all

  /// On whose behalf the engine is working (`begin`).
  package internal(set) var entry: Entry {
    get { presentEntry }
    set { presentEntry = newValue }
  }
  @exclusivity(unchecked) private var presentEntry = Entry.call(inCallback: false, onSocketQueue: false)
  /// Whether the socket is an accepted child whose didAcceptNewSocket has not returned: it does nothing yet (ACC-23).
  package internal(set) var isInactive: Bool {
    get { isWaitingForDelegate }
    set { isWaitingForDelegate = newValue }
  }
  @exclusivity(unchecked) private var isWaitingForDelegate = false
  /// When the present start was made, as long as none of its events has been posted.
  @exclusivity(unchecked) var unreportedStart: Instant?
  /// The work that calls inside the running callback have deferred.
  @exclusivity(unchecked) var deferral = Deferral()
  /// An orderly end that waits for a call that closes the connection.
  @exclusivity(unchecked) var closingGrace = ClosingGrace()
  /// Input that waits for a turn on the socket queue, or for the end of a `perform(_:)` block.
  @exclusivity(unchecked) var inbox = Inbox()
  @exclusivity(unchecked) var turnRequest = TurnRequest.none
  /// The next turn does the work of a call that was made outside of callbacks.
  @exclusivity(unchecked) var isTurnForCaller = false
  /// Blocks of scheduled lanes that are not on the queue yet (`Manner.behindCaller`, `.byLoop`).
  @exclusivity(unchecked) var delayedBlocks: [(block: Box.Block, queue: AnyObject)] = []
  /// An event posted now would go to the delegate that the last one went to.
  @exclusivity(unchecked) var isDelegateUnchanged = false

  // MARK: Effects that are due

  @exclusivity(unchecked) var needs = Needs()
  @exclusivity(unchecked) var partsToCheck = WatchedParts()
  @exclusivity(unchecked) var services: [Service] = []
  /// When the loop is to report a deadline; nil: not at all.
  package internal(set) var armedDeadline: Instant? {
    get { presentDeadline }
    set { presentDeadline = newValue }
  }
  @exclusivity(unchecked) private var presentDeadline: Instant?

  /// - Parameters:
  ///   - socketQueue: the queue that input and output are confined to; nil: they happen wherever there is work
  ///     (THR-12).
  ///   - isSameQueue: whether two objects stand for one queue.
  package init(socketQueue: AnyObject?, isSameQueue: @escaping (AnyObject, AnyObject) -> Bool = (===)) {
    self.socketQueue = socketQueue
    mailbox = Box(isSameQueue: isSameQueue)
  }
}

extension SocketEngine {
  /// Which code is in the engine, and on which thread.
  package enum Entry: Hashable, Sendable {
    /// A call on the socket, or what is done at the end of one. `inCallback`: it is made inside a callback of the same
    /// socket.
    case call(inCallback: Bool, onSocketQueue: Bool)
    /// The loop's thread, which may be able to serve a delegate queue when it leaves.
    case loop(mayServe: Bool)
    /// A turn on the socket queue. `forCalls`: it carries out calls made on other threads, so its events must be
    /// delivered after the blocks that those callers have put on the delegate queue since.
    case turn(forCalls: Bool)
    /// The thread that delivers events, between two callbacks.
    case betweenCallbacks(onSocketQueue: Bool)
    /// A call of `disconnect()`, whose caller expects the end.
    case disconnecting
  }

  /// What readiness is about: the connection, the listeners, or an attempt to connect.
  package enum WatchedPart: UInt16, Sendable { case stream, listener, preferred, alternate }

  /// A set of parts.
  package struct WatchedParts: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package init(_ part: WatchedPart) { rawValue = 1 << UInt8(part.rawValue) }

    /// The first of them, which is taken out.
    mutating func next() -> WatchedPart? {
      guard rawValue != 0, let part = WatchedPart(rawValue: UInt16(rawValue.trailingZeroBitCount)) else { return nil }
      remove(WatchedParts(part))
      return part
    }
  }

  /// Work that the host does for the engine. Effects are taken one by one; carrying one out may cause others. Their
  /// details are taken separately, so that asking whether there is an effect costs next to nothing.
  package enum Effect: Hashable, Sendable {
    /// Carry out a command of the machine: `takeCommand`.
    case carryOut
    /// Watch the connection's descriptor, then call `connectionIsWatched`, or report the failure to the machine.
    case watch
    /// Make a pass with the connection's transport: `advance`.
    case advance
    /// The machine has events: `post` them to the present delegate and queue, or `discardEvents`.
    case post
    /// Have a lane of the mailbox drained: `takeService`.
    case serve
    /// Look at a part for which readiness was signalled: `takePartToCheck`.
    case check
    /// A deadline has passed: check whether attempts have succeeded by now, then `tick`.
    case time
    /// Put a turn on the socket queue.
    case requestTurn
    /// Have the loop report an empty readiness of the connection.
    case wake
    /// Have the loop report a deadline within about a millisecond, as a fallback for work that was deferred in a
    /// callback that may take long. Hardly ever needed, so its cost must not be paid each time.
    case armFallback
    /// Have the loop report `armedDeadline`; nil: not any more.
    case arm
  }

  /// How a lane of the mailbox is drained.
  package struct Service {
    /// On which thread a lane is drained, and when.
    package enum Manner: Hashable, Sendable {
      /// At the end of the present turn, on the socket queue, which is the delegate queue.
      case inline
      /// By the loop's thread when it leaves the engine, if the queue may be served that way now; otherwise by a thread
      /// of the queue. Whichever it is asks `takeDelayed` first.
      case byLoop
      /// By a thread of the queue.
      case handOver
      /// The same, behind blocks that the caller puts on the queue right after the present call: the events of a call
      /// are not delivered before it has returned, and the next statement of a caller that runs on the queue comes
      /// first (CON-01). So a first block only enqueues the second one (`takeDelayed`), not before that instant if one
      /// is given.
      case behindCaller(notBefore: Instant?)
    }

    /// The block that drains the lane. When it begins it asks `begins`.
    package var block: Box.Block
    /// The delegate queue that the lane's events go to.
    package var queue: AnyObject
    /// On which thread, and when.
    package var manner: Manner
  }

  /// Which thread makes the next turn on the socket queue.
  enum TurnRequest: UInt8, Comparable {
    /// No turn is needed.
    case none
    /// The thread that runs the callback, when that has returned.
    case following
    /// A block on the queue.
    case queued

    static func < (one: TurnRequest, other: TurnRequest) -> Bool { one.rawValue < other.rawValue }
  }

  /// Effects that are due.
  struct Needs: OptionSet {
    let rawValue: UInt8

    static let pass = Needs(rawValue: 1)
    static let watch = Needs(rawValue: 2)
    static let check = Needs(rawValue: 4)
    static let time = Needs(rawValue: 8)
    static let wakeup = Needs(rawValue: 16)
    static let turn = Needs(rawValue: 32)
    static let fallback = Needs(rawValue: 64)
  }

  // MARK: Effects

  /// The next thing to do; nil: the engine is at rest.
  package func nextEffect() -> Effect? {
    if machine.hasCommands { return .carryOut }
    if !needs.isEmpty {
      if needs.remove(.watch) != nil { return .watch }
      if !partsToCheck.isEmpty { return .check }
      needs.remove(.check)
      if needs.remove(.time) != nil { return .time }
      if needs.remove(.pass) != nil { return .advance }
    }
    if machine.hasEvents { return .post }
    if !services.isEmpty { return .serve }
    if !needs.isEmpty {
      if needs.remove(.turn) != nil { return .requestTurn }
      if needs.remove(.wakeup) != nil { return .wake }
      if needs.remove(.fallback) != nil { return .armFallback }
    }
    return hasNewDeadline() ? .arm : nil
  }

  /// The machine's next command. To be called for each `carryOut`, and only then.
  package func takeCommand() -> SocketCommand { machine.takeCommand() }

  /// The lane to have drained next. To be called for each `serve`, and only then.
  package func takeService() -> Service { services.removeFirst() }

  /// The part to check next. To be called for each `check`.
  package func takePartToCheck() -> WatchedPart { partsToCheck.next() ?? .stream }

  /// Whether the deadline that the loop has to report has changed.
  private func hasNewDeadline() -> Bool {
    var deadline = isInactive || !machine.usesTime ? nil : machine.nextDeadline
    if machine.isEndHeld || machine.endAwaitsDelivery {
      // Timeouts have no effect any more.
      deadline = closingGrace.end
    } else if let graceEnd = closingGrace.end {
      deadline = min(deadline ?? graceEnd, graceEnd)
    }
    guard deadline != armedDeadline else { return false }
    armedDeadline = deadline
    return true
  }
}
