// The protocol says what the methods are for.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Dispatch
import Foundation

/// What a delegate without the method does: nothing, and the answers that change nothing. Each form goes on to the
/// other one (`DelegateForms`). They are not preferred to a class's own methods by a call that fits both, such as one
/// to `super`.
extension GCDAsyncSocketDelegate {
  /// No socket queue.
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress address: Data, on sock: GCDAsyncSocket) -> DispatchQueue? {
    DelegateForms.callOther(.newSocketQueue, of: self) {
      newSocketQueueForConnection(fromAddress: address as Data?, on: sock as GCDAsyncSocket?)
    }
  }

  /// Does nothing; the connection closes.
  @_disfavoredOverload
  public func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket) {
    DelegateForms.callOther(.didAccept, of: self) {
      socket(sock as GCDAsyncSocket?, didAcceptNewSocket: newSocket as GCDAsyncSocket?)
    }
  }

  @_disfavoredOverload
  public func socket(_ sock: GCDAsyncSocket, didConnectToHost host: String, port: UInt16) {
    DelegateForms.callOther(.didConnect, of: self) {
      socket(sock as GCDAsyncSocket?, didConnectToHost: host as String?, port: port)
    }
  }

  @_disfavoredOverload
  public func socket(_ sock: GCDAsyncSocket, didConnectTo url: URL) {
    DelegateForms.callOther(.didConnectToPath, of: self) {
      socket(sock as GCDAsyncSocket?, didConnectTo: url as URL?)
    }
  }

  /// Does nothing; the data is gone.
  @_disfavoredOverload
  public func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    DelegateForms.callOther(.didRead, of: self) {
      socket(sock as GCDAsyncSocket?, didRead: data as Data?, withTag: tag)
    }
  }

  @_disfavoredOverload
  public func socket(_ sock: GCDAsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    DelegateForms.callOther(.didReadPartial, of: self) {
      socket(sock as GCDAsyncSocket?, didReadPartialDataOfLength: partialLength, tag: tag)
    }
  }

  @_disfavoredOverload
  public func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) {
    DelegateForms.callOther(.didWrite, of: self) {
      socket(sock as GCDAsyncSocket?, didWriteDataWithTag: tag)
    }
  }

  @_disfavoredOverload
  public func socket(_ sock: GCDAsyncSocket, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    DelegateForms.callOther(.didWritePartial, of: self) {
      socket(sock as GCDAsyncSocket?, didWritePartialDataOfLength: partialLength, tag: tag)
    }
  }

  /// No extension.
  @_disfavoredOverload
  public func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    DelegateForms.callOther(.shouldTimeoutRead, of: self) {
      socket(sock as GCDAsyncSocket?, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: length)
    }
  }

  /// No extension.
  @_disfavoredOverload
  public func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    DelegateForms.callOther(.shouldTimeoutWrite, of: self) {
      socket(sock as GCDAsyncSocket?, shouldTimeoutWriteWithTag: tag, elapsed: elapsed, bytesDone: length)
    }
  }

  @_disfavoredOverload
  public func socketDidCloseReadStream(_ sock: GCDAsyncSocket) {
    DelegateForms.callOther(.didCloseReadStream, of: self) {
      socketDidCloseReadStream(sock as GCDAsyncSocket?)
    }
  }

  @_disfavoredOverload
  public func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)?) {
    DelegateForms.callOther(.didDisconnect, of: self) {
      socketDidDisconnect(sock as GCDAsyncSocket?, withError: err as (any Error)?)
    }
  }

  @_disfavoredOverload
  public func socketDidSecure(_ sock: GCDAsyncSocket) {
    DelegateForms.callOther(.didSecure, of: self) {
      socketDidSecure(sock as GCDAsyncSocket?)
    }
  }

  /// Closes the socket with otherError: settings that ask the delegate need one that answers (TLS-23).
  @_disfavoredOverload
  public func socket(
    _ sock: GCDAsyncSocket, didReceive trust: SecTrust, completionHandler: @escaping @Sendable (Bool) -> Void
  ) {
    DelegateForms.callOther(.didReceiveTrust, of: self) {
      socket(sock as GCDAsyncSocket?, didReceive: trust as SecTrust?, completionHandler: completionHandler)
    }
  }
}

