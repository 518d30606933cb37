import CocoaAsyncSocket
import Foundation
import TestSupport
import Testing

/// Other run loops, and modes.
@Suite struct MovingTests {
  // MARK: Other run loops

  @Test("a move: none, to where it is, and with a listener and a read under way (RL-17)")
  func move() async throws {
    let other = try RunLoopThread()
    try await onThread {
      let connected = try ConnectedSocket()
      let accepting = RunLoopRecorder()
      let listener = AsyncSocket(delegate: accepting)
      try listener.accept(onPort: 0)
      let socket = connected.socket
      #expect(!socket.move(to: nil) && !listener.move(to: nil))
      #expect(socket.move(to: .current) && listener.move(to: .current))
      socket.readData(toLength: 10, withTimeout: 1, tag: 1)
      try connected.peer.send("abcd")
      #expect(runLoop { connected.recorder.events.last == "didReadPartial 4 1" })
      connected.recorder.threads = []
      #expect(socket.move(to: other.runLoop) && listener.move(to: other.runLoop))
      try connected.peer.send("ef")
      let client = try RawPeer.connect(port: listener.localPort())
      // The old run loop has nothing to do with it any more, though it runs.
      #expect(runLoop { connected.recorder.count("didDisconnect") == 1 && accepting.count("didConnect") == 1 })
      try other.sync {
        #expect(
          connected.recorder.events.suffix(4) == [
            "didReadPartial 2 1", "shouldTimeoutRead 1 6", "willDisconnect AsyncSocketErrorDomain 4", "didDisconnect",
          ])
        #expect(connected.recorder.unread == [Data("abcdef".utf8)])
        #expect(accepting.events == ["didAccept", "wantsRunLoop", "willConnect", "didConnect 127.0.0.1"])
        let thread = UInt(bitPattern: ObjectIdentifier(Thread.current).hashValue)
        #expect(connected.recorder.threads == [thread] && accepting.threads == [thread])
        listener.disconnect()
      }
      withExtendedLifetime(client) {}
    }
    try other.end()
  }

  @Test("the timer of a connect moves, too (RL-18)")
  func moveConnecting() async throws {
    let other = try RunLoopThread()
    try await onThread {
      let hole = try BlackHole()
      let recorder = RunLoopRecorder()
      let socket = AsyncSocket(delegate: recorder)
      let start = monotonicSeconds()
      try socket.connect(toHost: "127.0.0.1", onPort: hole.port, withTimeout: 1)
      idle(for: 0.05)
      recorder.threads = []
      #expect(socket.move(to: other.runLoop))
      #expect(runLoop { recorder.count("didDisconnect") == 1 })
      let elapsed = monotonicSeconds() - start
      #expect(elapsed >= 0.99 && elapsed < 4)
      try other.sync {
        #expect(
          recorder.events == [
            "willConnect",
            "willDisconnect AsyncSocketErrorDomain \(AsyncSocketConnectTimeoutError.rawValue)", "didDisconnect",
          ])
        #expect(recorder.threads == [UInt(bitPattern: ObjectIdentifier(Thread.current).hashValue)])
      }
    }
    try other.end()
  }

  @Test("where it has been moved to, a socket may be ended before that run loop has run (RL-17, DIS-02)")
  func endsBeforeTheRunLoopRuns() async throws {
    let other = try RunLoopThread()
    try await onThread {
      let connected = try ConnectedSocket()
      let (isBusy, hasMoved, isOver) = (Latch(), Latch(), Latch())
      Thread {
        try? other.sync {
          isBusy.signal()
          try? hasMoved.wait("the socket is moved")
          connected.socket.disconnect()
          #expect(connected.recorder.events.last == "didDisconnect")
          isOver.signal()
        }
      }.start()
      try isBusy.wait("the other thread is busy")
      #expect(connected.socket.move(to: other.runLoop))
      hasMoved.signal()
      try isOver.wait("the socket is ended")
    }
    try other.end()
  }

  @Test("a child that is given to another thread's run loop is called there; early calls do no harm (RL-14, RL-15)")
  func childElsewhere() async throws {
    let other = try RunLoopThread()
    try await onThread {
      let recorder = RunLoopRecorder()
      recorder.runLoopForChild = other.runLoop
      let onOther = RunLoopRecorder()
      onOther.reactions["didConnect"] = { $0.readData(toLength: 1, withTimeout: 0.1, tag: 5) }
      recorder.reactions["didAccept"] = { child in
        child.setDelegate(onOther)
        child.readData(toLength: 1, withTimeout: -1, tag: 4)
        child.write(Data("early".utf8), withTimeout: -1, tag: 6)
        child.startTLS(nil)
        child.disconnectAfterReadingAndWriting()
      }
      let listener = AsyncSocket(delegate: recorder)
      try listener.accept(onPort: 0)
      let early = try RawPeer.connect(port: listener.localPort())
      #expect(runLoop { recorder.events.contains("wantsRunLoop") })
      early.close()
      #expect(runLoop { onOther.count("didDisconnect") == 1 })
      // One that waits as it should, and whose timer fires there.
      recorder.reactions = [:]
      recorder.reactions["didAccept"] = { $0.setDelegate(onOther) }
      let late = try RawPeer.connect(port: listener.localPort())
      #expect(runLoop { onOther.count("didDisconnect") == 2 })
      try other.sync {
        #expect(onOther.events.suffix(2) == ["willDisconnect AsyncSocketErrorDomain 4", "didDisconnect"])
        let thread = UInt(bitPattern: ObjectIdentifier(Thread.current).hashValue)
        #expect(onOther.threads.contains(thread) && recorder.threads.count == 1 && !recorder.threads.contains(thread))
      }
      listener.disconnect()
      withExtendedLifetime(late) {}
    }
    try other.end()
  }

  @Test("a run loop whose thread has ended calls nobody, and holds nothing", .timeLimit(.minutes(1)))
  func deadRunLoop() async throws {
    let other = try RunLoopThread()
    let dead: RunLoop = other.runLoop
    nonisolated(unsafe) let endedLoop = dead
    try other.end()
    try await onThread {
      weak var socket: AsyncSocket?
      var connected: ConnectedSocket? = try ConnectedSocket()
      let recorder = try #require(connected?.recorder)
      let peer = try #require(connected?.peer)
      socket = connected?.socket
      socket?.readData(withTimeout: 0.02, tag: 1)
      _ = socket?.move(to: endedLoop)
      try peer.send("x")
      socket?.write(Data("y".utf8), withTimeout: 0.02, tag: 2)
      socket?.setRunLoopModes(["private"])
      let before = recorder.events
      idle(for: 0.1)
      #expect(recorder.events == before)
      connected = nil
      #expect(socket == nil)
      peer.close()
      // A child that is sent there does not disturb its listener.
      recorder.runLoopForChild = endedLoop
      let listener = AsyncSocket(delegate: recorder)
      try listener.accept(onPort: 0)
      let lost = try RawPeer.connect(port: listener.localPort())
      #expect(runLoop { recorder.events.last == "willConnect" })
      recorder.runLoopForChild = nil
      let kept = try RawPeer.connect(port: listener.localPort())
      #expect(runLoop { recorder.events.last == "didConnect 127.0.0.1" })
      listener.disconnect()
      withExtendedLifetime((lost, kept)) {}
    }
  }

  @Test("a thread that begins when a run loop's thread has ended is not taken for it (THR-16)", .timeLimit(.minutes(1)))
  func reusedThread() async throws {
    for _ in 0..<50 {
      let other = try RunLoopThread()
      nonisolated(unsafe) var kept: ConnectedSocket?
      try other.sync { kept = try? ConnectedSocket() }
      let connected = try #require(kept)
      try other.end()
      // Most often it gets the stack of the one that has ended, and so its number.
      try await onThread {
        connected.socket.disconnect()
        idle(for: 0.001)
      }
      #expect(connected.recorder.count("didDisconnect") == 0)
    }
  }

  // MARK: Modes

  @Test("modes are set, added and taken out as the documents say (RL-19, RL-20, RL-21)")
  func modes() async throws {
    try await onThread {
      let standard = RunLoop.Mode.default.rawValue
      for connected in [nil, try ConnectedSocket()] {
        let socket = connected?.socket ?? AsyncSocket()
        var modes: Set<String> { Set(socket.runLoopModes() as? [String] ?? []) }
        #expect(modes == [standard])
        #expect(!socket.setRunLoopModes([]) && !socket.setRunLoopModes(nil) && modes == [standard])
        #expect(socket.setRunLoopModes([standard]) && modes == [standard])
        #expect(!socket.addRunLoopMode(nil) && socket.addRunLoopMode(standard) && modes == [standard])
        #expect(!socket.removeRunLoopMode(nil) && socket.removeRunLoopMode("absent") && modes == [standard])
        #expect(!socket.removeRunLoopMode(standard) && modes == [standard])
        #expect(socket.addRunLoopMode("a") && socket.addRunLoopMode("a") && modes == [standard, "a"])
        #expect(socket.removeRunLoopMode(standard) && modes == ["a"])
        #expect(socket.setRunLoopModes([RunLoop.Mode.default, "b"]) && modes == [standard, "b"])
        #expect(!socket.setRunLoopModes([7]) && modes == [standard, "b"])
        // One that is named twice counts once.
        #expect(socket.setRunLoopModes(["c", standard, "c", standard]) && modes == [standard, "c"])
        #expect(socket.runLoopModes().count == 2)
        #expect(socket.setRunLoopModes([standard, "b"]))
        socket.disconnect()
        #expect(modes == [standard, "b"])
      }
    }
  }

  @Test("a mode that is named twice is one, also beside others who have it (RL-20)")
  func doubledModes() async throws {
    try await onThread {
      let recorder = RunLoopRecorder()
      let (first, second) = (AsyncSocket(delegate: recorder), AsyncSocket(delegate: recorder))
      for socket in [first, second] {
        #expect(socket.setRunLoopModes(["d", "d"]) && socket.runLoopModes().count == 1)
        try socket.accept(onPort: 0)
        #expect(socket.setRunLoopModes(["d", "e", "d"]) && socket.runLoopModes().count == 2)
        socket.disconnect()
      }
    }
  }

  @Test("a change of modes takes everything along (RL-20, RL-22)")
  func changedModes() async throws {
    try await onThread {
      let connected = try ConnectedSocket()
      let (socket, recorder, peer) = (connected.socket, connected.recorder, connected.peer)
      let accepting = RunLoopRecorder()
      let listener = AsyncSocket(delegate: accepting)
      try listener.accept(onPort: 0)
      let mode = RunLoop.Mode("private")
      #expect(socket.setRunLoopModes([mode.rawValue]) && listener.setRunLoopModes([mode]))
      socket.readData(toLength: 1, withTimeout: 0.02, tag: 1)
      try peer.send("x")
      let client = try RawPeer.connect(port: listener.localPort())
      let before = recorder.events
      idle(for: 0.1)
      #expect(recorder.events == before && accepting.events.isEmpty)
      #expect(runLoop(in: mode) { recorder.events.last == "didRead \"x\" 1" })
      #expect(runLoop(in: mode) { accepting.events.last == "didConnect 127.0.0.1" })
      // What came in a mode that is left is not lost.
      try peer.send("y")
      #expect(socket.setRunLoopModes([RunLoop.Mode.default]))
      socket.readData(toLength: 1, withTimeout: -1, tag: 2)
      idle(in: mode, for: 0.05)
      #expect(recorder.events.last == "didRead \"x\" 1")
      #expect(runLoop { recorder.events.last == "didRead \"y\" 2" })
      listener.disconnect()
      withExtendedLifetime(client) {}
    }
  }

  @Test("a mode that was taken out is silent (RL-22)")
  func silentMode() async throws {
    try await onThread {
      let connected = try ConnectedSocket()
      let (socket, recorder) = (connected.socket, connected.recorder)
      let mode = RunLoop.Mode("private")
      #expect(socket.addRunLoopMode(mode.rawValue))
      idle(in: mode, for: 0.01)
      #expect(socket.removeRunLoopMode(mode.rawValue))
      socket.readData(toLength: 1, withTimeout: 0.02, tag: 1)
      try connected.peer.send("x")
      let before = recorder.events
      idle(in: mode, for: 0.1)
      #expect(recorder.events == before)
      #expect(runLoop { recorder.events.last == "didRead \"x\" 1" })
    }
  }

  @Test("a timer fires in a configured mode only, then at once (TMO-24)")
  func timersInModes() async throws {
    try await onThread {
      let connected = try ConnectedSocket()
      let timeout = 1.0
      connected.socket.readData(toLength: 1, withTimeout: timeout, tag: 1)
      _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
      let before = connected.recorder.events
      idle(in: RunLoop.Mode("private"), for: timeout + 0.1)
      #expect(connected.recorder.events == before)
      let start = monotonicSeconds()
      #expect(runLoop { connected.recorder.events.last == "didDisconnect" })
      // A timer that began anew would take all of it; a busy machine may take a part.
      #expect(monotonicSeconds() - start < timeout)
      #expect(connected.recorder.events.contains("willDisconnect AsyncSocketErrorDomain 4"))
    }
  }

  @Test("reading ahead is always on; its calls change nothing (RL-24, RD-DELIM-21)")
  func prebuffering() async throws {
    try await onThread {
      let listener = try RawListener()
      let recorder = RunLoopRecorder()
      let socket = AsyncSocket(delegate: recorder)
      for round in 0..<3 {
        if round == 1 { socket.enablePreBuffering() }
        if round == 2 { socket.enablePrebuffering() }
        recorder.events = []
        try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
        let peer = try listener.accept()
        socket.readData(to: AsyncSocket.crlfData(), withTimeout: -1, tag: 1)
        socket.readData(to: AsyncSocket.lfData(), withTimeout: -1, tag: 2)
        try peer.send("a\r\nb\nrest")
        #expect(runLoop { recorder.events.last == "didRead \"b\\n\" 2" })
        #expect(recorder.events.suffix(2) == ["didRead \"a\\r\\n\" 1", "didRead \"b\\n\" 2"])
        if round == 1 { socket.enablePreBuffering() }
        if round == 2 { socket.enablePrebuffering() }
        // What was read ahead is there for a read that nobody had asked for.
        socket.readData(toLength: 4, withTimeout: -1, tag: 3)
        #expect(runLoop { recorder.events.last == "didRead \"rest\" 3" })
        socket.disconnect()
      }
    }
  }
}
