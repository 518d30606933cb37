// Made by `./lab tidy --update` from the delegate's protocol.

import CocoaAsyncSocket
import Foundation

enum MixedGCDAsyncSocketDelegates {
  static var all: [MixedDelegate & GCDAsyncSocketDelegate] {
    [
      MixedGCDAsyncSocketDelegate0(),
      MixedGCDAsyncSocketDelegate1(),
      MixedGCDAsyncSocketDelegate2(),
      MixedGCDAsyncSocketDelegate3(),
      MixedGCDAsyncSocketDelegate4(),
      MixedGCDAsyncSocketDelegate5(),
      MixedGCDAsyncSocketDelegate6(),
      MixedGCDAsyncSocketDelegate7(),
      MixedGCDAsyncSocketDelegate8(),
      MixedGCDAsyncSocketDelegate9(),
      MixedGCDAsyncSocketDelegate10(),
      MixedGCDAsyncSocketDelegate11(),
      MixedGCDAsyncSocketDelegate12(),
      MixedGCDAsyncSocketDelegate13(),
      MixedGCDAsyncSocketDelegate14(),
      MixedGCDAsyncSocketDelegate15(),
      MixedGCDAsyncSocketDelegate16(),
      MixedGCDAsyncSocketDelegate17(),
      MixedGCDAsyncSocketDelegate18(),
      MixedGCDAsyncSocketDelegate19(),
      MixedGCDAsyncSocketDelegate20(),
      MixedGCDAsyncSocketDelegate21(),
      MixedGCDAsyncSocketDelegate22(),
      MixedGCDAsyncSocketDelegate23(),
      MixedGCDAsyncSocketDelegate24(),
      MixedGCDAsyncSocketDelegate25(),
      MixedGCDAsyncSocketDelegate26(),
    ]
  }
}

private final class MixedGCDAsyncSocketDelegate0: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data!, on sock: GCDAsyncSocket!) -> DispatchQueue! {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socket(_ sock: GCDAsyncSocket!, didAcceptNewSocket newSocket: GCDAsyncSocket!) {
    note("didAccept", sock, newSocket)
  }
  func socket(_ sock: GCDAsyncSocket!, didConnectToHost host: String!, port: UInt16) {
    note("didConnect", sock, host, port)
  }
  func socket(_ sock: GCDAsyncSocket!, didConnectTo url: URL!) { note("didConnectToPath", sock, url) }
  func socket(_ sock: GCDAsyncSocket!, didRead data: Data!, withTag tag: Int) { note("didRead", sock, data, tag) }
  func socket(_ sock: GCDAsyncSocket!, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    note("didReadPartial", sock, partialLength, tag)
  }
  func socket(_ sock: GCDAsyncSocket!, didWriteDataWithTag tag: Int) { note("didWrite", sock, tag) }
  func socket(_ sock: GCDAsyncSocket!, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    note("didWritePartial", sock, partialLength, tag)
  }
  func socket(
    _ sock: GCDAsyncSocket!, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    note("shouldTimeoutRead", sock, tag, elapsed, length, answer: 7)
  }
  func socket(
    _ sock: GCDAsyncSocket!, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    note("shouldTimeoutWrite", sock, tag, elapsed, length, answer: 7)
  }
  func socketDidCloseReadStream(_ sock: GCDAsyncSocket!) { note("didCloseReadStream", sock) }
  func socketDidDisconnect(_ sock: GCDAsyncSocket!, withError err: (any Error)!) { note("didDisconnect", sock, err) }
  func socketDidSecure(_ sock: GCDAsyncSocket!) { note("didSecure", sock) }
  func socket(_ sock: GCDAsyncSocket!, didReceive trust: SecTrust!, completionHandler: ((Bool) -> Void)!) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler(true)
  }
}

