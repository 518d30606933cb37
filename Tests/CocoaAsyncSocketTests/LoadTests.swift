import CocoaAsyncSocket
import Foundation
import Glibc
import TestSupport
import Testing

/// Much of everything: memory, processor time, stack, signals. What concerns the whole process is measured in a process
/// of its own.
@Suite struct LoadTests {
  // MARK: Idle

  /// States in which a socket has nothing to do, though readiness is signalled.
  private static var idleStates: [(name: String, enter: () throws -> Any)] { receivingStates + otherStates }

  private static var receivingStates: [(name: String, enter: () throws -> Any)] {
    [
      (
        "unread data, no read",
        {
          let link = try SocketAndPeer()
          try link.peer.send("unread")
          return link
        }
      ),
      (
        "unread data and the end of the stream, no read (RDQ-07)",
        {
          let link = try SocketAndPeer()
          try link.peer.send("unread")
          link.peer.finish()
          return link
        }
      ),
      (
        "half-closed, with a read that can't complete (HALF-06)",
        {
          let link = try SocketAndPeer()
          link.socket.autoDisconnectOnClosedReadStream = false
          link.peer.finish()
          try link.delegate.wait(for: .readStreamClosed, of: link.socket)
          link.socket.readData(withTimeout: -1, tag: 1)
          return link
        }
      ),
      (
        "half-closed, then reset (HALF-09)",
        {
          let link = try SocketAndPeer()
          link.socket.autoDisconnectOnClosedReadStream = false
          link.peer.finish()
          try link.delegate.wait(for: .readStreamClosed, of: link.socket)
          link.peer.reset()
          return link
        }
      ),
      (
        "a graceful close under way to a peer that does not read",
        {
          let link = try SocketAndPeer()
          link.socket.write(Data(count: 100_000), withTimeout: -1, tag: 1)
          link.socket.disconnectAfterWriting()
          return link
        }
      ),
    ]
  }

  private static var otherStates: [(name: String, enter: () throws -> Any)] {
    [
      (
        "a stalled write",
        {
          let link = try SocketAndPeer()
          link.socket.write(Data(count: 32 << 20), withTimeout: -1, tag: 1)
          return link
        }
      ),
      (
        "a stalled write and unread data, with a socket queue",
        {
          let link = try SocketAndPeer(socketQueue: DispatchQueue(label: "socket"))
          link.socket.write(Data(count: 32 << 20), withTimeout: -1, tag: 1)
          try link.peer.send("unread")
          return link
        }
      ),
      (
        "a timeout question without an answer",
        {
          let link = try SocketAndPeer()
          let gate = try QueueBlocker(blocking: link.queue)
          link.socket.readData(toLength: 10, withTimeout: 0.01, tag: 1)
          try link.peer.send("some")
          return (link, gate)
        }
      ),
      (
        "a timeout that passed while the socket queue is blocked",
        {
          let socketQueue = DispatchQueue(label: "socket")
          let link = try SocketAndPeer(socketQueue: socketQueue)
          link.socket.readData(toLength: 10, withTimeout: 1, tag: 1)
          try eventually("the read is active") {
            !link.socket.progress(ofReadReturningTag: nil, bytesDone: nil, total: nil).isNaN
          }
          let gate = try QueueBlocker(blocking: socketQueue)
          // Its time passes meanwhile.
          Thread.sleep(forTimeInterval: 1.1)
          return (link, gate)
        }
      ),
      (
        "a listener and an attempt that hangs",
        {
          let pair = try SocketPair()
          let hole = try BlackHole()
          let socket = GCDAsyncSocket(delegate: pair.clientDelegate, delegateQueue: DispatchQueue(label: "delegate"))
          try socket.connect(toHost: "127.0.0.1", onPort: hole.port, withTimeout: 100)
          return (pair, hole, socket)
        }
      ),
    ]
  }

