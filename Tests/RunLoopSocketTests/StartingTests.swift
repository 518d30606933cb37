import CocoaAsyncSocket
import Foundation
import TestSupport
import Testing

/// How a socket on a run loop is made, started, accepted, and what it says of itself.
@Suite struct StartingTests {
  @Test("initialisers and user data (LIFE-26, CFG-14)")
  func userData() async throws {
    try await onThread {
      let recorder = RunLoopRecorder()
      #expect(AsyncSocket().delegate() == nil && AsyncSocket().userData() == 0)
      #expect(AsyncSocket(delegate: recorder).delegate() === recorder)
      let socket = AsyncSocket(delegate: recorder, userData: -7)
      let listener = try RawListener()
      for round in 0..<2 {
        #expect(socket.userData() == -7 + round)
        try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
        let peer = try listener.accept()
        #expect(runLoop { socket.isConnected() })
        socket.setUserData(socket.userData() + 1)
        peer.close()
        #expect(runLoop { socket.isDisconnected() })
      }
      #expect(socket.userData() == -5)
    }
  }

  @Test("a start that is misuse throws and changes nothing (LIFE-04, LIFE-07)")
  func misuse() async throws {
    try await onThread {
      let connected = try ConnectedSocket()
      let socket = connected.socket
      let before = connected.recorder.events
      let listener = try RawListener()
      let starts: [(AsyncSocket) throws -> Void] = [
        { try $0.connect(toHost: "127.0.0.1", onPort: listener.port) },
        { try $0.connect(toAddress: address(port: listener.port)) },
        { try $0.accept(onPort: 0) },
        { try $0.accept(onAddress: "127.0.0.1", port: 0) },
        // It is misuse whatever else is wrong, and no name is looked up for it.
        { try $0.accept(onInterface: "no.such.invalid", port: 1) },
        { try $0.connect(toHost: "", onPort: listener.port) },
        { try $0.connect(toAddress: Data([1, 2])) },
        { try $0.connect(toAddress: Data(), viaInterfaceAddress: Data([1]), withTimeout: -1) },
      ]
      for start in starts {
        for misused in [socket, AsyncSocket()] {
          let error = #expect(throws: AsyncSocketMisuse.self) { try start(misused) }
          #expect(error?.name == AsyncSocketException && error?.reason.isEmpty == false)
        }
      }
      #expect(connected.recorder.events == before)
      socket.readData(toLength: 2, withTimeout: 5, tag: 1)
      try connected.peer.send("ok")
      #expect(runLoop { connected.recorder.events.contains("didRead \"ok\" 1") })
      // A listener cannot be started twice, either.
      let accepting = AsyncSocket(delegate: connected.recorder)
      try accepting.accept(onPort: 0)
      for start in starts { #expect(throws: AsyncSocketMisuse.self) { try start(accepting) } }
      accepting.disconnect()
    }
  }

  @Test("a connection starts from the local address that is named, or not at all (CON-33)")
  func localAddress() async throws {
    try await onThread {
      let recorder = RunLoopRecorder()
      let listener = try RawListener()
      let place = address(port: listener.port)
      // 127.0.0.2 is local without being listed.
      var own = [UInt8](address(port: 0))
      own[7] = 2
      let socket = AsyncSocket(delegate: recorder)
      try socket.connect(toAddress: place, viaInterfaceAddress: Data(own), withTimeout: -1)
      let peer = try listener.accept()
      #expect(runLoop { socket.isConnected() })
      #expect(socket.localHost() == "127.0.0.2" && socket.localPort() != 0)
      peer.close()
      // The port of the address is taken, too.
      let other = AsyncSocket(delegate: recorder)
      let listening = AsyncSocket(delegate: recorder)
      try listening.accept(onAddress: "127.0.0.2", port: 0)
      own[2...3] = [UInt8(listening.localPort() >> 8), UInt8(listening.localPort() & 0xFF)]
      let refused: [Data] = [
        Data(own), Data([2, 0, 0, 0, 192, 0, 2, 1] + [UInt8](repeating: 0, count: 8)), Data([1, 2, 3]), Data(),
        Data([10, 0] + [UInt8](repeating: 0, count: 26)),
      ]
      for wrong in refused {
        let error = #expect(throws: (any Error).self) {
          try other.connect(toAddress: place, viaInterfaceAddress: wrong, withTimeout: -1)
        }
        #expect((error as NSError?)?.domain == AsyncSocketErrorDomain, "\(wrong as NSData): \(error as Any)")
        #expect(other.isDisconnected())
      }
      try other.connect(toAddress: place)
      let last = try listener.accept()
      #expect(runLoop { other.isConnected() })
      last.close()
    }
  }

