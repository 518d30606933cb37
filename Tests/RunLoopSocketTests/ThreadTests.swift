import CocoaAsyncSocket
import Foundation
import Glibc
import SocketRunLoop
import SocketValues
import Synchronization
import TestSupport
import Testing

/// Threads, and what a socket costs them.
@Suite struct ThreadTests {
  @Test("calls from foreign threads do no harm; callbacks come on the run loop's thread (THR-16, THR-17)")
  func foreignCalls() async throws {
    try await onThread {
      let connected = try ConnectedSocket()
      let (recorder, peer) = (connected.recorder, connected.peer)
      let socket = connected.socket
      let isOver = Flag()
      let callers = (0..<3).map { number in
        Thread {
          for round in 0..<200 {
            Self.callEverything(on: socket, tag: number * 1000 + round)
          }
          isOver.set()
        }
      }
      for caller in callers { caller.start() }
      #expect(runLoop { callers.allSatisfy(\.isFinished) })
      #expect(isOver.isSet)
      // Everything works as before, and what the foreign calls wrote has arrived.
      #expect(runLoop { recorder.count("didWrite") == 600 })
      #expect(try peer.receive(600 * 4) == Array(repeating: Array("ping".utf8), count: 600).flatMap { $0 })
      #expect(recorder.threads.count == 1)
      #expect(recorder.events.filter { $0.hasPrefix("didWrite 1") && $0.count == 13 }.isSorted)
      Thread { socket.disconnect() }.start()
      #expect(runLoop { recorder.count("didDisconnect") == 1 })
      #expect(recorder.threads.count == 1)
    }
  }

  private static func callEverything(on socket: AsyncSocket, tag: Int) {
    socket.write(Data("ping".utf8), withTimeout: -1, tag: tag)
    socket.readData(withTimeout: -1, tag: tag)
    _ = (socket.isConnected(), socket.connectedHost(), socket.localPort(), socket.description, socket.unreadData())
    socket.setUserData(tag)
    socket.addRunLoopMode("private")
    socket.removeRunLoopMode("private")
    socket.progress(ofReadReturningTag: nil, bytesDone: nil, total: nil)
    _ = try? socket.accept(onPort: 0)
  }

  @Test("an idle connection and a listener wake nobody")
  func idleCosts() async throws {
    await #expect(processExitsWith: .success) {
      try await onThread {
        let connected = try ConnectedSocket()
        let listener = AsyncSocket(delegate: connected.recorder)
        try listener.accept(onPort: 0)
        connected.socket.readData(withTimeout: 60, tag: 1)
        idle(for: 0.05)
        let before = Self.switches()
        // Returns when something was handled, or at its end.
        let start = monotonicSeconds()
        _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.5))
        if monotonicSeconds() - start < 0.49 { exit(1) }
        let switches = Self.switches() - before
        if switches > 4 { exit(Int32(clamping: switches)) }
        listener.disconnect()
      }
    }
  }

  /// How often this thread has gone to sleep.
  private static func switches() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(1), &usage)
    return usage.ru_nvcsw
  }

  @Test("a run loop with no socket left has nothing to wait for (INV-08)")
  func nothingLeft() async throws {
    try await onThread {
      let connected = try ConnectedSocket()
      let listener = AsyncSocket(delegate: connected.recorder)
      try listener.accept(onPort: 0)
      listener.disconnect()
      connected.socket.disconnect()
      #expect(!RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 5)))
    }
  }

  @Test("sockets that come to another thread's run loop one after the other leave no memory behind")
  func memory() async throws {
    await #expect(processExitsWith: .success) {
      let other = try RunLoopThread()
      let visitor = Visitor()
      // The handler is called on the other thread, which has let go of those before by then.
      func visit(times: Int) throws {
        for _ in 0..<times { _ = try RunLoopAttachment(visitor, to: other.runLoop, modes: [.default]) }
        let last = try RunLoopAttachment(visitor, to: other.runLoop, modes: [.default])
        let before = visitor.turns
        last.requestTurn()
        try eventually("the other thread takes a turn") { visitor.turns > before }
      }
      try visit(times: 50)
      let base = ProcessFacts.allocatedBytes() ?? 0
      try visit(times: 1000)
      let growth = (ProcessFacts.allocatedBytes() ?? .max) - base
      // A timer and its block are 400 bytes.
      if growth > 100_000 { exit(Int32(clamping: min(growth / 1000, 100))) }
      try other.end()
    }
  }

  /// Counts its turns.
  private final class Visitor: RunLoopHandler {
    private let count = Mutex(0)
    var turns: Int { count.withLock { $0 } }

    func runLoopReports(_ readiness: Readiness, key: UInt16) {}
    func runLoopReachesDeadline() {}
    func runLoopTakesTurn() { count.withLock { $0 += 1 } }
  }

  @Test("descriptors are back at the baseline when sockets, run loops and threads are gone (INV-08)")
  func descriptors() async throws {
    await #expect(processExitsWith: .success) {
      // A close that lingers, which a busy machine may bring about, uses the other class's loops: they are made once.
      try Self.makeLoops()
      try await Self.useAll()
      let baseline = try ProcessFacts.settledDescriptors()
      for _ in 0..<5 { try await Self.useAll() }
      // What had not ended before may have by now.
      try eventually("back at the baseline", limit: 20) { ProcessFacts.openDescriptors() <= baseline }
    }
  }

  private final class Silent: GCDAsyncSocketDelegate, Sendable {}

  private static func makeLoops() throws {
    let delegate = Silent()
    for _ in 0..<2 {
      let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: .global())
      try socket.accept(onPort: 0)
      socket.disconnect()
    }
  }

  private static func useAll() async throws {
    let other = try RunLoopThread()
    try await onThread {
      let ends: [(ConnectedSocket) -> Void] = [
        { $0.socket.disconnect() }, { $0.peer.reset() }, { $0.peer.finish() }, { $0.socket.disconnectAfterWriting() },
        { $0.socket.readData(withTimeout: 0.01, tag: 1) }, { _ in },
      ]
      for end in ends {
        let connected = try ConnectedSocket()
        connected.socket.addRunLoopMode("private")
        end(connected)
        idle(for: 0.03)
      }
      let moved = try ConnectedSocket()
      moved.socket.move(to: other.runLoop)
      moved.peer.close()
      _ = runLoop { moved.recorder.count("didDisconnect") == 1 }
      let closed = try RawListener(backlog: nil)
      let recorder = RunLoopRecorder()
      let refused = AsyncSocket(delegate: recorder)
      try refused.connect(toHost: "localhost", onPort: closed.port)
      _ = runLoop { recorder.count("didDisconnect") == 1 }
    }
    try other.end()
  }
}

extension [String] {
  fileprivate var isSorted: Bool { zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}