// As Swift sees early headers of the original.
extension GCDAsyncSocketDelegate {
  @_disfavoredOverload
  public func newSocketQueueForConnection(fromAddress address: Data!, on sock: GCDAsyncSocket!) -> DispatchQueue! {
    guard let address, let sock, !DelegateForms.isLast(.newSocketQueue, of: self) else { return nil }
    return newSocketQueueForConnection(fromAddress: address, on: sock)
  }

  @_disfavoredOverload
  public func socket(_ sock: GCDAsyncSocket!, didAcceptNewSocket newSocket: GCDAsyncSocket!) {
    guard let sock, let newSocket, !DelegateForms.isLast(.didAccept, of: self) else { return }
    socket(sock, didAcceptNewSocket: newSocket)
  }

  @_disfavoredOverload
  public func socket(_ sock: GCDAsyncSocket!, didConnectToHost host: String!, port: UInt16) {
    guard let sock, let host, !DelegateForms.isLast(.didConnect, of: self) else { return }
    socket(sock, didConnectToHost: host, port: port)
  }

  @_disfavoredOverload
  public func socket(_ sock: GCDAsyncSocket!, didConnectTo url: URL!) {
    guard let sock, let url, !DelegateForms.isLast(.didConnectToPath, of: self) else { return }
    socket(sock, didConnectTo: url)
  }

  @_disfavoredOverload
  public func socket(_ sock: GCDAsyncSocket!, didRead data: Data!, withTag tag: Int) {
    guard let sock, let data, !DelegateForms.isLast(.didRead, of: self) else { return }
    socket(sock, didRead: data, withTag: tag)
  }

  @_disfavoredOverload
  public func socket(_ sock: GCDAsyncSocket!, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    guard let sock, !DelegateForms.isLast(.didReadPartial, of: self) else { return }
    socket(sock, didReadPartialDataOfLength: partialLength, tag: tag)
  }

  @_disfavoredOverload
  public func socket(_ sock: GCDAsyncSocket!, didWriteDataWithTag tag: Int) {
    guard let sock, !DelegateForms.isLast(.didWrite, of: self) else { return }
    socket(sock, didWriteDataWithTag: tag)
  }

  @_disfavoredOverload
  public func socket(_ sock: GCDAsyncSocket!, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    guard let sock, !DelegateForms.isLast(.didWritePartial, of: self) else { return }
    socket(sock, didWritePartialDataOfLength: partialLength, tag: tag)
  }

  @_disfavoredOverload
  public func socket(
    _ sock: GCDAsyncSocket!, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    guard let sock, !DelegateForms.isLast(.shouldTimeoutRead, of: self) else { return 0 }
    return socket(sock, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: length)
  }

  @_disfavoredOverload
  public func socket(
    _ sock: GCDAsyncSocket!, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    guard let sock, !DelegateForms.isLast(.shouldTimeoutWrite, of: self) else { return 0 }
    return socket(sock, shouldTimeoutWriteWithTag: tag, elapsed: elapsed, bytesDone: length)
  }

  @_disfavoredOverload
  public func socketDidCloseReadStream(_ sock: GCDAsyncSocket!) {
    guard let sock, !DelegateForms.isLast(.didCloseReadStream, of: self) else { return }
    socketDidCloseReadStream(sock)
  }

  @_disfavoredOverload
  public func socketDidDisconnect(_ sock: GCDAsyncSocket!, withError err: (any Error)!) {
    guard let sock, !DelegateForms.isLast(.didDisconnect, of: self) else { return }
    socketDidDisconnect(sock, withError: err)
  }

  @_disfavoredOverload
  public func socketDidSecure(_ sock: GCDAsyncSocket!) {
    guard let sock, !DelegateForms.isLast(.didSecure, of: self) else { return }
    socketDidSecure(sock)
  }

  @_disfavoredOverload
  public func socket(_ sock: GCDAsyncSocket!, didReceive trust: SecTrust!, completionHandler: ((Bool) -> Void)!) {
    guard let sock, let trust, let completionHandler, !DelegateForms.isLast(.didReceiveTrust, of: self) else {
      trust?.markUnhandled()
      completionHandler?(false)
      return
    }
    // Unsafe: the handler of this form does not say that any thread may call it, and any may.
    nonisolated(unsafe) let handler = completionHandler
    socket(sock, didReceive: trust) { handler($0) }
  }
}