  @Test("nothing keeps a socket that nobody holds, nor its delegate (LIFE-20, RL-13)")
  func nobodyHolds() async throws {
    try await onThread {
      weak var listening: AsyncSocket?
      weak var connected: AsyncSocket?
      weak var delegate: RunLoopRecorder?
      var peer: RawPeer?
      do {
        let recorder = RunLoopRecorder()
        delegate = recorder
        let accepting = AsyncSocket(delegate: recorder)
        try accepting.accept(onPort: 0)
        let pair = try ConnectedSocket(recorder)
        pair.socket.readData(withTimeout: 60, tag: 1)
        idle(for: 0.02)
        (listening, connected, peer) = (accepting, pair.socket, pair.peer)
      }
      #expect(listening == nil && connected == nil && delegate == nil)
      #expect(try #require(peer).ending() == .endOfStream)
    }
  }

  @Test("without a delegate a socket goes on silently (RL-13, CFG-11)")
  func delegateGoesAway() async throws {
    try await onThread {
      let connected = try ConnectedSocket()
      connected.socket.setDelegate(nil)
      connected.socket.write(Data("still here".utf8), withTimeout: -1, tag: 1)
      connected.socket.disconnectAfterWriting()
      idle(for: 0.05)
      #expect(try connected.peer.receive(10) == Array("still here".utf8))
      #expect(connected.socket.isDisconnected())
      #expect(connected.recorder.events == ["willConnect", "didConnect 127.0.0.1"])
    }
  }

  // MARK: Accepting

  @Test("a child inherits delegate and modes, and is told of in order (ACC-19, RL-16, RL-23, CFG-16)")
  func children() async throws {
    try await onThread {
      let recorder = RunLoopRecorder()
      let listener = AsyncSocket(delegate: recorder, userData: 9)
      #expect(listener.addRunLoopMode("private"))
      try listener.accept(onAddress: "127.0.0.1", port: 0)
      var seen: [String] = []
      recorder.reactions["didAccept"] = { child in
        #expect(child !== listener && child.delegate() === recorder && child.userData() == 0)
        seen = child.runLoopModes() as? [String] ?? []
      }
      let peer = try RawPeer.connect(port: listener.localPort())
      #expect(runLoop { recorder.events.last == "didConnect 127.0.0.1" })
      #expect(recorder.events == ["didAccept", "wantsRunLoop", "willConnect", "didConnect 127.0.0.1"])
      #expect(Set(seen) == [RunLoop.Mode.default.rawValue, "private"])
      try peer.send("x")
      recorder.children[0].readData(withTimeout: -1, tag: 3)
      #expect(runLoop(in: RunLoop.Mode("private")) { recorder.events.last == "didRead \"x\" 3" })
      listener.disconnect()
      #expect(recorder.children[0].isConnected())
    }
  }

  @Test("a child that may not connect is closed without a word about an error (ACC-38)")
  func refusedChild() async throws {
    try await onThread {
      let recorder = RunLoopRecorder()
      recorder.mayConnect = false
      let listener = AsyncSocket(delegate: recorder)
      try listener.accept(onPort: 0)
      let peer = try RawPeer.connect(port: listener.localPort())
      #expect(runLoop { recorder.events.contains("willConnect") })
      idle(for: 0.02)
      #expect(try peer.ending() == .endOfStream)
      let told = recorder.events.filter { $0 != "didDisconnect" }
      #expect(told == ["didAccept", "wantsRunLoop", "willConnect"] && recorder.events.count <= 4)
      listener.disconnect()
    }
  }

  @Test("one address to listen on, in every spelling; a busy port and a name that is none are refused (ACC-06, ACC-39)")
  func addresses() async throws {
    try await onThread {
      let recorder = RunLoopRecorder()
      for spelling in [nil, "", "127.0.0.1", "::1", "localhost", "loopback", "lo"] as [String?] {
        for start in [AsyncSocket.accept(onAddress:port:), AsyncSocket.accept(onInterface:port:)] {
          let listener = AsyncSocket(delegate: recorder)
          try start(listener)(spelling, 0)
          let family = spelling == "::1" ? RawFamily.ipv6 : .ipv4
          _ = try RawPeer.connect(port: listener.localPort(), family: family)
          recorder.events = []
          #expect(runLoop { recorder.events.contains("didAccept") }, "\(spelling ?? "nil")")
          listener.disconnect()
        }
      }
      let taken = try RawListener()
      let socket = AsyncSocket(delegate: recorder)
      recorder.events = []
      let busy = failure { try socket.accept(onAddress: "127.0.0.1", port: taken.port) }
      #expect(busy?.domain == AsyncSocketErrorDomain && busy?.code == Int(AsyncSocketCFSocketError.rawValue))
      let unknown = failure { try socket.accept(onAddress: "no host has this name", port: 0) }
      #expect(unknown?.domain == "kCFStreamErrorDomainNetDB")
      #expect(recorder.events.isEmpty && socket.isDisconnected())
      try socket.accept(onPort: 0)
      socket.disconnect()
    }
  }

