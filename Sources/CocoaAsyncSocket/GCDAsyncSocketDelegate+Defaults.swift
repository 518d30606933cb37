import Dispatch
import Foundation

/// What a delegate without the method does: nothing, and the answers that change nothing. The form without marks goes
/// on to the one with them.
extension GCDAsyncSocketDelegate {
  /// No socket queue.
  public func newSocketQueueForConnection(fromAddress address: Data, on sock: GCDAsyncSocket) -> DispatchQueue? {
    newSocketQueueForConnection(fromAddress: address as Data?, on: sock as GCDAsyncSocket?)
  }

  /// Does nothing; the connection closes.
  public func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket) {
    socket(sock as GCDAsyncSocket?, didAcceptNewSocket: newSocket as GCDAsyncSocket?)
  }

  /// Does nothing.
  public func socket(_ sock: GCDAsyncSocket, didConnectToHost host: String, port: UInt16) {
    socket(sock as GCDAsyncSocket?, didConnectToHost: host as String?, port: port)
  }

  /// Does nothing.
  public func socket(_ sock: GCDAsyncSocket, didConnectTo url: URL) {
    socket(sock as GCDAsyncSocket?, didConnectTo: url as URL?)
  }

  /// Does nothing; the data is gone.
  public func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    socket(sock as GCDAsyncSocket?, didRead: data as Data?, withTag: tag)
  }

  /// Does nothing.
  public func socket(_ sock: GCDAsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    socket(sock as GCDAsyncSocket?, didReadPartialDataOfLength: partialLength, tag: tag)
  }

  /// Does nothing.
  public func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) {
    socket(sock as GCDAsyncSocket?, didWriteDataWithTag: tag)
  }

  /// Does nothing.
  public func socket(_ sock: GCDAsyncSocket, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    socket(sock as GCDAsyncSocket?, didWritePartialDataOfLength: partialLength, tag: tag)
  }

  /// No extension.
  public func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    socket(sock as GCDAsyncSocket?, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: length)
  }

  /// No extension.
  public func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    socket(sock as GCDAsyncSocket?, shouldTimeoutWriteWithTag: tag, elapsed: elapsed, bytesDone: length)
  }

  /// Does nothing.
  public func socketDidCloseReadStream(_ sock: GCDAsyncSocket) {
    socketDidCloseReadStream(sock as GCDAsyncSocket?)
  }

  /// Does nothing.
  public func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)?) {
    socketDidDisconnect(sock as GCDAsyncSocket?, withError: err as (any Error)?)
  }

  /// Does nothing.
  public func socketDidSecure(_ sock: GCDAsyncSocket) { socketDidSecure(sock as GCDAsyncSocket?) }

  /// Closes the socket with otherError: settings that ask the delegate need one that answers (TLS-23).
  public func socket(
    _ sock: GCDAsyncSocket, didReceive trust: SecTrust, completionHandler: @escaping @Sendable (Bool) -> Void
  ) {
    socket(sock as GCDAsyncSocket?, didReceive: trust as SecTrust?, completionHandler: completionHandler)
  }
}

// As Swift sees early headers of the original.
extension GCDAsyncSocketDelegate {
  /// See the protocol.
  public func newSocketQueueForConnection(fromAddress address: Data!, on sock: GCDAsyncSocket!) -> DispatchQueue! {
    nil
  }

  /// See the protocol.
  public func socket(_ sock: GCDAsyncSocket!, didAcceptNewSocket newSocket: GCDAsyncSocket!) {}

  /// See the protocol.
  public func socket(_ sock: GCDAsyncSocket!, didConnectToHost host: String!, port: UInt16) {}

  /// See the protocol.
  public func socket(_ sock: GCDAsyncSocket!, didConnectTo url: URL!) {}

  /// See the protocol.
  public func socket(_ sock: GCDAsyncSocket!, didRead data: Data!, withTag tag: Int) {}

  /// See the protocol.
  public func socket(_ sock: GCDAsyncSocket!, didReadPartialDataOfLength partialLength: UInt, tag: Int) {}

  /// See the protocol.
  public func socket(_ sock: GCDAsyncSocket!, didWriteDataWithTag tag: Int) {}

  /// See the protocol.
  public func socket(_ sock: GCDAsyncSocket!, didWritePartialDataOfLength partialLength: UInt, tag: Int) {}

  /// See the protocol.
  public func socket(
    _ sock: GCDAsyncSocket!, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval { 0 }

  /// See the protocol.
  public func socket(
    _ sock: GCDAsyncSocket!, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval { 0 }

  /// See the protocol.
  public func socketDidCloseReadStream(_ sock: GCDAsyncSocket!) {}

  /// See the protocol.
  public func socketDidDisconnect(_ sock: GCDAsyncSocket!, withError err: (any Error)!) {}

  /// See the protocol.
  public func socketDidSecure(_ sock: GCDAsyncSocket!) {}

  /// See the protocol.
  public func socket(_ sock: GCDAsyncSocket!, didReceive trust: SecTrust!, completionHandler: ((Bool) -> Void)!) {
    trust?.markUnhandled()
    completionHandler(false)
  }
}
