import SocketCore
import SocketValues

extension SimulatedCase {
  /// Binds and listens on the addresses, IPv4 first and IPv6 on the same port; all of them or none.
  func listen(on addresses: LocalAddresses, _ subject: SimulatedSubject) throws(SocketFailure) {
    var port = addresses.ipv4?.port ?? addresses.ipv6?.port ?? 0
    if port == 0 { port = network.freePort() }
    var places: [SocketAddress] = []
    for address in [addresses.ipv4, addresses.ipv6] {
      guard let address = address?.with(port: port) else { continue }
      if let failure = openFailure { throw failure }
      if let failure = bindFailure(address) {
        if address.family == .ipv6, case .posix(let errno, _) = failure, addresses.mayDoWithoutIPv6(errno) { continue }
        throw failure
      }
      places.append(address)
    }
    for address in places {
      subject.listeners.append(
        network.listen(
          at: .address(address), owner: .subject(subject.index), limit: SimulatedHost.subjectBacklog))
    }
    subject.listeningPlace = places.first.map { .address($0) }
    subject.machine.listenerIsReady()
  }

  /// Listens on a Unix-domain path; a stale socket file is removed first.
  func listen(onPath path: String, _ subject: SimulatedSubject) throws(SocketFailure) {
    if let failure = openFailure { throw failure }
    subject.listeners = [
      network.listen(at: .path(path), owner: .subject(subject.index), limit: SimulatedHost.subjectBacklog)
    ]
    subject.listeningPlace = .path(path)
    subject.machine.listenerIsReady()
  }

  func closeListeners(of subject: SimulatedSubject) {
    for listener in subject.listeners { closeListener(listener, leavesFile: false) }
    subject.listeners = []
  }

  /// Connections that were not accepted are reset.
  func closeListener(_ index: Int, leavesFile: Bool) {
    for link in network.close(index, leavesFile: leavesFile) { links[link].reset(.server) }
  }

  /// Takes all clients that wait.
  func acceptClients(_ subject: SimulatedSubject) {
    guard subject.machine.isListening else { return }
    for listener in subject.listeners {
      while !network[listener].backlog.isEmpty {
        // The client stays where it is.
        if isOutOfDescriptors, subject.machine.acceptFailed(SimulatedHost.Errno.tooManyOpenFiles, now: now) == .pause {
          break
        }
        guard let link = network[listener].backlog.popFirst() else { break }
        links[link][.server].owner = .underWay(subject: subject.index)
        subject.machine.accepted(AcceptedLink(link: link, delegateQueue: subject.delegateQueue?.id))
      }
    }
  }

  /// Closes an accepted client that no delegate takes.
  func closeUnclaimed(_ event: SocketEvent) {
    if case .didAccept(let handle) = event { closeUnclaimed(handle) }
  }

  func closeUnclaimed(_ handle: any AnyObject & Sendable) {
    guard let connection = handle as? AcceptedLink else { return }
    links[connection.link][.server].owner = .nobody
    links[connection.link].close(.server)
  }

  func nextChildName() -> String {
    childCount += 1
    return childCount == 1 ? "child" : "child\(childCount)"
  }

  /// Makes the socket for a client, with the delegate that was told and the delegate queue that the listener had when
  /// the client came.
  func makeChild(
    for connection: AcceptedLink, of listener: SimulatedSubject, delegate: SimulatedDelegate
  ) -> SimulatedSubject {
    var socketQueue: VirtualQueue?
    switch listener.topology {
    case .separate: break
    case .shared: socketQueue = listener.delegateQueue
    case .own: socketQueue = makeQueue(name: nil)
    }
    let child = SimulatedSubject(
      index: subjects.count, name: nextChildName(), topology: listener.topology,
      delegate: delegate, delegateQueue: connection.delegateQueue.map { queues[$0] }, socketQueue: socketQueue,
      seed: draws)
    add(child)
    let link = links[connection.link]
    link[.server].owner = .subject(child.index)
    child.connection = .init(link: link, side: .server)
    child.engine.adoptConnection(announcing: nil, inactive: true)
    return child
  }

  /// didAcceptNewSocket has returned: the child becomes active, unless no reference to it was kept.
  func activate(_ child: SimulatedSubject) {
    call(child) { $0.activate() }
    abandonIfUnused(child)
  }
}
