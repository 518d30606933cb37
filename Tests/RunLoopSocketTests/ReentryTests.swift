import CocoaAsyncSocket
import Foundation
import TestSupport
import Testing

/// What delegates do inside callbacks: disconnect, let go, move, run the loop.
@Suite struct ReentryTests {
  /// A connection that is led to the named callback.
  private struct Stage {
    let callback: String
    let lead: @Sendable (ConnectedSocket) throws -> Void
  }

  private static let large = 8 << 20

  private static let stages = [
    Stage(callback: "didRead") {
      $0.socket.readData(withTimeout: -1, tag: 1)
      $0.socket.readData(toLength: 1, withTimeout: -1, tag: 2)
      try $0.peer.send("some bytes")
    },
    // An overflow is to follow.
    Stage(callback: "didReadPartial") {
      $0.socket.readData(to: AsyncSocket.crlfData(), withTimeout: -1, maxLength: 8, tag: 1)
      try $0.peer.send("abcd")
      idle(for: 0.01)
      try $0.peer.send("efghij")
    },
    Stage(callback: "didWrite") {
      $0.socket.write(Data("one".utf8), withTimeout: -1, tag: 1)
      $0.socket.write(Data("two".utf8), withTimeout: -1, tag: 2)
    },
    Stage(callback: "didWritePartial") { $0.socket.write(Data(count: large), withTimeout: -1, tag: 1) },
    Stage(callback: "shouldTimeoutRead") { $0.socket.readData(toLength: 9, withTimeout: 0.02, tag: 1) },
    Stage(callback: "shouldTimeoutWrite") { $0.socket.write(Data(count: large), withTimeout: 0.05, tag: 1) },
    Stage(callback: "willDisconnect") { $0.peer.reset() },
    Stage(callback: "didDisconnect") { $0.peer.finish() },
  ]

  @Test("disconnect inside each callback ends it there (RL-29)", arguments: stages.indices)
  func disconnectInside(_ index: Int) async throws {
    try await onThread {
      let stage = Self.stages[index]
      let connected = try ConnectedSocket()
      let recorder = connected.recorder
      var isReached = false
      recorder.reactions[stage.callback] = { socket in
        isReached = true
        socket.disconnect()
        #expect(socket.isDisconnected())
      }
      try stage.lead(connected)
      #expect(runLoop { isReached && recorder.count("didDisconnect") > 0 })
      idle(for: 0.02)
      #expect(recorder.count("didDisconnect") == 1 && recorder.events.last == "didDisconnect")
      // The instance can be used again.
      recorder.reactions = [:]
      let listener = try RawListener()
      try connected.socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      #expect(runLoop { connected.socket.isConnected() })
      connected.socket.disconnect()
    }
  }

  /// Lets go of itself inside didWrite. Its end asks about the socket on another thread.
  private final class PassingDelegate: AsyncSocketDelegate, @unchecked Sendable {
    // Unchecked: one thread after the other has it.
    let socket: AsyncSocket
    let ended: (_ isFree: Bool) -> Void
    var own: PassingDelegate?

    init(_ socket: AsyncSocket, ended: @escaping (Bool) -> Void) {
      (self.socket, self.ended) = (socket, ended)
      own = self
    }

    func onSocket(_ sock: AsyncSocket, didWriteDataWithTag tag: Int) { own = nil }

    deinit {
      let answer = DispatchSemaphore(value: 0)
      Thread.detachNewThread { [socket] in
        _ = socket.isConnected()
        answer.signal()
      }
      ended(answer.wait(timeout: .now() + 2) == .success)
    }
  }

  @Test("a delegate that ends inside a callback holds up nobody who asks about the socket (RL-12)")
  func delegateEndsInside() async throws {
    try await onThread {
      let connected = try ConnectedSocket()
      var isFree: Bool?
      connected.socket.setDelegate(PassingDelegate(connected.socket) { isFree = $0 })
      connected.socket.write(Data("one".utf8), withTimeout: -1, tag: 1)
      #expect(runLoop { isFree != nil })
      #expect(isFree == true && connected.socket.delegate() == nil)
    }
  }

