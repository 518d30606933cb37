import CocoaAsyncSocket
import Foundation
import TestSupport
import Testing

/// A delegate's method is called whatever marks its objects have, each of them none, `?` or `!`, as with the original.
@Suite struct MixedDelegateTests {
  /// How many forms a method has: three for each object, and twice as many if one is an error.
  private static func count(_ method: String) -> Int {
    switch method {
    case "newSocketQueue", "didReceiveTrust", "wantsRunLoop": return 27
    case "willDisconnect": return 18
    case "didAccept", "didConnect", "didConnectToPath", "didRead": return 9
    default: return 3
    }
  }

  /// `ends`: the methods that have an error in one class and none in the other.
  private static func expected(_ all: [String], _ row: Int, ends: Set<String> = []) -> [String] {
    all.filter { row < (ends.contains(String($0.prefix { $0 != " " })) ? 18 : count(String($0.prefix { $0 != " " }))) }
  }

  @Test("every form of every method is called once, with what the plain one gets", arguments: 0..<27)
  func queueDelegates(row: Int) {
    let mixed = MixedGCDAsyncSocketDelegates.all[row]
    let delegate: GCDAsyncSocketDelegate = mixed
    let socket = GCDAsyncSocket()
    let queue: DispatchQueue? = delegate.newSocketQueueForConnection(fromAddress: Data(count: 16), on: socket)
    #expect(queue === mixed.queue)
    delegate.socket(socket, didAcceptNewSocket: socket)
    delegate.socket(socket, didConnectToHost: "host", port: 7)
    delegate.socket(socket, didConnectTo: URL(fileURLWithPath: "/tmp/x"))
    delegate.socket(socket, didRead: Data(count: 3), withTag: 1)
    delegate.socket(socket, didReadPartialDataOfLength: 4, tag: 2)
    delegate.socket(socket, didWriteDataWithTag: 3)
    delegate.socket(socket, didWritePartialDataOfLength: 5, tag: 4)
    let answer: TimeInterval = row < 3 ? 7 : 0
    #expect(delegate.socket(socket, shouldTimeoutReadWithTag: 5, elapsed: 1, bytesDone: 0) == answer)
    #expect(delegate.socket(socket, shouldTimeoutWriteWithTag: 6, elapsed: 2, bytesDone: 1) == answer)
    delegate.socketDidCloseReadStream(socket)
    delegate.socketDidDisconnect(socket, withError: NSError(domain: "x", code: 9))
    delegate.socketDidSecure(socket)
    let trusted = DispatchSemaphore(value: 0)
    delegate.socket(socket, didReceive: SecTrust(certificates: [], terms: TrustTerms())) { answer in
      if answer { trusted.signal() }
    }
    #expect(trusted.wait(timeout: .now()) == .success && trusted.wait(timeout: .now()) == .timedOut)
    let all = [
      "newSocketQueue 16B socket", "didAccept socket socket", "didConnect socket host 7",
      "didConnectToPath socket /tmp/x", "didRead socket 3B 1", "didReadPartial socket 4 2", "didWrite socket 3",
      "didWritePartial socket 5 4", "shouldTimeoutRead socket 5 1s 0", "shouldTimeoutWrite socket 6 2s 1",
      "didCloseReadStream socket", "didDisconnect socket x 9", "didSecure socket",
      "didReceiveTrust socket trust handler",
    ]
    #expect(mixed.calls == Self.expected(all, row, ends: ["didDisconnect"]))
  }

