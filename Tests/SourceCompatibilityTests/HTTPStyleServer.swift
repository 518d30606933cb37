import CocoaAsyncSocket
import Foundation
import Security

// As a small web server writes it: a listener, connections that are their sockets' delegates, header and body in two
// writes, TLS with an identity and its chain.

enum HTTPTag: Int {
  case head = 1, body, response
}

final class HTTPStyleServer: NSObject {
  private var listener: GCDAsyncSocket?
  private let delegateQueue = DispatchQueue(label: "http.server")
  private var connections = Set<HTTPStyleConnection>()
  private let tlsPolicy: [SecCertificate]
  private let identity: SecIdentity?

  var port: Int { return Int(listener?.localPort ?? 0) }
  var isSecure: Bool { return identity != nil }

  init(identity: SecIdentity? = nil, chain: [SecCertificate] = []) {
    self.identity = identity
    tlsPolicy = chain
  }

  func start(port: Int = 0, interface: String? = nil) throws {
    let socket = GCDAsyncSocket(delegate: self, delegateQueue: delegateQueue)
    try socket.accept(onInterface: interface, port: UInt16(port))
    listener = socket
  }

  func stop() {
    listener?.delegate = nil
    listener?.disconnect()
    delegateQueue.sync { connections.forEach { $0.close(immediately: true) } }
  }

  private func secure(_ socket: GCDAsyncSocket) {
    guard let identity = identity else { return }
    let certificates = [identity] + tlsPolicy as [Any]
    let settings: [String: Any] = [
      kCFStreamSSLIsServer as String: true,
      kCFStreamSSLCertificates as String: certificates as NSArray,
      GCDAsyncSocketSSLProtocolVersionMin: SSLProtocol.tlsProtocol12.rawValue,
    ]
    socket.startTLS(settings.mapValues { $0 as! NSObject })
  }
}

extension HTTPStyleServer: GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data, on sock: GCDAsyncSocket) -> dispatch_queue_t? {
    return DispatchQueue(label: "http.connection")
  }

  func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket) {
    secure(newSocket)
    let connection = HTTPStyleConnection(newSocket, queue: delegateQueue) { [weak self] in self?.connections.remove($0)
    }
    connections.insert(connection)
    connection.open()
  }

  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: Error?) { listener = nil }
}

final class HTTPStyleConnection: NSObject, GCDAsyncSocketDelegate {
  private let socket: GCDAsyncSocket
  private let closed: (HTTPStyleConnection) -> Void

  init(_ socket: GCDAsyncSocket, queue: DispatchQueue, closed: @escaping (HTTPStyleConnection) -> Void) {
    self.socket = socket
    self.closed = closed
    super.init()
    socket.synchronouslySetDelegate(self, delegateQueue: queue)
  }

  func open() {
    socket.readData(to: "\r\n\r\n".data(using: .utf8), withTimeout: 30, maxLength: 8192, tag: HTTPTag.head.rawValue)
  }

  func close(immediately: Bool) {
    immediately ? socket.disconnect() : socket.disconnectAfterWriting()
  }

  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    guard let tag = HTTPTag(rawValue: tag), tag == .head, let head = String(data: data, encoding: .utf8) else {
      return sock.disconnect()
    }
    let body = Data("\(sock.connectedHost ?? "?") asks \(head.components(separatedBy: "\r\n")[0])".utf8)
    let header = "HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n"
    socket.write(header.data(using: .ascii)!, withTimeout: -1, tag: HTTPTag.response.rawValue)
    socket.write(body, withTimeout: -1, tag: HTTPTag.response.rawValue)
    close(immediately: false)
  }

  func socket(
    _ sock: GCDAsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
  ) -> TimeInterval { return 0.0 }

  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: Error?) {
    if let error = err as? GCDAsyncSocketError, error.code != .closedError { print(error.localizedDescription) }
    closed(self)
  }
}
