import CocoaAsyncSocket
import Foundation
import Glibc
import SocketPOSIX
import TestSupport
import Testing

/// Listening, again and again, in bursts, and on paths (ACC).
@Suite struct ListeningTests {
  // In a process of its own: a program that another test starts has all descriptors for a moment, and so the port.
  @Test("500 times accept, disconnect, accept on the same port (ACC-16, ACC-17, ACC-28)")
  func samePort() async {
    await #expect(processExitsWith: .success) {
      for withClients in [false, true] {
        let delegate = RecorderDelegate(keepsChildren: false)
        let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
        let port = try socket.acceptOnQuietPort()
        for round in 1...500 {
          // The server's side closes first, so that the old connections linger in the kernel.
          if withClients { _ = try RawPeer.connect(port: port).ending() }
          socket.disconnect()
          #expect(socket.isDisconnected && socket.localPort == 0)
          try socket.accept(onPort: port)
          #expect(socket.localPort == port && !socket.isDisconnected && !socket.isConnected)
          if round % 100 == 0 { try delegate.waitForDisconnect(of: socket, times: round) }
        }
        socket.disconnect()
        try delegate.waitForDisconnect(of: socket, times: 501)
        #expect(delegate.disconnectError(of: socket) == nil)
      }
    }
  }

  @Test("500 clients at once are all accepted, in the kernel's order (ACC-29)")
  func burst() async {
    await #expect(processExitsWith: .success) {
      ProcessFacts.allowMostDescriptors()
      let delegate = RecorderDelegate()
      let queue = DispatchQueue(label: "delegate")
      let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: queue)
      try listener.accept(onPort: 0)
      let peers = try (0..<500).map { _ in try RawPeer.unconnected() }
      for peer in peers { try peer.connect(port: listener.localPort) }
      try delegate.wait("didAccept", count: 500) { $0.kind == .accepted }
      #expect(delegate.children.map(\.connectedPort) == peers.map(\.localPort))
      for child in delegate.children {
        child.readData(toLength: 2, withTimeout: -1, tag: 1)
        child.write(data("ok"), withTimeout: -1, tag: 1)
      }
      for peer in peers {
        #expect(try peer.receive(2) == Array("ok".utf8))
        try peer.send("me")
      }
      try delegate.wait("didRead", count: 500) { $0.isRead }
      // Per connection: the question for its queue, then the connection, nothing between (ACC-18).
      let listenerEvents = delegate.kinds(of: listener)
      for (index, kind) in listenerEvents.enumerated() {
        let isQuestion = if case .childQueue = kind { true } else { false }
        #expect(isQuestion == (index % 2 == 0))
      }
    }
  }

  @Test("500 clients on many threads are all accepted (ACC-29)")
  func burstFromThreads() async {
    await #expect(processExitsWith: .success) {
      ProcessFacts.allowMostDescriptors()
      let delegate = RecorderDelegate(onAccept: { $0.write(data("ok"), withTimeout: -1, tag: 1) })
      let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
      try listener.accept(onPort: 0)
      let port = listener.localPort
      try onThreads(10) { thread in
        do {
          let family: RawFamily = thread % 2 == 0 ? .ipv4 : .ipv6
          let peers = try (0..<50).map { _ in try RawPeer.connect(port: port, family: family) }
          for peer in peers { #expect(try peer.receive(2) == Array("ok".utf8)) }
        } catch {
          Issue.record("\(error)")
        }
      }
      try delegate.wait("didAccept", count: 500) { $0.kind == .accepted }
      #expect(delegate.count { $0.kind == .accepted } == 500)
    }
  }

  @Test("900 clients that come while the socket queue is busy are all accepted (ACC-29, INV-17)")
  func burstWhileBusy() async {
    await #expect(processExitsWith: .success) {
      ProcessFacts.allowMostDescriptors()
      let delegate = RecorderDelegate()
      let socketQueue = DispatchQueue(label: "socket")
      let listener = GCDAsyncSocket(
        delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"), socketQueue: socketQueue)
      try listener.accept(onPort: 0)
      let port = listener.localPort
      // More than are accepted in one go, and nothing will wake the listener again once they have come.
      socketQueue.suspend()
      let peers = try (0..<900).map { _ in try RawPeer.connect(port: port) }
      socketQueue.resume()
      try delegate.wait("didAccept", count: 900) { $0.kind == .accepted }
      withExtendedLifetime(peers) {}
    }
  }

  @Test("a port that is taken in one family only is given back in the other (ACC-04, ACC-05)")
  func takenInOneFamily() async {
    await #expect(processExitsWith: .success) {
      let delegate = RecorderDelegate()
      var isGivenBack = false
      // Somebody on this host may be connected from just that port of IPv4.
      for _ in 0..<20 where !isGivenBack {
        let busy = try RawListener(family: .ipv6, onAnyAddress: true)
        let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
        let error = #expect(throws: (any Error).self) { try socket.accept(onPort: busy.port) }
        #expect(RecordedError(try #require(error)).isPOSIX(EADDRINUSE))
        let other = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
        other.isIPv6Enabled = false
        isGivenBack = (try? other.accept(onPort: busy.port)) != nil
        withExtendedLifetime(socket) {}
      }
      #expect(isGivenBack)
    }
  }

  @Test("without IPv6, localhost is listened on in IPv4 alone (ACC-10)", .enabled(if: getuid() == 0))
  func localhostWithoutIPv6() async {
    await #expect(processExitsWith: .success) {
      let failures = try IsolatedNetwork.runWithoutIPv6 {
        let delegate = RecorderDelegate()
        for (index, host) in ["localhost", "loopback"].enumerated() {
          let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
          try socket.accept(onInterface: host, port: 0)
          try RawPeer.connect(port: socket.localPort).close()
          _ = try delegate.child(index)
        }
        // What was asked for by its address is missed, and so is what is the only one asked for.
        for (interface, isIPv4Enabled, domain) in [
          ("::1", true, GCDAsyncSocketErrorDomain), ("localhost", false, NSPOSIXErrorDomain),
        ] {
          let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
          socket.isIPv4Enabled = isIPv4Enabled
          do {
            try socket.accept(onInterface: interface, port: 0)
            throw WaitFailure("\(interface) can be listened on")
          } catch let error as NSError where error.domain == domain {}
        }
      }
      #expect(failures.isEmpty)
    }
  }

  @Test("clients that reset at once don't hurt the good ones (ACC-30)")
  func resettingClients() throws {
    let delegate = RecorderDelegate(onAccept: { child in
      child.readData(toLength: 4, withTimeout: -1, tag: 1)
      child.write(data("welcome"), withTimeout: -1, tag: 1)
    })
    let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    try listener.accept(onPort: 0)
    for _ in 0..<200 {
      try RawPeer.connect(port: listener.localPort).reset()
      let good = try RawPeer.connect(port: listener.localPort)
      #expect(try good.receive(7) == Array("welcome".utf8))
      try good.send("bye!")
      good.finish()
      _ = try good.ending()
    }
    #expect(!listener.isDisconnected)
    try delegate.wait("didRead", count: 200) { $0.isRead }
    try eventually("every child has ended") { delegate.children.allSatisfy(\.isDisconnected) }
    let ids = Set(delegate.children.map(ObjectIdentifier.init))
    try delegate.wait("didDisconnect", count: ids.count) { $0.isDisconnect && ids.contains($0.socket) }
    for child in delegate.children { #expect(delegate.disconnectError(of: child) != nil) }
  }

  @Test("stopping the listener leaves its children alone (ACC-28)")
  func childrenSurvive() throws {
    let delegate = RecorderDelegate()
    let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    let port = try listener.acceptOnQuietPort()
    let peers = try (0..<3).map { _ in try RawPeer.connect(port: port) }
    let children = try (0..<3).map { try delegate.child($0) }
    listener.disconnect()
    try delegate.waitForDisconnect(of: listener)
    try eventually("new clients are refused") { (try? RawPeer.connect(port: port)) == nil }
    for (index, child) in children.enumerated() {
      child.readData(toLength: 4, withTimeout: -1, tag: index)
      child.write(data("ping"), withTimeout: -1, tag: index)
    }
    for peer in peers {
      #expect(try peer.receive(4) == Array("ping".utf8))
      try peer.send("pong")
    }
    for (index, child) in children.enumerated() {
      #expect(try delegate.bytes(ofRead: index, of: child) == data("pong"))
    }
  }

  // MARK: Paths

  @Test("paths that can't be listened on, and what is there stays (ACC-35, ACC-36, ERR-10)")
  func badPaths() throws {
    let delegate = RecorderDelegate()
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    let file = freshSocketPath()
    let folder = freshSocketPath()
    try Data("precious".utf8).write(to: URL(fileURLWithPath: file))
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    defer { for path in [file, folder] { try? FileManager.default.removeItem(atPath: path) } }
    let web = try #require(URL(string: "https://example.org"))
    let rows: [(name: String, url: URL, code: GCDAsyncSocketError.Code)] = [
      ("200 characters", URL(fileURLWithPath: "/tmp/" + String(repeating: "x", count: 200)), .badParamError),
      ("no file URL", web, .badParamError),
      ("a regular file", URL(fileURLWithPath: file), .otherError),
      ("a folder", URL(fileURLWithPath: folder), .otherError),
    ]
    for row in rows {
      let error = #expect(throws: (any Error).self, "\(row.name)") { try socket.accept(on: row.url) }
      #expect((error as? GCDAsyncSocketError)?.code == row.code, "\(row.name)")
      #expect(socket.isDisconnected, "\(row.name)")
    }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
    var isFolder: ObjCBool = false
    #expect(FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) && isFolder.boolValue)
  }

  @Test("the longest path that fits is listened on whole (ACC-35)")
  func longestPath() throws {
    let folder = "/tmp"
    let path =
      folder + "/" + String(repeating: "s", count: 107 - folder.utf8.count - 9)
      + UUID().uuidString.prefix(8)
    #expect(path.utf8.count == 107)
    let delegate = RecorderDelegate()
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    try socket.accept(on: URL(fileURLWithPath: path))
    #expect(FileManager.default.fileExists(atPath: path))
    let client = try RawPeer.connect(path: path)
    _ = try delegate.child()
    client.close()
    socket.disconnect()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test("a stale socket is replaced, and the path goes with the listener (ACC-36, ACC-37)")
  func stalePath() throws {
    let path = freshSocketPath()
    let delegate = RecorderDelegate()
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    for round in 0..<3 {
      // What a program that ended without cleaning up leaves behind.
      do { _ = try RawListener(path: path) }
      #expect(FileManager.default.fileExists(atPath: path))
      try socket.accept(on: URL(fileURLWithPath: path))
      let peer = try RawPeer.connect(path: path)
      _ = try delegate.child(round)
      peer.close()
      socket.disconnect()
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test("a listener that gets no descriptor leaves the one at its path alone (ACC-36)")
  func pathWithoutDescriptors() async {
    await #expect(processExitsWith: .success) {
      let (path, other) = (freshSocketPath(), freshSocketPath())
      let listener = try RawListener(path: path)
      let delegate = RecorderDelegate()
      let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
      // The event loop has its descriptors then.
      try socket.accept(on: URL(fileURLWithPath: other))
      socket.disconnect()
      // What is closed behind the limit's back would be a descriptor to have.
      _ = try ProcessFacts.settledDescriptors()
      ProcessFacts.allowDescriptors(more: 0)
      #expect(throws: NSError.self) { try socket.accept(on: URL(fileURLWithPath: path)) }
      #expect(FileManager.default.fileExists(atPath: path))
      ProcessFacts.allowMostDescriptors()
      try socket.accept(on: URL(fileURLWithPath: path))
      socket.disconnect()
      withExtendedLifetime(listener) {}
    }
  }

  /// Whether this kernel keeps port 80 for the privileged.
  private static var hasPrivilegedPorts: Bool {
    let first = try? String(contentsOfFile: "/proc/sys/net/ipv4/ip_unprivileged_port_start", encoding: .utf8)
    return first.flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 1024 > 80
  }

  @Test(
    "a port below 1024 is refused to who may not bind it, with EACCES (ACC-07, LIFE-14)",
    .enabled(if: hasPrivilegedPorts, "this machine gives port 80 to everybody"))
  func privilegedPort() async {
    await #expect(processExitsWith: .success) {
      // Whoever runs the tests as root gives that up, in this process only.
      if geteuid() == 0 { #expect(setgid(65534) == 0 && setuid(65534) == 0) }
      let delegate = RecorderDelegate()
      let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
      for start in [{ try socket.accept(onPort: 80) }, { try socket.accept(onInterface: "localhost", port: 80) }] {
        let error = #expect(throws: (any Error).self) { try start() }
        #expect(error.map { RecordedError($0).isPOSIX(EACCES) } == true, "\(String(describing: error))")
        #expect(socket.isDisconnected && socket.localPort == 0)
      }
      try socket.accept(onPort: 0)
      #expect(socket.localPort >= 1024)
    }
  }
}
