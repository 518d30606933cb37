import Foundation
import Glibc
import TestSupport
import Testing

@testable import CocoaAsyncSocket

/// Unix-domain paths: whose they are, how long a connection to a busy one waits, and which URLs name one.
@Suite struct UnixPathTests {
  private static func socket(_ delegate: RecorderDelegate) -> GCDAsyncSocket {
    GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
  }

  // MARK: Whose path it is

  /// Who has the path by the time the listener ends.
  enum Successor: String, CaseIterable, Sendable { case ourListener, foreignListener, file, nobody }

  @Test("a path that has become another's outlives the listener (ACC-37)", arguments: Successor.allCases)
  func takenOver(by successor: Successor) throws {
    let path = freshSocketPath()
    defer { unlink(path) }
    let delegate = RecorderDelegate()
    let first = Self.socket(delegate)
    let second = Self.socket(delegate)
    try first.accept(on: URL(fileURLWithPath: path))
    var foreign: RawListener?
    switch successor {
    case .ourListener: try second.accept(on: URL(fileURLWithPath: path))
    case .foreignListener:
      unlink(path)
      foreign = try RawListener(path: path)
    case .file:
      unlink(path)
      try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
    case .nobody: unlink(path)
    }
    first.disconnect()
    #expect(FileManager.default.fileExists(atPath: path) == (successor != .nobody))
    if successor == .ourListener {
      let client = try RawPeer.connect(path: path)
      _ = try delegate.child()
      client.close()
      second.disconnect()
      #expect(!FileManager.default.fileExists(atPath: path))
    }
    if let foreign {
      let client = try RawPeer.connect(path: path)
      _ = try foreign.accept()
      client.close()
    }
  }

  @Test("a path that begins in the working directory is found again from another one (ACC-37)")
  func pathInTheWorkingDirectory() throws {
    let path = freshSocketPath()
    defer { unlink(path) }
    let listener = try RawListener(path: path)
    let url = URL(fileURLWithPath: path)
    let folder = url.deletingLastPathComponent().path
    // The working directory of the tests is another one: to look there finds nothing.
    #expect(UnixListenerFile(boundAt: url.lastPathComponent, workingDirectory: "") == nil)
    let file = try #require(UnixListenerFile(boundAt: url.lastPathComponent, workingDirectory: folder))
    file.remove()
    #expect(!FileManager.default.fileExists(atPath: path))
    withExtendedLifetime(listener) {}
  }

  /// What a symbolic link at the path leads to.
  enum Target: String, CaseIterable, Sendable { case nothing, file, folder, staleSocket, listener }

