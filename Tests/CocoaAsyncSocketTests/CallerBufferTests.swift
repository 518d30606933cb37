import CocoaAsyncSocket
import Foundation
import Glibc
import TestSupport
import Testing

/// When a caller's buffer is filled (RD-BUF-02, RD-BUF-07, RD-BUF-11).
@Suite struct CallerBufferTests {
  /// How the bytes are asked for; each completes with "0123456789".
  enum Kind: String, CaseIterable, Sendable {
    case available, length, line

    func queue(on socket: GCDAsyncSocket, _ buffer: NSMutableData, offset: UInt, tag: Int) {
      switch self {
      case .available: socket.readData(withTimeout: -1, buffer: buffer, bufferOffset: offset, tag: tag)
      case .length: socket.readData(toLength: 10, withTimeout: -1, buffer: buffer, bufferOffset: offset, tag: tag)
      case .line:
        socket.readData(to: Data("9".utf8), withTimeout: -1, buffer: buffer, bufferOffset: offset, tag: tag)
      }
    }
  }

  enum Missing: String, CaseIterable, Sendable { case delegate, delegateQueue }

  @Test(
    "without a delegate or a queue the read completes and the buffer is filled (RD-BUF-02, CFG-11)",
    arguments: Kind.allCases, Missing.allCases)
  func nobodyToTell(_ kind: Kind, _ missing: Missing) throws {
    for hasSocketQueue in [false, true] {
      let pair = try SocketAndPeer(socketQueue: hasSocketQueue ? DispatchQueue(label: "socket") : nil)
      let buffer = NSMutableData(data: Data(repeating: 0xEE, count: 4))
      switch missing {
      case .delegate: pair.socket.synchronouslySetDelegate(nil)
      case .delegateQueue: pair.socket.synchronouslySetDelegateQueue(nil)
      }
      kind.queue(on: pair.socket, buffer, offset: 2, tag: 1)
      pair.socket.disconnectAfterReading()
      try pair.peer.send("0123456789")
      try eventually("the read is done") { pair.socket.isDisconnected }
      #expect(Data(referencing: buffer) == Data([0xEE, 0xEE]) + Data("0123456789".utf8), "\(hasSocketQueue)")
    }
  }

  /// What a buffer held at each callback.
  private final class Looks: @unchecked Sendable {
    // Unchecked: written on the delegate queue, read when the last callback has been waited for.
    let buffer: NSMutableData
    var seen: [Data] = []
    init(_ buffer: NSMutableData) { self.buffer = buffer }
    func look() { seen.append(Data(buffer as Data)) }
  }

  @Test(
    "what didReadPartial announces is in the buffer when it is called (RD-BUF-02)", arguments: [Kind.length, .line])
  func partials(_ kind: Kind) throws {
    for sharesQueue in [false, true] {
      let looks = Looks(NSMutableData(data: Data("ab".utf8)))
      let delegate = RecorderDelegate { _, kind in
        switch kind {
        case .readPartial, .read: looks.look()
        default: break
        }
      }
      let queue = DispatchQueue(label: "delegate")
      let pair = try SocketAndPeer(delegate: delegate, queue: queue, socketQueue: sharesQueue ? queue : nil)
      kind.queue(on: pair.socket, looks.buffer, offset: 2, tag: 1)
      for (index, piece) in ["012", "345", "6789"].enumerated() {
        try pair.peer.send(piece)
        if index < 2 { try delegate.wait("partial", count: index + 1) { $0.kind == .readPartial(3, tag: 1) } }
      }
      #expect(try delegate.bytes(ofRead: 1, of: pair.socket) == Data("0123456789".utf8))
      queue.sync {}
      #expect(looks.seen == ["ab012", "ab012345", "ab0123456789"].map { Data($0.utf8) }, "\(sharesQueue)")
    }
  }

  @Test("a partial report leaves a buffer that is large enough as long as it was (RD-BUF-07, RD-BUF-11)")
  func largeBuffer() throws {
    let pair = try SocketAndPeer()
    let buffer = NSMutableData(data: Data(repeating: 0xEE, count: 20))
    pair.socket.readData(toLength: 10, withTimeout: -1, buffer: buffer, bufferOffset: 4, tag: 1)
    try pair.peer.send("012")
    try pair.delegate.wait(for: .readPartial(3, tag: 1), of: pair.socket)
    pair.peer.reset()
    try pair.delegate.waitForDisconnect(of: pair.socket)
    let expected = Data(repeating: 0xEE, count: 4) + Data("012".utf8) + Data(repeating: 0xEE, count: 13)
    #expect(Data(referencing: buffer) == expected)
  }

  @Test(
    "a read that waits on one shared queue without a timeout fills its buffer (RD-BUF-02)", arguments: Kind.allCases)
  func fastPath(_ kind: Kind) throws {
    let queue = DispatchQueue(label: "both")
    let pair = try SocketAndPeer(queue: queue, socketQueue: queue)
    for round in 0..<20 {
      let buffer = NSMutableData()
      kind.queue(on: pair.socket, buffer, offset: 0, tag: round)
      // The read is known to wait.
      queue.sync {}
      try pair.peer.send("0123456789")
      #expect(try pair.delegate.bytes(ofRead: round, of: pair.socket) == Data("0123456789".utf8))
      #expect(Data(referencing: buffer) == Data("0123456789".utf8), "round \(round)")
    }
  }
}
