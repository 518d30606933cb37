import ScenarioModel
import SocketCore
import SocketValues

extension SimulatedCase {
  // MARK: Name resolution

  func lookUp(_ lookup: LookupID, _ host: String, _ port: UInt16, for subject: SimulatedSubject) {
    let (delay, result) = resolve(host, port: port, lookup: lookups.count)
    lookups.append(Lookup(subject: subject.index, id: lookup, result: result))
    timeline.schedule(after: delay, .lookup(lookups.count - 1))
  }

  /// The resolver's answer, and how many nanoseconds it takes.
  func resolve(
    _ host: String, port: UInt16, lookup: Int
  ) -> (delay: Int64, result: Result<[SocketAddress], SocketFailure>) {
    var random = SeededRandom(seed: draws, concern: .lookups, index: lookup)
    var delay = random.pick(faults.connectDelay)
    var result: Result<[SocketAddress], SocketFailure> = .failure(SimulatedHost.unknownName)
    if let entry = setup.scenario.hosts.first(where: { $0.name == host }) {
      delay += max(0, entry.delay.clampedNanoseconds)
      let addresses = entry.addresses.compactMap { SocketAddress(numeric: $0, port: port) }
      if !addresses.isEmpty { result = .success(addresses) }
    } else if let address = SocketAddress(numeric: host, port: port) {
      result = .success([address])
    }
    return (delay, result)
  }

  func lookupAnswers(_ index: Int) {
    let lookup = lookups[index]
    let subject = subjects[lookup.subject]
    subject.inbox.lookups.append((lookup.id, lookup.result))
    guard let part = subject.runLoop else { return requestLoop(subject) }
    if lookup.id.generation == subject.machine.generation { subject.engine.keep([], for: .preferred) }
    requestTurn(part)
  }

  // MARK: Attempts

  /// Binds the attempt's socket and starts to connect; a failure leaves nothing behind.
  func start(
    _ attempt: AttemptID, to remote: SocketAddress, from local: SocketAddress?, of subject: SimulatedSubject
  ) -> SocketFailure? {
    if let failure = openFailure ?? bindFailure(local) { return failure }
    guard let destination = SimulatedHost.route(to: remote) else {
      return .posix(code: SimulatedHost.Errno.networkUnreachable, call: "connect")
    }
    launch(.subject(subject.index, attempt), to: .address(destination), from: ownAddress(local, towards: destination))
    subject.attempts.append(.init(id: attempt, connect: connects.count - 1))
    return nil
  }

  /// The failure of making a socket; nil: it is made.
  var openFailure: SocketFailure? {
    isOutOfDescriptors ? .posix(code: SimulatedHost.Errno.tooManyOpenFiles, call: "socket") : nil
  }

  /// The failure of binding the attempt's socket; nil: it is bound.
  func bindFailure(_ local: SocketAddress?) -> SocketFailure? {
    let errno = local.map { network.bindError($0) } ?? 0
    return errno == 0 ? nil : .posix(code: errno, call: "bind")
  }

  func start(_ attempt: AttemptID, toPath path: String, of subject: SimulatedSubject) {
    launch(.subject(subject.index, attempt), to: .path(path), from: nil)
    subject.attempts.append(.init(id: attempt, connect: connects.count - 1))
  }

  func launch(
    _ initiator: SimulatedConnect.Initiator, to place: SimulatedNetwork.Place, from local: SocketAddress?
  ) {
    connects.append(
      SimulatedConnect(initiator: initiator, destination: place, local: local, startedAt: timeline.now))
    timeline.schedule(after: connectDelay(), .connect(attempt: connects.count - 1))
  }

  /// The address the kernel gives a connecting socket: that of the interface the route takes, and a free port.
  func ownAddress(_ bound: SocketAddress?, towards destination: SocketAddress) -> SocketAddress {
    var address = bound ?? SimulatedHost.source(towards: destination)
    if SimulatedHost.isWildcard(address) {
      address = SimulatedHost.source(towards: destination).with(port: address.port)
    }
    if let bound, bound.port != 0 {
      network.bind(address)
      return address
    }
    return address.with(port: network.freePort())
  }

