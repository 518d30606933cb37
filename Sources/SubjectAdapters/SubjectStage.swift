import CocoaAsyncSocket
import Dispatch
import Foundation
import ScenarioModel
import ScenarioRunner
import ScriptedPeer
import SocketPOSIX

/// The subject's side of a case: its sockets, delegates, queues and buffers, by the names the scenario gives them.
///
/// Laws
/// - Called from the lab's caller thread and, by reactions, from delegate queues: everything shared is below one lock,
///   which is never held while the subject is called.
/// - Delegates are held until the case is closed, sockets until `release`. Names of released sockets are remembered for
///   callbacks that are still under way.
/// - A socket's first delegate is called `delegate`; its first delegate queue is its own and has its name. Children
///   have their listener's, as the library gives them.
/// - Children are named in the order of their didAccept: `child`, `child2`, `child3`…
final class SubjectStage: Sendable {
  /// A socket of either class.
  enum Socket: Sendable {
    case gcd(GCDAsyncSocket)
    case runLoop(AsyncSocket)

    var object: AnyObject {
      switch self {
      case .gcd(let socket): socket
      case .runLoop(let socket): socket
      }
    }
  }

  private struct State {
    var sockets: [String: Socket] = [:]
    var names: [ObjectIdentifier: String] = [:]
    var topologies: [String: QueueTopology] = [:]
    var delegates: [String: DelegateRecorder] = [:]
    var queues: [String: DispatchQueue] = [:]
    /// Queues that are suspended, latest last.
    var suspended: [(socket: String, queue: DispatchQueue)] = []
    var buffers: [String: CallerMemory] = [:]
    var listeners: [String: ListenerPlace] = [:]
    var reservedPorts: [String: ReservedPort] = [:]
    /// The newest question about trust of each socket, by the socket's name.
    var trustQuestions: [String: TrustAnswering] = [:]
    var children = 0
    var isClosed = false
    var runLoops = RunLoops()
    var holds: [Hold] = []
  }

  /// A reaction's `hold` that is under way.
  private struct Hold {
    /// Of the queue or the run loop that has the callback; nil: it has none.
    var place: String?
    var position: SourcePosition
  }

  /// On every queue that scenarios name: its name.
  private static let queueKey = DispatchSpecificKey<String>()
  /// How long a callback that is about to return is waited for.
  private static let settling = DispatchTimeInterval.milliseconds(100)

  let log: WorldEventLog
  let gate: ClosingGate
  let folder: CaseFolder
  let setup: CaseSetup
  /// Where the peers that listen are.
  let peers: [String: RawAddress]
  private let state = LockedValue(State())

  init(setup: CaseSetup, peers: [String: RawAddress], folder: CaseFolder, log: WorldEventLog, gate: ClosingGate) {
    self.setup = setup
    self.peers = peers
    self.folder = folder
    self.log = log
    self.gate = gate
  }

  /// Makes the sockets that exist from the start: `socket`, those the scenario sets up, and one for each lane that is
  /// not named after a child.
  func makeSockets() {
    var setups = setup.scenario.sockets
    let lanes = setup.scenario.subjects.map(\.name).filter { !ChildName.isChild($0) }
    for name in ["socket"] + lanes where !setups.contains(where: { $0.name == name }) {
      setups.append(SocketSetup(name: name))
    }
    for socket in setups { make(socket) }
  }

  private func make(_ wanted: SocketSetup) {
    guard setup.variant.subject == .gcd else { return makeOnRunLoop(wanted) }
    let topology = wanted.queues ?? setup.variant.queues
    let queue = queue(named: wanted.name, wanted.hasConcurrentDelegateQueue ? .concurrent : [])
    let socketQueue: DispatchQueue? =
      switch topology {
      case .separate: nil
      case .shared: queue
      case .own: DispatchQueue(label: "lab.\(wanted.name).socket")
      }
    let socket = GCDAsyncSocket(
      delegate: wanted.hasDelegate ? delegate(named: "delegate") : nil,
      delegateQueue: wanted.hasDelegateQueue ? queue : nil, socketQueue: socketQueue)
    socket.takeShortcuts(named: setup.variant.speed.rawValue)
    if !setup.scenario.hosts.isEmpty {
      socket.hostResolver = ScenarioResolver(hosts: setup.scenario.hosts, gate: gate)
    }
    adopt(.gcd(socket), as: wanted.name)
    state.withLock { $0.topologies[wanted.name] = topology }
  }

  func adopt(_ socket: Socket, as name: String) {
    state.withLock {
      $0.sockets[name] = socket
      $0.names[ObjectIdentifier(socket.object)] = name
    }
  }