private final class MixedGCDAsyncSocketDelegate1: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data?, on sock: GCDAsyncSocket!) -> DispatchQueue! {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socket(_ sock: GCDAsyncSocket?, didAcceptNewSocket newSocket: GCDAsyncSocket!) {
    note("didAccept", sock, newSocket)
  }
  func socket(_ sock: GCDAsyncSocket?, didConnectToHost host: String!, port: UInt16) {
    note("didConnect", sock, host, port)
  }
  func socket(_ sock: GCDAsyncSocket?, didConnectTo url: URL!) { note("didConnectToPath", sock, url) }
  func socket(_ sock: GCDAsyncSocket?, didRead data: Data!, withTag tag: Int) { note("didRead", sock, data, tag) }
  func socket(_ sock: GCDAsyncSocket?, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    note("didReadPartial", sock, partialLength, tag)
  }
  func socket(_ sock: GCDAsyncSocket?, didWriteDataWithTag tag: Int) { note("didWrite", sock, tag) }
  func socket(_ sock: GCDAsyncSocket?, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    note("didWritePartial", sock, partialLength, tag)
  }
  func socket(
    _ sock: GCDAsyncSocket?, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    note("shouldTimeoutRead", sock, tag, elapsed, length, answer: 7)
  }
  func socket(
    _ sock: GCDAsyncSocket?, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    note("shouldTimeoutWrite", sock, tag, elapsed, length, answer: 7)
  }
  func socketDidCloseReadStream(_ sock: GCDAsyncSocket?) { note("didCloseReadStream", sock) }
  func socketDidDisconnect(_ sock: GCDAsyncSocket?, withError err: (any Error)!) { note("didDisconnect", sock, err) }
  func socketDidSecure(_ sock: GCDAsyncSocket?) { note("didSecure", sock) }
  func socket(_ sock: GCDAsyncSocket?, didReceive trust: SecTrust!, completionHandler: (@Sendable (Bool) -> Void)!) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler(true)
  }
}

private final class MixedGCDAsyncSocketDelegate2: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data!, on sock: GCDAsyncSocket?) -> DispatchQueue! {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socket(_ sock: GCDAsyncSocket!, didAcceptNewSocket newSocket: GCDAsyncSocket?) {
    note("didAccept", sock, newSocket)
  }
  func socket(_ sock: GCDAsyncSocket!, didConnectToHost host: String?, port: UInt16) {
    note("didConnect", sock, host, port)
  }
  func socket(_ sock: GCDAsyncSocket!, didConnectTo url: URL?) { note("didConnectToPath", sock, url) }
  func socket(_ sock: GCDAsyncSocket!, didRead data: Data?, withTag tag: Int) { note("didRead", sock, data, tag) }
  func socket(_ sock: GCDAsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    note("didReadPartial", sock, partialLength, tag)
  }
  func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) { note("didWrite", sock, tag) }
  func socket(_ sock: GCDAsyncSocket, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    note("didWritePartial", sock, partialLength, tag)
  }
  func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    note("shouldTimeoutRead", sock, tag, elapsed, length, answer: 7)
  }
  func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    note("shouldTimeoutWrite", sock, tag, elapsed, length, answer: 7)
  }
  func socketDidCloseReadStream(_ sock: GCDAsyncSocket) { note("didCloseReadStream", sock) }
  func socketDidDisconnect(_ sock: GCDAsyncSocket!, withError err: (any Error)?) { note("didDisconnect", sock, err) }
  func socketDidSecure(_ sock: GCDAsyncSocket) { note("didSecure", sock) }
  func socket(_ sock: GCDAsyncSocket!, didReceive trust: SecTrust?, completionHandler: ((Bool) -> Void)!) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler(true)
  }
}

