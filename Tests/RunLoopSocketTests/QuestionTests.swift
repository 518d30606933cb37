import CocoaAsyncSocket
import Foundation
import TestSupport
import Testing

/// What delegates do while they are asked whether to connect.
@Suite struct QuestionTests {
  @Test("what is called inside onSocketWillConnect takes effect with the start, in order (CON-12, CON-39, CON-41)")
  func calls() async throws {
    try await onThread {
      let listener = try RawListener()
      let recorder = RunLoopRecorder()
      let socket = AsyncSocket(delegate: recorder)
      recorder.reactions["willConnect"] = { socket in
        socket.write(Data("one".utf8), withTimeout: -1, tag: 1)
        socket.write(Data("two".utf8), withTimeout: -1, tag: 2)
        socket.readData(to: AsyncSocket.crlfData(), withTimeout: -1, tag: 3)
        socket.readData(toLength: 2, withTimeout: -1, tag: 4)
        socket.disconnectAfterReadingAndWriting()
      }
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      let peer = try listener.accept()
      try peer.send("line\r\nab")
      #expect(runLoop { recorder.count("didDisconnect") == 1 })
      #expect(try peer.receive(6) == Array("onetwo".utf8))
      #expect(recorder.events.filter { $0.hasPrefix("didRead") } == ["didRead \"line\\r\\n\" 3", "didRead \"ab\" 4"])
      #expect(recorder.events.filter { $0.hasPrefix("didWrite ") } == ["didWrite 1", "didWrite 2"])
      #expect(recorder.count("willConnect") == 1 && recorder.count("willDisconnect") == 0)
    }
  }

  @Test(
    "TLS that is started inside onSocketWillConnect is in front of what is written there (TLS-01)",
    arguments: [false, true])
  func security(hasNullForTheName: Bool) async throws {
    try await onThread {
      let listener = try RawListener()
      let recorder = RunLoopRecorder()
      let socket = AsyncSocket(delegate: recorder)
      recorder.reactions["willConnect"] = { socket in
        // Null is what Core Foundation has for a name that is not to be checked.
        let name: Any = hasNullForTheName ? NSNull() : "good.example"
        socket.startTLS([kCFStreamSSLPeerName as String: name])
        socket.write(Data("secret".utf8), withTimeout: -1, tag: 1)
      }
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      let peer = try listener.accept()
      idle(for: 0.1)
      // A handshake record.
      #expect(try peer.receive(1) == [22])
      socket.disconnect()
    }
  }

  @Test("a disconnect inside onSocketWillConnect gives the start up, whatever the answer (DIS-07, CON-41)")
  func disconnect() async throws {
    try await onThread {
      let listener = try RawListener()
      let recorder = RunLoopRecorder()
      let socket = AsyncSocket(delegate: recorder)
      recorder.reactions["willConnect"] = { socket in
        socket.write(Data("one".utf8), withTimeout: -1, tag: 1)
        socket.disconnect()
      }
      let error = #expect(throws: NSError.self) {
        try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      }
      #expect(error?.domain == AsyncSocketErrorDomain && error?.code == 1)
      #expect(socket.isDisconnected())
      idle(for: 0.05)
      #expect(recorder.events == ["willConnect"])
      // What was called then is forgotten.
      recorder.reactions = [:]
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      #expect(runLoop { recorder.count("didConnect") == 1 })
      idle(for: 0.05)
      #expect(recorder.count("didWrite") == 0)
      socket.disconnect()
    }
  }

  @Test("a socket that is moved inside onSocketWillConnect connects on the other run loop (RL-17)")
  func move() async throws {
    let other = try RunLoopThread()
    try await onThread {
      let listener = try RawListener()
      let recorder = RunLoopRecorder()
      let socket = AsyncSocket(delegate: recorder)
      recorder.reactions["willConnect"] = { socket in
        #expect(socket.move(to: other.runLoop))
        recorder.threads = []
      }
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      #expect(runLoop { recorder.count("didConnect") == 1 })
      try other.sync {
        #expect(recorder.threads == [UInt(bitPattern: ObjectIdentifier(Thread.current).hashValue)])
        socket.disconnect()
      }
    }
    try other.end()
  }

  @Test(
    "an accepted child that is moved before it works, works there (RL-17)", arguments: ["didAccept", "willConnect"])
  func moveChild(_ callback: String) async throws {
    let other = try RunLoopThread()
    try await onThread {
      let accepting = RunLoopRecorder()
      let listener = AsyncSocket(delegate: accepting)
      try listener.accept(onPort: 0)
      accepting.reactions[callback] = { child in #expect(child.move(to: other.runLoop)) }
      accepting.reactions["didConnect"] = { _ in
        accepting.threads = [UInt(bitPattern: ObjectIdentifier(Thread.current).hashValue)]
      }
      let client = try RawPeer.connect(port: listener.localPort())
      #expect(runLoop { accepting.count("didConnect") == 1 })
      try other.sync {
        #expect(accepting.threads == [UInt(bitPattern: ObjectIdentifier(Thread.current).hashValue)])
        accepting.children = []
      }
      listener.disconnect()
      withExtendedLifetime(client) {}
    }
    try other.end()
  }

  @Test("a socket whose delegate has not heard of its end can't be started, and is not disconnected (LIFE-04, INV-18)")
  func pendingEnd() async throws {
    try await onThread {
      let listener = try RawListener()
      let recorder = RunLoopRecorder()
      let socket = AsyncSocket(delegate: recorder)
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      socket.disconnectAfterWriting()
      #expect(!socket.isDisconnected())
      #expect(throws: AsyncSocketMisuse.self) { try socket.connect(toHost: "127.0.0.1", onPort: listener.port) }
      #expect(runLoop { recorder.count("didDisconnect") == 1 })
      #expect(socket.isDisconnected())
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      #expect(runLoop { recorder.count("didConnect") == 1 })
      socket.disconnect()
    }
  }
}