  @Test("nothing spins (INV-10)")
  func idle() async {
    await #expect(processExitsWith: .success) {
      for (name, enter) in Self.idleStates {
        let held = try enter()
        // The first moments are the state's own work.
        try eventually("\(name): the process is quiet", limit: 20) { ProcessFacts.idleLoad(over: 0.05) < 0.1 }
        let load = ProcessFacts.idleLoad()
        #expect(load < 0.1, "\(name): \(load)")
        withExtendedLifetime(held) {}
      }
    }
  }

  // MARK: Memory

  @Test(
    "without a read nothing is taken from the kernel: a fast peer is held back (INV-11)",
    .disabled(if: ProcessFacts.isSanitized, "sanitizers use memory too"))
  func backPressure() async {
    await #expect(processExitsWith: .success) {
      let link = try SocketAndPeer()
      let before = ProcessFacts.residentBytes()
      let sent = link.peer.sendUntilFull(limit: 256 << 20)
      #expect(sent < 64 << 20)
      let growth = ProcessFacts.residentBytes() - before
      #expect(growth < 2 << 20, "\(growth) bytes")
      link.socket.readData(toLength: UInt(sent), withTimeout: -1, tag: 1)
      #expect(try link.delegate.bytes(ofRead: 1, of: link.socket).count == sent)
    }
  }

  @Test(
    "a huge length reserves nothing (RD-LEN-10)", .disabled(if: ProcessFacts.isSanitized, "sanitizers use memory too"))
  func hugeLengths() async {
    await #expect(processExitsWith: .success) {
      for length in [8 << 30, UInt(Int.max), UInt.max] {
        let link = try SocketAndPeer()
        let before = ProcessFacts.residentBytes()
        link.socket.readData(toLength: length, withTimeout: -1, tag: 1)
        try link.peer.send("0123456789")
        try link.delegate.wait("partial progress") { $0.kind == .readPartial(10, tag: 1) }
        let growth = ProcessFacts.residentBytes() - before
        #expect(growth < 16 << 20, "\(length): \(growth) bytes")
        let progress = link.socket.progress(ofReadReturningTag: nil, bytesDone: nil, total: nil)
        #expect(progress >= 0 && progress < 0.01)
        link.socket.disconnect()
        try link.delegate.waitForDisconnect(of: link.socket)
      }
    }
  }

  @Test(
    "connecting and disconnecting again and again keeps memory level",
    .disabled(if: ProcessFacts.isSanitized, "sanitizers use memory too"))
  func memoryStaysLevel() async {
    await #expect(processExitsWith: .success) {
      func run(_ rounds: Int) throws {
        for _ in 0..<rounds {
          let pair = try SocketPair()
          pair.server.readData(toLength: 60_000, withTimeout: 100, tag: 1)
          pair.client.write(Data(count: 60_000), withTimeout: 100, tag: 1)
          _ = try pair.listenerDelegate.bytes(ofRead: 1, of: pair.server)
          pair.client.disconnect()
          try pair.listenerDelegate.waitForDisconnect(of: pair.server)
          pair.listener.disconnect()
        }
      }
      try run(100)
      let before = ProcessFacts.residentBytes()
      try run(300)
      let growth = ProcessFacts.residentBytes() - before
      // 300 leaked connections would be 36 MB of payload.
      #expect(growth < 8 << 20, "\(growth) bytes")
    }
  }

  // MARK: Stack and queues

  @Test("100,000 queued writes drain in order, queued and read from threads with small stacks (WR-12, INV-14)")
  func manyWrites() throws {
    let count = 100_000
    let link = try SocketAndPeer()
    try onThreads(1, stackSize: 512 << 10) { _ in
      for number in 0..<count {
        withUnsafeBytes(of: UInt32(number).bigEndian) {
          link.socket.write(Data($0), withTimeout: -1, tag: number)
        }
      }
    }
    #expect(try link.peer.receive(4 * count) == countingBytes(4 * count))
    try link.delegate.wait(for: .wrote(tag: count - 1), of: link.socket)
    let tags = link.delegate.occurrences.compactMap { if case .wrote(let tag) = $0.kind { tag } else { nil } }
    #expect(tags == Array(0..<count))
  }

  @Test("100,000 one-byte reads of one burst complete in order (INV-14, INV-04)", arguments: [false, true])
  func manyReads(queuedFirst: Bool) throws {
    let count = 100_000
    let link = try SocketAndPeer()
    let bytes = countingBytes(count)
    if !queuedFirst { try link.peer.send(bytes) }
    try onThreads(1, stackSize: 512 << 10) { _ in
      for tag in 0..<count { link.socket.readData(toLength: 1, withTimeout: -1, tag: tag) }
    }
    if queuedFirst { try link.peer.send(bytes) }
    _ = try link.delegate.bytes(ofRead: count - 1, of: link.socket)
    var tags: [Int] = []
    var received: [UInt8] = []
    for case .read(let data, let tag) in link.delegate.kinds(of: link.socket) {
      tags.append(tag)
      received += data
    }
    #expect(tags == Array(0..<count))
    #expect(received == bytes)
  }

  @Test("two stalled peers don't stop each other's direction (RDQ-15), and both ways carry everything")
  func bothWays() throws {
    let pair = try SocketPair()
    let bytes = Data(countingBytes(4 << 20))
    pair.client.write(bytes, withTimeout: -1, tag: 1)
    pair.server.write(bytes, withTimeout: -1, tag: 1)
    pair.client.readData(toLength: UInt(bytes.count), withTimeout: -1, tag: 2)
    pair.server.readData(toLength: UInt(bytes.count), withTimeout: -1, tag: 2)
    #expect(try pair.clientDelegate.bytes(ofRead: 2, of: pair.client) == bytes)
    #expect(try pair.listenerDelegate.bytes(ofRead: 2, of: pair.server) == bytes)
  }

  // MARK: Signals

  @Test("writing to a peer that reset raises no SIGPIPE, also on an adopted descriptor (INV-09)")
  func brokenPipe() async {
    await #expect(processExitsWith: .success) {
      ProcessFacts.restoreBrokenPipeSignal()
      for adopts in [false, true] {
        let link: (socket: GCDAsyncSocket, peer: RawPeer, delegate: RecorderDelegate)
        if adopts {
          let listener = try RawListener()
          let connecting = try RawPeer.connect(port: listener.port)
          let peer = try listener.accept()
          let delegate = RecorderDelegate()
          let socket = try GCDAsyncSocket(
            fromConnectedSocketFD: connecting.release(), delegate: delegate,
            delegateQueue: DispatchQueue(label: "delegate"))
          link = (socket, peer, delegate)
        } else {
          let made = try SocketAndPeer()
          link = (made.socket, made.peer, made.delegate)
        }
        link.socket.autoDisconnectOnClosedReadStream = false
        link.peer.finish()
        try link.delegate.wait(for: .readStreamClosed, of: link.socket)
        link.peer.close()
        for tag in 0..<3 { link.socket.write(Data(count: 1000), withTimeout: -1, tag: tag) }
        try link.delegate.waitForDisconnect(of: link.socket)
        let error = link.delegate.disconnectError(of: link.socket)
        #expect(error?.isPOSIX(EPIPE) == true || error?.isPOSIX(ECONNRESET) == true)
      }
    }
  }

  @Test("a storm of signals changes nothing (WR-14)")
  func signalStorm() async {
    await #expect(processExitsWith: .success) {
      try ProcessFacts.underSignalStorm {
        for _ in 0..<20 {
          let pair = try SocketPair()
          let bytes = Data(countingBytes(1 << 20))
          pair.client.write(bytes, withTimeout: 60, tag: 1)
          pair.server.write(bytes, withTimeout: 60, tag: 1)
          pair.client.readData(toLength: UInt(bytes.count), withTimeout: 60, tag: 2)
          pair.server.readData(toLength: UInt(bytes.count), withTimeout: 60, tag: 2)
          #expect(try pair.clientDelegate.bytes(ofRead: 2, of: pair.client) == bytes)
          #expect(try pair.listenerDelegate.bytes(ofRead: 2, of: pair.server) == bytes)
          pair.client.disconnectAfterWriting()
          try pair.listenerDelegate.waitForDisconnect(of: pair.server)
          #expect(pair.listenerDelegate.disconnectError(of: pair.server)?.isLibrary(.closedError) == true)
        }
      }
    }
  }
}
