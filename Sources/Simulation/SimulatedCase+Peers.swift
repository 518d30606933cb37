import ScenarioModel

/// The scripted peers' sockets; see `SimulatedPeer` for the laws.
extension SimulatedCase {
  func perform(_ action: PeerAction, by name: String) {
    guard let peer = peers.firstIndex(where: { $0.name == name }) else { return }
    switch action {
    case .accept:
      peers[peer].accepts += 1
      serveAccepts(peer)
    case .connect(let socket): connect(peer, to: socket)
    case .send(let bytes): send(bytes, by: peer)
    // Urgent bytes are not part of the stream, and no step waits for them.
    case .sendUrgent: if peers[peer].connection == nil { notConnected(peer) }
    case .finish:
      guard peers[peer].connection != nil else { return }
      peers[peer].connection?.outbox.append(.end)
      flush(peer)
    case .close: leave(peer) { $0.close($1) }
    case .reset: leave(peer) { $0.reset($1) }
    case .shutdownRead:
      guard let connection = peers[peer].connection else { return }
      peers[peer].connection?.readEnded = true
      connection.link.shutdownRead(connection.side)
    case .setReading(let reading):
      guard let connection = peers[peer].connection else { return }
      peers[peer].connection?.reading = reading
      requestServing(connection.link, connection.side)
    case .stopListening:
      if let listener = peers[peer].listener { closeListener(listener, leavesFile: true) }
    case .listenAgain: listenAgain(peer)
    }
  }

  private func notConnected(_ peer: Int) {
    emit(.peer(peers[peer].name, .sendFailed(SimulatedHost.Errno.notConnected)))
  }

  private func leave(_ peer: Int, _ end: (SimulatedLink, LinkSide) -> Void) {
    guard let connection = peers[peer].connection else { return }
    peers[peer].connection = nil
    connection.link[connection.side].owner = .nobody
    end(connection.link, connection.side)
  }

  // MARK: Connecting and accepting

  private func connect(_ peer: Int, to socket: String) {
    switch subject(named: socket)?.listeningPlace {
    case nil: emit(.peer(peers[peer].name, .connectFailed(SimulatedHost.Errno.connectionRefused)))
    case .path(let path)?: launch(.peer(peer), to: .path(path), from: nil)
    case .address(let listening)?:
      let loopback = SimulatedHost.loopback(peers[peer].family, port: listening.port)
      let isReachable = !SimulatedHost.isWildcard(listening) && listening.family == loopback.family
      let destination = isReachable ? listening : loopback
      launch(.peer(peer), to: .address(destination), from: ownAddress(nil, towards: destination))
    }
  }

  /// Makes the connection the one that later actions mean; the one before it stays open, unread.
  func adopt(_ link: SimulatedLink, _ side: LinkSide, by peer: Int) {
    if let parked = peers[peer].connection { parked.link[parked.side].owner = .nobody }
    link[side].owner = .peer(peer)
    peers[peer].connection = .init(link: link, side: side)
    emit(.peer(peers[peer].name, .connected))
    requestServing(link, side)
  }

  func serveAccepts(_ peer: Int) {
    while peers[peer].accepts > 0 {
      guard let listener = peers[peer].listener, network[listener].isOpen else {
        peers[peer].accepts -= 1
        emit(.peer(peers[peer].name, .connectFailed(SimulatedHost.Errno.notConnected)))
        continue
      }
      network[listener].isHole = false
      guard let link = network[listener].backlog.popFirst() else { return }
      peers[peer].accepts -= 1
      adopt(links[link], .server, by: peer)
    }
  }

  private func listenAgain(_ peer: Int) {
    guard let place = peers[peer].place else { return }
    if let listener = peers[peer].listener, network[listener].isOpen { return }
    if let address = place.address {
      let errno = network.bindError(address)
      guard errno == 0 else { return emit(.peer(peers[peer].name, .connectFailed(errno))) }
    }
    peers[peer].listener = network.listen(
      at: place, owner: .peer(peer), limit: SimulatedHost.peerBacklog, receiveBuffer: peers[peer].receiveBuffer)
  }

  // MARK: Serving

  private func requestServing(_ link: SimulatedLink, _ side: LinkSide) {
    guard !link[side].isWakeScheduled else { return }
    link[side].isWakeScheduled = true
    timeline.schedule(after: link[side].receiving.pick(faults.turnLatency), .wake(link: link.id, side: side))
  }

  /// Does all that the peer can do on that link now.
  func serve(_ peer: Int, _ link: SimulatedLink) {
    guard let connection = peers[peer].connection, connection.link === link else { return }
    receive(peer, link, connection.side)
    flush(peer)
  }

  private func receive(_ peer: Int, _ link: SimulatedLink, _ side: LinkSide) {
    while let connection = peers[peer].connection, !connection.readEnded {
      let limit: Int
      switch connection.reading {
      case .everything: limit = .max
      case .paused: limit = 0
      case .atMost(let count): limit = max(0, count)
      }
      guard limit > 0 else { return }
      let bytes = link.take(side, limit: limit)
      if !bytes.isEmpty {
        if case .atMost = connection.reading { peers[peer].connection?.reading = .atMost(limit - bytes.count) }
        emit(.peer(peers[peer].name, .received(bytes)))
        continue
      }
      switch link.receiveNothing(side) {
      case .bytes, .wouldBlock, .broken: return
      case .endOfStream:
        peers[peer].connection?.readEnded = true
        emit(.peer(peers[peer].name, connection.sendError.map { .broken($0) } ?? .endOfStream))
      case .failed(let errno):
        peers[peer].connection?.readEnded = true
        emit(.peer(peers[peer].name, .broken(errno)))
      }
    }
  }

  // MARK: Sending

  private func send(_ bytes: [UInt8], by peer: Int) {
    guard peers[peer].connection != nil else { return notConnected(peer) }
    guard !bytes.isEmpty else { return emit(.peer(peers[peer].name, .sent(0))) }
    peers[peer].connection?.outbox.append(.bytes(bytes, sent: 0))
    flush(peer)
  }

  /// How many bytes of the peer's first send that is not through the wire has taken.
  func takenUnderWay(by name: String) -> Int {
    guard let connection = peers.first(where: { $0.name == name })?.connection,
      case .bytes(_, let sent)? = connection.outbox.first
    else { return 0 }
    return sent
  }

  private func flush(_ peer: Int) {
    while let connection = peers[peer].connection, let first = connection.outbox.first {
      switch first {
      case .end:
        connection.link.finish(connection.side)
        _ = peers[peer].connection?.outbox.popFirst()
      case .bytes(let bytes, let sent):
        switch connection.link.offer(connection.side, bytes, from: sent) {
        case .bytes(let count):
          _ = peers[peer].connection?.outbox.popFirst()
          if sent + count == bytes.count {
            emit(.peer(peers[peer].name, .sent(bytes.count)))
          } else {
            peers[peer].connection?.outbox.prepend(.bytes(bytes, sent: sent + count))
            return
          }
        case .wouldBlock, .endOfStream, .broken: return
        case .failed(let errno): return failSends(peer, errno)
        }
      }
    }
  }

  private func failSends(_ peer: Int, _ errno: Int32) {
    guard let failed = peers[peer].connection?.outbox else { return }
    peers[peer].connection?.outbox = []
    if errno != SimulatedHost.Errno.brokenPipe, peers[peer].connection?.sendError == nil {
      peers[peer].connection?.sendError = errno
    }
    for case .bytes in failed { emit(.peer(peers[peer].name, .sendFailed(errno))) }
  }
}
