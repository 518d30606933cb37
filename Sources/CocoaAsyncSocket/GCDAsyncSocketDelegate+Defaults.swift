// The protocol says what the methods are for.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Dispatch
import Foundation

/// What a delegate without the method does: nothing, and the answers that change nothing. Each goes on to that
/// form which the class has (`_DelegateForms`). They are not preferred to a class's own methods by a call that fits
/// both, such as one to `super`.
extension GCDAsyncSocketDelegate {
  /// No socket queue.
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress address: Data, on sock: GCDAsyncSocket) -> DispatchQueue? {
    newSocketQueueForConnection(markedFromAddress: address, on: sock)
  }

  /// Does nothing; the connection closes.
  @_disfavoredOverload
  public func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket) {
    socket(marked: sock, didAcceptNewSocket: newSocket)
  }

  @_disfavoredOverload
  public func socket(_ sock: GCDAsyncSocket, didConnectToHost host: String, port: UInt16) {
    socket(marked: sock, didConnectToHost: host, port: port)
  }

  @_disfavoredOverload
  public func socket(_ sock: GCDAsyncSocket, didConnectTo url: URL) {
    socket(marked: sock, didConnectTo: url)
  }

  /// Does nothing; the data is gone.
  @_disfavoredOverload
  public func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    socket(marked: sock, didRead: data, withTag: tag)
  }

  @_disfavoredOverload
  public func socket(_ sock: GCDAsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    socket(marked: sock, didReadPartialDataOfLength: partialLength, tag: tag)
  }

  @_disfavoredOverload
  public func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) {
    socket(marked: sock, didWriteDataWithTag: tag)
  }

  @_disfavoredOverload
  public func socket(_ sock: GCDAsyncSocket, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    socket(marked: sock, didWritePartialDataOfLength: partialLength, tag: tag)
  }

  /// No extension.
  @_disfavoredOverload
  public func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    socket(marked: sock, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: length)
  }

  /// No extension.
  @_disfavoredOverload
  public func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    socket(marked: sock, shouldTimeoutWriteWithTag: tag, elapsed: elapsed, bytesDone: length)
  }

  @_disfavoredOverload
  public func socketDidCloseReadStream(_ sock: GCDAsyncSocket) {
    socketDidCloseReadStream(marked: sock)
  }

  @_disfavoredOverload
  public func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)?) {
    socketDidDisconnect(marked: sock, withError: err)
  }

  @_disfavoredOverload
  public func socketDidSecure(_ sock: GCDAsyncSocket) {
    socketDidSecure(marked: sock)
  }

  /// Closes the socket with otherError: settings that ask the delegate need one that answers (TLS-23).
  @_disfavoredOverload
  public func socket(
    _ sock: GCDAsyncSocket, didReceive trust: SecTrust, completionHandler: @escaping @Sendable (Bool) -> Void
  ) {
    socket(marked: sock, didReceive: trust, completionHandler: completionHandler)
  }

  /// Closes the socket with otherError, as the class has no form of the method at all (TLS-23).
  public func socket(_ sock: GCDAsyncSocket, didReceive trust: SecTrust) async -> Bool {
    trust.markUnhandled()
    return false
  }
}

// As Swift sees early headers of the original. Without socket or data, only forms that take nil are called.
extension GCDAsyncSocketDelegate {
  public func newSocketQueueForConnection(fromAddress address: Data!, on sock: GCDAsyncSocket!) -> DispatchQueue! {
    if isAsked(.newSocketQueue) { return miss(nil) }
    guard let address, let sock else { return newSocketQueueForConnection(markedFromAddress: address, on: sock) }
    return newSocketQueueForConnection(fromAddress: address, on: sock)
  }

  public func socket(_ sock: GCDAsyncSocket!, didAcceptNewSocket newSocket: GCDAsyncSocket!) {
    if isAsked(.didAccept) { return miss() }
    guard let sock, let newSocket else { return socket(marked: sock, didAcceptNewSocket: newSocket) }
    socket(sock, didAcceptNewSocket: newSocket)
  }

  public func socket(_ sock: GCDAsyncSocket!, didConnectToHost host: String!, port: UInt16) {
    if isAsked(.didConnect) { return miss() }
    guard let sock, let host else { return socket(marked: sock, didConnectToHost: host, port: port) }
    socket(sock, didConnectToHost: host, port: port)
  }

