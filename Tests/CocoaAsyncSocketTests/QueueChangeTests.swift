import CocoaAsyncSocket
import Foundation
import SocketPOSIX
import TestSupport
import Testing

/// A socket that has been given another delegate queue, beside sockets that stay on the first one.
@Suite struct QueueChangeTests {
  /// Reads bytes one by one and counts them, and those that were told on another queue than its own.
  final class Reader: GCDAsyncSocketDelegate, Sendable {
    static let key = DispatchSpecificKey<Int>()

    let number: Int
    let heard = LockedValue(0)
    let astray = LockedValue(0)
    /// Runs at the next byte.
    let atNext = LockedValue<(@Sendable () -> Void)?>(nil)

    init(onQueue number: Int) { self.number = number }

    func socket(_ sock: GCDAsyncSocket, didRead data: Data, withTag tag: Int) {
      if DispatchQueue.getSpecific(key: Self.key) != number { astray.withLock { $0 += 1 } }
      sock.readData(toLength: 1, withTimeout: -1, tag: tag + 1)
      atNext.withLock { $0.take() }?()
      heard.withLock { $0 += 1 }
    }
  }

  @Test("what becomes ready together is told on the queue of each socket, also after a change (INV-13)")
  func readyTogether() throws {
    let queues = (1...2).map { number in
      let queue = DispatchQueue(label: "queue \(number)")
      queue.setSpecific(key: Reader.key, value: number)
      return queue
    }
    let listener = try RawListener()
    var links: [(socket: GCDAsyncSocket, reader: Reader, peer: RawPeer)] = []
    // By turns, so that each event loop has some of both.
    for index in 0..<16 {
      let reader = Reader(onQueue: index / 2 % 2 + 1)
      let socket = GCDAsyncSocket(delegate: reader, delegateQueue: queues[0])
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      let peer = try listener.accept()
      try eventually("connected") { socket.isConnected }
      socket.delegateQueue = queues[reader.number - 1]
      socket.readData(toLength: 1, withTimeout: -1, tag: 0)
      links.append((socket, reader, peer))
    }
    for round in 1...300 {
      let others = links.dropFirst().map(\.peer)
      // From within a callback: whoever delivers that one finds the others together.
      links[0].reader.atNext.withLock {
        $0 = { for peer in others { try? peer.send("x") } }
      }
      try links[0].peer.send("x")
      try eventually("all have heard") { links.allSatisfy { $0.reader.heard.withLock { $0 } == round } }
    }
    #expect(links.map { $0.reader.astray.withLock { $0 } } == Array(repeating: 0, count: links.count))
    for link in links { link.socket.disconnect() }
  }
}
