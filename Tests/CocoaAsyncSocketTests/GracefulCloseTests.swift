import CocoaAsyncSocket
import Foundation
import Glibc
import SocketPOSIX
import TestSupport
import Testing

/// A close after writing loses nothing (DIS-10, DIS-22, HALF-02).
@Suite struct GracefulCloseTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    /// What the peer sends that nobody reads.
    var unread = 0
    /// The peer sends a byte after each piece it drains.
    var keepsSending = false
    var peerFinishes = false
    var afterReads = false
    var letsGo = false
    var testDescription: String { name }
  }

  static let rows = [
    Row(name: "nothing unread"),
    Row(name: "unread bytes", unread: 10_000),
    Row(name: "many unread bytes", unread: 2 << 20),
    Row(name: "a read done before, and unread bytes", unread: 10_000, afterReads: true),
    Row(name: "the peer has ended its stream", peerFinishes: true),
    Row(name: "unread bytes, then the end of the stream", unread: 10_000, peerFinishes: true),
    Row(name: "the socket is let go right after", unread: 10_000, letsGo: true),
  ]

  @Test("a slow peer gets all of 4 MiB and then the end of the stream (DIS-22)", arguments: rows)
  func slowPeer(_ row: Row) throws {
    let delegate = RecorderDelegate()
    let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    try listener.accept(onPort: 0)
    let peer = try RawPeer.connect(port: listener.localPort, receiveBuffer: 1 << 16)
    var socket: GCDAsyncSocket? = try delegate.child()
    socket?.autoDisconnectOnClosedReadStream = false
    if row.unread > 0 { try peer.send([UInt8](repeating: 1, count: row.unread)) }
    if row.peerFinishes { peer.finish() }
    if row.afterReads {
      socket?.readData(toLength: 100, withTimeout: -1, tag: 1)
      if let socket { _ = try delegate.bytes(ofRead: 1, of: socket) }
    }
    let bytes = countingBytes(4 << 20)
    socket?.write(Data(bytes), withTimeout: -1, tag: 2)
    socket?.disconnectAfterWriting()
    if row.letsGo {
      // The library has to hold on until everything was handed to the kernel; the program waits for that only.
      let piece = try peer.receive(3 << 20)
      #expect(piece == Array(bytes[..<(3 << 20)]))
      if let socket { try delegate.waitForDisconnect(of: socket) }
      socket = nil
      delegate.dropChildren()
      #expect(try peer.receiveToEnd(pausing: 0.002) == Array(bytes[(3 << 20)...]))
      return
    }
    let received = try peer.receiveToEnd(pausing: 0.002)
    #expect(received.count == bytes.count)
    #expect(received == bytes)
    if let socket {
      try delegate.waitForDisconnect(of: socket)
      #expect(delegate.disconnectError(of: socket) == nil)
    }
  }

  @Test("a peer that never reads does not keep the descriptor for ever (INV-08)")
  func deafPeer() async {
    await #expect(processExitsWith: .success) {
      let delegate = RecorderDelegate(keepsChildren: false)
      let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
      try listener.accept(onPort: 0)
      // The loop that lingers exists by now, as does all that is made once.
      _ = try RawPeer.connect(port: listener.localPort).ending()
      let before = try ProcessFacts.settledDescriptors()
      let child = LockedValue<GCDAsyncSocket?>(nil)
      let second = RecorderDelegate(onAccept: { socket in child.withLock { $0 = socket } })
      listener.synchronouslySetDelegate(second)
      let peer = try RawPeer.connect(port: listener.localPort, receiveBuffer: 1 << 12)
      try second.wait("didAccept") { $0.kind == .accepted }
      child.withLock { $0 }?.write(Data(count: 1 << 16), withTimeout: -1, tag: 1)
      try second.wait("didWrite") { $0.kind == .wrote(tag: 1) }
      child.withLock { $0 }?.disconnectAfterWriting()
      try second.wait("didDisconnect") { $0.isDisconnect }
      // It waits, and then it gives up: only the peer's own descriptor is left.
      #expect(ProcessFacts.openDescriptors() == before + 2)
      try eventually("the descriptor is closed", limit: 30) { ProcessFacts.openDescriptors() == before + 1 }
      peer.close()
    }
  }

  @Test("a peer that goes on sending while it drains gets everything too (DIS-22)")
  func talkativePeer() throws {
    let delegate = RecorderDelegate()
    let listener = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    try listener.accept(onPort: 0)
    let peer = try RawPeer.connect(port: listener.localPort, receiveBuffer: 1 << 16)
    let socket = try delegate.child()
    let bytes = countingBytes(4 << 20)
    socket.write(Data(bytes), withTimeout: -1, tag: 2)
    socket.disconnectAfterWriting()
    var received: [UInt8] = []
    while received.count < bytes.count {
      received += try peer.receiveSome()
      // Until the library has let go of the connection this is read and thrown away.
      if received.count < bytes.count / 2 { try peer.send("more") }
    }
    #expect(received == bytes)
    #expect(try peer.ending() == .endOfStream)
  }

  @Test("the closing side's end reaches a peer that reads late (DIS-10)")
  func lateReader() throws {
    for round in 0..<50 {
      let link = try SocketAndPeer()
      link.socket.readData(withTimeout: -1, tag: 9)
      for tag in 0..<3 { link.socket.write(data("part \(tag);"), withTimeout: -1, tag: tag) }
      if round % 2 == 0 {
        link.socket.disconnectAfterWriting()
      } else {
        link.socket.disconnectAfterReadingAndWriting()
        try link.peer.send("x")
      }
      try link.delegate.waitForDisconnect(of: link.socket)
      #expect(try String(decoding: link.peer.receiveToEnd(), as: UTF8.self) == "part 0;part 1;part 2;")
      #expect(link.delegate.disconnectError(of: link.socket) == nil)
    }
  }

  @Test("half-closed, the whole reply goes out (HALF-02)")
  func halfClosedReply() throws {
    let link = try SocketAndPeer()
    link.socket.autoDisconnectOnClosedReadStream = false
    link.socket.readData(to: GCDAsyncSocket.crlfData(), withTimeout: -1, tag: 1)
    try link.peer.send("request\r\n")
    link.peer.finish()
    try link.delegate.wait(for: .readStreamClosed, of: link.socket)
    let bytes = countingBytes(4 << 20)
    link.socket.write(Data(bytes), withTimeout: -1, tag: 2)
    link.socket.disconnectAfterWriting()
    #expect(try link.peer.receiveToEnd(pausing: 0.001) == bytes)
    try link.delegate.waitForDisconnect(of: link.socket)
  }
}