  public func socket(_ sock: GCDAsyncSocket!, didConnectTo url: URL!) {
    if isAsked(.didConnectToPath) { return miss() }
    guard let sock, let url else { return socket(marked: sock, didConnectTo: url) }
    socket(sock, didConnectTo: url)
  }

  public func socket(_ sock: GCDAsyncSocket!, didRead data: Data!, withTag tag: Int) {
    if isAsked(.didRead) { return miss() }
    guard let sock, let data else { return socket(marked: sock, didRead: data, withTag: tag) }
    socket(sock, didRead: data, withTag: tag)
  }

  public func socket(_ sock: GCDAsyncSocket!, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    if isAsked(.didReadPartial) { return miss() }
    guard let sock else { return socket(marked: sock, didReadPartialDataOfLength: partialLength, tag: tag) }
    socket(sock, didReadPartialDataOfLength: partialLength, tag: tag)
  }

  public func socket(_ sock: GCDAsyncSocket!, didWriteDataWithTag tag: Int) {
    if isAsked(.didWrite) { return miss() }
    guard let sock else { return socket(marked: sock, didWriteDataWithTag: tag) }
    socket(sock, didWriteDataWithTag: tag)
  }

  public func socket(_ sock: GCDAsyncSocket!, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    if isAsked(.didWritePartial) { return miss() }
    guard let sock else { return socket(marked: sock, didWritePartialDataOfLength: partialLength, tag: tag) }
    socket(sock, didWritePartialDataOfLength: partialLength, tag: tag)
  }

  public func socket(
    _ sock: GCDAsyncSocket!, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    if isAsked(.shouldTimeoutRead) { return miss(0) }
    guard let sock else {
      return socket(marked: sock, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: length)
    }
    return socket(sock, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: length)
  }

  public func socket(
    _ sock: GCDAsyncSocket!, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    if isAsked(.shouldTimeoutWrite) { return miss(0) }
    guard let sock else {
      return socket(marked: sock, shouldTimeoutWriteWithTag: tag, elapsed: elapsed, bytesDone: length)
    }
    return socket(sock, shouldTimeoutWriteWithTag: tag, elapsed: elapsed, bytesDone: length)
  }

  public func socketDidCloseReadStream(_ sock: GCDAsyncSocket!) {
    if isAsked(.didCloseReadStream) { return miss() }
    guard let sock else { return socketDidCloseReadStream(marked: sock) }
    socketDidCloseReadStream(sock)
  }

  public func socketDidDisconnect(_ sock: GCDAsyncSocket!, withError err: (any Error)!) {
    if isAsked(.didDisconnect) { return miss() }
    guard let sock else { return socketDidDisconnect(marked: sock, withError: err) }
    socketDidDisconnect(sock, withError: err)
  }

  public func socketDidSecure(_ sock: GCDAsyncSocket!) {
    if isAsked(.didSecure) { return miss() }
    guard let sock else { return socketDidSecure(marked: sock) }
    socketDidSecure(sock)
  }

  @preconcurrency
  public func socket(
    _ sock: GCDAsyncSocket!, didReceive trust: SecTrust!, completionHandler: (@Sendable (Bool) -> Void)!
  ) {
    if isAsked(.didReceiveTrust) { return miss() }
    guard let sock, let trust, let completionHandler else { return abandon(trust, completionHandler) }
    socket(sock, didReceive: trust, completionHandler: completionHandler)
  }

  func abandon(_ trust: SecTrust?, _ completionHandler: ((Bool) -> Void)?) {
    trust?.markUnhandled()
    completionHandler?(false)
  }
}

/// Asks the last form whether to trust the peer. Its default says no: only a task finds out whether the class has it.
///
/// The task starts here, not on Swift's pool of threads: while all of those wait for something, the socket of a class
/// with no form of the method would otherwise stay open.
func askInTask(
  _ delegate: any GCDAsyncSocketDelegate, _ sock: GCDAsyncSocket, _ trust: SecTrust,
  _ completionHandler: @escaping _Handler
) {
  // Unsafe: nothing else is done with it here, and an isolated method goes to its actor.
  nonisolated(unsafe) let delegate = delegate
  Task.immediate { completionHandler(await delegate.socket(sock, didReceive: trust)) }
}