  @Test("the same for the run-loop class", arguments: 0..<27)
  func runLoopDelegates(row: Int) {
    let mixed = MixedAsyncSocketDelegates.all[row]
    let delegate: AsyncSocketDelegate = mixed
    let socket = AsyncSocket()
    delegate.onSocket(socket, willDisconnectWithError: NSError(domain: "x", code: 9))
    delegate.onSocketDidDisconnect(socket)
    delegate.onSocket(socket, didAcceptNewSocket: socket)
    let runLoop: RunLoop? = delegate.onSocket(socket, wantsRunLoopForNewSocket: socket)
    #expect(runLoop === RunLoop.main)
    #expect(delegate.onSocketWillConnect(socket) == (row >= 3))
    delegate.onSocket(socket, didConnectToHost: "host", port: 7)
    delegate.onSocket(socket, didRead: Data(count: 3), withTag: 1)
    delegate.onSocket(socket, didReadPartialDataOfLength: 4, tag: 2)
    delegate.onSocket(socket, didWriteDataWithTag: 3)
    delegate.onSocket(socket, didWritePartialDataOfLength: 5, tag: 4)
    let answer: TimeInterval = row < 3 ? 7 : 0
    #expect(delegate.onSocket(socket, shouldTimeoutReadWithTag: 5, elapsed: 1, bytesDone: 0) == answer)
    #expect(delegate.onSocket(socket, shouldTimeoutWriteWithTag: 6, elapsed: 2, bytesDone: 1) == answer)
    delegate.onSocketDidSecure(socket)
    let all = [
      "willDisconnect socket x 9", "didDisconnect socket", "didAccept socket socket", "wantsRunLoop socket socket",
      "willConnect socket", "didConnect socket host 7", "didRead socket 3B 1", "didReadPartial socket 4 2",
      "didWrite socket 3", "didWritePartial socket 5 4", "shouldTimeoutRead socket 5 1s 0",
      "shouldTimeoutWrite socket 6 2s 1", "didSecure socket",
    ]
    #expect(mixed.calls == Self.expected(all, row))
  }

  @Test("an end without error reaches every form; one without a mark gets an error that says nothing")
  func noError() {
    let stand = "Foundation._GenericObjCError 0"
    var ends: [String] = []
    for mixed in MixedGCDAsyncSocketDelegates.all.prefix(18) {
      mixed.socketDidDisconnect(GCDAsyncSocket(), withError: nil)
      ends += mixed.calls
    }
    #expect(ends.filter { $0 == "didDisconnect socket nil" }.count == 12)
    #expect(ends.filter { $0 == "didDisconnect socket \(stand)" }.count == 6 && ends.count == 18)
    ends = []
    for mixed in MixedAsyncSocketDelegates.all.prefix(18) {
      mixed.onSocket(AsyncSocket(), willDisconnectWithError: nil)
      ends += mixed.calls
    }
    #expect(ends.filter { $0 == "willDisconnect socket nil" }.count == 12)
    #expect(ends.filter { $0 == "willDisconnect socket \(stand)" }.count == 6 && ends.count == 18)
  }