  /// Names a child of the listener and keeps it.
  func adopt(child: Socket, of listener: String) -> String {
    if case .gcd(let child) = child {
      child.takeShortcuts(named: setup.variant.speed.rawValue)
      if !setup.scenario.hosts.isEmpty {
        child.hostResolver = ScenarioResolver(hosts: setup.scenario.hosts, gate: gate)
      }
    }
    return state.withLock { state in
      state.children += 1
      let name = state.children == 1 ? "child" : "child\(state.children)"
      guard !state.isClosed else { return name }
      state.sockets[name] = child
      state.names[ObjectIdentifier(child.object)] = name
      state.topologies[name] = state.topologies[listener]
      state.runLoops.homes[name] = state.runLoops.homes[listener]
      return name
    }
  }
}

// What stands behind names.
extension SubjectStage {
  func socket(named name: String) -> Socket? { state.withLock { $0.sockets[name] } }

  func name(of socket: AnyObject) -> String {
    state.withLock { $0.names[ObjectIdentifier(socket)] } ?? "unknown"
  }

  func topology(of socket: String) -> QueueTopology {
    state.withLock { $0.topologies[socket] } ?? setup.variant.queues
  }

  /// Made on first use; held until the case is closed.
  func delegate(named name: String) -> DelegateRecorder {
    state.withLock { state in
      if let known = state.delegates[name] { return known }
      let made = DelegateRecorder(name: name, stage: self)
      state.delegates[name] = made
      return made
    }
  }

  /// Made on first use, and then serial unless its attributes say otherwise.
  func queue(named name: String, _ attributes: DispatchQueue.Attributes = []) -> DispatchQueue {
    state.withLock { state in
      if let known = state.queues[name] { return known }
      let made = DispatchQueue(label: "lab.\(name)", attributes: attributes)
      made.setSpecific(key: Self.queueKey, value: name)
      state.queues[name] = made
      return made
    }
  }

  /// The name of the queue that the caller is on; nil: it has none.
  static var currentQueue: String? { DispatchQueue.getSpecific(key: queueKey) }

  /// Made with the size and fill of the first read that names it.
  func memory(for buffer: ReadCommand.Buffer, size: Int) -> CallerMemory {
    state.withLock { state in
      if let known = state.buffers[buffer.name] { return known }
      let made = CallerMemory(size: size, fill: buffer.fill)
      state.buffers[buffer.name] = made
      return made
    }
  }

  func keep(_ question: TrustAnswering, for socket: String) {
    state.withLock { if !$0.isClosed { $0.trustQuestions[socket] = question } }
  }

  /// The newest question about trust that the socket has asked.
  func trustQuestion(of socket: String) -> TrustAnswering? { state.withLock { $0.trustQuestions[socket] } }

  func memory(named name: String) -> CallerMemory? { state.withLock { $0.buffers[name] } }

  /// Drops the lab's reference; the last one in a scenario that does not hold the socket elsewhere.
  func release(_ name: String) { _ = state.withLock { $0.sockets.removeValue(forKey: name) } }

  func noteListener(_ name: String, _ place: ListenerPlace) { state.withLock { $0.listeners[name] = place } }

  /// Keeps a port for the socket until the case is over.
  func reservePort(for socket: String) throws(SystemCallFailure) -> UInt16 {
    if let port = state.withLock({ $0.reservedPorts[socket] }) { return port.number }
    let port = try ReservedPort()
    state.withLock { $0.reservedPorts[socket] = port }
    return port.number
  }

  func listener(_ name: String) -> ListenerPlace? { state.withLock { $0.listeners[name] } }

  /// The port a reference stands for; nil for Unix-domain peers and for sockets that never listened.
  func port(_ reference: PortReference) -> UInt16? {
    switch reference {
    case .number(let number): number
    case .peer(let name): peers[name].flatMap { $0.family == AF_UNIX ? nil : $0.port }
    case .listener(let name): listener(name).flatMap { $0.path == nil ? $0.port : nil }
    }
  }

  /// Suspends the queue on behalf of the socket. A block that is running goes on to its end, and may deliver several
  /// callbacks. So the running block gets a moment to end first, because otherwise later callbacks could come in the
  /// block of the one that led here. A block that takes longer is not waited for.
  func suspend(_ queue: DispatchQueue, for socket: String) {
    let isDone = LockedValue(false)
    let suspendOnce: @Sendable () -> Void = { [self] in
      isDone.withLock { isDone in
        guard !isDone else { return }
        isDone = true
        state.withLock { state in
          guard !state.isClosed else { return }
          queue.suspend()
          state.suspended.append((socket, queue))
        }
      }
    }
    // On the queue itself: a block of it that was under way elsewhere would go on behind the suspension.
    if Self.currentQueue != queue.getSpecific(key: Self.queueKey) {
      let isSuspended = DispatchSemaphore(value: 0)
      queue.async(flags: .barrier) {
        suspendOnce()
        isSuspended.signal()
      }
      _ = isSuspended.wait(timeout: .now() + Self.settling)
    }
    // A callback may hold the queue for longer.
    suspendOnce()
  }

