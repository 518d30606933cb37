import BenchmarkModel
import BenchmarkProbes
import CocoaAsyncSocket
import Dispatch
import Foundation

/// The reference socket as a user would serve with it: one delegate for all connections, callbacks on one queue.
class SubjectServer: GCDAsyncSocketDelegate, @unchecked Sendable {
  // Unchecked: everything below is touched on the delegate queue only, but for the listener, which is set before any
  // client can know the port.
  let role: ServerRole
  let delegateQueue: DispatchQueue
  private let socketQueue: DispatchQueue?
  private var identity: SecIdentity?
  private var listener: GCDAsyncSocket?
  private var connections: Set<GCDAsyncSocket> = []

  required init(role: ServerRole) {
    self.role = role
    delegateQueue = role.contestant == .gcdMain ? .main : DispatchQueue(label: "bench.delegate")
    socketQueue =
      switch role.contestant {
      case .gcdSame: delegateQueue
      case .gcdTwoQueues: DispatchQueue(label: "bench.socket")
      default: nil
      }
  }

  /// Servers live as long as their process.
  nonisolated(unsafe) private static var running: [SubjectServer] = []  // Unsafe: only the main thread starts servers.

  static func start(_ role: ServerRole) throws -> UInt16 {
    let make: SubjectServer.Type =
      switch role.kind {
      case .echo: SubjectEcho.self
      case .respond: SubjectAnswers.self
      case .lines: SubjectLines.self
      case .receive, .tlsReceive: SubjectReceiver.self
      case .send, .tlsSend: SubjectSender.self
      }
    let server = make.init(role: role)
    if role.kind.isSecure { server.identity = try SecIdentity(pem: try certificate()) }
    let listener = GCDAsyncSocket(
      delegate: server, delegateQueue: server.delegateQueue, socketQueue: server.socketQueue)
    server.listener = listener
    server.limit(listener)
    try listener.accept(onInterface: "127.0.0.1", port: 0)
    running.append(server)
    return listener.localPort
  }

  private func limit(_ socket: GCDAsyncSocket) {
    if let shortcut = role.without { socket.benchmarkWithout(shortcut: shortcut.rawValue) }
  }

  /// The first calls on a new connection.
  func begin(_ socket: GCDAsyncSocket) {}

  func newSocketQueueForConnection(fromAddress address: Data, on sock: GCDAsyncSocket) -> DispatchQueue? { socketQueue }

  func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket) {
    connections.insert(newSocket)
    limit(newSocket)
    if let identity {
      newSocket.startTLS([kCFStreamSSLIsServer: true as NSNumber, kCFStreamSSLCertificates: [identity] as NSArray])
    }
    begin(newSocket)
  }

  func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {}
  func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) {}

  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)?) { connections.remove(sock) }
}

private final class SubjectEcho: SubjectServer, @unchecked Sendable {
  // Unchecked: as the superclass.
  override func begin(_ socket: GCDAsyncSocket) { socket.readData(withTimeout: -1, tag: 0) }

  override func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    sock.write(data, withTimeout: -1, tag: 0)
    sock.readData(withTimeout: -1, tag: 0)
  }
}

/// Header and body from a block on the delegate queue, as by a program that had to look for the answer elsewhere.
private final class SubjectAnswers: SubjectServer, @unchecked Sendable {
  // Unchecked: as the superclass.
  private let header = Data(answerHeader.utf8)
  private lazy var body = Data(repeating: 0x78, count: role.size)

  override func begin(_ socket: GCDAsyncSocket) { readMessage(socket) }

  private func readMessage(_ socket: GCDAsyncSocket) {
    socket.readData(toLength: UInt(ServerRole.message), withTimeout: -1, tag: 0)
  }

  override func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    delegateQueue.async { [self] in
      sock.write(header, withTimeout: -1, tag: 0)
      sock.write(body, withTimeout: -1, tag: 0)
      readMessage(sock)
    }
  }
}

private final class SubjectLines: SubjectServer, @unchecked Sendable {
  // Unchecked: as the superclass.
  private var lines = 0
  private let delimiter = GCDAsyncSocket.crlfData()

  override func begin(_ socket: GCDAsyncSocket) {
    for _ in 0..<role.depth { socket.readData(to: delimiter, withTimeout: -1, tag: 0) }
  }

  override func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    sock.readData(to: delimiter, withTimeout: -1, tag: 0)
    lines += 1
    if lines.isMultiple(of: role.acknowledge) { sock.write(Data([0x61]), withTimeout: -1, tag: 0) }
  }
}

private final class SubjectReceiver: SubjectServer, @unchecked Sendable {
  // Unchecked: as the superclass.
  private var pieces = 0

  override func begin(_ socket: GCDAsyncSocket) {
    for _ in 0..<role.depth { socket.readData(toLength: UInt(role.size), withTimeout: -1, tag: 0) }
  }

  override func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
    sock.readData(toLength: UInt(role.size), withTimeout: -1, tag: 0)
    pieces += 1
    if pieces.isMultiple(of: role.acknowledge) { sock.write(Data([0x61]), withTimeout: -1, tag: 0) }
  }
}

private final class SubjectSender: SubjectServer, @unchecked Sendable {
  // Unchecked: as the superclass.
  private lazy var piece = Data(repeating: 0x78, count: role.size)

  override func begin(_ socket: GCDAsyncSocket) {
    for _ in 0..<role.depth { socket.write(piece, withTimeout: -1, tag: 0) }
  }

  override func socket(_ sock: GCDAsyncSocket, didWriteDataWithTag tag: Int) {
    sock.write(piece, withTimeout: -1, tag: 0)
  }
}
