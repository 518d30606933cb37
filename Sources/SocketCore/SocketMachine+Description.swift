import SocketValues

extension SocketMachine {
  /// One line about the state, as the run-loop class describes itself (DIAG-10). `local`: of the connection or of the
  /// listener.
  package func description(remote: SocketAddress?, local: SocketAddress?) -> String {
    var parts: [String] = []
    if let remote { parts.append("connected to \(remote.host) port \(remote.port)") }
    if isListening { parts.append("accepting on port \(local?.port ?? 0)") }
    if isConnected, let local { parts.append("from \(local.host) port \(local.port)") }
    if parts.isEmpty { parts.append(isDisconnected ? "not connected" : "connecting") }
    let backlog = backlog
    parts.append("\(backlog.reads) reads and \(backlog.writes) writes queued, \(backlog.buffered) bytes buffered")
    if let readProgress { parts.append("reading: \(readProgress.text)") }
    if let writeProgress { parts.append("writing: \(writeProgress.text)") }
    if let streamStates { parts.append(streamStates) }
    if let pendingClose { parts.append("will disconnect after \(pendingClose)") }
    if isSecure { parts.append("secured") }
    return "<AsyncSocket " + parts.joined(separator: ", ") + ">"
  }
}

extension SocketMachine {
  /// The states of the two streams; nil: there are none.
  private var streamStates: String? {
    guard let stream = openStream else { return nil }
    // Inside willDisconnect a stream that the peer has not ended is broken, or given up (RL-03).
    let isClosed = announcedEnd != nil && !isEndedByPeer
    let read = isEndedByPeer || stream.endOfStream ? "at its end" : isClosed ? "closed" : "open"
    return "read stream \(read), write stream \(isClosed ? "closed" : "open")"
  }
}

extension SocketMachine.Progress {
  fileprivate var text: String { "\(done) of \(total > 0 ? "\(total)" : "any number of") bytes, tag \(tag)" }
}
