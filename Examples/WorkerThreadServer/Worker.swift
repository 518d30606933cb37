import CocoaAsyncSocket
import Foundation

/// A thread with a run loop, and the clients that live on it: they are called there, and nowhere else.
final class Worker: NSObject, AsyncSocketDelegate, @unchecked Sendable {
  // Unchecked: `runLoop` is set before the initialiser returns, `clients` is below the lock.
  private(set) var runLoop: RunLoop!
  private let name: String
  private let lock = NSLock()
  private var clients: [AsyncSocket] = []

  init(name: String) {
    self.name = name
    super.init()
    let hasBegun = DispatchSemaphore(value: 0)
    let thread = Thread { [self] in
      runLoop = RunLoop.current
      // A run loop with nothing to wait for returns at once.
      runLoop.add(Timer(timeInterval: 3600, repeats: true) { _ in }, forMode: .default)
      hasBegun.signal()
      while true { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
    }
    thread.start()
    hasBegun.wait()
  }

  /// Keeps a client that is about to come here. Called on the listener's thread, in didAcceptNewSocket.
  func take(_ client: AsyncSocket) {
    client.setDelegate(self)
    lock.withLock { clients.append(client) }
  }

  /// Who calls: the worker, unless this is not its run loop.
  private var caller: String { RunLoop.current === runLoop ? name : "nobody" }

  /// The first call on this thread. Reads and writes wait for it.
  func onSocket(_ sock: AsyncSocket, didConnectToHost host: String, port: UInt16) {
    sock.write(Data("You are served by \(caller)\r\n".utf8), withTimeout: -1, tag: 0)
    sock.readData(to: AsyncSocket.crlfData(), withTimeout: 60, tag: 1)
  }

  func onSocket(_ sock: AsyncSocket, didRead data: Data, withTag tag: Int) {
    let answer = "\(caller) says \(String(decoding: data, as: UTF8.self))"
    sock.write(Data(answer.utf8), withTimeout: 60, tag: tag)
    sock.readData(to: AsyncSocket.crlfData(), withTimeout: 60, tag: tag + 1)
  }

  func onSocketDidDisconnect(_ sock: AsyncSocket) {
    lock.withLock { clients.removeAll { $0 === sock } }
  }
}
