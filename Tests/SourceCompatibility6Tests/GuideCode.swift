import CocoaAsyncSocket
import Foundation

// The code of the guides, word for word: `DocumentTests` looks for each block here. That it compiles is the test.

enum IntroCode {
  final class Greeter: NSObject, GCDAsyncSocketDelegate {
    private let queue = DispatchQueue(label: "greeter")
    private var socket: GCDAsyncSocket?

    func start(host: String, port: UInt16) throws {
      let socket = GCDAsyncSocket(delegate: self, delegateQueue: queue)
      self.socket = socket
      try socket.connect(toHost: host, onPort: port, withTimeout: 5)
      socket.write(Data("HELLO\r\n".utf8), withTimeout: -1, tag: 1)
      socket.readData(to: GCDAsyncSocket.crlfData(), withTimeout: 10, tag: 1)
    }

    func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
      print("The answer is", String(decoding: data, as: UTF8.self))
      sock.disconnect()
    }

    func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)?) {
      if let err { print("No answer:", err.localizedDescription) }
    }
  }

  final class FrameReader: NSObject, AsyncSocketDelegate {
    private enum Tag {
      static let header = 1
      static let body = 2
    }

    func onSocket(_ sock: AsyncSocket, didConnectToHost host: String, port: UInt16) {
      sock.readData(toLength: 4, withTimeout: 30, tag: Tag.header)
    }

    func onSocket(_ sock: AsyncSocket, didRead data: Data, withTag tag: Int) {
      guard tag == Tag.header else {
        print("A frame of \(data.count) bytes")
        return sock.readData(toLength: 4, withTimeout: 30, tag: Tag.header)
      }
      let length = data.reduce(0) { $0 << 8 | UInt($1) }
      // A read of no bytes would never complete.
      guard length > 0, length <= 1 << 20 else { return sock.disconnect() }
      sock.readData(toLength: length, withTimeout: 30, tag: Tag.body)
    }
  }

  final class LineEcho: NSObject, GCDAsyncSocketDelegate {
    private var clients: [GCDAsyncSocket] = []

    func socket(_ sock: GCDAsyncSocket, didAcceptNewSocket newSocket: GCDAsyncSocket) {
      clients.append(newSocket)
      newSocket.readData(to: GCDAsyncSocket.crlfData(), withTimeout: -1, maxLength: 1024, tag: 0)
    }

    func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
      sock.write(data, withTimeout: 10, tag: 0)
      sock.readData(to: GCDAsyncSocket.crlfData(), withTimeout: -1, maxLength: 1024, tag: 0)
    }

    func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)?) {
      clients.removeAll { $0 === sock }
    }
  }
}

enum WhichClassCode {
  final class Moved: NSObject, GCDAsyncSocketDelegate {
    private lazy var socket = GCDAsyncSocket(delegate: self, delegateQueue: .main)

    func socketDidDisconnect(_ sock: GCDAsyncSocket, withError err: (any Error)?) {
      // What the run-loop class tells as nil.
      let isEndOfStream = (err as? GCDAsyncSocketError)?.code == .closedError
      print(isEndOfStream ? "The peer has left." : err?.localizedDescription ?? "We have left.")
    }
  }
}

enum ReferenceCode {
  func start(_ socket: AsyncSocket, _ listener: AsyncSocket) throws {
    try socket.connect(toHost: "localhost", onPort: 7000, withTimeout: 5)
    try listener.accept(onAddress: "127.0.0.1", port: 0)
    print("Clients find us at port", listener.localPort())
  }

  final class Patient: NSObject, AsyncSocketDelegate {
    func onSocket(
      _ sock: AsyncSocket, shouldTimeoutReadWithTag tag: Int, elapsed: TimeInterval, bytesDone length: UInt
    ) -> TimeInterval {
      elapsed < 30 ? 10 : 0
    }
  }

  final class LastWord: NSObject, AsyncSocketDelegate {
    func onSocket(_ sock: AsyncSocket, willDisconnectWithError err: (any Error)?) {
      let peer = sock.connectedHost() ?? "nobody"
      let rest = sock.unreadData() ?? Data()
      print(peer, "leaves", rest.count, "bytes behind:", err?.localizedDescription ?? "end of stream")
    }

    func onSocketDidDisconnect(_ sock: AsyncSocket) {
      print("It may be started again, or let go of.")
    }
  }

  func isTimeout(_ error: any Error) -> Bool {
    let error = error as NSError
    let codes: [AsyncSocketError] = [.connectTimeoutError, .readTimeoutError, .writeTimeoutError]
    return error.domain == AsyncSocketErrorDomain && codes.contains { $0.rawValue == error.code }
  }

  func keepWorkingInPanels(_ socket: AsyncSocket) {
    socket.addRunLoopMode("ModalPanel")
  }

  final class Dispatcher: NSObject, AsyncSocketDelegate {
    private let runLoops: [RunLoop]
    private var accepted = 0

    init(runLoops: [RunLoop]) { self.runLoops = runLoops }

    func onSocket(_ sock: AsyncSocket, wantsRunLoopForNewSocket newSocket: AsyncSocket) -> RunLoop? {
      accepted += 1
      return runLoops[accepted % runLoops.count]
    }
  }

  func secure(_ socket: GCDAsyncSocket, _ other: AsyncSocket) {
    socket.startTLS([GCDAsyncSocketSSLPeerName: "example.org" as NSString])
    other.startTLS([kCFStreamSSLPeerName as String: "example.org"])
  }
}

enum CommonPitfallsCode {
  func readMessage(from socket: GCDAsyncSocket) {
    socket.readData(to: GCDAsyncSocket.crlfData(), withTimeout: 30, maxLength: 4096, tag: 0)
  }

  func work(until isDone: () -> Bool) {
    // Without anything to wait for, such as before the first start, a run loop returns at once.
    let timer = Timer(timeInterval: 3600, repeats: true) { _ in }
    RunLoop.current.add(timer, forMode: .default)
    while !isDone() { _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 1)) }
    timer.invalidate()
  }

  class Listening: NSObject, AsyncSocketDelegate {
    // As the original's header has it.
    func onSocket(_ sock: AsyncSocket!, didRead data: Data!, withTag tag: Int) { print(data.count) }
    // Without marks.
    func onSocket(_ sock: AsyncSocket, didWriteDataWithTag tag: Int) { print(tag) }
    // Mixed.
    func onSocket(_ sock: AsyncSocket!, willDisconnectWithError err: Error?) { print(err as Any) }
  }
}
