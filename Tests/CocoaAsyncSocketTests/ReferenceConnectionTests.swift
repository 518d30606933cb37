import CocoaAsyncSocket
import Foundation
import Glibc
import TestSupport
import Testing

/// The checks that the original library's own tests make.
@Suite struct ReferenceConnectionTests {
  struct ServerCase: Sendable, CustomTestStringConvertible {
    let name: String
    var serverIPv4 = true
    var serverIPv6 = true
    let host: String
    var prefersIPv4 = true
    /// The family the child must have; nil: either.
    let family: RawFamily?
    var testDescription: String { name }
  }

  static let servers = [
    ServerCase(name: "full connection", host: "127.0.0.1", family: .ipv4),
    ServerCase(name: "IPv4-only server", serverIPv6: false, host: "127.0.0.1", family: .ipv4),
    ServerCase(name: "IPv6-only server", serverIPv4: false, host: "::1", family: .ipv6),
    ServerCase(name: "localhost, IPv4 preferred", host: "localhost", family: .ipv4),
    ServerCase(name: "localhost, IPv6 preferred", host: "localhost", prefersIPv4: false, family: .ipv6),
    ServerCase(name: "localhost, IPv4-only server", serverIPv6: false, host: "localhost", family: .ipv4),
    ServerCase(
      name: "localhost, IPv6-only server, IPv4 preferred", serverIPv4: false, host: "localhost", family: .ipv6),
  ]

  @Test("a client connects to a server", arguments: servers)
  func connects(_ row: ServerCase) throws {
    let serverDelegate = RecorderDelegate()
    let clientDelegate = RecorderDelegate()
    let listener = GCDAsyncSocket(delegate: serverDelegate, delegateQueue: DispatchQueue(label: "server"))
    listener.isIPv4Enabled = row.serverIPv4
    listener.isIPv6Enabled = row.serverIPv6
    try listener.accept(onPort: 0)
    #expect(listener.isIPv4 == row.serverIPv4 && listener.isIPv6 == row.serverIPv6)
    let client = GCDAsyncSocket(delegate: clientDelegate, delegateQueue: DispatchQueue(label: "client"))
    client.isIPv4PreferredOverIPv6 = row.prefersIPv4
    try client.connect(toHost: row.host, onPort: listener.localPort)
    #expect(!client.isDisconnected)
    try clientDelegate.waitForConnect(of: client)
    let child = try serverDelegate.child()
    #expect(child.isConnected && client.isConnected)
    if let family = row.family {
      #expect(child.isIPv4 == (family == .ipv4) && child.isIPv6 == (family == .ipv6))
      #expect(client.isIPv4 == (family == .ipv4) && client.isIPv6 == (family == .ipv6))
      #expect(clientDelegate.kinds(of: client) == [.connected(host: family.host, port: listener.localPort)])
      #expect(child.connectedHost == family.host && child.localHost == family.host)
    }
  }

