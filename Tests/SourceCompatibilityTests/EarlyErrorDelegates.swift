import CocoaAsyncSocket

// Delegates whose error is an `NSError`, as in programs from before Swift 3.

/// As Swift 2 saw the original's header; calls its own method, and that of whoever is next.
class EarlyErrorDelegate: MixedDelegate, GCDAsyncSocketDelegate {
  weak var next: GCDAsyncSocketDelegate?

  func socketDidDisconnect(_ sock: GCDAsyncSocket!, withError err: NSError!) {
    note("early", sock, err, err?.userInfo.keys.sorted().joined(separator: " "))
    next?.socketDidDisconnect(sock, withError: err)
  }

  func giveUp(_ socket: GCDAsyncSocket) {
    socketDidDisconnect(socket, withError: nil)
    self.socketDidDisconnect(socket, withError: NSError(domain: "x", code: 9))
  }
}

final class OverridingEarlyErrorDelegate: EarlyErrorDelegate {
  override func socketDidDisconnect(_ sock: GCDAsyncSocket!, withError err: NSError!) {
    note("sub", sock, err)
    super.socketDidDisconnect(sock, withError: err)
  }
}

/// Conforms later than it is declared.
class LaterErrorDelegate: MixedDelegate {}

extension LaterErrorDelegate: GCDAsyncSocketDelegate {
  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: NSError?) { note("later", sock, err) }
}

/// Has its method later than its conformance.
final class AddedErrorDelegate: MixedDelegate, GCDAsyncSocketDelegate {}

extension AddedErrorDelegate {
  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: NSError?) { note("added", sock, err) }
}

/// Both kinds of error: an `Error` comes before an `NSError`.
final class TwofoldErrorDelegate: MixedDelegate, GCDAsyncSocketDelegate {
  func socketDidDisconnect(_ sock: GCDAsyncSocket!, withError err: NSError!) { note("NSError") }
  func socketDidDisconnect(_ sock: GCDAsyncSocket!, withError err: Error?) { note("Error") }
}

/// The same with the plain form.
final class PlainErrorDelegate: MixedDelegate, GCDAsyncSocketDelegate {
  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: NSError?) { note("NSError") }
  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: Error?) { note("Error") }
}

final class EarlyErrorRunLoopDelegate: MixedDelegate, AsyncSocketDelegate {
  func onSocket(_ sock: AsyncSocket!, willDisconnectWithError err: NSError!) { note("early", sock, err) }

  func giveUp(_ socket: AsyncSocket) { onSocket(socket, willDisconnectWithError: nil) }
}