private final class MixedGCDAsyncSocketDelegate3: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data?, on sock: GCDAsyncSocket?) -> DispatchQueue! {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socket(_ sock: GCDAsyncSocket?, didAcceptNewSocket newSocket: GCDAsyncSocket?) {
    note("didAccept", sock, newSocket)
  }
  func socket(_ sock: GCDAsyncSocket?, didConnectToHost host: String?, port: UInt16) {
    note("didConnect", sock, host, port)
  }
  func socket(_ sock: GCDAsyncSocket?, didConnectTo url: URL?) { note("didConnectToPath", sock, url) }
  func socket(_ sock: GCDAsyncSocket?, didRead data: Data?, withTag tag: Int) { note("didRead", sock, data, tag) }
  func socketDidDisconnect(_ sock: GCDAsyncSocket?, withError err: (any Error)?) { note("didDisconnect", sock, err) }
  func socket(_ sock: GCDAsyncSocket?, didReceive trust: SecTrust?, completionHandler: (@Sendable (Bool) -> Void)!) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler(true)
  }
}

private final class MixedGCDAsyncSocketDelegate4: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data!, on sock: GCDAsyncSocket!) -> DispatchQueue? {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socket(_ sock: GCDAsyncSocket!, didAcceptNewSocket newSocket: GCDAsyncSocket) {
    note("didAccept", sock, newSocket)
  }
  func socket(_ sock: GCDAsyncSocket!, didConnectToHost host: String, port: UInt16) {
    note("didConnect", sock, host, port)
  }
  func socket(_ sock: GCDAsyncSocket!, didConnectTo url: URL) { note("didConnectToPath", sock, url) }
  func socket(_ sock: GCDAsyncSocket!, didRead data: Data, withTag tag: Int) { note("didRead", sock, data, tag) }
  func socketDidDisconnect(_ sock: GCDAsyncSocket!, withError err: NSError!) { note("didDisconnect", sock, err) }
  func socket(_ sock: GCDAsyncSocket!, didReceive trust: SecTrust!, completionHandler: ((Bool) -> Void)?) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler?(true)
  }
}

private final class MixedGCDAsyncSocketDelegate5: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data?, on sock: GCDAsyncSocket!) -> DispatchQueue? {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socket(_ sock: GCDAsyncSocket?, didAcceptNewSocket newSocket: GCDAsyncSocket) {
    note("didAccept", sock, newSocket)
  }
  func socket(_ sock: GCDAsyncSocket?, didConnectToHost host: String, port: UInt16) {
    note("didConnect", sock, host, port)
  }
  func socket(_ sock: GCDAsyncSocket?, didConnectTo url: URL) { note("didConnectToPath", sock, url) }
  func socket(_ sock: GCDAsyncSocket?, didRead data: Data, withTag tag: Int) { note("didRead", sock, data, tag) }
  func socketDidDisconnect(_ sock: GCDAsyncSocket?, withError err: NSError!) { note("didDisconnect", sock, err) }
  func socket(_ sock: GCDAsyncSocket?, didReceive trust: SecTrust!, completionHandler: (@Sendable (Bool) -> Void)?) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler?(true)
  }
}

private final class MixedGCDAsyncSocketDelegate6: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data!, on sock: GCDAsyncSocket?) -> DispatchQueue? {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket!) {
    note("didAccept", sock, newSocket)
  }
  func socket(_ sock: GCDAsyncSocket, didConnectToHost host: String!, port: UInt16) {
    note("didConnect", sock, host, port)
  }
  func socket(_ sock: GCDAsyncSocket, didConnectTo url: URL!) { note("didConnectToPath", sock, url) }
  func socket(_ sock: GCDAsyncSocket, didRead data: Data!, withTag tag: Int) { note("didRead", sock, data, tag) }
  func socketDidDisconnect(_ sock: GCDAsyncSocket!, withError err: NSError?) { note("didDisconnect", sock, err) }
  func socket(_ sock: GCDAsyncSocket!, didReceive trust: SecTrust?, completionHandler: ((Bool) -> Void)?) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler?(true)
  }
}

