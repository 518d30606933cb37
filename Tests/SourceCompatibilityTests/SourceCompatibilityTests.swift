import CocoaAsyncSocket
import Foundation
import TestSupport
import Testing

/// That these files compile is the greater part; here is what must also be so when they run.
@Suite struct SourceCompatibilityTests {
  @Test("a double's overrides are what is called, whatever form of a call the program uses")
  func doubles() throws {
    let fake = FakeSocket()
    let socket: GCDAsyncSocket = fake
    try socket.connect(toHost: "a", onPort: 1)
    try socket.connect(toHost: "b", onPort: 2, withTimeout: 5)
    try socket.connect(toHost: "c", onPort: 3, viaInterface: nil, withTimeout: 6)
    #expect(fake.connectCalls.map { $0.timeout } == [-1, 5, 6])
    #expect(socket.isConnected && !socket.isDisconnected && socket.connectedHost == "double.example")
    socket.write(Data([1]), withTimeout: -1, tag: 1)
    #expect(fake.written == [Data([1])])
    socket.readData(withTimeout: -1, tag: 1)
    socket.readData(withTimeout: -1, buffer: nil, bufferOffset: 0, tag: 2)
    socket.readData(toLength: 1, withTimeout: -1, tag: 3)
    socket.readData(to: Data([0]), withTimeout: -1, tag: 4)
    socket.readData(to: Data([0]), withTimeout: -1, maxLength: 1, tag: 5)
    socket.readData(to: Data([0]), withTimeout: -1, buffer: nil, bufferOffset: 0, tag: 6)
    #expect(fake.reads == [1, 2, 3, 4, 5, 6])
    socket.startTLS(["x": NSNumber(value: true)])
    #expect(fake.tlsSettings?.count == 1)
    socket.disconnectAfterWriting()
    #expect(fake.disconnectCount == 1 && !socket.isConnected)
    try socket.accept(onPort: 0)
    #expect(socket.isConnected && socket.localPort == 7)
    var ran = false
    socket.perform { ran = true }
    #expect(ran)
  }

