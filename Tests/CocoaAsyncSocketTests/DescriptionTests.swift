import CocoaAsyncSocket
import Foundation
import TestSupport
import Testing

/// What a socket says of itself.
@Suite struct DescriptionTests {
  @Test("the description tells the socket's state, with the address or the port that belongs to it")
  func states() throws {
    let delegate = RecorderDelegate()
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    func says(_ state: String) -> Bool { socket.description.hasPrefix("<GCDAsyncSocket \(state), reads: 0, ") }
    #expect(says("not connected"))
    try socket.accept(onPort: 0)
    #expect(says("accepting on port \(socket.localPort)"))
    socket.disconnect()
    #expect(says("not connected"))
    let hole = try BlackHole()
    try socket.connect(toHost: "127.0.0.1", onPort: hole.port)
    #expect(says("connecting"))
    socket.disconnect()
    for family in RawFamily.allCases {
      let listener = try RawListener(family: family)
      try socket.connect(toHost: family.host, onPort: listener.port)
      let peer = try listener.accept()
      try eventually("connected") { socket.isConnected }
      #expect(says("connected to \(family.host) port \(listener.port)"))
      socket.disconnect()
      peer.close()
    }
    let path = freshSocketPath()
    let listener = try RawListener(path: path)
    defer { unlink(path) }
    try socket.connect(to: URL(fileURLWithPath: path), withTimeout: -1)
    let peer = try listener.accept()
    try eventually("connected") { socket.isConnected }
    #expect(says("connected to \(path)"))
    socket.disconnect()
    withExtendedLifetime(delegate) {}
    peer.close()
  }

  @Test("a socket is an argument of a format, which prints the description")
  func formats() {
    let socket = GCDAsyncSocket()
    let other = AsyncSocket()
    #expect(String(format: "%@|%d|%@", socket, 7, other) == "\(socket.description)|7|\(other.description)")
    #expect(NSString(format: "%@", socket) as String == socket.description)
    #expect(withVaList([socket]) { NSString(format: "%@", arguments: $0) as String } == socket.description)
    // Where Foundation does not make the list, as for C's own functions.
    let address = Unmanaged.passUnretained(socket).toOpaque()
    #expect(socket._cVarArgEncoding == [Int(bitPattern: address)])
  }

  @Test("the description counts what waits")
  func backlog() throws {
    let link = try SocketAndPeer()
    #expect(link.socket.description.hasSuffix(", reads: 0, writes: 0, buffered: 0>"))
    for tag in 0..<3 { link.socket.readData(toLength: 2, withTimeout: -1, tag: tag) }
    #expect(link.socket.description.hasSuffix(", reads: 3, writes: 0, buffered: 0>"))
    try link.peer.send("ab")
    try eventually("one read is done") { link.socket.description.hasSuffix(", reads: 2, writes: 0, buffered: 0>") }
    link.socket.disconnect()
    #expect(link.socket.description.hasSuffix(", reads: 0, writes: 0, buffered: 0>"))
  }
}
