import CocoaAsyncSocket
import Foundation
import Glibc
import TestSupport
import Testing

/// TCP_NODELAY is set unless somebody turns it off (D-33).
@Suite struct NoDelayTests {
  /// The kernel's word; nil where there is no such option.
  private static func noDelay(_ descriptor: Int32) -> Bool? {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &value, &size) == 0 else { return nil }
    return value != 0
  }

  private static func noDelay(_ socket: GCDAsyncSocket) -> Bool? {
    var found: Bool?
    socket.perform { found = noDelay(socket.socketFD()) }
    return found
  }

  @Test("connected and accepted sockets send at once", arguments: RawFamily.allCases, [false, true])
  func isSetByDefault(family: RawFamily, hasQueue: Bool) throws {
    let queue = hasQueue ? DispatchQueue(label: "socket") : nil
    let link = try SocketAndPeer(socketQueue: queue, family: family)
    #expect(link.socket.isTCPNoDelayEnabled)
    #expect(Self.noDelay(link.socket) == true)

    let delegate = RecorderDelegate()
    let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "d"), socketQueue: queue)
    try listener.accept(onPort: 0)
    let peer = try RawPeer.connect(port: listener.localPort, family: family)
    let child = try delegate.child()
    #expect(child.isTCPNoDelayEnabled)
    #expect(Self.noDelay(child) == true)
    withExtendedLifetime(peer) {}
  }

  @Test("both attempts of a race send at once, so whichever wins does")
  func everyAttempt() throws {
    for family in RawFamily.allCases {
      // Only one of the two addresses of localhost answers.
      let listener = try RawListener(family: family)
      let delegate = RecorderDelegate()
      let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "d"))
      try socket.connect(toHost: "localhost", onPort: listener.port)
      try delegate.waitForConnect(of: socket)
      #expect(socket.isIPv4 == (family == .ipv4))
      #expect(Self.noDelay(socket) == true)
    }
  }

  @Test("an adopted descriptor sends at once, whatever it did before")
  func adopted() throws {
    let listener = try RawListener()
    let own = try RawPeer.connect(port: listener.port)
    let peer = try listener.accept()
    #expect(Self.noDelay(own.descriptor) == false)
    let socket = try GCDAsyncSocket(
      fromConnectedSocketFD: fcntl(own.descriptor, F_DUPFD_CLOEXEC, 0), socketQueue: nil)
    #expect(Self.noDelay(socket) == true)
    socket.isTCPNoDelayEnabled = false
    #expect(Self.noDelay(socket) == false)
    withExtendedLifetime(peer) {}
  }

  @Test("turned off before the start it is never set, and children inherit that")
  func turnedOff() throws {
    let listener = try RawListener()
    let connecting = RecorderDelegate()
    let socket = GCDAsyncSocket(delegate: connecting, delegateQueue: DispatchQueue(label: "d"))
    socket.isTCPNoDelayEnabled = false
    try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
    let first = try listener.accept()
    try connecting.waitForConnect(of: socket)
    #expect(!socket.isTCPNoDelayEnabled)
    #expect(Self.noDelay(socket) == false)

    let delegate = RecorderDelegate()
    let server = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "d"))
    server.isTCPNoDelayEnabled = false
    try server.accept(onPort: 0)
    let second = try RawPeer.connect(port: server.localPort)
    let child = try delegate.child()
    #expect(!child.isTCPNoDelayEnabled)
    #expect(Self.noDelay(child) == false)

    // The listener's later mind is its later clients'.
    server.isTCPNoDelayEnabled = true
    let third = try RawPeer.connect(port: server.localPort)
    let later = try delegate.child(1)
    #expect(Self.noDelay(later) == true && later.isTCPNoDelayEnabled)
    #expect(Self.noDelay(child) == false && !child.isTCPNoDelayEnabled)
    withExtendedLifetime((first, second, third)) {}
  }

  @Test("a change reaches the connection at once and lasts over a disconnect (CFG-19)")
  func changedLive() throws {
    let listener = try RawListener()
    let delegate = RecorderDelegate()
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "d"))
    try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
    try delegate.waitForConnect(of: socket)
    for wanted in [false, true, false] {
      socket.isTCPNoDelayEnabled = wanted
      #expect(socket.isTCPNoDelayEnabled == wanted && Self.noDelay(socket) == wanted)
    }
    socket.disconnect()
    try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
    try delegate.waitForConnect(of: socket, times: 2)
    #expect(Self.noDelay(socket) == false)
  }

  @Test("a change reaches an attempt that is under way")
  func changedWhileConnecting() throws {
    // The queue is full, so that the attempt's first packet is dropped and it stays one for a second.
    let listener = try RawListener(backlog: 0)
    let first = try RawPeer.connect(port: listener.port)
    let delegate = RecorderDelegate()
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "d"))
    try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
    socket.isTCPNoDelayEnabled = false
    #expect(!socket.isConnected)
    let taken = try listener.accept()
    try delegate.waitForConnect(of: socket)
    #expect(Self.noDelay(socket) == false)
    withExtendedLifetime((first, taken)) {}
  }

  @Test("Unix-domain sockets have no such option, and nothing is tried")
  func unixDomain() throws {
    let path = freshSocketPath()
    let delegate = RecorderDelegate()
    let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "d"))
    try listener.accept(on: URL(fileURLWithPath: path))
    let clientDelegate = RecorderDelegate()
    let client = GCDAsyncSocket(delegate: clientDelegate, delegateQueue: DispatchQueue(label: "c"))
    try client.connect(to: URL(fileURLWithPath: path), withTimeout: 5)
    let child = try delegate.child()
    try clientDelegate.waitForConnect(of: client)
    for socket in [client, child] {
      #expect(Self.noDelay(socket) == nil)
      socket.isTCPNoDelayEnabled = false
      #expect(!socket.isTCPNoDelayEnabled && socket.isConnected)
    }
    client.write(data("still there"), withTimeout: -1, tag: 0)
    child.readData(toLength: 11, withTimeout: 5, tag: 1)
    #expect(try delegate.bytes(ofRead: 1, of: child) == data("still there"))
  }
}
