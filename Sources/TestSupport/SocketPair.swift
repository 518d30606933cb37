import CocoaAsyncSocket
import Foundation

/// A library's socket, connected, with a raw peer at the other end.
package struct SocketAndPeer: Sendable {
  package let socket: GCDAsyncSocket
  package let peer: RawPeer
  package let delegate: RecorderDelegate
  package let queue: DispatchQueue

  /// Connects to a raw listener and waits for didConnect.
  package init(
    delegate: RecorderDelegate = RecorderDelegate(), queue: DispatchQueue = DispatchQueue(label: "delegate"),
    socketQueue: DispatchQueue? = nil, family: RawFamily = .ipv4, shortcuts: String = "all"
  ) throws {
    let listener = try RawListener(family: family)
    self.delegate = delegate
    self.queue = queue
    socket = GCDAsyncSocket(delegate: delegate, delegateQueue: queue, socketQueue: socketQueue)
    socket.takeShortcuts(named: shortcuts)
    try socket.connect(toHost: family.host, onPort: listener.port)
    peer = try listener.accept()
    try delegate.waitForConnect(of: socket)
  }
}

/// Two of the library's sockets, connected to each other, and the listener they met at.
package struct SocketPair: Sendable {
  package let listener: GCDAsyncSocket
  package let client: GCDAsyncSocket
  /// The accepted one.
  package let server: GCDAsyncSocket
  package let listenerDelegate: RecorderDelegate
  package let clientDelegate: RecorderDelegate

  /// Listens on a free port, connects, and waits until both sides know. The server's callbacks go to the listener's
  /// delegate.
  package init(
    listenerDelegate: RecorderDelegate = RecorderDelegate(), clientDelegate: RecorderDelegate = RecorderDelegate(),
    serverQueue: DispatchQueue = DispatchQueue(label: "server"),
    clientQueue: DispatchQueue = DispatchQueue(label: "client")
  ) throws {
    self.listenerDelegate = listenerDelegate
    self.clientDelegate = clientDelegate
    listener = GCDAsyncSocket(delegate: listenerDelegate, delegateQueue: serverQueue)
    try listener.accept(onPort: 0)
    client = GCDAsyncSocket(delegate: clientDelegate, delegateQueue: clientQueue)
    try client.connect(toHost: "127.0.0.1", onPort: listener.localPort)
    server = try listenerDelegate.child()
    try clientDelegate.waitForConnect(of: client)
  }
}

/// A text's bytes.
package func data(_ text: String) -> Data { Data(text.utf8) }

/// Bytes that tell their position: 32-bit counters, in big-endian order.
package func countingBytes(_ count: Int) -> [UInt8] {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count + 4)
  var number: UInt32 = 0
  while bytes.count < count {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    number += 1
  }
  return Array(bytes.prefix(count))
}

/// A path in the temporary folder that is short enough for a Unix-domain socket and not in use.
package func freshSocketPath() -> String {
  "\(NSTemporaryDirectory())/\(UUID().uuidString.prefix(13)).sock".replacingOccurrences(of: "//", with: "/")
}

extension GCDAsyncSocket {
  /// Listens on a free port outside the kernel's range of ephemeral ports, so that it stays free after a disconnect.
  package func acceptOnQuietPort() throws -> UInt16 {
    for _ in 0..<1000 {
      let port = UInt16.random(in: 10_000..<32_000)
      if (try? accept(onPort: port)) != nil { return port }
    }
    throw WaitFailure("no free port below the ephemeral range")
  }
}
