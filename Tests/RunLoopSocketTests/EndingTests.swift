import CocoaAsyncSocket
import Foundation
import TestSupport
import Testing

/// Ends of the run-loop class, and what nested runs of the loop find, on the real kernel.
@Suite struct EndingTests {
  @Test("a disconnect inside the willDisconnect of a connect that failed leaves its didDisconnect (INV-01, DIS-02)")
  func disconnectBehindAFailedConnect() async throws {
    try await onThread {
      let port = try RawListener().port
      let recorder = RunLoopRecorder()
      var wasTold = false
      recorder.reactions["willDisconnect"] = { socket in
        socket.disconnect()
        wasTold = recorder.events.last == "didDisconnect"
      }
      let socket = AsyncSocket(delegate: recorder)
      try socket.connect(toHost: "127.0.0.1", onPort: port)
      #expect(runLoop { recorder.events.contains { $0.hasPrefix("willDisconnect") } })
      #expect(wasTold)
      #expect(recorder.events.count { $0 == "didDisconnect" } == 1)
    }
  }

  @Test("bytes that nobody reads do not hold the peer's end back, and are not answered with a reset (RL-07, RL-10)")
  func endBehindUnreadBytes() async throws {
    try await onThread {
      let listener = try RawListener()
      let recorder = RunLoopRecorder()
      let socket = AsyncSocket(delegate: recorder)
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      let peer = try listener.accept()
      #expect(runLoop { recorder.events.contains("didConnect 127.0.0.1") })
      try peer.send("abc")
      peer.finish()
      #expect(runLoop { recorder.events.contains("didDisconnect") })
      #expect(recorder.unread == [Data("abc".utf8)])
      #expect(try peer.receiveSome(within: 5) == [])
    }
  }

  @Test("a loop that is run inside a callback delivers what is in line behind it, and sends what it wrote (RL-22)")
  func nestedRun() async throws {
    try await onThread {
      let listener = try RawListener()
      let recorder = RunLoopRecorder()
      let socket = AsyncSocket(delegate: recorder)
      var wasInside = false
      recorder.reactions["didRead"] = { socket in
        recorder.reactions["didRead"] = nil
        socket.write(Data("x".utf8), withTimeout: -1, tag: 3)
        wasInside = runLoop { recorder.events.contains("didRead \"b\" 2") && recorder.events.contains("didWrite 3") }
      }
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      let peer = try listener.accept()
      try peer.send("ab")
      #expect(runLoop { recorder.events.contains("didConnect 127.0.0.1") })
      socket.readData(toLength: 1, withTimeout: -1, tag: 1)
      socket.readData(toLength: 1, withTimeout: -1, tag: 2)
      #expect(runLoop { recorder.events.contains("didRead \"a\" 1") })
      #expect(wasInside)
      socket.disconnect()
    }
  }

  @Test("a burst of more reads than one pass completes (INV-14)")
  func burst() async throws {
    try await onThread {
      let listener = try RawListener()
      let recorder = RunLoopRecorder()
      let socket = AsyncSocket(delegate: recorder)
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      let peer = try listener.accept()
      try peer.send(String(repeating: "x", count: 5000))
      for tag in 0..<5000 { socket.readData(toLength: 1, withTimeout: -1, tag: tag) }
      #expect(runLoop { recorder.events.last == "didRead \"x\" 4999" })
      socket.disconnect()
    }
  }
}
