import SocketCore

/// A machine's event as a value that tests can compare; error texts are left out.
package enum RecordedEvent: Equatable, Sendable {
  case connected(host: String, port: UInt16)
  case connectedToPath(String)
  case accepted
  case read([UInt8], tag: Int)
  case readPartial(Int, tag: Int)
  case wrote(tag: Int)
  case wrotePartial(Int, tag: Int)
  case readTimeout(tag: Int, elapsed: Double, bytesDone: Int)
  case writeTimeout(tag: Int, elapsed: Double, bytesDone: Int)
  case readClosed
  case secured
  case trustAsked
  case willDisconnect(RecordedFailure)
  case disconnected(RecordedFailure?)

  package init(_ event: SocketEvent) {
    self =
      switch event {
      case .didConnect(let address): .connected(host: address.host, port: address.port)
      case .didConnectToPath(let path): .connectedToPath(path)
      case .didAccept: .accepted
      case .didRead(let block, let tag, _): .read(block.array, tag: tag)
      case .didReadPartial(let count, let tag, _): .readPartial(count, tag: tag)
      case .didWrite(let tag): .wrote(tag: tag)
      case .didWritePartial(let count, let tag): .wrotePartial(count, tag: tag)
      case .shouldTimeoutRead(_, let tag, let elapsed, let done):
        .readTimeout(tag: tag, elapsed: elapsed, bytesDone: done)
      case .shouldTimeoutWrite(_, let tag, let elapsed, let done):
        .writeTimeout(tag: tag, elapsed: elapsed, bytesDone: done)
      case .didCloseRead: .readClosed
      case .didSecure: .secured
      case .didReceiveTrust: .trustAsked
      case .willDisconnect(let reason): .willDisconnect(RecordedFailure(reason))
      case .didDisconnect(let reason): .disconnected(reason.map(RecordedFailure.init))
      }
  }

  /// Text as the bytes of a completed read.
  package static func read(_ text: String, tag: Int) -> RecordedEvent { .read(Array(text.utf8), tag: tag) }

  package var isPartial: Bool {
    switch self {
    case .readPartial, .wrotePartial: true
    default: false
    }
  }

  package var isDisconnect: Bool {
    if case .disconnected = self { return true }
    return false
  }
}

/// A failure without its text.
package enum RecordedFailure: Hashable, Sendable {
  case badConfig, badParam, connectTimeout, readTimeout, writeTimeout, readMaxedOut, closedByPeer, other
  case posix(Int32, call: String)
  case lookup(Int32)
  case tls(Int32)

  package init(_ failure: SocketFailure) {
    self =
      switch failure {
      case .badConfig: .badConfig
      case .badParam: .badParam
      case .connectTimeout: .connectTimeout
      case .readTimeout: .readTimeout
      case .writeTimeout: .writeTimeout
      case .readMaxedOut: .readMaxedOut
      case .closedByPeer: .closedByPeer
      case .other: .other
      case .posix(let code, let call): .posix(code, call: call)
      case .lookup(let code, _): .lookup(code)
      case .tls(let code, _): .tls(code)
      }
  }
}
