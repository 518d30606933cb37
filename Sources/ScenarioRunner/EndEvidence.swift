import ScenarioModel

/// Whether any peer, or any socket but a given one, has done something that can end the socket's connection.
struct EndEvidence: Sendable {
  private var hasPeerEnded = false
  private var connectedPeers: Set<String> = []
  /// Subject sockets that disconnected, were released, or received a didDisconnect.
  private var sockets: Set<String> = []

  mutating func observe(_ kind: TraceKind) {
    switch kind {
    case .peerAction(let action, let peer):
      switch action {
      case .finish, .close, .reset, .shutdownRead, .stopListening: hasPeerEnded = true
      // A new connection is the end of the one before.
      case .accept, .connect: if connectedPeers.contains(peer) { hasPeerEnded = true }
      case .send, .sendUrgent, .setReading, .listenAgain: break
      }
    case .peerSaw(.connected, let peer): connectedPeers.insert(peer)
    case .command(let command, let socket, _, _): note(command, of: socket)
    case .callback(let delivered): if delivered.callback.kind == .didDisconnect { sockets.insert(delivered.socket) }
    // A close_notify, or an alert, ends a secured connection; a step may also make one by hand.
    case .tls(.alertSent, _), .tls(.forged, _), .tls(.failed, _): hasPeerEnded = true
    case .peerSaw(.sendFailed, _), .peerSaw(.broken, _), .peerSaw(.endOfStream, _): hasPeerEnded = true
    // To the subject it is the peer's.
    case .network(.reset): hasPeerEnded = true
    case .peerSaw, .tls, .checked, .network, .packet, .point, .note: break
    }
  }

  private mutating func note(_ command: SubjectCommand, of socket: String) {
    switch command {
    case .disconnect, .disconnectAfterReading, .disconnectAfterWriting, .disconnectAfterReadingAndWriting, .release:
      sockets.insert(socket)
    case .perform(let commands): for command in commands { note(command, of: socket) }
    default: break
    }
  }

  /// Whether a peer or another socket may have ended that socket's connection.
  func mayHaveEnded(_ socket: String) -> Bool { hasPeerEnded || sockets.contains { $0 != socket } }
}

extension InvariantChecker {
  /// An end that was reported as the other side's before any peer or other socket had ended anything.
  struct UnexplainedEnd: Sendable {
    var socket: String
    var deviation: Deviation
  }

  /// Closed means that the other side ended its stream (ERR-09).
  mutating func checkReason(_ error: SubjectError?, of socket: String, index: Int) {
    if let error, error.isOwnReason { unexplained.removeAll { $0.socket != socket } }
    guard ErrorName.library(.closed).matches(error) else { return }
    requireEvidence(
      of: socket, "\(socket) is told Closed only after the other side has ended its stream", "ERR-09", index)
  }

  /// The other side may be another subject socket, whose end is delivered on a queue of its own: the end of the stream
  /// may arrive while that event is still on its way. So unexplained ends are judged at the end of the case.
  mutating func requireEvidence(of socket: String, _ expected: String, _ requirement: String, _ index: Int) {
    guard !ends.mayHaveEnded(socket) else { return }
    unexplained.append(
      UnexplainedEnd(
        socket: socket,
        deviation: Deviation(
          kind: .invariant, expected: expected, actual: "no peer and no other socket had ended anything by then",
          requirement: requirement, traceIndex: index)))
  }

  /// The unexplained ends, as deviations. None while another socket without a delegate has been started: no event tells
  /// of its end, or of the ends of sockets that it accepts, and one of these may be the cause.
  var objectionsToEnds: [Deviation] {
    unexplained.filter { end in !sockets.contains { $0.name != end.socket && $0.isMuted && $0.starts > 0 } }
      .map(\.deviation)
  }

  mutating func checkTrust(place: Int, index: Int) {
    guard let generation = sockets[place].current, generation.openTrustQuestions > 0 else { return }
    object(
      "didSecure of \(sockets[place].name) comes after the yes to its didReceiveTrust", "nobody had said yes by then",
      "TLS-21", index)
  }
}

extension SubjectError {
  /// Whether the error names a reason of the socket's own, which the other side's end cannot have caused. So an
  /// unexplained end of one socket does not explain the end of the other.
  fileprivate var isOwnReason: Bool {
    let answers: [ErrorName] = [.library(.closed), .posix(104), .posix(32), .ssl(nil)]
    return domain != .remoteEnd && !answers.contains { $0.matches(self) }
  }
}
