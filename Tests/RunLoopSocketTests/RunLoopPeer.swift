import CocoaAsyncSocket
import Foundation
import Testing

/// A delegate that writes down what it hears, and where.
final class RunLoopRecorder: AsyncSocketDelegate, @unchecked Sendable {
  // Unchecked: called on the run loop's thread only, and read there or after that thread has ended.
  var events: [String] = []
  var threads: Set<UInt> = []
  var children: [AsyncSocket] = []
  var unread: [Data?] = []
  var keepsChildren = true
  var mayConnect = true
  var runLoopForChild: RunLoop?
  var more: [TimeInterval] = []
  var hosts: [String?] = []
  /// Runs inside the callback of that name.
  var reactions: [String: (AsyncSocket) -> Void] = [:]

  private func note(_ name: String, _ detail: String, _ sock: AsyncSocket) {
    threads.insert(UInt(bitPattern: ObjectIdentifier(Thread.current).hashValue))
    events.append(detail.isEmpty ? name : "\(name) \(detail)")
    reactions[name]?(sock)
  }

  func onSocket(_ sock: AsyncSocket, willDisconnectWithError err: (any Error)?) {
    unread.append(sock.unreadData())
    hosts.append(sock.connectedHost())
    let text = err.map { "\(($0 as NSError).domain) \(($0 as NSError).code)" } ?? "nil"
    note("willDisconnect", text, sock)
  }

  func onSocketDidDisconnect(_ sock: AsyncSocket) {
    hosts.append(sock.connectedHost())
    note("didDisconnect", "", sock)
  }

  func onSocket(_ sock: AsyncSocket, didAcceptNewSocket newSocket: AsyncSocket) {
    if keepsChildren { children.append(newSocket) }
    note("didAccept", "", newSocket)
  }

  func onSocket(_ sock: AsyncSocket, wantsRunLoopForNewSocket newSocket: AsyncSocket) -> RunLoop? {
    note("wantsRunLoop", "", newSocket)
    return runLoopForChild
  }

  func onSocketWillConnect(_ sock: AsyncSocket) -> Bool {
    note("willConnect", "", sock)
    return mayConnect
  }

  func onSocket(_ sock: AsyncSocket, didConnectToHost host: String, port: UInt16) { note("didConnect", host, sock) }

  func onSocket(_ sock: AsyncSocket, didRead data: Data, withTag tag: Int) {
    note("didRead", "\(String(decoding: data, as: UTF8.self).debugDescription) \(tag)", sock)
  }

  func onSocket(_ sock: AsyncSocket, didReadPartialDataOfLength partialLength: UInt, tag: Int) {
    note("didReadPartial", "\(partialLength) \(tag)", sock)
  }

  func onSocket(_ sock: AsyncSocket, didWriteDataWithTag tag: Int) { note("didWrite", "\(tag)", sock) }

  func onSocket(
    _ sock: AsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    note("shouldTimeoutRead", "\(tag) \(length)", sock)
    return more.isEmpty ? 0 : more.removeFirst()
  }
}

/// Runs the current run loop until the condition holds; false after five seconds.
func runLoop(in mode: RunLoop.Mode = .default, until condition: () -> Bool) -> Bool {
  let end = Date(timeIntervalSinceNow: 5)
  while !condition() {
    guard end.timeIntervalSinceNow > 0 else { return false }
    _ = RunLoop.current.run(mode: mode, before: Date(timeIntervalSinceNow: 0.05))
  }
  return true
}

/// Runs the body on a thread of its own, which has a run loop of its own.
func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
  try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
    Thread { continuation.resume(with: Result { try body() }) }.start()
  }
}
