import CocoaAsyncSocket
import Foundation
import Synchronization
import TestSupport
import Testing

/// Modes that are more than a name, run loops that are reached from outside, and much that happens at once.
@Suite struct ModeTests {
  @Test(
    "a socket in the common modes works where one of them runs (RL-20)",
    arguments: [[.common], [.common, .default], [.default, .common]] as [[RunLoop.Mode]])
  func commonModes(_ modes: [RunLoop.Mode]) async throws {
    try await onThread {
      let listener = try RawListener()
      let recorder = RunLoopRecorder()
      let socket = AsyncSocket(delegate: recorder)
      #expect(socket.setRunLoopModes(modes))
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      let peer = try listener.accept()
      #expect(runLoop { recorder.count("didConnect") == 1 })
      socket.readData(toLength: 2, withTimeout: -1, tag: 1)
      socket.readData(toLength: 2, withTimeout: 0.05, tag: 2)
      try peer.send("ab")
      #expect(runLoop { recorder.count("didDisconnect") == 1 })
      #expect(
        recorder.events == [
          "willConnect", "didConnect 127.0.0.1", "didRead \"ab\" 1", "shouldTimeoutRead 2 0",
          "willDisconnect AsyncSocketErrorDomain 4", "didDisconnect",
        ])
    }
  }

  @Test("a peer's end is noticed behind a completion that no delegate hears of (HALF-14, RL-10)")
  func endWithoutDelegate() async throws {
    try await onThread {
      let connected = try ConnectedSocket()
      let socket = connected.socket
      socket.readData(withTimeout: -1, tag: 1)
      idle(for: 0.02)
      socket.setDelegate(nil)
      try connected.peer.send("x")
      connected.peer.finish()
      Thread.sleep(forTimeInterval: 0.05)
      #expect(runLoop { socket.isDisconnected() })
    }
  }

  /// Where the thread of a run loop is.
  private final class Place: @unchecked Sendable {
    // Unchecked: the run loop is set before the first signal, and read behind it.
    var runLoop: RunLoop?
    let isThere = DispatchSemaphore(value: 0)
    let mayEnd = Atomic<Bool>(false)
    let ended = DispatchSemaphore(value: 0)
  }

  @Test("a run loop in a mode of its own is reached after a change of modes (RL-20, RL-22)")
  func modeOfItsOwn() async throws {
    let mode = RunLoop.Mode("private")
    let place = Place()
    let thread = Thread {
      // Something for the mode to wait for.
      RunLoop.current.add(Timer(timeInterval: 60, repeats: true) { _ in }, forMode: mode)
      place.runLoop = .current
      place.isThere.signal()
      while !place.mayEnd.load(ordering: .relaxed) {
        _ = RunLoop.current.run(mode: mode, before: Date(timeIntervalSinceNow: 0.05))
      }
      place.ended.signal()
    }
    thread.start()
    try await onThread {
      place.isThere.wait()
      let other = try #require(place.runLoop)
      let connected = try ConnectedSocket()
      let socket = connected.socket
      #expect(socket.move(to: other))
      #expect(socket.setRunLoopModes([mode]))
      socket.readData(toLength: 2, withTimeout: -1, tag: 1)
      try connected.peer.send("ab")
      #expect(runLoop { connected.recorder.count("didRead") == 1 })
      #expect(socket.move(to: .current))
      place.mayEnd.store(true, ordering: .relaxed)
      place.ended.wait()
      socket.disconnect()
    }
  }

  @Test("a run loop inside a callback finds all sockets that have become ready, however many (INV-17)")
  func manyReady() async throws {
    try await onThread {
      let count = 100
      let connections = try (0..<count).map { _ in try ConnectedSocket() }
      var isNested = false
      var inside = 0
      for connection in connections {
        connection.socket.readData(toLength: 1, withTimeout: -1, tag: 1)
        connection.recorder.reactions["didRead"] = { _ in
          inside += 1
          // The last one of a batch.
          guard inside == 64, !isNested else { return }
          isNested = true
          #expect(runLoop { inside == count })
        }
      }
      idle(for: 0.02)
      for connection in connections { try connection.peer.send("x") }
      Thread.sleep(forTimeInterval: 0.05)
      #expect(runLoop { connections.allSatisfy { $0.recorder.count("didRead") == 1 } })
      #expect(isNested)
      for connection in connections { connection.socket.disconnect() }
    }
  }

  @Test("a thread whose dictionary is emptied goes on serving its sockets")
  func emptiedDictionary() async throws {
    try await onThread {
      let connected = try ConnectedSocket()
      Thread.current.threadDictionary.removeAllObjects()
      connected.socket.readData(toLength: 2, withTimeout: -1, tag: 1)
      try connected.peer.send("ab")
      #expect(runLoop { connected.recorder.count("didRead") == 1 })
      connected.socket.disconnect()
      #expect(connected.recorder.count("didDisconnect") == 1)
    }
  }

  @Test("a mode that is removed inside a callback is silent in a nested run of the loop (RL-22, TMO-24)")
  func removedInsideACallback() async throws {
    let modal = RunLoop.Mode("modal")
    try await onThread {
      let connected = try ConnectedSocket()
      let (socket, recorder) = (connected.socket, connected.recorder)
      #expect(socket.addRunLoopMode(modal.rawValue))
      var during: [String] = []
      recorder.reactions["didRead"] = { socket in
        recorder.reactions["didRead"] = nil
        #expect(socket.removeRunLoopMode(modal.rawValue))
        let before = recorder.events.count
        idle(in: modal, for: 0.3)
        during = Array(recorder.events.dropFirst(before))
      }
      socket.readData(toLength: 1, withTimeout: -1, tag: 1)
      socket.readData(toLength: 1, withTimeout: -1, tag: 2)
      socket.readData(toLength: 1, withTimeout: 0.1, tag: 3)
      idle(for: 0.02)
      try connected.peer.send("ab")
      #expect(runLoop { recorder.count("didRead") == 2 })
      #expect(during == [])
      #expect(runLoop { recorder.count("didDisconnect") == 1 })
    }
  }
}
