import CocoaAsyncSocket
import Foundation
import TestSupport
import Testing

/// What was written for the run-loop class compiles, which the files beside this one prove, and works.
@Suite struct RunLoopCompatibilityTests {
  /// Runs the body on a thread of its own, which has a run loop of its own.
  private static func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      Thread { continuation.resume(with: Result { try body() }) }.start()
    }
  }

  private static func runLoop(in mode: RunLoop.Mode = .default, until condition: () -> Bool) -> Bool {
    let end = Date(timeIntervalSinceNow: generousLimit)
    while !condition(), end.timeIntervalSinceNow > 0 { _ = RunLoop.current.run(mode: mode, before: end) }
    return condition()
  }

  @Test("the fetcher has the page, whether the header tells its length or the connection's end does")
  func fetcher() async throws {
    try await Self.onThread {
      for length in ["Content-Length: 4\r\n", ""] {
        let listener = try RawListener()
        let fetcher = PageFetcher()
        fetcher.fetch("/page", host: "localhost", port: listener.port)
        let request = "GET /page HTTP/1.0\r\nHost: localhost\r\n\r\n"
        let peer = try listener.accept()
        try peer.send("HTTP/1.0 200 OK\r\n\(length)\r\npa")
        try peer.send("ge")
        if length.isEmpty { peer.finish() }
        #expect(Self.runLoop { fetcher.outcome != nil })
        #expect(fetcher.outcome == "complete" && fetcher.status == "HTTP/1.0 200 OK")
        #expect(fetcher.body == Data("page".utf8))
        #expect(try peer.receive(request.utf8.count) == Array(request.utf8))
      }
    }
  }

  @Test("the fetcher waits once more, and then says what it has got")
  func lateFetcher() async throws {
    try await Self.onThread {
      let listener = try RawListener()
      let fetcher = PageFetcher()
      fetcher.fetch("/", host: "127.0.0.1", port: listener.port)
      let peer = try listener.accept()
      try peer.send("HTTP/1.0")
      let start = monotonicSeconds()
      #expect(Self.runLoop { fetcher.outcome != nil })
      #expect(fetcher.outcome == "timed out after 8 bytes")
      #expect(monotonicSeconds() - start >= 0.28)

      let refusing = try RawListener(backlog: nil)
      let refused = PageFetcher()
      refused.fetch("/", host: "127.0.0.1", port: refusing.port)
      #expect(Self.runLoop { refused.outcome != nil })
      #expect(refused.outcome == "Connection refused")
      let unstarted = PageFetcher()
      unstarted.fetch("/", host: "", port: 80)
      #expect(unstarted.outcome == "not started: AsyncSocketErrorDomain \(AsyncSocketCFSocketError.rawValue)")
    }
  }

  @Test("the line server answers in both of its modes, and in no other")
  func lineServer() async throws {
    try await Self.onThread {
      let server = LineServer()
      let port = try server.start(address: "127.0.0.1")
      let peer = try RawPeer.connect(port: port)
      #expect(Self.runLoop { server.log == ["127.0.0.1 is here"] })
      var expected = 0
      for (mode, line) in [(RunLoop.Mode.default, "one\r\n"), (RunLoop.Mode(LineServer.mode), "two\r\n")] {
        try peer.send(line)
        expected += line.utf8.count
        #expect(Self.runLoop(in: mode) { waiting(on: peer) >= 5 })
        #expect(try peer.receive(5) == Array(line.uppercased().utf8))
      }
      let other = RunLoop.Mode("other")
      let timer = Timer(timeInterval: 60, repeats: true) { _ in }
      RunLoop.current.add(timer, forMode: other)
      try peer.send("quit\r\n")
      _ = RunLoop.current.run(mode: other, before: Date(timeIntervalSinceNow: 0.1))
      #expect(waiting(on: peer) == 0)
      timer.invalidate()
      #expect(Self.runLoop { server.log == ["127.0.0.1 is here", "gone"] })
      #expect(try peer.receive(6) == Array("QUIT\r\n".utf8))
      #expect(try peer.ending() == .endOfStream)
      server.stop()
      #expect(server.log == ["127.0.0.1 is here", "gone", "stopped"] && server.connectedSockets.isEmpty)
    }
  }

  @Test("all calls can be made, with marks and without, and say what a socket says that is not connected")
  func sheets() throws {
    let delegate = MarkedDelegate()
    let made = MarkedSheet.make(delegate)
    #expect(made.map { $0?.userData() } == [0, 0, 42])
    #expect(made.map { $0?.delegate() === delegate } == [false, true, true])
    #expect(PlainSheet.make(delegate).map { $0.userData() } == [0, 1, 42])
    let socket = AsyncSocket(delegate: delegate)
    // Nobody lets it connect: the two addresses are none, and willConnect answers no.
    #expect(MarkedSheet.start(AsyncSocket(), host: "127.0.0.1", address: Data()) == 8)
    MarkedSheet.queue(socket, data: Data([1]), buffer: NSMutableData())
    PlainSheet.queue(socket, data: Data([1]), buffer: NSMutableData())
    #expect(MarkedSheet.progress(socket))
    #expect(MarkedSheet.look(socket).count == 6)
    #expect(PlainSheet.look(socket) == [nil, "nowhere", nil, nil, nil])
    #expect(MarkedSheet.configure(socket).hasPrefix("[\"\(RunLoop.Mode.default.rawValue)\"] <AsyncSocket"))
    #expect(PlainSheet.configure(socket) == [RunLoop.Mode.default.rawValue])
    #expect(socket.userData() == 1 && delegate.heard.isEmpty)
    let texts = (-1...5).map { MarkedSheet.describe(NSError(domain: AsyncSocketErrorDomain, code: $0)) }
    #expect(texts == ["socket", "none", "canceled", "timeout", "too long", "timeout", "timeout"])
    #expect(MarkedSheet.describe(nil) == "none of ours")
    let names = (-1...6).map { MarkedSheet.name(NSError(domain: AsyncSocketErrorDomain, code: $0)) }
    #expect(names == ["socket", "none", "canceled", "timeout", "too long", "timeout", "timeout", "unknown"])
    #expect(MarkedSheet.makeUnwrapped(delegate) == [7, 42, 0, 0])
  }

  @Test("a delegate's methods are found in either form")
  func delegates() {
    let marked = MarkedDelegate()
    let plain = PlainDelegate()
    let names = [
      "willDisconnect", "didDisconnect", "didAccept", "wantsRunLoop", "willConnect", "didConnect", "didRead",
      "didReadPartial", "didWrite", "didWritePartial", "shouldTimeoutRead", "shouldTimeoutWrite", "didSecure",
    ]
    for delegate in [marked, plain] as [any AsyncSocketDelegate] { Self.tell(delegate) }
    #expect(marked.heard == names)
    #expect(plain.heard == names)
  }

  /// As the library calls a delegate.
  private static func tell(_ delegate: any AsyncSocketDelegate) {
    let socket = AsyncSocket()
    delegate.onSocket(socket, willDisconnectWithError: nil as (any Error)?)
    delegate.onSocketDidDisconnect(socket)
    delegate.onSocket(socket, didAcceptNewSocket: socket)
    let runLoop: RunLoop? = delegate.onSocket(socket, wantsRunLoopForNewSocket: socket)
    #expect(runLoop === RunLoop.main)
    #expect(!delegate.onSocketWillConnect(socket))
    delegate.onSocket(socket, didConnectToHost: "host", port: 1)
    delegate.onSocket(socket, didRead: Data(), withTag: 1)
    delegate.onSocket(socket, didReadPartialDataOfLength: 1, tag: 1)
    delegate.onSocket(socket, didWriteDataWithTag: 1)
    delegate.onSocket(socket, didWritePartialDataOfLength: 1, tag: 1)
    #expect(delegate.onSocket(socket, shouldTimeoutReadWithTag: 1, elapsed: 1, bytesDone: 1) == 3)
    #expect(delegate.onSocket(socket, shouldTimeoutWriteWithTag: 1, elapsed: 1, bytesDone: 1) == 4)
    delegate.onSocketDidSecure(socket)
  }
}

/// How many bytes wait to be received.
private func waiting(on peer: RawPeer) -> Int {
  var buffer = [UInt8](repeating: 0, count: 1024)
  return max(0, recv(peer.descriptor, &buffer, buffer.count, Int32(Int(MSG_PEEK) | Int(MSG_DONTWAIT))))
}
