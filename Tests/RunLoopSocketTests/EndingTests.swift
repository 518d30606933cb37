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
      #expect(try peer.receiveSome() == [])
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

  @Test("what unreadData has returned stays as it is (RL-05, RL-06)", arguments: [false, true])
  func unreadDataIsACopy(closes: Bool) async throws {
    try await onThread {
      let connected = try ConnectedSocket()
      let (socket, recorder) = (connected.socket, connected.recorder)
      var kept: [Data] = []
      // More than Data keeps in itself.
      let text = "what nobody has read before the end"
      recorder.reactions["willDisconnect"] = { socket in
        kept = [socket.unreadData(), socket.unreadData()]
        // What the caller does with one of them concerns no other.
        kept[0].append(contentsOf: [1, 2, 3])
        if closes { socket.disconnect() }
      }
      socket.readData(toLength: 100, withTimeout: -1, tag: 1)
      try connected.peer.send(text)
      connected.peer.finish()
      #expect(runLoop { recorder.events.last == "didDisconnect" })
      #expect(kept == [Data("\(text)\u{1}\u{2}\u{3}".utf8), Data(text.utf8)])
      #expect(socket.unreadData() == nil)
      // Another connection's bytes come to lie where the first one's were.
      let listener = try RawListener()
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      let peer = try listener.accept()
      recorder.reactions = [:]
      socket.readData(toLength: 6, withTimeout: -1, tag: 2)
      try peer.send("ZZZZZZ")
      #expect(runLoop { recorder.events.last == "didRead \"ZZZZZZ\" 2" })
      try peer.send(String(repeating: "Y", count: 35))
      peer.finish()
      #expect(runLoop { recorder.events.last == "didDisconnect" })
      #expect(recorder.unread.last == Data(repeating: 0x59, count: 35))
      #expect(kept == [Data("\(text)\u{1}\u{2}\u{3}".utf8), Data(text.utf8)])
    }
  }

  @Test("there is no object of CoreFoundation behind a socket, connected or not (RL-25)")
  func platformObjects() async throws {
    try await onThread {
      let connected = try ConnectedSocket()
      for socket in [connected.socket, AsyncSocket()] {
        #expect(socket.getCFSocket() == nil && socket.getCFReadStream() == nil && socket.getCFWriteStream() == nil)
      }
      connected.socket.disconnect()
    }
  }

  @Test("every error of the class has a text (RL-28)")
  func texts() async throws {
    try await onThread {
      var errors: [NSError] = []
      func watch(_ connected: ConnectedSocket, _ lead: (ConnectedSocket) throws -> Void) throws {
        let listening = ErrorKeeper()
        connected.socket.setDelegate(listening)
        try lead(connected)
        #expect(runLoop { connected.socket.isDisconnected() })
        errors += listening.errors
      }
      try watch(ConnectedSocket()) { $0.socket.readData(withTimeout: 0.01, tag: 1) }
      try watch(ConnectedSocket()) { $0.socket.write(Data(count: 8 << 20), withTimeout: 0.01, tag: 1) }
      try watch(ConnectedSocket()) {
        $0.socket.readData(to: AsyncSocket.crlfData(), withTimeout: -1, maxLength: 3, tag: 1)
        try $0.peer.send("abc")
      }
      let recorder = RunLoopRecorder()
      recorder.mayConnect = false
      let socket = AsyncSocket(delegate: recorder)
      for host in ["127.0.0.1", ""] {
        do { try socket.connect(toHost: host, onPort: 1) } catch { errors.append(error as NSError) }
      }
      #expect(errors.map(\.domain) == Array(repeating: AsyncSocketErrorDomain, count: 5))
      #expect(errors.map(\.code) == [4, 5, 3, 1, -1])
      #expect(
        errors.map(\.localizedDescription) == [
          "Read operation timed out", "Write operation timed out", "Read operation reached set maximum length",
          "Connection canceled", "General CFSocket error",
        ])
    }
  }
}

/// Keeps the errors of ends.
private final class ErrorKeeper: AsyncSocketDelegate {
  var errors: [NSError] = []

  func onSocket(_ sock: AsyncSocket, willDisconnectWithError err: (any Error)?) {
    if let err { errors.append(err as NSError) }
  }

  @Test(
    "a read in a willDisconnect that takes its time, and the end, come without another turn of the loop (RL-01, RL-07)")
  func readInSlowWillDisconnect() async throws {
    try await onThread {
      let connected = try ConnectedSocket()
      let recorder = connected.recorder
      var isOver = false
      recorder.reactions["willDisconnect"] = { socket in
        socket.readData(withTimeout: -1, tag: 1)
        Thread.sleep(forTimeInterval: 0.05)
        isOver = true
      }
      try connected.peer.send("abc")
      connected.peer.finish()
      #expect(runLoop { isOver })
      #expect(recorder.events.suffix(2) == ["didRead \"abc\" 1", "didDisconnect"], "\(recorder.events)")
      #expect(connected.socket.isDisconnected())
    }
  }

  @Test("what a delegate does in the next life, begun inside the willDisconnect of a failed connect, counts (LIFE-10)")
  func nextLifeInsideWillDisconnect() async throws {
    try await onThread {
      let refused = try RawListener().port
      let listener = try RawListener()
      let recorder = RunLoopRecorder()
      let socket = AsyncSocket(delegate: recorder)
      var peer: RawPeer?
      recorder.reactions["didDisconnect"] = { socket in
        recorder.reactions["didDisconnect"] = nil
        try? socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      }
      recorder.reactions["willDisconnect"] = { socket in
        recorder.reactions["willDisconnect"] = nil
        // As an alert does.
        #expect(runLoop { recorder.count("didConnect") == 1 })
        socket.readData(toLength: 4, withTimeout: -1, tag: 1)
        socket.readData(withTimeout: -1, tag: 2)
        peer = try? listener.accept()
        try? peer?.send("pingpong")
        #expect(runLoop { recorder.count("didRead") == 2 })
      }
      try socket.connect(toHost: "127.0.0.1", onPort: refused)
      #expect(runLoop { recorder.count("willDisconnect") == 1 })
      #expect(recorder.events.suffix(2) == ["didRead \"ping\" 1", "didRead \"pong\" 2"], "\(recorder.events)")
      #expect(socket.isConnected())
      socket.disconnect()
    }
  }
}
