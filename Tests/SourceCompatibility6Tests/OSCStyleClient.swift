@preconcurrency import CocoaAsyncSocket
import Foundation
import Testing

// As a library in Swift 6 mode writes it: Sendable classes that hold sockets, delegates apart from the class.

final class OSCStyleClient: Sendable {
  let tcpSocket: GCDAsyncSocket
  let tcpDelegate: OSCStyleDelegate
  let queue: DispatchQueue

  init(queue: DispatchQueue? = nil) {
    self.queue = queue ?? DispatchQueue.global()
    tcpDelegate = OSCStyleDelegate()
    tcpSocket = GCDAsyncSocket(delegate: tcpDelegate, delegateQueue: self.queue, socketQueue: nil)
  }

  var isConnected: Bool { tcpSocket.isConnected }

  func connect(host: String, port: UInt16, timeout: TimeInterval = 5.0) throws {
    try tcpSocket.connect(toHost: host, onPort: port, withTimeout: timeout)
  }

  func send(_ data: Data) throws {
    guard isConnected else {
      throw GCDAsyncSocketError(.closedError, userInfo: ["Reason": "The client is not connected."])
    }
    queue.async { [tcpSocket] in tcpSocket.write(data, withTimeout: -1, tag: 0) }
  }

  func close() {
    Task { [tcpSocket] in tcpSocket.disconnectAfterWriting() }
  }
}

final class OSCStyleDelegate: NSObject {
  nonisolated(unsafe) var ended: (@Sendable (GCDAsyncSocketError?) -> Void)?
}

extension OSCStyleDelegate: @unchecked Sendable {}

extension OSCStyleDelegate: GCDAsyncSocketDelegate {
  func newSocketQueueForConnection(fromAddress address: Data, on sock: GCDAsyncSocket) -> dispatch_queue_t? { nil }

  func socket(_ sock: GCDAsyncSocket, didConnectToHost host: String, port: UInt16) {
    sock.readData(toLength: 4, withTimeout: -1, tag: 1)
  }

  func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)?) {
    let error = err as? GCDAsyncSocketError
    ended?(error)
  }
}

/// A double in this language mode.
final class RecordingSocket: GCDAsyncSocket, @unchecked Sendable {
  private let lock = NSLock()
  private var tags: [Int] = []

  override init(
    delegate: (any GCDAsyncSocketDelegate)?, delegateQueue: DispatchQueue?, socketQueue: DispatchQueue?
  ) {
    super.init(delegate: delegate, delegateQueue: delegateQueue, socketQueue: socketQueue)
    autoDisconnectOnClosedReadStream = false
  }

  override var isConnected: Bool { true }
  override func write(_ data: Data?, withTimeout timeout: TimeInterval, tag: Int) { lock.withLock { tags.append(tag) } }
  var seen: [Int] { lock.withLock { tags } }
}

@Suite struct SourceCompatibility6Tests {
  @Test("an error with a userInfo of the program's own is thrown and caught by its code")
  func notConnected() throws {
    let client = OSCStyleClient()
    do {
      try client.send(Data([1]))
      Issue.record("nothing was thrown")
    } catch let error as GCDAsyncSocketError where error.code == .closedError {
      #expect(error.userInfo["Reason"] as? String == "The client is not connected.")
    }
    client.close()
  }

  @Test("names and a comparison of queues that a program has declared itself come before the library's")
  func ownNames() {
    let (queue, other) = (DispatchQueue(label: "a"), DispatchQueue(label: "a"))
    #expect(ownComparisons(queue, other) == [true, true, false, true, false, true, true])
    #expect(ownUnits() == (1_000, 1, 1))
  }

  @Test("a double's overrides are called in this language mode, too")
  func doubles() {
    let double = RecordingSocket()
    #expect(!double.autoDisconnectOnClosedReadStream)
    let socket: GCDAsyncSocket = double
    DispatchQueue.global().sync { socket.write(Data([1]), withTimeout: -1, tag: 9) }
    #expect(double.seen == [9] && socket.isConnected)
    socket.progress(ofReadReturningTag: nil, bytesDone: nil, total: nil)
  }
}
