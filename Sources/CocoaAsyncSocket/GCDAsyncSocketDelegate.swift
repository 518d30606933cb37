import Dispatch
import Foundation

/// The callbacks of a socket. Every method is optional (each has a default implementation) and is called on the
/// delegate queue that was set when the event was produced, in the order of the events (INV-03, INV-13, CFG-12).
/// The conforming class must implement it: a method that only a subclass adds is not called.
///
/// Early headers of the original say nothing of nil, so Swift sees every object in them as implicitly unwrapped. A
/// class may write each object of a method, and a result that is one, without mark, with `!` or with `?`, as with the
/// original, and an error as `NSError`. If it has a method in several of these forms, one is called: the one documented
/// here, else one with marks, and of those with the same marks the one with `Error`.
public protocol GCDAsyncSocketDelegate: _GCDAsyncSocketDelegateForms {
  /// Asks for the socket queue of a connection about to be accepted, just before didAcceptNewSocket. nil: the new
  /// socket needs none. A concurrent queue is a programming error (LIFE-25). `address` is the client's raw sockaddr
  /// (ACC-24).
  @_nonoverride
  func newSocketQueueForConnection(fromAddress address: Data, on sock: GCDAsyncSocket) -> DispatchQueue?

  /// A listening socket accepted a connection. Keep `newSocket`, or the connection closes (ACC-22). It is connected
  /// already and never gets didConnect; it starts with this delegate and queue, which may be changed here (ACC-23).
  func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket)

  /// The socket is connected; `host` is the peer's address in numeric form (CON-02).
  func socket(_ sock: GCDAsyncSocket, didConnectToHost host: String, port: UInt16)

  /// The socket is connected to the Unix-domain path of that URL (CON-34).
  func socket(_ sock: GCDAsyncSocket, didConnectTo url: URL)

  /// A read completed with exactly these bytes (RDQ-12). If the read had a buffer of the caller's, the bytes are in it
  /// now, from its offset on; `data` is a copy.
  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int)

  /// A read to a length or delimiter has received that many more bytes and is not finished (RDQ-10). If it has a buffer
  /// of the caller, they are in it now, behind those of earlier reports.
  func socket(_ sock: GCDAsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int)

  /// The kernel has taken all bytes of a write; whether the peer has received them is not known (WR-03).
  func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int)

  /// The kernel has taken that many more bytes of a write, which is not finished (WR-04, INV-16).
  func socket(_ sock: GCDAsyncSocket, didWritePartialDataOfLength partialLength: UInt, tag: Int)

  /// A read has used up its time. A positive answer gives it that many seconds more; otherwise the socket closes with
  /// readTimeoutError. `elapsed` is the timeout plus all extensions so far (TMO-05…TMO-09).
  ///
  /// Whether a class has this method is not known before it is called: the default implementation, which answers 0, is
  /// called on the delegate queue like any other. Where that is busy, the socket closes when it is not (TMO-16); one
  /// without a delegate closes at once.
  func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval

  /// A write has used up its time. A positive answer gives it that many seconds more; otherwise the socket closes with
  /// writeTimeoutError. `elapsed` is the timeout plus all extensions so far (TMO-05…TMO-09).
  func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval

  /// The peer has closed its side, and everything it sent was read, or can't complete the read that waits; only with
  /// autoDisconnectOnClosedReadStream off (HALF-02, HALF-04).
  func socketDidCloseReadStream(_ sock: GCDAsyncSocket)

  /// The socket is disconnected; no callback of this connection follows (INV-02). `err` is nil if the local side has
  /// disconnected (DIS-05).
  @_nonoverride
  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)?)

  /// The TLS handshake has succeeded; comes before the callbacks of what was queued behind startTLS (TLS-03).
  func socketDidSecure(_ sock: GCDAsyncSocket)

  /// Asks whether to trust the peer, when the settings leave that to the delegate. Call the handler once, here or
  /// later, from any thread; until then the handshake waits (TLS-20…TLS-24). A handler that is released without a
  /// call counts as a refusal. Without this method, and that for tasks, such a socket closes with otherError.
  @preconcurrency
  func socket(
    _ sock: GCDAsyncSocket, didReceive trust: SecTrust, completionHandler: @escaping @Sendable (Bool) -> Void)

  // MARK: The same, as Swift sees early headers of the original

  /// See the form without marks.
  @_nonoverride
  func newSocketQueueForConnection(fromAddress address: Data!, on sock: GCDAsyncSocket!) -> DispatchQueue!
  /// See the form without marks.
  @_nonoverride
  func socket(_ sock: GCDAsyncSocket!, didAcceptNewSocket newSocket: GCDAsyncSocket!)
  /// See the form without marks.
  @_nonoverride
  func socket(_ sock: GCDAsyncSocket!, didConnectToHost host: String!, port: UInt16)
  /// See the form without marks.
  @_nonoverride
  func socket(_ sock: GCDAsyncSocket!, didConnectTo url: URL!)
  /// See the form without marks.
  @_nonoverride
  func socket(_ sock: GCDAsyncSocket!, didRead data: Data!, withTag tag: Int)
  /// See the form without marks.
  @_nonoverride
  func socket(_ sock: GCDAsyncSocket!, didReadPartialDataOfLength partialLength: UInt, tag: Int)
  /// See the form without marks.
  @_nonoverride
  func socket(_ sock: GCDAsyncSocket!, didWriteDataWithTag tag: Int)
  /// See the form without marks.
  @_nonoverride
  func socket(_ sock: GCDAsyncSocket!, didWritePartialDataOfLength partialLength: UInt, tag: Int)
  /// See the form without marks.
  @_nonoverride
  func socket(
    _ sock: GCDAsyncSocket!, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval
  /// See the form without marks.
  @_nonoverride
  func socket(
    _ sock: GCDAsyncSocket!, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval
  /// See the form without marks.
  @_nonoverride
  func socketDidCloseReadStream(_ sock: GCDAsyncSocket!)
  /// See the form without marks.
  @_nonoverride
  func socketDidDisconnect(_ sock: GCDAsyncSocket!, withError err: (any Error)!)
  /// See the form without marks.
  @_nonoverride
  func socketDidSecure(_ sock: GCDAsyncSocket!)
  /// See the form without marks.
  @_nonoverride
  @preconcurrency
  func socket(_ sock: GCDAsyncSocket!, didReceive trust: SecTrust!, completionHandler: (@Sendable (Bool) -> Void)!)

  // MARK: In a task

  /// Whether to trust the peer: the method with a handler as Swift imports it for tasks. It runs in a task that starts
  /// on the delegate queue and goes on wherever Swift resumes it. It is asked only if the class has that method in none
  /// of its forms.
  func socket(_ sock: GCDAsyncSocket, didReceive trust: SecTrust) async -> Bool
}