  @Test("a connected descriptor is adopted (LIFE-22, LIFE-23)", arguments: RawFamily.allCases)
  func adopts(_ family: RawFamily) throws {
    let listener = try RawListener(family: family)
    let connecting = try RawPeer.connect(port: listener.port, family: family)
    let peer = try listener.accept()
    let delegate = RecorderDelegate()
    let queue = DispatchQueue(label: "delegate")
    let socket = try GCDAsyncSocket(
      fromConnectedSocketFD: connecting.release(), delegate: delegate, delegateQueue: queue)
    #expect(socket.isConnected && !socket.isDisconnected)
    #expect(socket.connectedHost == family.host && socket.connectedPort == listener.port)
    #expect(socket.isIPv4 == (family == .ipv4) && socket.isIPv6 == (family == .ipv6))
    try delegate.wait(for: .connected(host: family.host, port: listener.port), of: socket)
    socket.perform { #expect(fcntl(socket.socketFD(), F_GETFL) & O_NONBLOCK != 0) }
    socket.readData(toLength: 4, withTimeout: -1, tag: 1)
    socket.write(data("ping"), withTimeout: -1, tag: 2)
    #expect(try peer.receive(4) == Array("ping".utf8))
    try peer.send("pong")
    #expect(try delegate.bytes(ofRead: 1, of: socket) == data("pong"))
  }

  @Test("an adopted socket without a delegate works, and gets one later (LIFE-23)")
  func adoptsSilently() throws {
    let listener = try RawListener()
    let connecting = try RawPeer.connect(port: listener.port)
    let peer = try listener.accept()
    let socket = try GCDAsyncSocket(fromConnectedSocketFD: connecting.release(), socketQueue: nil)
    #expect(socket.isConnected)
    socket.write(data("early"), withTimeout: -1, tag: 1)
    #expect(try peer.receive(5) == Array("early".utf8))
    let delegate = RecorderDelegate()
    socket.setDelegate(delegate, delegateQueue: DispatchQueue(label: "late"))
    socket.readData(toLength: 4, withTimeout: -1, tag: 2)
    try peer.send("late")
    #expect(try delegate.bytes(ofRead: 2, of: socket) == data("late"))
    #expect(delegate.kinds(of: socket).count == 1)
  }

  @Test("what is no connected IP socket is not adopted and stays the caller's (LIFE-22, ERR-10)")
  func refusesToAdopt() throws {
    let (local, _) = try RawPeer.pair()
    var pipes: [Int32] = [-1, -1]
    try #require(pipe(&pipes) == 0)
    let unconnected = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let datagram = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    (address.sin_port, address.sin_addr.s_addr) = (UInt16(9).bigEndian, INADDR_LOOPBACK.bigEndian)
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(datagram, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    try #require(isConnected)
    for (name, descriptor) in [
      ("unconnected", unconnected), ("datagram", datagram), ("pipe", pipes[0]), ("Unix-domain", local.descriptor),
      ("closed", -1),
    ] {
      let error = #expect(throws: (any Error).self, "\(name)") {
        _ = try GCDAsyncSocket(fromConnectedSocketFD: descriptor, socketQueue: nil)
      }
      #expect((error as? GCDAsyncSocketError)?.code == .otherError, "\(name)")
      if descriptor >= 0 { #expect(fcntl(descriptor, F_GETFD) >= 0, "\(name): closed") }
    }
    for descriptor in pipes + [unconnected, datagram] { close(descriptor) }
  }

  @Test("a Unix-domain connection, and a message each way (ACC-34, DIAG-14)")
  func unixDomain() throws {
    let path = freshSocketPath()
    let serverDelegate = RecorderDelegate()
    let clientDelegate = RecorderDelegate()
    let listener = GCDAsyncSocket(delegate: serverDelegate, delegateQueue: DispatchQueue(label: "server"))
    try listener.accept(on: URL(fileURLWithPath: path))
    let client = GCDAsyncSocket(delegate: clientDelegate, delegateQueue: DispatchQueue(label: "client"))
    try client.connect(to: URL(fileURLWithPath: path), withTimeout: 30)
    try clientDelegate.wait(for: .connectedToPath(path), of: client)
    let child = try serverDelegate.child()
    #expect(client.connectedUrl?.path == path && child.connectedUrl == nil)
    for socket in [client, child] {
      #expect(socket.isConnected && !socket.isIPv4 && !socket.isIPv6)
      #expect(socket.connectedHost == nil && socket.connectedPort == 0 && socket.connectedAddress == nil)
    }
    child.readData(to: GCDAsyncSocket.crlfData(), withTimeout: -1, tag: 1)
    client.write(data("from the client\r\n"), withTimeout: -1, tag: 2)
    #expect(try serverDelegate.bytes(ofRead: 1, of: child) == data("from the client\r\n"))
    client.readData(to: GCDAsyncSocket.crlfData(), withTimeout: -1, tag: 3)
    child.write(data("from the server\r\n"), withTimeout: -1, tag: 4)
    #expect(try clientDelegate.bytes(ofRead: 3, of: client) == data("from the server\r\n"))
    listener.disconnect()
    client.disconnect()
    try serverDelegate.waitForDisconnect(of: child)
    #expect(client.connectedUrl == nil)
  }

  @Test("a read of two writes' length neither times out nor disconnects")
  func readSpansWrites() throws {
    let pair = try SocketPair()
    let half = countingBytes(50 * 1024)
    pair.client.readData(toLength: 100 * 1024, withTimeout: 30, tag: 1)
    pair.server.write(Data(half), withTimeout: -1, tag: 1)
    pair.server.write(Data(half), withTimeout: -1, tag: 2)
    #expect(try pair.clientDelegate.bytes(ofRead: 1, of: pair.client) == Data(half + half))
    #expect(pair.clientDelegate.count { $0.isDisconnect } == 0)
    #expect(pair.client.isConnected)
  }

  @Test("Unix-domain paths that lead nowhere (CON-34)")
  func unixDomainFailures() throws {
    let delegate = RecorderDelegate()
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    try socket.connect(to: URL(fileURLWithPath: freshSocketPath()), withTimeout: 30)
    try delegate.waitForDisconnect(of: socket)
    #expect(delegate.disconnectError(of: socket)?.isPOSIX(ENOENT) == true)
    let web = try #require(URL(string: "http://example.org/path"))
    let error = #expect(throws: (any Error).self) { try socket.connect(to: web, withTimeout: -1) }
    #expect((error as? GCDAsyncSocketError)?.code == .badParamError)
    #expect(socket.isDisconnected)
  }
}
