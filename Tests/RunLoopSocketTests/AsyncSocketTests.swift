import CocoaAsyncSocket
import Foundation
import TestSupport
import Testing

/// The run-loop class on the real kernel. Each test has a thread of its own, with a run loop of its own.
@Suite struct AsyncSocketTests {
  @Test func connectsReadsAndWrites() async throws {
    try await onThread {
      let listener = try RawListener()
      let recorder = RunLoopRecorder()
      let socket = AsyncSocket(delegate: recorder)
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      socket.write(Data("hello\r\n".utf8), withTimeout: -1, tag: 1)
      socket.readData(to: AsyncSocket.crlfData(), withTimeout: 1, tag: 2)
      #expect(recorder.events == ["willConnect"])
      let peer = try listener.accept()
      recorder.reactions["didConnect"] = { _ in
        // Nothing is sent before this has returned (CON-39).
        #expect(throws: WaitFailure.self) { try peer.receiveSome(within: 0.05) }
      }
      #expect(runLoop { recorder.events.contains("didWrite 1") })
      #expect(try peer.receive(7) == Array("hello\r\n".utf8))
      try peer.send("a\r\nb\r\n")
      #expect(runLoop { recorder.events.last?.hasPrefix("didRead") ?? false })
      peer.finish()
      #expect(runLoop { recorder.events.contains("didDisconnect") })
      #expect(
        recorder.events == [
          "willConnect", "didConnect 127.0.0.1", "didWrite 1", "didRead \"a\\r\\n\" 2", "willDisconnect nil",
          "didDisconnect",
        ])
      #expect(recorder.unread == [Data("b\r\n".utf8)])
      #expect(recorder.hosts == ["127.0.0.1", nil])
      #expect(recorder.threads.count == 1)
      #expect(socket.isDisconnected())
    }
  }

  @Test func acceptsOnTheChosenRunLoop() async throws {
    let (loops, loopsEnd) = AsyncStream<RunLoop>.makeStream()
    let isOver = Flag()
    Thread {
      loopsEnd.yield(RunLoop.current)
      RunLoop.current.add(Timer(timeInterval: 60, repeats: true) { _ in }, forMode: .default)
      while !isOver.isSet { _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1)) }
    }.start()
    var iterator = loops.makeAsyncIterator()
    nonisolated(unsafe) let other = try #require(await iterator.next())
    try await onThread {
      let recorder = RunLoopRecorder()
      let onOther = RunLoopRecorder()
      recorder.runLoopForChild = other
      recorder.reactions["didAccept"] = { $0.setDelegate(onOther) }
      onOther.reactions["didConnect"] = { $0.readData(withTimeout: -1, tag: 5) }
      let socket = AsyncSocket(delegate: recorder)
      try socket.accept(onPort: 0)
      let peer = try RawPeer.connect(port: socket.localPort())
      try peer.send("x")
      #expect(runLoop { onOther.count("didRead") == 1 })
      #expect(recorder.events == ["didAccept", "wantsRunLoop"])
      #expect(onOther.events == ["willConnect", "didConnect 127.0.0.1", "didRead \"x\" 5"])
      socket.disconnect()
      #expect(recorder.events.last == "didDisconnect")
    }
    isOver.set()
  }

  @Test func disconnectTellsBeforeItReturns() async throws {
    try await onThread {
      let listener = try RawListener()
      let recorder = RunLoopRecorder()
      let socket = AsyncSocket(delegate: recorder)
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      let peer = try listener.accept()
      #expect(runLoop { recorder.events.contains("didConnect 127.0.0.1") })
      socket.write(Data("bye".utf8), withTimeout: -1, tag: 1)
      socket.disconnect()
      #expect(recorder.events.last == "didDisconnect")
      #expect(try peer.receive(3) == Array("bye".utf8))
    }
  }

  @Test func aTimeoutShowsWhatWasRead() async throws {
    try await onThread {
      let listener = try RawListener()
      let recorder = RunLoopRecorder()
      recorder.more = [0.05, 0]
      let socket = AsyncSocket(delegate: recorder)
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      let peer = try listener.accept()
      socket.readData(toLength: 10, withTimeout: 0.05, tag: 1)
      try peer.send("abcd")
      #expect(runLoop { recorder.events.contains("didDisconnect") })
      #expect(
        recorder.events == [
          "willConnect", "didConnect 127.0.0.1", "didReadPartial 4 1", "shouldTimeoutRead 1 4",
          "shouldTimeoutRead 1 4", "willDisconnect AsyncSocketErrorDomain 4", "didDisconnect",
        ])
      #expect(recorder.unread == [Data("abcd".utf8)])
    }
  }

  @Test func nothingHappensInAnotherMode() async throws {
    try await onThread {
      let listener = try RawListener()
      let recorder = RunLoopRecorder()
      let socket = AsyncSocket(delegate: recorder)
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      let peer = try listener.accept()
      #expect(runLoop { recorder.events.contains("didConnect 127.0.0.1") })
      socket.readData(toLength: 1, withTimeout: 0.02, tag: 1)
      let other = RunLoop.Mode("private")
      let keepsRunning = Timer(timeInterval: 10, repeats: true) { _ in }
      RunLoop.current.add(keepsRunning, forMode: other)
      let before = recorder.events
      _ = RunLoop.current.run(mode: other, before: Date(timeIntervalSinceNow: 0.1))
      #expect(recorder.events == before)
      try peer.send("x")
      #expect(socket.addRunLoopMode("private"))
      #expect(runLoop(in: other) { recorder.events.contains("didRead \"x\" 1") })
      #expect(socket.removeRunLoopMode("private"))
      #expect(!socket.removeRunLoopMode("kCFRunLoopDefaultMode"))
      keepsRunning.invalidate()
      socket.disconnect()
    }
  }

  @Test("a read of anything into a buffer begins at its offset, without a limit, too (RD-BUF-02)")
  func shortReadIntoABuffer() async throws {
    try await onThread {
      let connected = try ConnectedSocket()
      let buffer = NSMutableData(data: Data("xx".utf8))
      connected.socket.readData(withTimeout: -1, buffer: buffer, bufferOffset: 2, tag: 1)
      try connected.peer.send("ab")
      #expect(runLoop { connected.recorder.count("didRead") == 1 })
      #expect(Data(referencing: buffer) == Data("xxab".utf8))
    }
  }
}