  @Test("clients that find no descriptor left do not end the listening (ACC-40)")
  func noDescriptorLeft() async throws {
    await #expect(processExitsWith: .success) {
      try await onThread {
        let recorder = RunLoopRecorder()
        let listener = AsyncSocket(delegate: recorder)
        try listener.accept(onAddress: "127.0.0.1", port: 0)
        let early = try RawPeer.unconnected()
        // The run loop has what it needs.
        idle(for: 0.01)
        var taken: [Int32] = []
        while true {
          let descriptor = open("/dev/null", O_RDONLY)
          if descriptor < 0 { break }
          taken.append(descriptor)
        }
        try early.connect(port: listener.localPort())
        _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.1))
        guard recorder.events.isEmpty, !taken.isEmpty else { exit(1) }
        for descriptor in taken { close(descriptor) }
        let late = try RawPeer.connect(port: listener.localPort())
        guard runLoop(until: { recorder.events.contains("didConnect 127.0.0.1") }) else { exit(2) }
        withExtendedLifetime((early, late)) {}
      }
    }
  }

  // MARK: Connecting

  @Test("no host, no address: refused by the call, without a callback (CON-04, CON-33)")
  func noHost() async throws {
    try await onThread {
      let recorder = RunLoopRecorder()
      let socket = AsyncSocket(delegate: recorder)
      for host in [nil, ""] as [String?] {
        let error = failure { try socket.connect(toHost: host, onPort: 80) }
        #expect(error?.domain == AsyncSocketErrorDomain && error?.code == Int(AsyncSocketCFSocketError.rawValue))
      }
      for blob in [nil, Data(), Data("no address".utf8)] as [Data?] {
        let error = failure { try socket.connect(toAddress: blob) }
        #expect(error?.domain == AsyncSocketErrorDomain && error?.code == Int(AsyncSocketCFSocketError.rawValue))
      }
      idle(for: 0.02)
      #expect(recorder.events.isEmpty && socket.isDisconnected())
    }
  }

  @Test("refused: willDisconnect comes first of all, with the error of the call's kind (CON-33, CON-42)")
  func refused() async throws {
    try await onThread {
      let closed = try RawListener(backlog: nil)
      let byHost = RunLoopRecorder()
      let first = AsyncSocket(delegate: byHost)
      try first.connect(toHost: "127.0.0.1", onPort: closed.port)
      #expect(runLoop { byHost.events.contains("didDisconnect") })
      #expect(
        byHost.events == ["willConnect", "willDisconnect \(NSPOSIXErrorDomain) \(ECONNREFUSED)", "didDisconnect"])
      let byAddress = RunLoopRecorder()
      let second = AsyncSocket(delegate: byAddress)
      try second.connect(toAddress: address(port: closed.port))
      #expect(runLoop { byAddress.events.contains("didDisconnect") })
      #expect(byAddress.events == ["willConnect", "willDisconnect AsyncSocketErrorDomain -1", "didDisconnect"])
    }
  }

  @Test("a reset is ECONNRESET, however the connection was made (RL-01)")
  func resetOfAnAddress() async throws {
    try await onThread {
      let listener = try RawListener()
      let recorder = RunLoopRecorder()
      let socket = AsyncSocket(delegate: recorder)
      try socket.connect(toAddress: address(port: listener.port))
      let peer = try listener.accept()
      #expect(runLoop { recorder.events.contains("didConnect 127.0.0.1") })
      socket.readData(withTimeout: -1, tag: 1)
      peer.reset()
      #expect(runLoop { recorder.events.contains("didDisconnect") })
      #expect(recorder.events.suffix(2) == ["willDisconnect \(NSPOSIXErrorDomain) \(ECONNRESET)", "didDisconnect"])
    }
  }

  @Test("a start that is refused as misuse leaves the error of the one under way as it is (LIFE-04, CON-33)")
  func misuseBesideAnAddress() async throws {
    try await onThread {
      let closed = try RawListener(backlog: nil)
      let recorder = RunLoopRecorder()
      let socket = AsyncSocket(delegate: recorder)
      try socket.connect(toAddress: address(port: closed.port))
      #expect(throws: AsyncSocketMisuse.self) { try socket.connect(toHost: "127.0.0.1", onPort: closed.port) }
      #expect(runLoop { recorder.events.contains("didDisconnect") })
      #expect(recorder.events == ["willConnect", "willDisconnect AsyncSocketErrorDomain -1", "didDisconnect"])
    }
  }

  @Test("a delegate that says no cancels the connection, once (CON-41)")
  func canceled() async throws {
    try await onThread {
      let listener = try RawListener()
      let recorder = RunLoopRecorder()
      recorder.mayConnect = false
      let socket = AsyncSocket(delegate: recorder)
      let error = failure { try socket.connect(toHost: "127.0.0.1", onPort: listener.port) }
      #expect(error?.domain == AsyncSocketErrorDomain && error?.code == Int(AsyncSocketCanceledError.rawValue))
      idle(for: 0.02)
      #expect(recorder.events == ["willConnect"] && socket.isDisconnected())
      recorder.mayConnect = true
      try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
      #expect(runLoop { recorder.events.contains("didConnect 127.0.0.1") })
    }
  }

  // MARK: Diagnostics

  @Test("isConnected: not for a listener, not after the peer's end, still after a reset (DIAG-09)")
  func isConnected() async throws {
    try await onThread {
      let recorder = RunLoopRecorder()
      let listener = AsyncSocket(delegate: recorder)
      try listener.accept(onPort: 0)
      #expect(!listener.isConnected() && !listener.isDisconnected())
      for resets in [false, true] {
        let connected = try ConnectedSocket()
        var was: Bool?
        connected.recorder.reactions["willDisconnect"] = { was = $0.isConnected() }
        #expect(connected.socket.isConnected())
        if resets { connected.peer.reset() } else { connected.peer.finish() }
        #expect(runLoop { connected.recorder.events.contains("didDisconnect") })
        #expect(was == resets && !connected.socket.isConnected())
      }
    }
  }

  @Test("the description is one line about addresses, queues, progress, and what is to come (DIAG-10)")
  func description() async throws {
    try await onThread {
      #expect(AsyncSocket().description.contains("not connected"))
      let connected = try ConnectedSocket()
      let socket = connected.socket
      socket.readData(toLength: 10, withTimeout: -1, tag: 77)
      socket.readData(toLength: 10, withTimeout: -1, tag: 78)
      try connected.peer.send("abcd")
      #expect(runLoop { connected.recorder.events.last == "didReadPartial 4 77" })
      socket.disconnectAfterReading()
      idle(for: 0.01)
      let text = socket.description
      for part in [
        "127.0.0.1 port \(connected.socket.connectedPort())", "port \(socket.localPort())", "reads", "writes",
        "4 of 10", "77", "disconnect after",
      ] { #expect(text.contains(part), "\(part) in \(text)") }
      #expect(!text.contains { $0.isNewline })
    }
  }

  @Test("a start inside the question about a start is refused, and the first one goes on (LIFE-04, CON-41)")
  func startInsideWillConnect() async throws {
    try await onThread {
      let (first, other) = (try RawListener(), try RawListener())
      let recorder = RunLoopRecorder()
      let socket = AsyncSocket(delegate: recorder)
      var refusals = 0
      recorder.reactions["willConnect"] = { socket in
        do { try socket.connect(toHost: "127.0.0.1", onPort: other.port) } catch { refusals += 1 }
        do { try socket.accept(onPort: 0) } catch { refusals += 1 }
        socket.readData(toLength: 1, withTimeout: -1, tag: 1)
      }
      try socket.connect(toHost: "127.0.0.1", onPort: first.port)
      let peer = try first.accept()
      try peer.send("x")
      #expect(runLoop { recorder.count("didRead") == 1 })
      #expect(refusals == 2 && recorder.count("willConnect") == 1 && recorder.count("didConnect") == 1)
      socket.disconnect()
    }
  }
}

/// The error that the call throws.
func failure(_ body: () throws -> Void) -> NSError? {
  do {
    try body()
    return nil
  } catch {
    return error as NSError
  }
}

/// A sockaddr_in of the loopback address.
func address(port: UInt16) -> Data {
  Data([2, 0, UInt8(port >> 8), UInt8(port & 0xFF), 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])
}
