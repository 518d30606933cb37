import CocoaAsyncSocket
import Foundation
import SocketPOSIX
import TestSupport
import Testing

/// Sockets nobody refers to are freed, and what they held is given back (LIFE-18…LIFE-21).
@Suite struct LifetimeTests {
  /// What a socket is doing when it is let go.
  enum Activity: String, CaseIterable, Sendable {
    case listening, listeningDual, unixListening, connected, connectedReading, connectedWriting, accepted, adopted
    case connecting, afterDisconnect
  }

  /// A socket in that activity, and what checks that its descriptor is gone.
  private static func start(
    _ activity: Activity, _ socket: GCDAsyncSocket, _ delegate: RecorderDelegate
  ) throws -> () throws -> Void {
    switch activity {
    case .listening, .listeningDual:
      socket.isIPv6Enabled = activity == .listeningDual
      let port = try socket.acceptOnQuietPort()
      return { try eventually("the port is free", limit: 20) { (try? RawListener(port: port)) != nil } }
    case .unixListening:
      let path = freshSocketPath()
      try socket.accept(on: URL(fileURLWithPath: path))
      return { try eventually("the path is gone", limit: 20) { !FileManager.default.fileExists(atPath: path) } }
    case .connecting:
      let hole = try BlackHole()
      try socket.connect(toHost: "127.0.0.1", onPort: hole.port, withTimeout: 100)
      return { withExtendedLifetime(hole) {} }
    default:
      let listener = try RawListener()
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      let peer = try listener.accept()
      try delegate.waitForConnect(of: socket)
      if activity == .connectedReading { socket.readData(toLength: 9, withTimeout: 100, tag: 1) }
      if activity == .connectedWriting { socket.write(Data(count: 32 << 20), withTimeout: 100, tag: 1) }
      if activity == .afterDisconnect { socket.disconnect() }
      return { _ = try peer.ending(within: 20) }
    }
  }

  @Test("the last reference ends the socket within a second, silently", arguments: Activity.allCases)
  func lastReference(_ activity: Activity) throws {
    let delegate = RecorderDelegate()
    let queue = DispatchQueue(label: "delegate")
    weak var witness: GCDAsyncSocket?
    weak var userData: NSObject?
    let isGone: () throws -> Void
    switch activity {
    case .accepted: isGone = try Self.acceptedChild(delegate, queue) { witness = $0 }
    case .adopted: isGone = try Self.adopted(delegate, queue) { witness = $0 }
    default:
      let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: queue)
      witness = socket
      let mark = NSObject()
      socket.userData = mark
      userData = mark
      isGone = try Self.start(activity, socket, delegate)
      queue.sync {}
      _ = consume socket
    }
    let start = monotonicSeconds()
    try eventually("the socket is freed", limit: 20) { witness == nil && userData == nil }
    // A second is the contract's; the limit above is for a machine that is busy with other things.
    if monotonicSeconds() - start > 1 { print("slow machine: freeing took \(monotonicSeconds() - start) s") }
    try isGone()
    queue.sync {}
    #expect(delegate.count { $0.isDisconnect } == (activity == .afterDisconnect ? 1 : 0))
  }

  private static func acceptedChild(
    _ delegate: RecorderDelegate, _ queue: DispatchQueue, _ show: (GCDAsyncSocket) -> Void
  ) throws -> () throws -> Void {
    let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: queue)
    try listener.accept(onPort: 0)
    let peer = try RawPeer.connect(port: listener.localPort)
    let child = try delegate.child()
    show(child)
    delegate.dropChildren()
    queue.sync {}
    return {
      _ = try peer.ending(within: 20)
      withExtendedLifetime(listener) {}
    }
  }

  private static func adopted(
    _ delegate: RecorderDelegate, _ queue: DispatchQueue, _ show: (GCDAsyncSocket) -> Void
  ) throws -> () throws -> Void {
    let listener = try RawListener()
    let connecting = try RawPeer.connect(port: listener.port)
    let peer = try listener.accept()
    let socket = try GCDAsyncSocket(
      fromConnectedSocketFD: connecting.release(), delegate: delegate, delegateQueue: queue)
    show(socket)
    try delegate.waitForConnect(of: socket)
    queue.sync {}
    return { _ = try peer.ending(within: 20) }
  }

  @Test("a child that the delegate does not keep closes (ACC-22)", arguments: [false, true])
  func unkeptChild(clientSends: Bool) throws {
    let delegate = RecorderDelegate(keepsChildren: false)
    let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    try listener.accept(onPort: 0)
    for _ in 0..<50 {
      let peer = try RawPeer.connect(port: listener.localPort)
      if clientSends { try? peer.send("hello") }
      _ = try peer.ending()
    }
    #expect(delegate.count { $0.isRead || $0.isDisconnect } == 0)
  }

  @Test("the delegate is held weakly: it dies, the connection goes on, a new one continues (LIFE-21)")
  func delegateDies() throws {
    let listener = try RawListener()
    let queue = DispatchQueue(label: "delegate")
    weak var witness: RecorderDelegate?
    let socket = GCDAsyncSocket(delegate: nil, delegateQueue: queue)
    let peer: RawPeer
    do {
      let first = RecorderDelegate()
      witness = first
      socket.delegate = first
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      peer = try listener.accept()
      try first.waitForConnect(of: socket)
      queue.sync {}
    }
    try eventually("the delegate is freed") { witness == nil }
    #expect(socket.delegate == nil && socket.isConnected)
    socket.readData(toLength: 3, withTimeout: -1, tag: 1)
    try peer.send("abcdef")
    try eventually("the read is consumed") { socket.description.contains("reads: 0") }
    let second = RecorderDelegate()
    socket.delegate = second
    socket.readData(toLength: 3, withTimeout: -1, tag: 2)
    #expect(try second.bytes(ofRead: 2, of: socket) == data("def"))
    #expect(second.occurrences.count == 1)
  }

  @Test("userData is kept while it is set, and not longer (CFG-13)")
  func userDataLives() {
    final class Session {}
    let socket = GCDAsyncSocket()
    weak var witness: Session?
    do {
      let session = Session()
      witness = session
      socket.userData = session
    }
    #expect(witness != nil)
    socket.userData = nil
    #expect(witness == nil)
  }
}
