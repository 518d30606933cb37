import Dispatch
import Foundation
import SocketCore
import SocketPOSIX
import SocketTLS

// Callbacks: on the delegate queue, without the lock.
extension SocketDriver {
  /// Calls the delegate for one event.
  func deliver(_ event: SocketEvent, to delegate: Delegate, of socket: GCDAsyncSocket) {
    CallerBuffer.fill(for: event)
    switch event {
    case .didConnect(let address):
      delegate.socket(socket, didConnectToHost: address.host, port: address.port)
    case .didConnectToPath(let path):
      delegate.socket(socket, didConnectTo: URL(fileURLWithPath: path))
    case .didAccept(let handle):
      if let connection = handle as? AcceptedConnection { deliver(connection, to: delegate, of: socket) }
    case .didRead(let block, let tag, _):
      delegate.socket(socket, didRead: Data(taking: block), withTag: tag)
    case .didReadPartial(let count, let tag, _):
      delegate.socket(socket, didReadPartialDataOfLength: UInt(count), tag: tag)
    case .didWrite(let tag):
      delegate.socket(socket, didWriteDataWithTag: tag)
    case .didWritePartial(let count, let tag):
      delegate.socket(socket, didWritePartialDataOfLength: UInt(count), tag: tag)
    case .shouldTimeoutRead(let question, let tag, let elapsed, let bytesDone):
      let seconds = delegate.socket(
        socket, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: UInt(bytesDone))
      answer(.timeout(question, extension: seconds))
    case .shouldTimeoutWrite(let question, let tag, let elapsed, let bytesDone):
      let seconds = delegate.socket(
        socket, shouldTimeoutWriteWithTag: tag, elapsed: elapsed, bytesDone: UInt(bytesDone))
      answer(.timeout(question, extension: seconds))
    case .didCloseRead: delegate.socketDidCloseReadStream(socket)
    case .didSecure: delegate.socketDidSecure(socket)
    case .didReceiveTrust(let question, let shown):
      guard let shown = shown as? PeerTrust else { return }
      let trust = SecTrust(core: shown)
      // The handler may outlive the socket, which it does not keep.
      let reply = TrustReply { [weak self] isTrusted in
        self?.answer(.trust(question, trust.isUnhandled ? .notHandled : isTrusted ? .trusted : .distrusted))
      }
      delegate.socket(socket, didReceive: trust) { reply.give($0) }
    // Only sockets that announce their ends have it.
    case .willDisconnect: break
    case .didDisconnect(let reason): delegate.socketDidDisconnect(socket, withError: reason?.error)
    }
  }

  /// Delivers a client: asks the delegate for a queue, hands it the socket, and then activates the socket (ACC-18,
  /// ACC-23, ACC-24). The listener's didDisconnect may be delivered while the delegate is asked, if its `disconnect`
  /// delivers it before returning: then the client is closed (INV-02).
  private func deliver(_ connection: AcceptedConnection, to delegate: Delegate, of socket: GCDAsyncSocket) {
    let before = look { (machine.generation, machine.isDisconnected) }
    let queue = delegate.newSocketQueueForConnection(fromAddress: Data(connection.address), on: socket)
    guard look({ !notifiesDisconnectBeforeReturning || (machine.generation, machine.isDisconnected) == before }) else {
      return
    }
    let child = type(of: socket).makeAccepted(delegate, connection.delegateQueue, queue)
    child.driver.isNoDelayEnabled = connection.isNoDelayEnabled
    child.driver.adopt(connection.socket, inactive: true, announcing: nil)
    delegate.socket(socket, didAcceptNewSocket: child)
    child.driver.activate()
  }
}

/// What a handler of didReceiveTrust holds. One that is let go of without an answer has said no: a judgement that did
/// not come to its end is no trust, and nobody is left who could end the wait (TLS-24).
private final class TrustReply: Sendable {
  private let isGiven = LockedValue(false)
  private let deliver: @Sendable (Bool) -> Void

  init(_ deliver: @escaping @Sendable (Bool) -> Void) { self.deliver = deliver }

  /// On the thread that has let go of the handler: inside the callback, too, or inside a block of `perform(_:)`. The
  /// library keeps no handler, so that its lock is as free here as where a handler is called.
  deinit {
    if !isGiven.withLock({ $0 }) { deliver(false) }
  }

  /// Only the first answer goes on (TLS-22). The socket cannot tell which that is: an answer from elsewhere waits while
  /// a block of `perform(_:)` runs, and one from inside the block does not.
  func give(_ isTrusted: Bool) {
    let isFirst = isGiven.withLock { isGiven in
      defer { isGiven = true }
      return !isGiven
    }
    if isFirst { deliver(isTrusted) }
  }
}