private final class MixedGCDAsyncSocketDelegate7: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data?, on sock: GCDAsyncSocket?) -> DispatchQueue? {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket?) {
    note("didAccept", sock, newSocket)
  }
  func socket(_ sock: GCDAsyncSocket, didConnectToHost host: String?, port: UInt16) {
    note("didConnect", sock, host, port)
  }
  func socket(_ sock: GCDAsyncSocket, didConnectTo url: URL?) { note("didConnectToPath", sock, url) }
  func socket(_ sock: GCDAsyncSocket, didRead data: Data?, withTag tag: Int) { note("didRead", sock, data, tag) }
  func socketDidDisconnect(_ sock: GCDAsyncSocket?, withError err: NSError?) { note("didDisconnect", sock, err) }
  func socket(_ sock: GCDAsyncSocket?, didReceive trust: SecTrust?, completionHandler: (@Sendable (Bool) -> Void)?) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler?(true)
  }
}

private final class MixedGCDAsyncSocketDelegate8: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data!, on sock: GCDAsyncSocket!) -> DispatchQueue {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket) {
    note("didAccept", sock, newSocket)
  }
  func socket(_ sock: GCDAsyncSocket, didConnectToHost host: String, port: UInt16) {
    note("didConnect", sock, host, port)
  }
  func socket(_ sock: GCDAsyncSocket, didConnectTo url: URL) { note("didConnectToPath", sock, url) }
  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) { note("didRead", sock, data, tag) }
  func socketDidDisconnect(_ sock: GCDAsyncSocket!, withError err: any Error) { note("didDisconnect", sock, err) }
  func socket(_ sock: GCDAsyncSocket!, didReceive trust: SecTrust!, completionHandler: @escaping (Bool) -> Void) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler(true)
  }
}

private final class MixedGCDAsyncSocketDelegate9: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data?, on sock: GCDAsyncSocket!) -> DispatchQueue {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socketDidDisconnect(_ sock: GCDAsyncSocket?, withError err: any Error) { note("didDisconnect", sock, err) }
  func socket(
    _ sock: GCDAsyncSocket?, didReceive trust: SecTrust!, completionHandler: @escaping @Sendable (Bool) -> Void
  ) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler(true)
  }
}

private final class MixedGCDAsyncSocketDelegate10: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data!, on sock: GCDAsyncSocket?) -> DispatchQueue {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socketDidDisconnect(_ sock: GCDAsyncSocket!, withError err: NSError) { note("didDisconnect", sock, err) }
  func socket(_ sock: GCDAsyncSocket!, didReceive trust: SecTrust?, completionHandler: @escaping (Bool) -> Void) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler(true)
  }
}

private final class MixedGCDAsyncSocketDelegate11: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data?, on sock: GCDAsyncSocket?) -> DispatchQueue {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socketDidDisconnect(_ sock: GCDAsyncSocket?, withError err: NSError) { note("didDisconnect", sock, err) }
  func socket(
    _ sock: GCDAsyncSocket?, didReceive trust: SecTrust?, completionHandler: @escaping @Sendable (Bool) -> Void
  ) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler(true)
  }
}

private final class MixedGCDAsyncSocketDelegate12: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data!, on sock: GCDAsyncSocket) -> DispatchQueue! {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)!) { note("didDisconnect", sock, err) }
  func socket(_ sock: GCDAsyncSocket!, didReceive trust: SecTrust, completionHandler: ((Bool) -> Void)!) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler(true)
  }
}

private final class MixedGCDAsyncSocketDelegate13: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data?, on sock: GCDAsyncSocket) -> DispatchQueue! {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)?) { note("didDisconnect", sock, err) }
  func socket(_ sock: GCDAsyncSocket?, didReceive trust: SecTrust, completionHandler: (@Sendable (Bool) -> Void)!) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler(true)
  }
}

private final class MixedGCDAsyncSocketDelegate14: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data!, on sock: GCDAsyncSocket) -> DispatchQueue? {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: NSError!) { note("didDisconnect", sock, err) }
  func socket(_ sock: GCDAsyncSocket!, didReceive trust: SecTrust, completionHandler: ((Bool) -> Void)?) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler?(true)
  }
}

