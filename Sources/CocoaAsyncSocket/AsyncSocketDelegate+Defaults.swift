// The protocol says what the methods are for.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// What a delegate without the method does: nothing, and the answers that change nothing. Each goes on to that
/// form which the class has (`_DelegateForms`). They are not preferred to a class's own methods by a call that fits
/// both, such as one to `super`.
extension AsyncSocketDelegate {
  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket, willDisconnectWithError err: (any Error)?) {
    onSocket(marked: sock, willDisconnectWithError: err)
  }

  @_disfavoredOverload
  public func onSocketDidDisconnect(_ sock: AsyncSocket) {
    onSocketDidDisconnect(marked: sock)
  }

  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket, didAcceptNewSocket newSocket: AsyncSocket) {
    onSocket(marked: sock, didAcceptNewSocket: newSocket)
  }

  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket, wantsRunLoopForNewSocket newSocket: AsyncSocket) -> RunLoop? {
    onSocket(marked: sock, wantsRunLoopForNewSocket: newSocket)
  }

  @_disfavoredOverload
  public func onSocketWillConnect(_ sock: AsyncSocket) -> Bool {
    onSocketWillConnect(marked: sock)
  }

  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket, didConnectToHost host: String, port: UInt16) {
    onSocket(marked: sock, didConnectToHost: host, port: port)
  }

  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket, didRead data: Data, withTag tag: Int) {
    onSocket(marked: sock, didRead: data, withTag: tag)
  }

  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    onSocket(marked: sock, didReadPartialDataOfLength: partialLength, tag: tag)
  }

  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket, didWriteDataWithTag tag: Int) {
    onSocket(marked: sock, didWriteDataWithTag: tag)
  }

  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    onSocket(marked: sock, didWritePartialDataOfLength: partialLength, tag: tag)
  }

  @_disfavoredOverload
  public func onSocket(
    _ sock: AsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    onSocket(marked: sock, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: length)
  }

  @_disfavoredOverload
  public func onSocket(
    _ sock: AsyncSocket, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    onSocket(marked: sock, shouldTimeoutWriteWithTag: tag, elapsed: elapsed, bytesDone: length)
  }

  @_disfavoredOverload
  public func onSocketDidSecure(_ sock: AsyncSocket) {
    onSocketDidSecure(marked: sock)
  }
}

// As Swift sees the header of the original. Without socket or data, only forms that take nil are called.
extension AsyncSocketDelegate {
  public func onSocket(_ sock: AsyncSocket!, willDisconnectWithError err: (any Error)!) {
    if isAsked(.willDisconnect) { return miss() }
    guard let sock else { return onSocket(marked: sock, willDisconnectWithError: err) }
    onSocket(sock, willDisconnectWithError: err)
  }

  public func onSocketDidDisconnect(_ sock: AsyncSocket!) {
    if isAsked(.didDisconnect) { return miss() }
    guard let sock else { return onSocketDidDisconnect(marked: sock) }
    onSocketDidDisconnect(sock)
  }

  public func onSocket(_ sock: AsyncSocket!, didAcceptNewSocket newSocket: AsyncSocket!) {
    if isAsked(.didAccept) { return miss() }
    guard let sock, let newSocket else { return onSocket(marked: sock, didAcceptNewSocket: newSocket) }
    onSocket(sock, didAcceptNewSocket: newSocket)
  }

  public func onSocket(_ sock: AsyncSocket!, wantsRunLoopForNewSocket newSocket: AsyncSocket!) -> RunLoop! {
    if isAsked(.wantsRunLoop) { return miss(nil) }
    guard let sock, let newSocket else { return onSocket(marked: sock, wantsRunLoopForNewSocket: newSocket) }
    return onSocket(sock, wantsRunLoopForNewSocket: newSocket)
  }

  public func onSocketWillConnect(_ sock: AsyncSocket!) -> Bool {
    if isAsked(.willConnect) { return miss(true) }
    guard let sock else { return onSocketWillConnect(marked: sock) }
    return onSocketWillConnect(sock)
  }

  public func onSocket(_ sock: AsyncSocket!, didConnectToHost host: String!, port: UInt16) {
    if isAsked(.didConnect) { return miss() }
    guard let sock, let host else { return onSocket(marked: sock, didConnectToHost: host, port: port) }
    onSocket(sock, didConnectToHost: host, port: port)
  }

  public func onSocket(_ sock: AsyncSocket!, didRead data: Data!, withTag tag: Int) {
    if isAsked(.didRead) { return miss() }
    guard let sock, let data else { return onSocket(marked: sock, didRead: data, withTag: tag) }
    onSocket(sock, didRead: data, withTag: tag)
  }

  public func onSocket(_ sock: AsyncSocket!, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    if isAsked(.didReadPartial) { return miss() }
    guard let sock else { return onSocket(marked: sock, didReadPartialDataOfLength: partialLength, tag: tag) }
    onSocket(sock, didReadPartialDataOfLength: partialLength, tag: tag)
  }

  public func onSocket(_ sock: AsyncSocket!, didWriteDataWithTag tag: Int) {
    if isAsked(.didWrite) { return miss() }
    guard let sock else { return onSocket(marked: sock, didWriteDataWithTag: tag) }
    onSocket(sock, didWriteDataWithTag: tag)
  }

  public func onSocket(_ sock: AsyncSocket!, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    if isAsked(.didWritePartial) { return miss() }
    guard let sock else { return onSocket(marked: sock, didWritePartialDataOfLength: partialLength, tag: tag) }
    onSocket(sock, didWritePartialDataOfLength: partialLength, tag: tag)
  }

  public func onSocket(
    _ sock: AsyncSocket!, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    if isAsked(.shouldTimeoutRead) { return miss(0) }
    guard let sock else {
      return onSocket(marked: sock, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: length)
    }
    return onSocket(sock, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: length)
  }

  public func onSocket(
    _ sock: AsyncSocket!, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    if isAsked(.shouldTimeoutWrite) { return miss(0) }
    guard let sock else {
      return onSocket(marked: sock, shouldTimeoutWriteWithTag: tag, elapsed: elapsed, bytesDone: length)
    }
    return onSocket(sock, shouldTimeoutWriteWithTag: tag, elapsed: elapsed, bytesDone: length)
  }

  public func onSocketDidSecure(_ sock: AsyncSocket!) {
    if isAsked(.didSecure) { return miss() }
    guard let sock else { return onSocketDidSecure(marked: sock) }
    onSocketDidSecure(sock)
  }
}