  @Test("a symbolic link at the path is no socket: it stays, and what it leads to (ACC-36)", arguments: Target.allCases)
  func symbolicLink(to target: Target) throws {
    let path = freshSocketPath()
    let place = freshSocketPath()
    defer { for path in [path, place] { try? FileManager.default.removeItem(atPath: path) } }
    var listener: RawListener?
    switch target {
    case .nothing: break
    case .file: try Data("precious".utf8).write(to: URL(fileURLWithPath: place))
    case .folder: try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    case .staleSocket: do { _ = try RawListener(path: place) }
    case .listener: listener = try RawListener(path: place)
    }
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: place)
    let delegate = RecorderDelegate()
    let socket = Self.socket(delegate)
    let error = #expect(throws: (any Error).self) { try socket.accept(on: URL(fileURLWithPath: path)) }
    withExtendedLifetime(delegate) {}
    #expect((error as? GCDAsyncSocketError)?.code == .otherError)
    #expect((error as NSError?)?.localizedDescription.contains("left alone") == true)
    #expect(socket.isDisconnected)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path) == place)
    #expect(FileManager.default.fileExists(atPath: place) == (target != .nothing))
    if let listener {
      // Clients go the way of the link.
      let client = try RawPeer.connect(path: path)
      _ = try listener.accept()
      client.close()
    }
  }

  @Test("servers that replace one another are reached at every moment (ACC-37)")
  func restarts() throws {
    let path = freshSocketPath()
    let delegate = RecorderDelegate()
    var current = Self.socket(delegate)
    try current.accept(on: URL(fileURLWithPath: path))
    for round in 0..<20 {
      let next = Self.socket(delegate)
      try next.accept(on: URL(fileURLWithPath: path))
      current.disconnect()
      current = next
      try RawPeer.connect(path: path).close()
      _ = try delegate.child(round)
    }
    current.disconnect()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  // MARK: A full backlog

  /// A listener whose queue is full, and the client that fills it.
  private struct Busy {
    let path = freshSocketPath()
    let listener: RawListener
    let first: RawPeer

    init() throws {
      listener = try RawListener(path: path, backlog: 0)
      first = try RawPeer.connect(path: path)
    }
  }

  @Test("a connection to a full backlog waits until there is room (CON-08, WR-14)", arguments: [-1.0, 60.0])
  func waitsForRoom(timeout: Double) throws {
    let busy = try Busy()
    defer { unlink(busy.path) }
    let delegate = RecorderDelegate()
    let socket = Self.socket(delegate)
    try socket.connect(to: URL(fileURLWithPath: busy.path), withTimeout: timeout)
    #expect(stays(for: 0.2) { delegate.occurrences.isEmpty && !socket.isDisconnected })
    _ = try busy.listener.accept()
    try delegate.waitForConnect(of: socket)
    let peer = try busy.listener.accept()
    try peer.send("hello")
    socket.readData(toLength: 5, withTimeout: -1, tag: 1)
    #expect(try delegate.bytes(ofRead: 1, of: socket) == Data("hello".utf8))
    #expect(socket.connectedUrl?.path == busy.path)
  }

  @Test("what does not find room in time ends with the connect timeout (CON-08)", arguments: [0, 0.15])
  func runsOutOfTime(timeout: Double) throws {
    let busy = try Busy()
    defer { unlink(busy.path) }
    let delegate = RecorderDelegate()
    let socket = Self.socket(delegate)
    let start = monotonicSeconds()
    try socket.connect(to: URL(fileURLWithPath: busy.path), withTimeout: timeout)
    try delegate.waitForDisconnect(of: socket)
    #expect(monotonicSeconds() - start >= timeout)
    #expect(delegate.disconnectError(of: socket)?.isLibrary(.connectTimeoutError) == true)
    // Whoever waits in the queue is the first client still, and nobody else.
    _ = try busy.listener.accept()
    #expect((try? busy.listener.accept(within: 0.05)) == nil)
  }

  @Test("a disconnect, or the listener's end, ends the wait (CON-14, CON-34)", arguments: [true, false])
  func waitEnds(byDisconnect: Bool) throws {
    var busy: Busy? = try Busy()
    let path = try #require(busy?.path)
    defer { unlink(path) }
    let delegate = RecorderDelegate()
    let socket = Self.socket(delegate)
    try socket.connect(to: URL(fileURLWithPath: path), withTimeout: -1)
    #expect(stays(for: 0.05) { !socket.isDisconnected })
    if byDisconnect { socket.disconnect() } else { busy = nil }
    try delegate.waitForDisconnect(of: socket)
    let error = delegate.disconnectError(of: socket)
    #expect(byDisconnect ? error == nil : error?.isPOSIX(ECONNREFUSED) == true, "\(String(describing: error))")
    withExtendedLifetime(busy) {}
  }

  @Test("a hundred clients that wait for a slow server are all served, and cost next to nothing (INV-10)")
  func crowd() async {
    await #expect(processExitsWith: .success) {
      let busy = try Busy()
      let delegate = RecorderDelegate()
      let queue = DispatchQueue(label: "delegate")
      let sockets = (0..<100).map { _ in GCDAsyncSocket(delegate: delegate, delegateQueue: queue) }
      for socket in sockets { try socket.connect(to: URL(fileURLWithPath: busy.path), withTimeout: 60) }
      _ = ProcessFacts.idleLoad(over: 0.3)
      let load = ProcessFacts.idleLoad(over: 0.5)
      #expect(load < (ProcessFacts.isSanitized ? 0.9 : 0.25), "load \(load)")
      var peers = [try busy.listener.accept()]
      for _ in sockets { peers.append(try busy.listener.accept()) }
      try delegate.wait("didConnect", count: 100) { $0.kind == .connectedToPath(busy.path) }
      #expect(delegate.occurrences.count == 100)
      unlink(busy.path)
    }
  }

  // MARK: URLs

  @Test("URLs of files, of no scheme and of the scheme unix name a path (ACC-34, CON-34)")
  func schemes() throws {
    let path = freshSocketPath()
    let urls = ["unix://\(path)", "UNIX:\(path)", "file://\(path)", path, "unix://\(path)#part"].map { URL(string: $0) }
    for (index, url) in urls.enumerated() {
      let url = try #require(url)
      let delegate = RecorderDelegate()
      let listener = Self.socket(delegate)
      try listener.accept(on: url)
      #expect(FileManager.default.fileExists(atPath: path), "\(url)")
      let client = Self.socket(delegate)
      try client.connect(to: try #require(urls[urls.count - 1 - index]), withTimeout: 60)
      try delegate.wait(for: .connectedToPath(path), of: client)
      listener.disconnect()
      #expect(!FileManager.default.fileExists(atPath: path), "\(url)")
    }
  }

  @Test(
    "a URL that names no path is refused by its name (ACC-35, CON-34)",
    arguments: ["https://example.org/tmp/x", "unix://", "unix://example.org", "http:", "unix:///tmp/a%00b"])
  func refusedURLs(_ text: String) throws {
    let url = try #require(URL(string: text))
    let socket = Self.socket(RecorderDelegate())
    for start in [{ try socket.accept(on: url) }, { try socket.connect(to: url, withTimeout: 1) }] {
      let error = RecordedError(try #require(#expect(throws: (any Error).self) { try start() }))
      #expect(error.isLibrary(.badParamError))
      #expect(error.text.contains(text), "\(error.text)")
      #expect(socket.isDisconnected)
    }
  }
}