private final class MixedGCDAsyncSocketDelegate15: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data?, on sock: GCDAsyncSocket) -> DispatchQueue? {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: NSError?) { note("didDisconnect", sock, err) }
  func socket(_ sock: GCDAsyncSocket?, didReceive trust: SecTrust, completionHandler: (@Sendable (Bool) -> Void)?) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler?(true)
  }
}

private final class MixedGCDAsyncSocketDelegate16: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data, on sock: GCDAsyncSocket!) -> DispatchQueue! {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: any Error) { note("didDisconnect", sock, err) }
  func socket(_ sock: GCDAsyncSocket, didReceive trust: SecTrust!, completionHandler: ((Bool) -> Void)!) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler(true)
  }
}

private final class MixedGCDAsyncSocketDelegate17: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data, on sock: GCDAsyncSocket?) -> DispatchQueue! {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: NSError) { note("didDisconnect", sock, err) }
  func socket(_ sock: GCDAsyncSocket, didReceive trust: SecTrust?, completionHandler: (@Sendable (Bool) -> Void)!) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler(true)
  }
}

private final class MixedGCDAsyncSocketDelegate18: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data, on sock: GCDAsyncSocket!) -> DispatchQueue? {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socket(_ sock: GCDAsyncSocket, didReceive trust: SecTrust!, completionHandler: ((Bool) -> Void)?) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler?(true)
  }
}

private final class MixedGCDAsyncSocketDelegate19: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data, on sock: GCDAsyncSocket?) -> DispatchQueue? {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socket(_ sock: GCDAsyncSocket, didReceive trust: SecTrust?, completionHandler: (@Sendable (Bool) -> Void)?) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler?(true)
  }
}

private final class MixedGCDAsyncSocketDelegate20: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data!, on sock: GCDAsyncSocket) -> DispatchQueue {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socket(_ sock: GCDAsyncSocket!, didReceive trust: SecTrust, completionHandler: @escaping (Bool) -> Void) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler(true)
  }
}

private final class MixedGCDAsyncSocketDelegate21: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data?, on sock: GCDAsyncSocket) -> DispatchQueue {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socket(
    _ sock: GCDAsyncSocket?, didReceive trust: SecTrust, completionHandler: @escaping @Sendable (Bool) -> Void
  ) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler(true)
  }
}

private final class MixedGCDAsyncSocketDelegate22: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data, on sock: GCDAsyncSocket!) -> DispatchQueue {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socket(_ sock: GCDAsyncSocket, didReceive trust: SecTrust!, completionHandler: @escaping (Bool) -> Void) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler(true)
  }
}

private final class MixedGCDAsyncSocketDelegate23: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data, on sock: GCDAsyncSocket?) -> DispatchQueue {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socket(
    _ sock: GCDAsyncSocket, didReceive trust: SecTrust?, completionHandler: @escaping @Sendable (Bool) -> Void
  ) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler(true)
  }
}

private final class MixedGCDAsyncSocketDelegate24: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data, on sock: GCDAsyncSocket) -> DispatchQueue! {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socket(_ sock: GCDAsyncSocket, didReceive trust: SecTrust, completionHandler: ((Bool) -> Void)!) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler(true)
  }
}

private final class MixedGCDAsyncSocketDelegate25: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data, on sock: GCDAsyncSocket) -> DispatchQueue? {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socket(_ sock: GCDAsyncSocket, didReceive trust: SecTrust, completionHandler: (@Sendable (Bool) -> Void)?) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler?(true)
  }
}

private final class MixedGCDAsyncSocketDelegate26: MixedDelegate, GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data, on sock: GCDAsyncSocket) -> DispatchQueue {
    note("newSocketQueue", address, sock, answer: queue)
  }
  func socket(_ sock: GCDAsyncSocket, didReceive trust: SecTrust, completionHandler: @escaping (Bool) -> Void) {
    note("didReceiveTrust", sock, trust, completionHandler)
    completionHandler(true)
  }
}
