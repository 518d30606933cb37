import CocoaAsyncSocket
import Foundation

/// A web server for HTTP/1.1 with connections that stay open, in the manner of servers written for the original: a
/// listener, an object for each client, pages from memory. Usage: HTTPServer [port]
///
/// SIGTERM and SIGINT end it gracefully: no new clients, those that are being served get their answers.
final class HTTPServer: NSObject, GCDAsyncSocketDelegate, @unchecked Sendable {
  // Unchecked: everything that changes is touched on the server's queue only.
  private let queue = DispatchQueue(label: "HTTPServer")
  private let workQueue = DispatchQueue(label: "HTTPServer.work", attributes: .concurrent)
  private let site = Site()
  private let onStop: @Sendable () -> Void
  private var listenSocket: GCDAsyncSocket!
  private var connections: Set<HTTPConnection> = []
  private var isStopping = false
  private var clients = 0
  private var requests = 0

  init(onStop: @escaping @Sendable () -> Void) { self.onStop = onStop }

  func start(port: UInt16) throws {
    listenSocket = GCDAsyncSocket(delegate: self, delegateQueue: queue)
    try listenSocket.accept(onPort: port)
    log("HTTP server started on port \(listenSocket.localPort)")
  }

  func stop() {
    queue.async { [self] in
      isStopping = true
      listenSocket.disconnect()
      for connection in connections { connection.stop() }
      endIfIdle()
    }
  }

  func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket) {
    guard !isStopping else { return }
    clients += 1
    let connection = HTTPConnection(newSocket, site: site, workQueue: workQueue) { [self] connection, served in
      queue.async { self.end(connection, served: served) }
    }
    connections.insert(connection)
  }

  private func end(_ connection: HTTPConnection, served: Int) {
    connections.remove(connection)
    requests += served
    endIfIdle()
  }

  private func endIfIdle() {
    guard isStopping, connections.isEmpty else { return }
    log("Stopped: \(clients) clients, \(requests) requests")
    onStop()
  }
}

/// Prints a line at once, also when the output is a pipe.
private func log(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

@main
enum Main {
  static func main() {
    let server = HTTPServer { exit(0) }
    let sources = signalSources([SIGTERM, SIGINT]) { server.stop() }
    do {
      try server.start(port: CommandLine.arguments.dropFirst().first.flatMap { UInt16($0) } ?? 0)
    } catch {
      log("Error starting server: \(error.localizedDescription)")
      exit(1)
    }
    withExtendedLifetime(sources) { RunLoop.main.run() }
  }

  /// On Linux a dispatch source sees only signals that every thread blocks; threads inherit that, so it comes first.
  private static func signalSources(
    _ numbers: [Int32], handler: @escaping @Sendable () -> Void
  ) -> [any DispatchSourceSignal] {
    var blocked = sigset_t()
    sigemptyset(&blocked)
    for number in numbers { sigaddset(&blocked, number) }
    pthread_sigmask(SIG_BLOCK, &blocked, nil)
    return numbers.map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .main)
      source.setEventHandler(handler: handler)
      source.resume()
      return source
    }
  }
}
