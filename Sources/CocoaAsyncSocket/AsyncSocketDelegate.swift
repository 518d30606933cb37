import Foundation

/// The callbacks of an `AsyncSocket`. Every method is optional and is called on the socket's run loop, in one of its
/// modes, in the order of the events (THR-16, CFG-12).
///
/// The original's header says nothing of nil, so Swift sees every object in it as implicitly unwrapped. A class may
/// write each object of a method, and a result that is one, without mark, with `!` or with `?`, as with the original,
/// and an error as `NSError`. If it has a method in several of these forms, one is called: the one documented here,
/// else one with marks, and of those with the same marks the one with `Error`.
public protocol AsyncSocketDelegate: _AsyncSocketDelegateForms {
  /// The connection is about to end, and not at the local side's wish: `err` says why; nil: the peer has ended its
  /// stream (RL-01, D-23). Addresses and `unreadData()` are still there (RL-02, RL-03). Do not release the socket here
  /// (DIS-26).
  @_nonoverride
  func onSocket(_ sock: AsyncSocket, willDisconnectWithError err: (any Error)?)

  /// The socket is disconnected, for whatever reason, and may be started again or released.
  func onSocketDidDisconnect(_ sock: AsyncSocket)

  /// A listening socket has accepted a client. Keep `newSocket`, or the connection closes. Then come
  /// wantsRunLoopForNewSocket, onSocketWillConnect and, on the run loop that was chosen, didConnect (ACC-19).
  func onSocket(_ sock: AsyncSocket, didAcceptNewSocket newSocket: AsyncSocket)

  /// Chooses the run loop on which an accepted socket works; without this method, or with nil, the present one (RL-14).
  /// Reads and writes should wait for didConnect on that run loop (RL-15).
  @_nonoverride
  func onSocket(_ sock: AsyncSocket, wantsRunLoopForNewSocket newSocket: AsyncSocket) -> RunLoop?

  /// The socket is about to connect, or to take up an accepted connection; false gives it up (CON-41, ACC-38). True
  /// without this method.
  func onSocketWillConnect(_ sock: AsyncSocket) -> Bool

  /// The socket is connected, also an accepted one (RL-16); `host` is the peer's address in numeric form (CON-02). What
  /// was queued before begins when this has returned (CON-39).
  func onSocket(_ sock: AsyncSocket, didConnectToHost host: String, port: UInt16)

  /// A read completed with exactly these bytes (RDQ-12).
  func onSocket(_ sock: AsyncSocket, didRead data: Data, withTag tag: Int)

  /// A read to a length or delimiter has received `partialLength` more bytes and is not finished (RDQ-10).
  func onSocket(_ sock: AsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int)

  /// The kernel has taken all bytes of a write; whether the peer has received them is not known (WR-03).
  func onSocket(_ sock: AsyncSocket, didWriteDataWithTag tag: Int)

  /// The kernel has taken `partialLength` more bytes of a write, which is not finished (WR-04).
  func onSocket(_ sock: AsyncSocket, didWritePartialDataOfLength partialLength: UInt, tag: Int)

  /// A read has used up its time. A positive answer gives it that many seconds more; otherwise the socket closes with
  /// `AsyncSocketReadTimeoutError` (TMO-05…TMO-09).
  func onSocket(
    _ sock: AsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval

  /// A write has used up its time; see the method for reads.
  func onSocket(
    _ sock: AsyncSocket, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval

  /// The handshake that startTLS asked for is done (TLS-03).
  func onSocketDidSecure(_ sock: AsyncSocket)

  // MARK: The same, as Swift sees the original's header

  /// See the form without marks.
  @_nonoverride
  func onSocket(_ sock: AsyncSocket!, willDisconnectWithError err: (any Error)!)
  /// See the form without marks.
  @_nonoverride
  func onSocketDidDisconnect(_ sock: AsyncSocket!)
  /// See the form without marks.
  @_nonoverride
  func onSocket(_ sock: AsyncSocket!, didAcceptNewSocket newSocket: AsyncSocket!)
  /// See the form without marks.
  @_nonoverride
  func onSocket(_ sock: AsyncSocket!, wantsRunLoopForNewSocket newSocket: AsyncSocket!) -> RunLoop!
  /// See the form without marks.
  @_nonoverride
  func onSocketWillConnect(_ sock: AsyncSocket!) -> Bool
  /// See the form without marks.
  @_nonoverride
  func onSocket(_ sock: AsyncSocket!, didConnectToHost host: String!, port: UInt16)
  /// See the form without marks.
  @_nonoverride
  func onSocket(_ sock: AsyncSocket!, didRead data: Data!, withTag tag: Int)
  /// See the form without marks.
  @_nonoverride
  func onSocket(_ sock: AsyncSocket!, didReadPartialDataOfLength partialLength: UInt, tag: Int)
  /// See the form without marks.
  @_nonoverride
  func onSocket(_ sock: AsyncSocket!, didWriteDataWithTag tag: Int)
  /// See the form without marks.
  @_nonoverride
  func onSocket(_ sock: AsyncSocket!, didWritePartialDataOfLength partialLength: UInt, tag: Int)
  /// See the form without marks.
  @_nonoverride
  func onSocket(
    _ sock: AsyncSocket!, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval
  /// See the form without marks.
  @_nonoverride
  func onSocket(
    _ sock: AsyncSocket!, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval
  /// See the form without marks.
  @_nonoverride
  func onSocketDidSecure(_ sock: AsyncSocket!)
}
