// The protocol says what the methods are for.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// What a delegate without the method does: nothing, and the answers that change nothing. Each form goes on to the
/// other one (`DelegateForms`). They are not preferred to a class's own methods by a call that fits both, such as one
/// to `super`.
extension AsyncSocketDelegate {
  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket, willDisconnectWithError err: (any Error)?) {
    DelegateForms.callOther(.willDisconnect, of: self) {
      onSocket(sock as AsyncSocket?, willDisconnectWithError: err as (any Error)?)
    }
  }

  @_disfavoredOverload
  public func onSocketDidDisconnect(_ sock: AsyncSocket) {
    DelegateForms.callOther(.didDisconnect, of: self) {
      onSocketDidDisconnect(sock as AsyncSocket?)
    }
  }

  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket, didAcceptNewSocket newSocket: AsyncSocket) {
    DelegateForms.callOther(.didAccept, of: self) {
      onSocket(sock as AsyncSocket?, didAcceptNewSocket: newSocket as AsyncSocket?)
    }
  }

  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket, wantsRunLoopForNewSocket newSocket: AsyncSocket) -> RunLoop? {
    DelegateForms.callOther(.wantsRunLoop, of: self) {
      onSocket(sock as AsyncSocket?, wantsRunLoopForNewSocket: newSocket as AsyncSocket?)
    }
  }

  @_disfavoredOverload
  public func onSocketWillConnect(_ sock: AsyncSocket) -> Bool {
    DelegateForms.callOther(.willConnect, of: self) {
      onSocketWillConnect(sock as AsyncSocket?)
    }
  }

  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket, didConnectToHost host: String, port: UInt16) {
    DelegateForms.callOther(.didConnect, of: self) {
      onSocket(sock as AsyncSocket?, didConnectToHost: host as String?, port: port)
    }
  }

  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket, didRead data: Data, withTag tag: Int) {
    DelegateForms.callOther(.didRead, of: self) {
      onSocket(sock as AsyncSocket?, didRead: data as Data?, withTag: tag)
    }
  }

  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    DelegateForms.callOther(.didReadPartial, of: self) {
      onSocket(sock as AsyncSocket?, didReadPartialDataOfLength: partialLength, tag: tag)
    }
  }

  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket, didWriteDataWithTag tag: Int) {
    DelegateForms.callOther(.didWrite, of: self) {
      onSocket(sock as AsyncSocket?, didWriteDataWithTag: tag)
    }
  }

  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    DelegateForms.callOther(.didWritePartial, of: self) {
      onSocket(sock as AsyncSocket?, didWritePartialDataOfLength: partialLength, tag: tag)
    }
  }

  @_disfavoredOverload
  public func onSocket(
    _ sock: AsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    DelegateForms.callOther(.shouldTimeoutRead, of: self) {
      onSocket(sock as AsyncSocket?, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: length)
    }
  }

  @_disfavoredOverload
  public func onSocket(
    _ sock: AsyncSocket, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    DelegateForms.callOther(.shouldTimeoutWrite, of: self) {
      onSocket(sock as AsyncSocket?, shouldTimeoutWriteWithTag: tag, elapsed: elapsed, bytesDone: length)
    }
  }

  @_disfavoredOverload
  public func onSocketDidSecure(_ sock: AsyncSocket) {
    DelegateForms.callOther(.didSecure, of: self) {
      onSocketDidSecure(sock as AsyncSocket?)
    }
  }
}

// As Swift sees the header of the original.
extension AsyncSocketDelegate {
  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket!, willDisconnectWithError err: (any Error)!) {
    guard let sock, !DelegateForms.isLast(.willDisconnect, of: self) else { return }
    onSocket(sock, willDisconnectWithError: err)
  }

  @_disfavoredOverload
  public func onSocketDidDisconnect(_ sock: AsyncSocket!) {
    guard let sock, !DelegateForms.isLast(.didDisconnect, of: self) else { return }
    onSocketDidDisconnect(sock)
  }

  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket!, didAcceptNewSocket newSocket: AsyncSocket!) {
    guard let sock, let newSocket, !DelegateForms.isLast(.didAccept, of: self) else { return }
    onSocket(sock, didAcceptNewSocket: newSocket)
  }

  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket!, wantsRunLoopForNewSocket newSocket: AsyncSocket!) -> RunLoop! {
    guard let sock, let newSocket, !DelegateForms.isLast(.wantsRunLoop, of: self) else { return nil }
    return onSocket(sock, wantsRunLoopForNewSocket: newSocket)
  }

  @_disfavoredOverload
  public func onSocketWillConnect(_ sock: AsyncSocket!) -> Bool {
    guard let sock, !DelegateForms.isLast(.willConnect, of: self) else { return true }
    return onSocketWillConnect(sock)
  }

  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket!, didConnectToHost host: String!, port: UInt16) {
    guard let sock, let host, !DelegateForms.isLast(.didConnect, of: self) else { return }
    onSocket(sock, didConnectToHost: host, port: port)
  }

  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket!, didRead data: Data!, withTag tag: Int) {
    guard let sock, let data, !DelegateForms.isLast(.didRead, of: self) else { return }
    onSocket(sock, didRead: data, withTag: tag)
  }

  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket!, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    guard let sock, !DelegateForms.isLast(.didReadPartial, of: self) else { return }
    onSocket(sock, didReadPartialDataOfLength: partialLength, tag: tag)
  }

  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket!, didWriteDataWithTag tag: Int) {
    guard let sock, !DelegateForms.isLast(.didWrite, of: self) else { return }
    onSocket(sock, didWriteDataWithTag: tag)
  }

  @_disfavoredOverload
  public func onSocket(_ sock: AsyncSocket!, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    guard let sock, !DelegateForms.isLast(.didWritePartial, of: self) else { return }
    onSocket(sock, didWritePartialDataOfLength: partialLength, tag: tag)
  }

  @_disfavoredOverload
  public func onSocket(
    _ sock: AsyncSocket!, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    guard let sock, !DelegateForms.isLast(.shouldTimeoutRead, of: self) else { return 0 }
    return onSocket(sock, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: length)
  }

  @_disfavoredOverload
  public func onSocket(
    _ sock: AsyncSocket!, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    guard let sock, !DelegateForms.isLast(.shouldTimeoutWrite, of: self) else { return 0 }
    return onSocket(sock, shouldTimeoutWriteWithTag: tag, elapsed: elapsed, bytesDone: length)
  }

  @_disfavoredOverload
  public func onSocketDidSecure(_ sock: AsyncSocket!) {
    guard let sock, !DelegateForms.isLast(.didSecure, of: self) else { return }
    onSocketDidSecure(sock)
  }
}
