import ScenarioModel
import ScriptedPeer

/// Who spoke to whom, where the order does not tell.
///
/// A life that had bytes delivered must have a connection of its own that sent them, and a connection at which bytes
/// arrived a life of its own that wrote them; whoever was silent need not be found. Each side is looked at alone: if
/// there is a choice that serves all of the one, and one that serves all of the other, then there is one that serves
/// both (Mendelsohn and Dulmage).
extension Conservation {
  func pairedDeviations(_ sockets: [SocketRecord]) -> [Deviation] {
    let lives = sockets.flatMap { socket in
      socket.generations.filter { $0.origin != .listening }.map { Life(socket, $0) }
    }
    let readers = lives.indices.filter { mustHaveAPeer(lives[$0], among: lives) }
    let heard = connections.indices.filter { connections[$0].hasReceived }
    let unread = Self.unserved(readers.map { reader in connections.indices.filter { fit(lives[reader], $0) } })
    let unwritten = Self.unserved(heard.map { place in lives.indices.filter { fit(lives[$0], place) } })
    let missed = unread.flatMap { objection(to: lives[readers[$0]]) }
    return missed
      + unwritten.flatMap { objection(to: connections[heard[$0]], lives) }.filter { !missed.contains($0) }
  }

  /// A life that had bytes delivered has them from a peer, unless it may be connected to a socket of the subject's own.
  private func mustHaveAPeer(_ life: Life, among lives: [Life]) -> Bool {
    let (socket, generation) = (life.socket, life.generation)
    guard ByteChunks.count(generation.delivered) > 0, !socket.isMuted, !socket.isOrderless else { return false }
    switch generation.origin {
    case .listening, .connectingAnywhere: return false
    case .accepted: return !lives.contains { $0.generation.origin == .connectingAnywhere }
    case .connecting, .connectingToAPeer: return true
    }
  }

  private func mayBelong(_ life: Life, to connection: ObservedConnection) -> Bool {
    let socket = life.socket
    guard life.generation.isConnected || socket.isMuted || socket.isOrderless || socket.isUnheard else { return false }
    if case .connecting(let peer) = life.generation.origin { return peer == connection.peer }
    return true
  }

  private func fit(_ life: Life, _ connection: Int) -> Bool {
    mayBelong(life, to: connections[connection]) && deviations(of: life, with: connections[connection]).isEmpty
  }

  /// What is wrong with the connection that fits best, one with the fewest objections.
  private func objection(to life: Life) -> [Deviation] {
    let told = connections.filter { mayBelong(life, to: $0) }.map { deviations(of: life, with: $0) }
    if let least = told.min(by: { $0.count < $1.count }), !least.isEmpty { return least }
    let count = ByteChunks.count(life.generation.delivered)
    return [
      Deviation(
        kind: .invariant, expected: "what is delivered to \(life.socket.name) was sent to it",
        actual: "\(Wording.count(count)), and no connection is left that sent them",
        requirement: "INV-05")
    ]
  }

  private func objection(to connection: ObservedConnection, _ lives: [Life]) -> [Deviation] {
    let told = lives.filter { mayBelong($0, to: connection) }.map { deviations(of: $0, with: connection) }
    if let least = told.min(by: { $0.count < $1.count }), !least.isEmpty { return least }
    let count = ByteChunks.count(connection.receivedInClear) + ByteChunks.count(connection.receivedSecured)
    return [
      Deviation(
        kind: .invariant, expected: "what \(name(of: connection)) receives was written by the subject",
        actual: "\(Wording.count(count)), and no socket is left that wrote them", requirement: "INV-06")
    ]
  }

  /// Gives as many as can be a partner of their own, in order and by augmenting paths.
  ///
  /// - Parameter partners: of each, who can be its partner.
  /// - Returns: those that went without, by their index.
  static func unserved(_ partners: [[Int]]) -> [Int] {
    var owner: [Int: Int] = [:]

    func serve(_ one: Int, _ tried: inout Set<Int>) -> Bool {
      for partner in partners[one] where tried.insert(partner).inserted {
        if let other = owner[partner], !serve(other, &tried) { continue }
        owner[partner] = one
        return true
      }
      return false
    }

    return partners.indices.filter { one in
      var tried: Set<Int> = []
      return !serve(one, &tried)
    }
  }
}
