import ScenarioModel

extension InvariantChecker {
  /// Whether the peer has sent all that the next read asks for, and nothing but the machine keeps the read from being
  /// complete: its didRead will come, and the case is not at rest before it has.
  ///
  /// Known where one peer speaks to one socket, in clear, and neither has ended anything; a read to a delimiter is not
  /// looked at.
  var owesRead: Bool {
    guard let (socket, connection) = conservation.onlyPair(of: sockets), !socket.isMuted, !socket.isOrderless,
      !socket.usesTLS, let life = socket.current, life.isConnected, !life.isClosing, !life.isEnding,
      !ends.mayHaveEnded(socket.name), !connection.hasUrgentData, !connection.isSecured, let read = life.reads.head
    else { return false }
    let left = ByteChunks.count(connection.sentInClear) - ByteChunks.count(life.delivered)
    switch read.boundary {
    case .available: return left > 0
    case .exactly(let count): return left >= count
    case .through, nil: return false
    }
  }
}

extension Conservation {
  /// The one socket that was ever connected, once, and the one connection of the one peer.
  fileprivate func onlyPair(
    of sockets: [SocketRecord]
  ) -> (socket: SocketRecord, connection: ObservedConnection)? {
    guard hasOnePeer, connections.count == 1, let connection = connections.first else { return nil }
    let connected = sockets.filter { $0.generations.contains { $0.isConnected } }
    guard connected.count == 1, let socket = connected.first, socket.generations.count == 1 else { return nil }
    return (socket: socket, connection: connection)
  }
}
