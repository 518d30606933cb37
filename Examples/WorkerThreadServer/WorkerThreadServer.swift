import CocoaAsyncSocket
import Foundation

/// A listener on the main thread that sends each client to the run loop of a worker thread, one after the other.
/// Usage: WorkerThreadServer [port]
final class WorkerThreadServer: NSObject, AsyncSocketDelegate {
  private let workers = (1...2).map { Worker(name: "worker \($0)") }
  private var next = 0
  private var listenSocket: AsyncSocket!

  func start(port: UInt16) throws {
    listenSocket = AsyncSocket(delegate: self)
    try listenSocket.accept(onPort: port)
    log("Server started on port \(listenSocket.localPort())")
  }

  func onSocket(_ sock: AsyncSocket, didAcceptNewSocket newSocket: AsyncSocket) {
    next = (next + 1) % workers.count
    workers[next].take(newSocket)
  }

  /// Comes right behind didAccept, for the same socket.
  func onSocket(_ sock: AsyncSocket, wantsRunLoopForNewSocket newSocket: AsyncSocket) -> RunLoop? {
    workers[next].runLoop
  }
}

/// Prints a line at once, also when the output is a pipe.
private func log(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

@main
enum Main {
  static func main() {
    let server = WorkerThreadServer()
    do {
      try server.start(port: CommandLine.arguments.dropFirst().first.flatMap { UInt16($0) } ?? 0)
    } catch {
      log("Error starting server: \(error.localizedDescription)")
      exit(1)
    }
    RunLoop.main.run()
  }
}