  @Test("a delegate with implicitly unwrapped parameters is called in every method")
  func markedDelegate() {
    let marked = MarkedSocketDelegate()
    let delegate: any GCDAsyncSocketDelegate = marked
    let socket = GCDAsyncSocket()
    // As the library calls it.
    let queue: DispatchQueue? = delegate.newSocketQueueForConnection(fromAddress: Data(count: 16), on: socket)
    #expect(queue === marked.childQueue)
    delegate.socket(socket, didAcceptNewSocket: socket)
    delegate.socket(socket, didConnectToHost: "host", port: 7)
    delegate.socket(socket, didConnectTo: URL(fileURLWithPath: "/tmp/x"))
    delegate.socket(socket, didRead: Data(count: 3), withTag: 1)
    delegate.socket(socket, didReadPartialDataOfLength: 4, tag: 2)
    delegate.socket(socket, didWriteDataWithTag: 3)
    delegate.socket(socket, didWritePartialDataOfLength: 5, tag: 4)
    #expect(delegate.socket(socket, shouldTimeoutReadWithTag: 5, elapsed: 1, bytesDone: 0) == 2)
    #expect(delegate.socket(socket, shouldTimeoutWriteWithTag: 6, elapsed: 1, bytesDone: 0) == 3)
    delegate.socketDidCloseReadStream(socket)
    delegate.socketDidDisconnect(socket, withError: nil)
    delegate.socketDidSecure(socket)
    let isTrusted = DispatchSemaphore(value: 0)
    delegate.socket(socket, didReceive: SecTrust(certificates: [], terms: TrustTerms())) { answer in
      if answer { isTrusted.signal() }
    }
    #expect(isTrusted.wait(timeout: .now()) == .success)
    #expect(
      marked.calls == [
        "newSocketQueue 16", "didAccept false", "didConnect 4 7", "didConnectTo /tmp/x", "didRead 3 1",
        "didReadPartial 4 2", "didWrite 3", "didWritePartial 5 4", "shouldTimeoutRead 5", "shouldTimeoutWrite 6",
        "didCloseRead false", "didDisconnect none", "didSecure false", "didReceiveTrust 0",
      ])
  }

  @Test("a call reaches the form that a delegate has, whether the caller has unwrapped the socket or not")
  func eitherForm() {
    let socket: GCDAsyncSocket! = GCDAsyncSocket()
    let plain = PlainSocketDelegate()
    plain.socket = socket
    plain.giveUp()
    #expect(plain.calls == ["didDisconnect"])
    let unwrapping = UnwrappingSocketDelegate()
    (unwrapping as any GCDAsyncSocketDelegate).socket(socket, didRead: Data(count: 3), withTag: 1)
    (unwrapping as any GCDAsyncSocketDelegate).socketDidSecure(socket!)
    #expect(unwrapping.calls == ["didRead 3 1", "didSecure false"])
    let wraps: [(any GCDAsyncSocketDelegate) -> any GCDAsyncSocketDelegate] = [
      { $0 }, MarkedProxy.init, PlainProxy.init, { MarkedProxy(PlainProxy($0)) },
    ]
    for wrap in wraps {
      let plain = PlainSocketDelegate()
      let marked = MarkedSocketDelegate()
      for (inner, answer) in [(plain, 2), (marked, 2), (SilentSocketDelegate(), 0)]
        as [(any GCDAsyncSocketDelegate, TimeInterval)]
      {
        let delegate = wrap(inner)
        delegate.socket(socket, didRead: Data(count: 3), withTag: 1)
        #expect(delegate.socket(socket!, shouldTimeoutReadWithTag: 5, elapsed: 1, bytesDone: 0) == answer)
        delegate.socketDidSecure(socket!)
        let isTrusted = DispatchSemaphore(value: 0)
        delegate.socket(socket, didReceive: SecTrust(certificates: [], terms: TrustTerms())) { answer in
          if answer { isTrusted.signal() }
        }
        #expect((isTrusted.wait(timeout: .now()) == .success) == (answer > 0))
        // Not implemented by most of them.
        delegate.socketDidCloseReadStream(socket)
      }
      #expect(plain.calls == ["didRead 3 1", "shouldTimeoutRead 5", "didSecure false", "didReceiveTrust"])
      #expect(marked.calls.prefix(4) == ["didRead 3 1", "shouldTimeoutRead 5", "didSecure false", "didReceiveTrust 0"])
    }
  }

  @Test("a short form goes through the middle one, as in the original")
  func middleForms() throws {
    let socket = MiddleSocket()
    try socket.connect(toHost: "127.0.0.1", onPort: 1)
    try socket.connect(toHost: "127.0.0.1", onPort: 1, withTimeout: 5)
    #expect(socket.calls == 2 && socket.isDisconnected)
  }

  @Test("overridden setters are not gone through by their synchronous siblings, and work")
  func setters() {
    let fake = FakeSocket()
    let recorder = RecorderDelegate()
    fake.delegate = recorder
    fake.delegateQueue = DispatchQueue(label: "d")
    #expect(fake.delegates == 101)
    fake.synchronouslySetDelegate(nil)
    fake.synchronouslySetDelegateQueue(nil)
    fake.setDelegate(recorder, delegateQueue: nil)
    #expect(fake.delegates == 101)
    #expect(fake.delegate === recorder && fake.delegateQueue == nil)
  }

  @Test("an accepted socket is of its listener's class, made by that class's initialiser (LIFE-27)")
  func children() throws {
    let queue = DispatchQueue(label: "children")
    func child(of listener: GCDAsyncSocket, _ recorder: RecorderDelegate) throws -> (GCDAsyncSocket, RawPeer) {
      try listener.accept(onInterface: "127.0.0.1", port: 0)
      let peer = try RawPeer.connect(port: listener.localPort)
      return (try recorder.child(), peer)
    }
    let recorder = RecorderDelegate()
    let named = NamedSocket(delegate: recorder, delegateQueue: queue, socketQueue: queue)
    let (first, firstPeer) = try child(of: named, recorder)
    #expect(type(of: first) == NamedSocket.self && (first as? NamedSocket)?.name == "made with no queue")
    let counting = RecorderDelegate()
    let (second, secondPeer) = try child(of: CountingSocket(delegate: counting, delegateQueue: queue), counting)
    #expect((second as? CountingSocket)?.messages == ["none", "none"])
    let loud = RecorderDelegate()
    let (third, thirdPeer) = try child(of: LoudSocket(delegate: loud, delegateQueue: queue), loud)
    #expect((third as? LoudSocket)?.volume == 11 && third.delegate === loud && third.delegateQueue === queue)
    withExtendedLifetime((firstPeer, secondPeer, thirdPeer)) {}
  }

  @Test(
    "a subclass with an initialiser of its own is a client like any other; as a listener it needs the designated one")
  func ownInitialiser() async throws {
    let listener = try RawListener()
    let socket = OwnDelegateSocket(name: "own")
    try socket.connect(toHost: "127.0.0.1", onPort: listener.port)
    socket.done.wait()
    socket.disconnect()
    socket.done.wait()
    #expect(socket.name == "own")
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let socket = OwnDelegateSocket(name: "own")
      try socket.accept(onInterface: "127.0.0.1", port: 0)
      let peer = try RawPeer.connect(port: socket.localPort)
      socket.done.wait()
      withExtendedLifetime(peer) {}
    }
    #expect(String(decoding: result.standardErrorContent, as: UTF8.self).contains("unimplemented initializer"))
  }

  @Test("addresses are taken apart into either kind of string")
  func addresses() throws {
    let address = Data([2, 0, 0x1F, 0x90, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])
    #expect(SOCKSStyleProxy.describe(address) == "127.0.0.1:8080")
    #expect(SOCKSStyleProxy.plainHost(of: address) == "127.0.0.1")
    #expect(SOCKSStyleProxy.port(of: address) == 8080)
    #expect(SOCKSStyleProxy.family(of: address) == AF_INET)
    var host: NSString? = "as before"
    #expect(!GCDAsyncSocket.getHost(&host, port: nil, fromAddress: Data([1, 2, 3])))
    #expect(host == "as before")
    #expect(SOCKSStyleProxy.addresses(of: "localhost") == ["127.0.0.1:1080", "::1:1080"])
  }

  @Test("an error keeps the userInfo it was made with, also as an NSError and back")
  func userInfo() {
    let error = GCDAsyncSocketError(.closedError, userInfo: ["Reason": "gone"])
    #expect(error.userInfo["Reason"] as? String == "gone" && error.userInfo[NSLocalizedDescriptionKey] != nil)
    let back = (error as NSError) as Error as? GCDAsyncSocketError
    #expect(back == error && back?.userInfo["Reason"] as? String == "gone")
    #expect(ChatStyleClient.describe(error) == "closed by peer")
    #expect(GCDAsyncSocketError(.closedError) != GCDAsyncSocketError(.otherError))
    #expect(Set([error, error]).count == 1)
  }

  @Test("the server answers, and its client is told of the orderly end")
  func serverAndClient() throws {
    let server = HTTPStyleServer()
    try server.start(interface: "127.0.0.1")
    defer { server.stop() }
    let recorder = RecorderDelegate()
    let client = GCDAsyncSocket(delegate: recorder, delegateQueue: DispatchQueue(label: "c"))
    try client.connect(toHost: "127.0.0.1", onPort: UInt16(server.port))
    client.write(Data("GET /x HTTP/1.1\r\n\r\n".utf8), withTimeout: 5, tag: 0)
    client.readData(to: Data("\r\n\r\n".utf8), withTimeout: 5, tag: 1)
    client.readData(to: Data("HTTP/1.1".utf8), withTimeout: 5, tag: 2)
    #expect(
      String(decoding: try recorder.bytes(ofRead: 2, of: client), as: UTF8.self) == "127.0.0.1 asks GET /x HTTP/1.1")
    try recorder.waitForDisconnect(of: client)
    #expect(recorder.disconnectError(of: client)?.isLibrary(.closedError) == true)
  }

  @Test("what programs use of Apple's systems beside the socket is there, and means the same")
  func appleNames() throws {
    let program = AppleNamesProgram()
    let socket = GCDAsyncSocket(delegate: program, delegateQueue: program.queue)
    let runLoop = AsyncSocket()
    (program as GCDAsyncSocketDelegate).socket(socket, didAcceptNewSocket: socket)
    program.onSocketDidDisconnect(runLoop)
    #expect(program.lines == ["\(socket) 7 \(socket)", "\(socket)", "\(runLoop)"])
    #expect(
      program.comparisons(socket) == [
        true, true, true, false, false, false, false, false, true, true, true, true, true, false, true,
      ])
    #expect(program.deadline(after: 2, 3, 1) == 1006)
    #expect(try TLSSettings(program.settings()).minimumVersion == .tlsProtocol12)
    #expect(program.certificate(Data([1, 2, 3])) == nil)
    let trust = SecTrust(certificates: [], terms: TrustTerms())
    #expect(CFGetTypeID(trust) == SecTrustGetTypeID() && CFGetTypeID(nil) == 0)
    #expect(CFGetTypeID(SecPolicyCreateBasicX509()) == SecPolicyGetTypeID())
    #expect(program.report(trust).isEmpty)
  }

  @Test("what is nil on Linux is nil, and the levels are those that startTLS knows")
  func seldom() throws {
    let socket = GCDAsyncSocket(socketQueue: nil)
    Seldom.settings(socket)
    #expect(Seldom.streams(of: socket).isEmpty)
    #expect(socket.alternateAddressDelay == 0.5)
    #expect(Set(Seldom.levels).count == 5)
    for level in Seldom.levels {
      #expect(try TLSSettings([kCFStreamSSLLevel as String: level as NSString]).level == level)
    }
  }
}