  /// The SYN arrives, and is answered by what is at its destination now.
  func connectArrives(_ index: Int) {
    guard !connects[index].isAbandoned else { return }
    switch network.destination(of: connects[index].destination) {
    case .failure(let errno): fail(index, errno)
    case .listener(let listener): establish(index, with: listener)
    case .silence:
      let retries = connects[index].retries
      guard retries <= SimulatedHost.connectRetries.count else {
        return fail(index, SimulatedHost.Errno.timedOut)
      }
      connects[index].retries += 1
      let isLast = retries == SimulatedHost.connectRetries.count
      let seconds = isLast ? SimulatedHost.connectGivesUpAfter : SimulatedHost.connectRetries[retries]
      timeline.schedule(at: connects[index].startedAt + seconds * 1_000_000_000, .connect(attempt: index))
    }
  }

  private func fail(_ index: Int, _ errno: Int32) {
    switch connects[index].initiator {
    case .peer(let peer): emit(.peer(peers[peer].name, .connectFailed(errno)))
    case .subject(let subject, let attempt):
      report(attempt, .failure(.posix(code: errno, call: "connect")), to: subjects[subject])
    }
  }

  private func report(
    _ attempt: AttemptID, _ result: Result<SocketEvent, SocketFailure>, to subject: SimulatedSubject
  ) {
    subject.inbox.results.append((attempt, result))
    requestLoop(subject)
  }

  private func establish(_ index: Int, with listener: Int) {
    let connect = connects[index]
    let link = SimulatedLink(
      id: links.count, isLocal: connect.destination.path != nil, seed: draws, timeline: timeline, faults: faults)
    links.append(link)
    connects[index].link = link.id
    link[.client].address = connect.local
    link[.server].address = connect.destination.address
    if let size = network[listener].receiveBuffer { link.limitReceiving(on: .server, to: size) }
    network[listener].backlog.append(link.id)
    switch connect.initiator {
    case .peer(let peer):
      if let size = peers[peer].receiveBuffer { link.limitReceiving(on: .client, to: size) }
      adopt(link, .client, by: peer)
    case .subject(let subject, let attempt):
      link[.client].owner = .underWay(subject: subject)
      switch connect.destination {
      case .address(let address): report(attempt, .success(.didConnect(address)), to: subjects[subject])
      case .path(let path): report(attempt, .success(.didConnectToPath(path)), to: subjects[subject])
      }
    }
    switch network[listener].owner {
    case .subject(let subject):
      link[.server].owner = .underWay(subject: nil)
      subjects[subject].inbox.mayAccept = true
      requestLoop(subjects[subject])
    case .peer(let peer): serveAccepts(peer)
    case .nobody, .underWay: break
    }
  }

  /// Reports the result of an attempt to the engine.
  func finish(_ attempt: AttemptID, _ result: Result<SocketEvent, SocketFailure>, of subject: SimulatedSubject) {
    guard subject.machine.isRunning(attempt) else { return }
    switch result {
    case .success(let announcement): subject.machine.attemptSucceeded(attempt, announcing: announcement)
    case .failure(.posix(code: SimulatedHost.Errno.wouldBlock, _)): subject.machine.attemptMustRetry(attempt, now: now)
    case .failure(let failure):
      subject.attempts.removeAll { $0.id == attempt }
      subject.engine.attemptFailed(attempt, failure)
    }
  }

  /// Connects the attempt's socket once more.
  func retry(_ attempt: AttemptID, of subject: SimulatedSubject) {
    guard let entry = subject.attempts.first(where: { $0.id == attempt }) else { return }
    timeline.schedule(after: connectDelay(), .connect(attempt: entry.connect))
  }

  /// Closes the attempt's socket, connected or not.
  func discard(_ attempt: AttemptID, of subject: SimulatedSubject) {
    guard let connect = take(attempt, of: subject) else { return }
    connects[connect].isAbandoned = true
    guard let link = connects[connect].link else { return }
    links[link][.client].owner = .nobody
    links[link].close(.client)
  }

  /// The attempt's socket is the connection now.
  func establish(_ attempt: AttemptID, of subject: SimulatedSubject) {
    guard let connect = take(attempt, of: subject), let link = connects[connect].link else { return }
    links[link][.client].owner = .subject(subject.index)
    subject.connection = .init(link: links[link], side: .client)
    subject.runLoop?.engine.established()
    subject.engine.connectionIsEstablished()
  }

  private func take(_ attempt: AttemptID, of subject: SimulatedSubject) -> Int? {
    guard let index = subject.attempts.firstIndex(where: { $0.id == attempt }) else { return nil }
    return subject.attempts.remove(at: index).connect
  }
}
