import CocoaAsyncSocket
import Foundation

/// The echo server with the run-loop class: every line that comes in goes out again, on the main thread and without a
/// queue. Idle clients are asked once whether they are still there. Usage: RunLoopEchoServer [port]
final class RunLoopEchoServer: NSObject, AsyncSocketDelegate {
  private enum Tag {
    static let welcome = 0
    static let echo = 1
    static let warning = 2
    static let line = 3
  }

  private static let readTimeout: TimeInterval = 15
  private static let readTimeoutExtension: TimeInterval = 10

  private var listenSocket: AsyncSocket!
  private var connectedSockets: [AsyncSocket] = []

  func start(port: UInt16) throws {
    listenSocket = AsyncSocket(delegate: self)
    try listenSocket.accept(onPort: port)
    log("Echo server started on port \(listenSocket.localPort())")
  }

  func onSocket(_ sock: AsyncSocket, didAcceptNewSocket newSocket: AsyncSocket) {
    // Nobody else keeps it. It is not connected before didConnect.
    connectedSockets.append(newSocket)
  }

  func onSocket(_ sock: AsyncSocket, didConnectToHost host: String, port: UInt16) {
    log("Accepted client \(host):\(port)")
    sock.write(Data("Welcome to the AsyncSocket Echo Server\r\n".utf8), withTimeout: -1, tag: Tag.welcome)
    sock.readData(to: AsyncSocket.crlfData(), withTimeout: Self.readTimeout, tag: Tag.line)
  }

  func onSocket(_ sock: AsyncSocket, didRead data: Data, withTag tag: Int) {
    sock.write(data, withTimeout: -1, tag: Tag.echo)
  }

  func onSocket(_ sock: AsyncSocket, didWriteDataWithTag tag: Int) {
    if tag == Tag.echo {
      sock.readData(to: AsyncSocket.crlfData(), withTimeout: Self.readTimeout, tag: Tag.line)
    }
  }

  func onSocket(
    _ sock: AsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    guard elapsed <= Self.readTimeout else { return 0 }
    sock.write(Data("Are you still there?\r\n".utf8), withTimeout: -1, tag: Tag.warning)
    return Self.readTimeoutExtension
  }

  func onSocket(_ sock: AsyncSocket, willDisconnectWithError err: (any Error)?) {
    let rest = sock.unreadData() ?? Data()
    let unread = rest.isEmpty ? "" : ", \(rest.count) bytes of a line unread"
    log("Client disconnects: \(err?.localizedDescription ?? "end of stream")\(unread)")
  }

  func onSocketDidDisconnect(_ sock: AsyncSocket) { connectedSockets.removeAll { $0 === sock } }
}

/// Prints a line at once, also when the output is a pipe.
private func log(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

@main
enum Main {
  static func main() {
    let server = RunLoopEchoServer()
    do {
      try server.start(port: CommandLine.arguments.dropFirst().first.flatMap { UInt16($0) } ?? 0)
    } catch {
      log("Error starting server: \(error.localizedDescription)")
      exit(1)
    }
    RunLoop.main.run()
  }
}
