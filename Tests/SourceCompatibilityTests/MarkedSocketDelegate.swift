import CocoaAsyncSocket
import Dispatch
import Foundation

/// Every method of a delegate, as Swift sees the early headers of the original, which say nothing of nil.
class MarkedSocketDelegate: NSObject, GCDAsyncSocketDelegate {
  var calls: [String] = []
  let childQueue = DispatchQueue(label: "child")

  func newSocketQueueForConnection(fromAddress address: Data!, on sock: GCDAsyncSocket!) -> DispatchQueue! {
    calls.append("newSocketQueue \(address.count)")
    return childQueue
  }

  func socket(_ sock: GCDAsyncSocket!, didAcceptNewSocket newSocket: GCDAsyncSocket!) {
    calls.append("didAccept \(newSocket.isConnected)")
  }

  func socket(_ sock: GCDAsyncSocket!, didConnectToHost host: String!, port: UInt16) {
    calls.append("didConnect \(host.count) \(port)")
  }

  func socket(_ sock: GCDAsyncSocket!, didConnectTo url: URL!) { calls.append("didConnectTo \(url.path)") }

  func socket(_ sock: GCDAsyncSocket!, didRead data: Data!, withTag tag: Int) {
    calls.append("didRead \(data.count) \(tag)")
  }

  func socket(_ sock: GCDAsyncSocket!, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    calls.append("didReadPartial \(partialLength) \(tag)")
  }

  func socket(_ sock: GCDAsyncSocket!, didWriteDataWithTag tag: Int) { calls.append("didWrite \(tag)") }

  func socket(_ sock: GCDAsyncSocket!, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    calls.append("didWritePartial \(partialLength) \(tag)")
  }

  func socket(
    _ sock: GCDAsyncSocket!, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    calls.append("shouldTimeoutRead \(tag)")
    return elapsed + 1
  }

  func socket(
    _ sock: GCDAsyncSocket!, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    calls.append("shouldTimeoutWrite \(tag)")
    return elapsed + 2
  }

  func socketDidCloseReadStream(_ sock: GCDAsyncSocket!) { calls.append("didCloseRead \(sock.isConnected)") }

  func socketDidDisconnect(_ sock: GCDAsyncSocket!, withError err: Error!) {
    calls.append("didDisconnect \(err?.localizedDescription ?? "none")")
  }

  func socketDidSecure(_ sock: GCDAsyncSocket!) { calls.append("didSecure \(sock.isSecure)") }

  func socket(_ sock: GCDAsyncSocket!, didReceive trust: SecTrust!, completionHandler: ((Bool) -> Void)!) {
    calls.append("didReceiveTrust \(trust.certificateChain.count)")
    completionHandler(true)
  }
}

/// Goes on to its superclass with what it has unwrapped.
final class UnwrappingSocketDelegate: MarkedSocketDelegate {
  override func socket(_ sock: GCDAsyncSocket!, didRead data: Data!, withTag tag: Int) {
    guard let sock, let data else { return }
    super.socket(sock, didRead: data, withTag: tag)
  }

  override func socketDidSecure(_ sock: GCDAsyncSocket!) {
    guard let sock else { return }
    super.socketDidSecure(sock)
  }
}

/// Goes on to another delegate with what it was given.
final class MarkedProxy: NSObject, GCDAsyncSocketDelegate {
  let inner: any GCDAsyncSocketDelegate

  init(_ inner: any GCDAsyncSocketDelegate) { self.inner = inner }

  func socket(_ sock: GCDAsyncSocket!, didRead data: Data!, withTag tag: Int) {
    inner.socket(sock, didRead: data, withTag: tag)
  }

  func socket(
    _ sock: GCDAsyncSocket!, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    inner.socket(sock, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: length)
  }

  func socketDidSecure(_ sock: GCDAsyncSocket!) { inner.socketDidSecure(sock) }

  func socket(_ sock: GCDAsyncSocket!, didReceive trust: SecTrust!, completionHandler: ((Bool) -> Void)!) {
    inner.socket(sock, didReceive: trust, completionHandler: completionHandler)
  }
}

/// The same without marks.
final class PlainProxy: NSObject, GCDAsyncSocketDelegate {
  let inner: any GCDAsyncSocketDelegate

  init(_ inner: any GCDAsyncSocketDelegate) { self.inner = inner }

  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    inner.socket(sock, didRead: data, withTag: tag)
  }

  func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    inner.socket(sock, shouldTimeoutReadWithTag: tag, elapsed: elapsed, bytesDone: length)
  }

  func socketDidSecure(_ sock: GCDAsyncSocket) { inner.socketDidSecure(sock) }

  func socket(_ sock: GCDAsyncSocket, didReceive trust: SecTrust, completionHandler: @escaping (Bool) -> Void) {
    inner.socket(sock, didReceive: trust, completionHandler: completionHandler)
  }
}

/// Has its socket as most programs have, and calls its own methods with it.
final class PlainSocketDelegate: NSObject, GCDAsyncSocketDelegate {
  var calls: [String] = []
  var socket: GCDAsyncSocket!

  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    calls.append("didRead \(data.count) \(tag)")
  }

  func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    calls.append("shouldTimeoutRead \(tag)")
    return elapsed + 1
  }

  func socketDidSecure(_ sock: GCDAsyncSocket) { calls.append("didSecure \(sock.isSecure)") }

  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: Error?) { calls.append("didDisconnect") }

  func socket(_ sock: GCDAsyncSocket, didReceive trust: SecTrust, completionHandler: @escaping (Bool) -> Void) {
    calls.append("didReceiveTrust")
    completionHandler(true)
  }

  func giveUp() { socketDidDisconnect(socket, withError: nil) }
}

/// Has none of the methods.
final class SilentSocketDelegate: NSObject, GCDAsyncSocketDelegate {}
