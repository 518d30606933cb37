import ScenarioModel
import SocketCore
import SocketValues

extension SimulatedCase {
  // MARK: Opening

  /// Makes the sockets that exist from the start and the peers, of which those that listen do so at once.
  func open() {
    let scenario = setup.scenario
    for socket in scenario.sockets {
      makeSubject(socket)
    }
    makeSubject(SocketSetup(name: "socket"))
    for lane in scenario.subjects where !Self.isChildName(lane.name) { makeSubject(SocketSetup(name: lane.name)) }
    for lane in scenario.peers {
      peers.append(
        SimulatedPeer(
          name: lane.name, family: lane.family ?? setup.variant.family, receiveBuffer: lane.receiveBuffer))
    }
    for (index, lane) in scenario.peers.enumerated() where lane.listens && lane.samePortAs == nil {
      open(index, lane, port: nil)
    }
    for (index, lane) in scenario.peers.enumerated() where lane.listens {
      if let other = lane.samePortAs { open(index, lane, port: port(.peer(other))) }
    }
  }

  /// `child`, `child2`…: sockets that come to be when they are accepted.
  private static func isChildName(_ name: String) -> Bool {
    name.hasPrefix("child") && (name == "child" || Int(name.dropFirst(5)) != nil)
  }

  /// The socket's first delegate queue is its own and has its name.
  private func makeSubject(_ socket: SocketSetup) {
    let name = socket.name
    guard subject(named: name) == nil else { return }
    let topology = socket.queues ?? setup.variant.queues
    let delegate = socket.hasDelegate ? delegates[0] : nil
    guard setup.variant.subject == .gcd else { return makeRunLoopSubject(socket, topology, delegate) }
    let delegateQueue = queue(named: name)
    let socketQueue: VirtualQueue? =
      switch topology {
      case .separate: nil
      case .shared: delegateQueue
      case .own: makeQueue(name: nil)
      }
    add(
      SimulatedSubject(
        index: subjects.count, name: name, topology: topology, delegate: delegate,
        delegateQueue: socket.hasDelegateQueue ? delegateQueue : nil, socketQueue: socketQueue, seed: draws))
  }

  private func makeRunLoopSubject(_ socket: SocketSetup, _ topology: QueueTopology, _ delegate: SimulatedDelegate?) {
    let part = RunLoopPart(home: runLoop(named: socket.runLoop ?? RunLoopName.main))
    part.modes = socket.modes ?? part.modes
    part.userNumber = socket.userNumber ?? 0
    subjects.append(
      SimulatedSubject(
        index: subjects.count, name: socket.name, topology: topology, delegate: delegate, delegateQueue: nil,
        socketQueue: nil, runLoop: part, seed: draws))
  }

  func add(_ subject: SimulatedSubject) {
    if let shortcuts {
      subject.engine.shortcuts = shortcuts
    } else if setup.variant.speed != .all {
      subject.engine.shortcuts = SocketEngine.Shortcuts(named: setup.variant.speed.rawValue) ?? .all
    } else if subject.schedules.chance(faults.fewerShortcuts) {
      let drawn = subject.schedules.pick(0...Int64(SocketEngine.Shortcuts.all.rawValue))
      subject.engine.shortcuts = SocketEngine.Shortcuts(rawValue: UInt8(drawn))
    }
    subjects.append(subject)
  }

  private func open(_ peer: Int, _ lane: PeerLane, port: UInt16?) {
    let family = peers[peer].family
    let place: SimulatedNetwork.Place
    if family == .unix {
      place = .path(lane.name)
    } else {
      let number = port ?? network.freePort()
      network.reserve(number)
      place = .address(SimulatedHost.loopback(family, port: number))
    }
    peers[peer].place = place
    let isHole = lane.steps.first?.value == .blackhole
    if lane.steps.first?.value == .refuse {
      if let path = place.path { network.leaveFile(at: path) }
      return
    }
    peers[peer].listener = network.listen(
      at: place, owner: .peer(peer), limit: SimulatedHost.peerBacklog, isHole: isHole,
      receiveBuffer: lane.receiveBuffer)
  }

  // MARK: Closing

  /// The peers at whose listeners a connection waits that is still open.
  var uninvited: [String] {
    peers.filter { peer in
      guard let listener = peer.listener, network[listener].isOpen else { return false }
      return network[listener].backlog.contains { !links[$0][.client].isClosed }
    }.map(\.name)
  }

  /// Ends everything and says what a subject left open although it says it is disconnected.
  func close() -> [String] {
    var notes: [String] = []
    for subject in subjects where subject.machine.isDisconnected { noteLeftovers(of: subject, &notes) }
    for subject in subjects {
      call(subject) { engine in
        subject.delegate = nil
        engine.machine.disconnect()
      }
      noteLeftovers(of: subject, &notes)
    }
    for link in links {
      for side in [LinkSide.client, .server] {
        if case .subject(let index) = link[side].owner, subjects[index].connection?.link !== link {
          notes.append("\(subjects[index].name) lost a connection without closing it.")
        }
        if case .underWay(subject: .some(let index)) = link[side].owner, side == .client, !link[side].isClosed {
          notes.append("\(subjects[index].name) left the socket of a connect open.")
        }
      }
    }
    return notes
  }

  private func noteLeftovers(of subject: SimulatedSubject, _ notes: inout [String]) {
    if subject.connection != nil { notes.append("\(subject.name) is disconnected and its connection is open.") }
    if !subject.attempts.isEmpty { notes.append("\(subject.name) is disconnected and a connect of it is open.") }
    if !subject.listeners.isEmpty { notes.append("\(subject.name) is disconnected and its listener is open.") }
  }
}

extension SimulatedHost {
  static func loopback(_ family: AddressFamily, port: UInt16) -> SocketAddress {
    .loopback(family == .ipv6 ? .ipv6 : .ipv4, port: port)
  }
}