  @Test("an error may be an NSError, with domain, code and userInfo; of two forms, that with Error is called")
  func earlyErrors() {
    let socket = GCDAsyncSocket()
    let closed = GCDAsyncSocketError(.closedError, userInfo: ["Reason": "gone"])
    let told = "\(GCDAsyncSocketErrorDomain) \(GCDAsyncSocketError.Code.closedError.rawValue)"
    func calls(_ delegate: MixedDelegate & GCDAsyncSocketDelegate) -> [String] {
      delegate.socketDidDisconnect(socket, withError: closed as Error)
      delegate.socketDidDisconnect(socket, withError: nil as Error?)
      return delegate.calls
    }
    let entries = "\(NSLocalizedDescriptionKey) Reason"
    #expect(calls(EarlyErrorDelegate()) == ["early socket \(told) \(entries)", "early socket nil nil"])
    #expect(
      calls(OverridingEarlyErrorDelegate()) == [
        "sub socket \(told)", "early socket \(told) \(entries)", "sub socket nil", "early socket nil nil",
      ])
    #expect(calls(LaterErrorDelegate()) == ["later socket \(told)", "later socket nil"])
    #expect(calls(AddedErrorDelegate()) == ["added socket \(told)", "added socket nil"])
    #expect(calls(TwofoldErrorDelegate()) == ["Error", "Error"])
    #expect(calls(PlainErrorDelegate()) == ["Error", "Error"])
    // Calls of a program's own, and on to another delegate.
    let (first, second) = (EarlyErrorDelegate(), LaterErrorDelegate())
    first.next = second
    first.giveUp(socket)
    #expect(first.calls == ["early socket nil nil", "early socket x 9 "])
    #expect(second.calls == ["later socket nil", "later socket x 9"])
    let runLoop = EarlyErrorRunLoopDelegate()
    runLoop.giveUp(AsyncSocket())
    (runLoop as AsyncSocketDelegate).onSocket(AsyncSocket(), willDisconnectWithError: closed)
    #expect(runLoop.calls == ["early socket nil", "early socket \(told)"])
  }

  @Test("a connection's end reaches a delegate whose error is an NSError")
  func earlyEnd() throws {
    let listener = try RawListener()
    let delegate = EarlyErrorDelegate()
    let queue = DispatchQueue(label: "early")
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: queue)
    try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
    let peer = try listener.accept()
    socket.readData(withTimeout: -1, tag: 0)
    peer.close()
    try eventually("the end is told") { queue.sync { !delegate.calls.isEmpty } }
    let told = "early socket \(GCDAsyncSocketErrorDomain) \(GCDAsyncSocketError.Code.closedError.rawValue) "
    #expect(queue.sync { delegate.calls } == [told + NSLocalizedDescriptionKey])
  }

  @Test("one form is called of two, an override instead of what it overrides, and each kind of class is")
  func classes() {
    let socket: GCDAsyncSocket! = GCDAsyncSocket()
    func calls(_ delegate: MixedDelegate & GCDAsyncSocketDelegate) -> [String] {
      delegate.socketDidSecure(socket!)
      delegate.socket(socket!, didRead: Data(count: 2), withTag: 1)
      delegate.socketDidDisconnect(socket!, withError: nil as Error?)
      return delegate.calls
    }
    #expect(calls(TwofoldDelegate()) == ["plain", "!"])
    #expect(
      calls(OverridingDelegate()) == [
        "sub socket 2B 1", "super socket 2B 2", "sub socket nil", "super socket nil",
      ])
    #expect(calls(GenericDelegate<Int>()) == ["Int socket nil"])
    #expect(calls(LaterDelegate()) == ["later socket nil"])
  }

  @Test("a method may call others on its way, of its own and of another delegate, with marks and without")
  func relays() {
    let socket: GCDAsyncSocket! = GCDAsyncSocket()
    for nested in [PlainSocketDelegate(), MarkedSocketDelegate(), SilentSocketDelegate(), OverriddenDelegate()]
      as [GCDAsyncSocketDelegate]
    {
      let relaying = RelayingDelegate()
      relaying.next = nested
      (relaying as GCDAsyncSocketDelegate).socket(socket, didRead: Data(count: 3), withTag: 1)
      #expect(relaying.calls == ["didRead socket 3B 1", "didRead socket 3B 0"])
      // Its own answer counts, whatever the other delegate lacks.
      #expect(
        (relaying as GCDAsyncSocketDelegate).socket(socket!, shouldTimeoutReadWithTag: 1, elapsed: 1, bytesDone: 0) == 7
      )
      if let plain = nested as? PlainSocketDelegate { #expect(plain.calls == ["didRead 3 1", "didRead 3 0"]) }
      if let mixed = nested as? OverriddenDelegate {
        #expect(mixed.calls == ["super socket 3B 1", "super socket 3B 0"])
      }
    }
    // Only a form that takes nil is called with it.
    let nothing: Data? = nil
    let relaying = RelayingDelegate()
    (relaying as GCDAsyncSocketDelegate).socket(socket, didRead: nothing, withTag: 0)
    #expect(relaying.calls == ["didRead socket nil 0"])
    let plain = PlainSocketDelegate()
    (plain as GCDAsyncSocketDelegate).socket(socket, didRead: nothing, withTag: 0)
    #expect(plain.calls.isEmpty)
  }

  @Test("a line goes to an echo server and back, between delegates that mix everything")
  func echo() throws {
    let (server, client) = (MixedEcho(), MixedEcho())
    let listener = GCDAsyncSocket(delegate: server, delegateQueue: server.queue)
    try listener.accept(onInterface: "127.0.0.1", port: 0)
    let socket = GCDAsyncSocket(delegate: client, delegateQueue: client.queue)
    try socket.connect(toHost: "127.0.0.1", onPort: listener.localPort)
    for end in [client.done, server.done] { #expect(end.wait(timeout: .now() + generousLimit) == .success) }
    #expect(
      client.calls == [
        "didConnect socket 127.0.0.1", "didWrite socket 2", "didRead socket 4B 3", "didDisconnect socket nil",
      ])
    #expect(
      server.calls == [
        "newSocketQueue 16B socket", "didAccept socket socket", "didRead socket 4B 1", "didWrite socket 4",
        "didDisconnect socket \(GCDAsyncSocketError.Code.closedError.rawValue)",
      ])
    listener.disconnect()
  }
}
