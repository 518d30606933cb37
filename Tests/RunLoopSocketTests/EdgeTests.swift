import CocoaAsyncSocket
import CoreFoundation
import Foundation
import TestSupport
import Testing

/// The edges of a run loop: right before it sleeps, and when its last socket or its thread goes.
@Suite struct EdgeTests {
  @Test("a call that an observer makes right before the run loop sleeps takes effect (INV-17)")
  func beforeSleep() async throws {
    try await onThread {
      let connected = try ConnectedSocket()
      let (socket, recorder) = (connected.socket, connected.recorder)
      idle(for: 0.05)
      var (asked, sleeps) = (0, 0)
      let observer = CFRunLoopObserverCreateWithHandler(
        nil, CFRunLoopActivity.beforeWaiting.rawValue, true, 0
      ) { _, _ in
        sleeps += 1
        // Not right behind something that may have woken it by itself.
        guard sleeps % 4 == 0, asked == recorder.count("didWrite") else { return }
        asked += 1
        socket.write(Data("late".utf8), withTimeout: -1, tag: asked)
      }
      CFRunLoopAddObserver(CFRunLoopGetCurrent(), observer, kCFRunLoopDefaultMode)
      let end = monotonicSeconds() + generousLimit
      while recorder.count("didWrite") < 5, monotonicSeconds() < end {
        // A sleep in which something was asked for ends by that alone, or not before the test gives up.
        CFRunLoopRunInMode(
          kCFRunLoopDefaultMode, sleeps % 4 == 3 || asked > recorder.count("didWrite") ? generousLimit : 0.01, true)
      }
      #expect(recorder.count("didWrite") == 5 && monotonicSeconds() < end)
      CFRunLoopRemoveObserver(CFRunLoopGetCurrent(), observer, kCFRunLoopDefaultMode)
      socket.disconnect()
    }
  }

  /// Keeps a socket for whoever is to let it go.
  private final class Keeper: @unchecked Sendable {
    // Unchecked: handed over by the latch.
    var connected: ConnectedSocket?
  }

  @Test("a run loop whose last socket another thread lets go of has nothing to wait for (LIFE-18)")
  func lastSocketGoes() throws {
    for _ in 0..<20 {
      let keeper = Keeper()
      let (isReady, hasReturned) = (Latch(), Latch())
      let thread = Thread {
        keeper.connected = try? ConnectedSocket()
        isReady.signal()
        RunLoop.current.run()
        hasReturned.signal()
      }
      thread.start()
      try isReady.wait("the connection")
      #expect(keeper.connected != nil)
      keeper.connected = nil
      try hasReturned.wait("the run loop to end")
    }
  }

  @Test(
    "a socket whose run loop's thread ends is disconnected, and started again, on another (DIS-01, LIFE-09)",
    arguments: [false, true])
  func threadEnds(afterDisconnect: Bool) async throws {
    let keeper = Keeper()
    let isReady = Latch()
    let mayEnd = Latch()
    let thread = Thread {
      keeper.connected = try? ConnectedSocket()
      isReady.signal()
      // It runs its loop no more.
      try? mayEnd.wait("the thread's end")
    }
    thread.start()
    try isReady.wait("the connection")
    let connected = try #require(keeper.connected)
    if !afterDisconnect {
      mayEnd.signal()
      try eventually("the thread is over") { thread.isFinished }
      // The thread's values are freed a little later than its last statement.
      usleep(20_000)
    }
    connected.socket.disconnect()
    if afterDisconnect { mayEnd.signal() }
    try eventually("the socket is free") { connected.socket.isDisconnected() }
    // Nobody is left who may be told.
    #expect(connected.recorder.count("didDisconnect") == 0)
    try await onThread {
      let listener = try RawListener()
      try connected.socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      #expect(runLoop { connected.recorder.count("didConnect") == 2 })
      connected.socket.disconnect()
      #expect(connected.recorder.count("didDisconnect") == 1)
    }
  }

  @Test("a start finds that the thread of the last run loop is over (LIFE-09)", .timeLimit(.minutes(1)))
  func startFindsThreadEnded() async throws {
    let keeper = Keeper()
    let isReady = Latch()
    let mayEnd = Latch()
    Thread {
      keeper.connected = try? ConnectedSocket()
      isReady.signal()
      try? mayEnd.wait("the thread's end")
    }.start()
    try isReady.wait("the connection")
    let connected = try #require(keeper.connected)
    connected.socket.disconnect()
    mayEnd.signal()
    try await onThread {
      let listener = try RawListener()
      var lastError: (any Error)?
      #expect(
        runLoop {
          do {
            try connected.socket.connect(toHost: "127.0.0.1", onPort: listener.port)
            return true
          } catch {
            lastError = error
            return false
          }
        }, "\(String(describing: lastError))")
      #expect(runLoop { connected.recorder.count("didConnect") == 2 })
      connected.socket.disconnect()
    }
  }
}