  /// Resumes the queue that was suspended last on behalf of the socket; false when there is none.
  func resume(for socket: String) -> Bool {
    state.withLock { state in
      guard let index = state.suspended.lastIndex(where: { $0.socket == socket }) else { return false }
      state.suspended.remove(at: index).queue.resume()
      return true
    }
  }

  /// Runs the body, which keeps a callback from returning as the step at that place says.
  func holding<Result>(at position: SourcePosition, _ body: () -> Result) -> Result {
    let place = setup.variant.subject == .gcd ? Self.currentQueue : LabRunLoop.currentName
    state.withLock { $0.holds.append(Hold(place: place, position: position)) }
    defer {
      state.withLock { state in
        let index = state.holds.firstIndex { $0.place == place && $0.position == position }
        if let index { state.holds.remove(at: index) }
      }
    }
    return body()
  }

  /// Where a `hold` stands that has the thread or queue which the command needs, or a look at the socket; nil: none
  /// has. The run-loop class makes every call on its run loop. Of the other one's calls only `perform` waits for the
  /// socket's queue, which is the delegate's if they share one: any other that does not return is the library's own
  /// affair.
  func hold(inTheWayOf command: SubjectCommand?, on socket: String) -> SourcePosition? {
    state.withLock { state in
      guard setup.variant.subject == .gcd else {
        let home = state.runLoops.homes[socket] ?? RunLoopName.main
        return state.holds.last { $0.place == home }?.position
      }
      guard case .perform? = command, (state.topologies[socket] ?? setup.variant.queues) == .shared else { return nil }
      // A child has its listener's queue.
      return state.holds.last { $0.place == socket || ChildName.isChild(socket) }?.position
    }
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  func withRunLoops<Result>(_ body: (inout RunLoops) -> Result) -> Result { state.withLock { body(&$0.runLoops) } }
}

// The end of the case.
extension SubjectStage {
  /// Callbacks are no longer recorded and reactions no longer run; held callbacks go on, suspended queues run again.
  func beginClosing() {
    gate.open()
    state.withLock { state in
      state.isClosed = true
      for entry in state.suspended { entry.queue.resume() }
      state.suspended = []
    }
  }

  /// The names of all sockets that were not released.
  var openSockets: [String] { state.withLock { $0.sockets.keys.sorted() } }

  /// Disconnects the socket and takes its delegate away; false when it does not report itself disconnected.
  func disconnect(_ name: String) -> Bool {
    guard case .gcd(let socket)? = socket(named: name) else { return disconnectOnRunLoop(name) }
    socket.notifiesDisconnectBeforeReturning = false
    socket.disconnect()
    let isDisconnected = socket.isDisconnected
    socket.setDelegate(nil, delegateQueue: nil)
    return isDisconnected
  }

  /// Waits until what is on the delegate queues has run; false when that takes longer.
  func drainQueues(within limit: DispatchTimeInterval) -> Bool {
    let group = DispatchGroup()
    for queue in state.withLock({ Array($0.queues.values) }) { queue.async(group: group) {} }
    for loop in withRunLoops({ Array($0.loops.values) }) {
      group.enter()
      loop.perform { group.leave() }
    }
    return group.wait(timeout: .now() + limit) == .success
  }

  /// Releases everything, also the delegates that refer to this object.
  func forget() {
    let last = state.withLock { state -> State in
      defer {
        state = State()
        state.isClosed = true
      }
      return state
    }
    let loops = last.runLoops.loops.values
    withExtendedLifetime(last) {}
    for loop in loops { loop.end() }
  }
}

/// A caller's buffer.
final class CallerMemory: @unchecked Sendable {
  // Unchecked: the object is handed to the subject, which fills it before the callback that the lab waits for; the lab
  // itself only reads it after. A subject that writes at other times is what `check buffer` is there to show.
  let data: NSMutableData

  init(size: Int, fill: UInt8) { data = NSMutableData(data: Data(repeating: fill, count: max(size, 0))) }

  var bytes: [UInt8] { Array(Data(referencing: data)) }
}
