import CocoaAsyncSocket
import Foundation

/// An echo server: every line that comes in goes out again, and idle clients are asked once whether they are still
/// there. Usage: EchoServer [port]
final class EchoServer: NSObject, GCDAsyncSocketDelegate {
  private enum Tag {
    static let welcome = 0
    static let echo = 1
    static let warning = 2
    static let line = 3
  }

  private static let readTimeout: TimeInterval = 15
  private static let readTimeoutExtension: TimeInterval = 10

  private let queue = DispatchQueue(label: "EchoServer")
  private var listenSocket: GCDAsyncSocket!
  private var connectedSockets: [GCDAsyncSocket] = []

  func start(port: UInt16) throws {
    listenSocket = GCDAsyncSocket(delegate: self, delegateQueue: queue)
    try listenSocket.accept(onPort: port)
    log("Echo server started on port \(listenSocket.localPort)")
  }

  func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket) {
    connectedSockets.append(newSocket)
    log("Accepted client \(newSocket.connectedHost ?? "?"):\(newSocket.connectedPort)")
    newSocket.write(Data("Welcome to the AsyncSocket Echo Server\r\n".utf8), withTimeout: -1, tag: Tag.welcome)
    newSocket.readData(to: GCDAsyncSocket.crlfData(), withTimeout: Self.readTimeout, tag: Tag.line)
  }

  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    sock.write(data, withTimeout: -1, tag: Tag.echo)
  }

  func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) {
    if tag == Tag.echo {
      sock.readData(to: GCDAsyncSocket.crlfData(), withTimeout: Self.readTimeout, tag: Tag.line)
    }
  }

  func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    guard elapsed <= Self.readTimeout else { return 0 }
    sock.write(Data("Are you still there?\r\n".utf8), withTimeout: -1, tag: Tag.warning)
    return Self.readTimeoutExtension
  }

  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: Error?) {
    guard sock !== listenSocket else { return }
    log("Client disconnected: \(err?.localizedDescription ?? "on our side")")
    connectedSockets.removeAll { $0 === sock }
  }
}

/// Prints a line at once, also when the output is a pipe.
private func log(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

@main
enum Main {
  static func main() {
    let server = EchoServer()
    do {
      try server.start(port: CommandLine.arguments.dropFirst().first.flatMap { UInt16($0) } ?? 0)
    } catch {
      log("Error starting server: \(error.localizedDescription)")
      exit(1)
    }
    RunLoop.main.run()
  }
}
