import BenchmarkModel
import CocoaAsyncSocket
import Foundation

/// The run-loop class as a user would serve with it: one delegate for all connections, on the run loop of one thread.
class RunLoopServer: AsyncSocketDelegate, @unchecked Sendable {
  // Unchecked: everything below is touched on the run loop's thread only.
  let role: ServerRole
  private var listener: AsyncSocket?
  private var connections: Set<AsyncSocket> = []

  required init(role: ServerRole) { self.role = role }

  static func start(_ role: ServerRole) throws -> UInt16 {
    let make: RunLoopServer.Type
    switch role.kind {
    case .echo: make = RunLoopEcho.self
    case .lines: make = RunLoopLines.self
    default: throw ServerFailure(description: "The run-loop class serves echo and lines only.")
    }
    let (result, finish) = (Answer(), DispatchSemaphore(value: 0))
    Thread {
      let server = make.init(role: role)
      let listener = AsyncSocket(delegate: server)
      server.listener = listener
      result.port = Result {
        try listener.accept(onInterface: "127.0.0.1", port: 0)
        return listener.localPort()
      }
      finish.signal()
      withExtendedLifetime(server) {
        while RunLoop.current.run(mode: .default, before: .distantFuture) {}
      }
    }.start()
    finish.wait()
    return try result.port.get()
  }

  private final class Answer: @unchecked Sendable {
    // Unchecked: written before the semaphore is signalled, read after it was waited for.
    var port: Result<UInt16, any Error> = .success(0)
  }

  /// The first calls on a new connection.
  func begin(_ socket: AsyncSocket) {}

  func onSocket(_ sock: AsyncSocket, didAcceptNewSocket newSocket: AsyncSocket) { connections.insert(newSocket) }

  func onSocket(_ sock: AsyncSocket, didConnectToHost host: String, port: UInt16) { begin(sock) }

  func onSocket(_ sock: AsyncSocket, didRead data: Data, withTag tag: Int) {}

  func onSocketDidDisconnect(_ sock: AsyncSocket) { connections.remove(sock) }
}

private final class RunLoopEcho: RunLoopServer, @unchecked Sendable {
  // Unchecked: as the superclass.
  override func begin(_ socket: AsyncSocket) { socket.readData(withTimeout: -1, tag: 0) }

  override func onSocket(_ sock: AsyncSocket, didRead data: Data, withTag tag: Int) {
    sock.write(data, withTimeout: -1, tag: 0)
    sock.readData(withTimeout: -1, tag: 0)
  }
}

private final class RunLoopLines: RunLoopServer, @unchecked Sendable {
  // Unchecked: as the superclass.
  private var lines = 0
  private let delimiter = AsyncSocket.crlfData()

  override func begin(_ socket: AsyncSocket) {
    for _ in 0..<role.depth { socket.readData(to: delimiter, withTimeout: -1, tag: 0) }
  }

  override func onSocket(_ sock: AsyncSocket, didRead data: Data, withTag tag: Int) {
    sock.readData(to: delimiter, withTimeout: -1, tag: 0)
    lines += 1
    if lines.isMultiple(of: role.acknowledge) { sock.write(Data([0x61]), withTimeout: -1, tag: 0) }
  }
}
