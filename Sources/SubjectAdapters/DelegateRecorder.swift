import CocoaAsyncSocket
import Dispatch
import Foundation
import ScenarioModel
import SocketPOSIX
import SubjectSecurity

/// A delegate with a name: writes every callback down as it comes, then runs the scenario's reaction to it before it
/// returns.
final class DelegateRecorder: GCDAsyncSocketDelegate, Sendable {
  private let name: String
  private let stage: SubjectStage

  init(name: String, stage: SubjectStage) {
    self.name = name
    self.stage = stage
  }

  @discardableResult
  private func record(_ callback: Callback, of socket: GCDAsyncSocket) -> TimeoutValue? {
    // The subject runs callbacks on threads of its own choice: if it overflows the stack of one, it shall be said
    // where.
    SignalStack.install()
    let delivered = DeliveredCallback(
      socket: stage.name(of: socket), delegate: name, callback: callback, queue: SubjectStage.currentQueue ?? "")
    return stage.deliver(delivered).timeout
  }

  func newSocketQueueForConnection(fromAddress address: Data, on sock: GCDAsyncSocket) -> DispatchQueue? {
    record(.newSocketQueue, of: sock)
    // What the topology says of the listener holds for its children.
    switch stage.topology(of: stage.name(of: sock)) {
    case .separate: return nil
    case .shared: return sock.delegateQueue
    case .own: return DispatchQueue(label: "lab.child.socket")
    }
  }

  func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket) {
    let child = stage.adopt(child: .gcd(newSocket), of: stage.name(of: sock))
    record(.didAccept(child: child), of: sock)
  }

  func socket(_ sock: GCDAsyncSocket, didConnectToHost host: String, port: UInt16) {
    record(.didConnect(host: host, port: port), of: sock)
  }

  func socket(_ sock: GCDAsyncSocket, didConnectTo url: URL) {
    record(.didConnectToURL(path: stage.folder.relative(url.path)), of: sock)
  }

  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    record(.didRead(bytes: Array(data), tag: tag), of: sock)
  }

  func socket(_ sock: GCDAsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    record(.didReadPartial(count: Int(clamping: partialLength), tag: tag), of: sock)
  }

  func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) { record(.didWrite(tag: tag), of: sock) }

  func socket(_ sock: GCDAsyncSocket, didWritePartialDataOfLength partialLength: UInt, tag: Int) {
    record(.didWritePartial(count: Int(clamping: partialLength), tag: tag), of: sock)
  }

  func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    let callback = Callback.shouldTimeoutRead(tag: tag, elapsed: elapsed, bytesDone: Int(clamping: length))
    return record(callback, of: sock)?.seconds ?? 0
  }

  func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutWriteWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    let callback = Callback.shouldTimeoutWrite(tag: tag, elapsed: elapsed, bytesDone: Int(clamping: length))
    return record(callback, of: sock)?.seconds ?? 0
  }

  func socketDidCloseReadStream(_ sock: GCDAsyncSocket) { record(.didCloseRead, of: sock) }

  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)?) {
    record(.didDisconnect(err.map { SubjectError($0) }), of: sock)
  }

  func socketDidSecure(_ sock: GCDAsyncSocket) { record(.didSecure, of: sock) }

  func socket(
    _ sock: GCDAsyncSocket, didReceive trust: SecTrust, completionHandler: @escaping (Bool) -> Void
  ) {
    stage.keep(TrustAnswering(completionHandler), for: stage.name(of: sock))
    record(.didReceiveTrust, of: sock)
  }
}

/// The completion handler of one question about trust, which steps may call from anywhere, at any time, and twice.
final class TrustAnswering: @unchecked Sendable {
  // Unchecked: the library promises that the handler may be called from any thread.
  private let handler: (Bool) -> Void

  init(_ handler: @escaping (Bool) -> Void) { self.handler = handler }

  func answer(_ isTrusted: Bool) { handler(isTrusted) }
}