  @Test("the last reference may go inside each callback (RL-29, DIS-26)", arguments: stages.indices)
  func releaseInside(_ index: Int) async throws {
    try await onThread {
      let stage = Self.stages[index]
      var connected: ConnectedSocket? = try ConnectedSocket()
      let (recorder, peer) = (try #require(connected?.recorder), try #require(connected?.peer))
      weak let socket = connected?.socket
      var isReached = false
      recorder.reactions[stage.callback] = { _ in
        isReached = true
        connected = nil
      }
      try connected.map(stage.lead)
      #expect(runLoop { isReached })
      idle(for: 0.02)
      #expect(socket == nil)
      withExtendedLifetime(peer) {}
    }
  }

  @Test("accepting: disconnect, or let go, inside each callback (RL-29)")
  func accepting() async throws {
    try await onThread {
      for callback in ["didAccept", "wantsRunLoop", "willConnect", "didConnect"] {
        for letsGo in [false, true] {
          let recorder = RunLoopRecorder()
          var listener: AsyncSocket? = AsyncSocket(delegate: recorder)
          try listener?.accept(onPort: 0)
          var isReached = false
          recorder.reactions[callback] = { socket in
            isReached = true
            if letsGo {
              recorder.children = []
              listener = nil
            } else {
              socket.disconnect()
              listener?.disconnect()
            }
          }
          let peer = try RawPeer.connect(port: try #require(listener).localPort())
          #expect(runLoop { isReached }, "\(callback)")
          idle(for: 0.02)
          listener = nil
          // The listener itself is handed to wantsRunLoop: its child may live on.
          recorder.children = []
          idle(for: 0.01)
          #expect(try peer.ending() == .endOfStream, "\(callback)")
        }
      }
    }
  }

  @Test("a socket may be moved, or change its modes, inside each callback", arguments: stages.indices)
  func moveInside(_ index: Int) async throws {
    let other = try RunLoopThread()
    try await onThread {
      let stage = Self.stages[index]
      let connected = try ConnectedSocket()
      let recorder = connected.recorder
      let isReached = Flag()
      recorder.reactions[stage.callback] = { socket in
        guard !isReached.isSet else { return }
        isReached.set()
        socket.addRunLoopMode("private")
        socket.move(to: other.runLoop)
      }
      try stage.lead(connected)
      #expect(runLoop { isReached.isSet })
      connected.peer.close()
      #expect(runLoop { recorder.count("didDisconnect") == 1 })
      try other.sync {}
    }
    try other.end()
  }

  // MARK: Nested runs

  @Test("a modal loop inside didRead: this socket and others go on")
  func modalLoop() async throws {
    try await onThread {
      let outer = try ConnectedSocket()
      let bystander = try ConnectedSocket()
      var depth = 0
      outer.recorder.reactions["didRead"] = { socket in
        depth += 1
        defer { depth -= 1 }
        guard depth == 1 else { return }
        socket.readData(toLength: 2, withTimeout: -1, tag: 2)
        socket.write(Data("out".utf8), withTimeout: -1, tag: 3)
        bystander.socket.readData(toLength: 1, withTimeout: -1, tag: 4)
        do {
          #expect(runLoop { outer.recorder.events.contains("didWrite 3") })
          #expect(try outer.peer.receive(3) == Array("out".utf8))
          try outer.peer.send("in")
          try bystander.peer.send("b")
          #expect(runLoop { outer.recorder.events.contains("didRead \"in\" 2") })
          #expect(runLoop { bystander.recorder.events.last == "didRead \"b\" 4" })
          let accepting = RunLoopRecorder()
          let listener = AsyncSocket(delegate: accepting)
          try listener.accept(onPort: 0)
          let client = try RawPeer.connect(port: listener.localPort())
          #expect(runLoop { accepting.events.last == "didConnect 127.0.0.1" })
          withExtendedLifetime(client) { listener.disconnect() }
        } catch { Issue.record(error) }
      }
      outer.socket.readData(withTimeout: -1, tag: 1)
      try outer.peer.send("x")
      #expect(runLoop { outer.recorder.events.contains("didRead \"in\" 2") && depth == 0 })
    }
  }

  @Test("a modal loop inside a timeout's callback: the timeouts of other sockets come in it")
  func modalLoopInTimeout() async throws {
    try await onThread {
      let first = try ConnectedSocket()
      let second = try ConnectedSocket()
      let third = try ConnectedSocket()
      first.recorder.reactions["shouldTimeoutRead"] = { _ in
        #expect(runLoop { second.recorder.events.last == "didDisconnect" })
        #expect(runLoop { third.recorder.events.last == "didDisconnect" })
      }
      first.socket.readData(withTimeout: 0.03, tag: 1)
      second.socket.readData(withTimeout: 0.03, tag: 1)
      third.socket.readData(withTimeout: 0.1, tag: 1)
      #expect(runLoop { first.recorder.events.last == "didDisconnect" })
    }
  }

  @Test("a modal loop in a mode of its own keeps the socket quiet until it is over (RL-22)")
  func modalLoopInAnotherMode() async throws {
    try await onThread {
      let connected = try ConnectedSocket()
      connected.recorder.reactions["didRead"] = { socket in
        socket.readData(toLength: 1, withTimeout: -1, tag: 2)
        let before = connected.recorder.events
        guard before.count == 3 else { return }
        idle(in: RunLoop.Mode("modal"), for: 0.05)
        #expect(connected.recorder.events == before)
      }
      connected.socket.readData(toLength: 1, withTimeout: -1, tag: 1)
      try connected.peer.send("ab")
      #expect(runLoop { connected.recorder.events.last == "didRead \"b\" 2" })
    }
  }
}
