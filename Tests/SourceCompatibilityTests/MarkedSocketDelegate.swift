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
