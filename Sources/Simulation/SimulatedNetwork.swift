import DequeModule
import SocketCore
import SocketValues

/// The listeners of the simulated host, and the ports that are taken.
///
/// Laws
/// - A port belongs to one listener per family and address; a wildcard address collides with every other of its family.
/// - A connect that finds a listener with room in its backlog is established at once, whether it is accepted or not.
/// - Everything is found by looking through arrays in the order of creation: nothing depends on hashes.
struct SimulatedNetwork {
  enum Place: Equatable {
    case address(SocketAddress)
    /// A Unix-domain path.
    case path(String)

    var address: SocketAddress? {
      if case .address(let address) = self { return address }
      return nil
    }

    var path: String? {
      if case .path(let path) = self { return path }
      return nil
    }
  }

  struct Listener {
    var owner: LinkOwner
    var place: Place
    var backlog = Deque<Int>()
    var limit: Int
    /// The backlog is full and stays so.
    var isHole = false
    var isOpen = true
    /// SO_RCVBUF that connections inherit.
    var receiveBuffer: Int?
  }

  private(set) var listeners: [Listener] = []
  /// Paths of stale socket files, which have no listener any more.
  private var staleFiles: [String] = []
  private var lastPort = SimulatedHost.firstFreePort - 1
  /// Ports kept for peers that do not listen (now).
  private var reservedPorts: [UInt16] = []
  /// Local addresses that connecting sockets were bound to with a port of their own.
  private var boundAddresses: [SocketAddress] = []

  subscript(index: Int) -> Listener {
    _read { yield listeners[index] }
    _modify { yield &listeners[index] }
  }

  // MARK: Ports

  /// A port that is free on every address.
  mutating func freePort() -> UInt16 {
    repeat {
      lastPort = lastPort == .max ? SimulatedHost.firstFreePort : lastPort + 1
    } while isTaken(lastPort)
    return lastPort
  }

  private func isTaken(_ port: UInt16) -> Bool {
    reservedPorts.contains(port) || boundAddresses.contains { $0.port == port }
      || listeners.contains { $0.isOpen && $0.place.address?.port == port }
  }

  /// Keeps the port for a peer.
  mutating func reserve(_ port: UInt16) { reservedPorts.append(port) }

  /// What binding to the address answers: 0 or an errno. Addresses are reused, so only a listener is in the way.
  func bindError(_ address: SocketAddress) -> Int32 {
    guard SimulatedHost.isLocal(address) else { return SimulatedHost.Errno.addressNotAvailable }
    guard address.port != 0 else { return 0 }
    let isInUse = listeners.contains { listener in
      guard listener.isOpen, let other = listener.place.address else { return false }
      return other.port == address.port && other.family == address.family
        && (SimulatedHost.isWildcard(other) || SimulatedHost.isWildcard(address)
          || SimulatedHost.isSameHost(other, address))
    }
    return isInUse ? SimulatedHost.Errno.addressInUse : 0
  }

  /// Notes that a connecting socket has the address, so that its port is not given away.
  mutating func bind(_ address: SocketAddress) { boundAddresses.append(address) }

  // MARK: Listening

  /// Starts to listen; the place is free (`bindError`). Returns the listener's index.
  mutating func listen(
    at place: Place, owner: LinkOwner, limit: Int, isHole: Bool = false, receiveBuffer: Int? = nil
  ) -> Int {
    if let path = place.path { staleFiles.removeAll { $0 == path } }
    listeners.append(
      Listener(owner: owner, place: place, limit: limit, isHole: isHole, receiveBuffer: receiveBuffer))
    return listeners.count - 1
  }

  /// Stops listening. Returns the links that were not accepted, which are to be reset. `leavesFile`: a Unix-domain path
  /// stays behind and refuses connects.
  mutating func close(_ index: Int, leavesFile: Bool) -> Deque<Int> {
    guard listeners[index].isOpen else { return [] }
    listeners[index].isOpen = false
    if leavesFile, let path = listeners[index].place.path { staleFiles.append(path) }
    defer { listeners[index].backlog = [] }
    return listeners[index].backlog
  }

  mutating func leaveFile(at path: String) { staleFiles.append(path) }

  /// The open listener at exactly that path; the last one that took it.
  func listener(atPath path: String) -> Int? { listeners.lastIndex { $0.isOpen && $0.place.path == path } }

  // MARK: Being found

  enum Destination {
    case listener(Int)
    /// No answer: the SYN is lost.
    case silence
    case failure(Int32)
  }

  /// What a connect to the place meets now.
  func destination(of place: Place) -> Destination {
    switch place {
    case .path(let path):
      if let index = listener(atPath: path) {
        // A local connect does not hang when it must not block.
        return hasRoom(index) ? .listener(index) : .failure(SimulatedHost.Errno.wouldBlock)
      }
      return .failure(
        staleFiles.contains(path) ? SimulatedHost.Errno.connectionRefused : SimulatedHost.Errno.noEntry)
    case .address(let address):
      guard let index = listener(for: address) else { return .failure(SimulatedHost.Errno.connectionRefused) }
      return hasRoom(index) ? .listener(index) : .silence
    }
  }

  private func hasRoom(_ index: Int) -> Bool {
    !listeners[index].isHole && listeners[index].backlog.count <= listeners[index].limit
  }

  /// An exact address counts before a wildcard one.
  private func listener(for address: SocketAddress) -> Int? {
    var wildcard: Int?
    for index in listeners.indices where listeners[index].isOpen {
      guard let own = listeners[index].place.address, own.family == address.family, own.port == address.port else {
        continue
      }
      if SimulatedHost.isSameHost(own, address) { return index }
      if SimulatedHost.isWildcard(own) { wildcard = index }
    }
    return wildcard
  }
}
