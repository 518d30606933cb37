import SocketCore
import SocketPOSIX
import SocketValues

/// The descriptors of one socket, and what its engine's commands mean for them: connecting, listening, looking up,
/// closing. `SocketDriver` adds the queues of one class, `RunLoopDriver` the run loop of the other.
///
/// Everything here is touched only with the subclass's lock held. What the subclass says of its loop (`watch`,
/// `wakeup`, …) is called with the lock held, too.
class DescriptorDriver: @unchecked Sendable {
  // Unchecked: confined to the lock of the subclass.
  typealias WatchedPart = SocketEngine.WatchedPart

  let engine: SocketEngine
  /// Whether TCP connections get TCP_NODELAY (D-33).
  @exclusivity(unchecked) var isNoDelayEnabled = true
  @exclusivity(unchecked) var resolver: any HostResolving = SystemResolver()

  @exclusivity(unchecked) var stream: OpenSocket?
  @exclusivity(unchecked) var pendingLookup: PendingLookup?
  @exclusivity(unchecked) var attempts: [AttemptID: OpenSocket] = [:]
  /// IPv4 first, then IPv6; or one Unix-domain listener.
  @exclusivity(unchecked) var listeners: [OpenSocket] = []
  @exclusivity(unchecked) var listenerFile: UnixListenerFile?
  /// The number of the descriptor that was accepted last.
  var lastClient: Int32 = 0
  /// The Unix-domain path a client connected to.
  @exclusivity(unchecked) var connectedPath: String?

  /// The delimiter of the last read that had one: usually the next one's, too.
  @exclusivity(unchecked) var lastDelimiter: Delimiter?

  init(engine: SocketEngine) { self.engine = engine }

  /// The clock's reading.
  static var now: Instant { .now() }

  /// All addresses of all interfaces of the host.
  @Sendable static func interfaces() throws(SocketFailure) -> [InterfaceAddress] {
    do {
      return try NetworkInterfaces.all().compactMap { entry in
        entry.address.ip.map { InterfaceAddress(name: entry.name, address: $0) }
      }
    } catch { throw SocketFailure(error) }
  }

  final var machine: SocketMachine { engine.machine }

  /// The part and its generation as the key of its events: readiness that is being reported when a connection ends must
  /// not be taken for that of the next one (INV-18).
  final func key(_ part: WatchedPart) -> UInt16 {
    UInt16(truncatingIfNeeded: machine.generation << 2) | part.rawValue
  }

  /// The part that the key stands for; nil: of another generation.
  final func part(of key: UInt16) -> WatchedPart? {
    guard let part = WatchedPart(rawValue: key & 3), key == self.key(part) else { return nil }
    return part
  }

  /// Exchanges with the kernel, once, what an end would drop.
  final func exchangeBeforeEnd() {
    guard engine.owesExchange, let stream else { return }
    var transport = stream.transport
    engine.exchangeBeforeEnd(&transport, now: machine.usesTime ? Self.now : .irrelevant)
  }

  /// Checks a part whose readiness was reported.
  final func check(_ part: WatchedPart) {
    switch part {
    case .stream: break
    case .listener: acceptClients()
    case .preferred:
      takeUpLookup()
      checkAttempt(index: 0)
    case .alternate: checkAttempt(index: 1)
    }
  }

  // MARK: Overridden by subclasses

  /// Starts to watch a descriptor; its readiness is reported with the key.
  func watch(_ descriptor: Int32, key: UInt16, interest: Readiness = [.readable, .writable]) throws(SystemCallFailure) {
    preconditionFailure("not overridden")
  }

  /// Stops watching a descriptor that is about to be closed.
  func unwatch(_ descriptor: Int32) { preconditionFailure("not overridden") }

  /// A closure that has the loop report an empty readiness with that key; it can be called from any thread, and keeps
  /// no part of the socket alive.
  func wakeup(key: UInt16) -> @Sendable () -> Void { preconditionFailure("not overridden") }

  /// Why no descriptor can be watched; nil if it can.
  var startFailure: SystemCallFailure? { nil }

  /// The object that stands for a client in `SocketEvent.didAccept`.
  func connection(_ open: OpenSocket, from address: RawAddress?) -> any AnyObject & Sendable {
    preconditionFailure("not overridden")
  }

  /// Runs a start call with the lock held; throws the public error.
  func start(_ body: (DescriptorDriver) throws(SocketFailure) -> Void) throws { preconditionFailure("not overridden") }

  /// The surroundings of a start call.
  var startContext: StartContext { preconditionFailure("not overridden") }
}
