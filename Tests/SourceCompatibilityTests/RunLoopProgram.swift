import CocoaAsyncSocket
import Foundation

// A program for the run-loop class, written from its manual alone, as Swift imports its header: what Objective-C does
// not annotate is unwrapped implicitly.

/// Fetches a page: the header through its blank line, the body to its length or to the end of the connection.
class PageFetcher: NSObject, AsyncSocketDelegate {
  private enum Tag: Int { case request, header, body, rest }
  private var socket: AsyncSocket!
  private var hasBeenPatient = false
  private(set) var status = ""
  private(set) var body = Data()
  private(set) var outcome: String?

  func fetch(_ path: String, host: String, port: UInt16) {
    socket = AsyncSocket(delegate: self, userData: 80)
    do {
      try socket.connect(toHost: host, onPort: port, withTimeout: 5)
    } catch let error as NSError {
      outcome = "not started: \(error.domain) \(error.code)"
      return
    }
    let request = "GET \(path) HTTP/1.0\r\nHost: \(host)\r\n\r\n"
    socket.write(request.data(using: .utf8), withTimeout: 5, tag: Tag.request.rawValue)
    socket.readData(to: "\r\n\r\n".data(using: .utf8), withTimeout: 0.2, tag: Tag.header.rawValue)
  }

  func onSocketWillConnect(_ sock: AsyncSocket!) -> Bool { return sock.userData() == 80 }

  func onSocket(_ sock: AsyncSocket!, didRead data: Data!, withTag tag: Int) {
    switch Tag(rawValue: tag)! {
    case .header:
      let lines = String(data: data, encoding: .utf8)!.components(separatedBy: "\r\n")
      status = lines[0]
      let length = lines.first { $0.hasPrefix("Content-Length: ") }.flatMap { UInt($0.dropFirst(16)) }
      if let length = length {
        sock.readData(toLength: length, withTimeout: 5, tag: Tag.body.rawValue)
      } else {
        sock.readData(withTimeout: 5, tag: Tag.rest.rawValue)
      }
    case .rest:
      body.append(data)
      sock.readData(withTimeout: 5, tag: Tag.rest.rawValue)
    default:
      body = data
      outcome = "complete"
      sock.disconnect()
    }
  }

  func onSocket(
    _ sock: AsyncSocket!, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval {
    defer { hasBeenPatient = true }
    return hasBeenPatient ? 0 : 0.1
  }

  func onSocket(_ sock: AsyncSocket!, willDisconnectWithError err: Error!) {
    guard let error = err as NSError? else {
      if let rest = sock.unreadData() { body.append(rest) }
      outcome = "complete"
      return
    }
    let isLate = error.domain == AsyncSocketErrorDomain && error.code == Int(AsyncSocketReadTimeoutError.rawValue)
    outcome = isLate ? "timed out after \(sock.unreadData().count) bytes" : error.localizedDescription
  }

  func onSocketDidDisconnect(_ sock: AsyncSocket!) { socket = nil }
}

/// Sends every line back in capitals, also while the run loop is in a mode of its own.
class LineServer: NSObject, AsyncSocketDelegate {
  static let mode = "LineServerMode"
  private let listenSocket: AsyncSocket = AsyncSocket()
  private(set) var connectedSockets = [AsyncSocket]()
  private(set) var log = [String]()

  func start(address: String) throws -> UInt16 {
    listenSocket.setDelegate(self)
    if !listenSocket.setRunLoopModes([RunLoop.Mode.default.rawValue, LineServer.mode]) { log.append("no modes") }
    try listenSocket.accept(onAddress: address, port: 0)
    return listenSocket.localPort()
  }

  func stop() {
    listenSocket.disconnect()
    for socket in connectedSockets { socket.disconnectAfterWriting() }
  }

  func onSocket(_ sock: AsyncSocket!, didAcceptNewSocket newSocket: AsyncSocket!) { connectedSockets.append(newSocket) }

  func onSocket(_ sock: AsyncSocket!, wantsRunLoopForNewSocket newSocket: AsyncSocket!) -> RunLoop! {
    return RunLoop.current
  }

  func onSocket(_ sock: AsyncSocket!, didConnectToHost host: String!, port: UInt16) {
    log.append("\(host!) is here")
    sock.readData(to: AsyncSocket.crlfData(), withTimeout: -1, tag: 0)
  }

  func onSocket(_ sock: AsyncSocket!, didRead data: Data!, withTag tag: Int) {
    let line = String(data: data, encoding: .utf8)!.uppercased()
    sock.write(line.data(using: .utf8), withTimeout: 2, tag: tag)
    if line == "QUIT\r\n" { sock.disconnectAfterWriting() }
  }

  func onSocket(_ sock: AsyncSocket!, didWriteDataWithTag tag: Int) {
    sock.readData(to: AsyncSocket.crlfData(), withTimeout: -1, tag: tag + 1)
  }

  func onSocketDidDisconnect(_ sock: AsyncSocket!) {
    connectedSockets = connectedSockets.filter { $0 !== sock }
    log.append(sock === listenSocket ? "stopped" : "gone")
  }
}
