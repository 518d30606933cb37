import Glibc
import SocketValues
import Testing

@testable import SocketPOSIX

@Suite("Socket calls")
struct SocketCallTests {
  enum Kind: String, CaseIterable, Sendable {
    case ipv4, ipv6, local

    func address() -> RawAddress? {
      switch self {
      case .ipv4: .loopbackIPv4(port: 0)
      case .ipv6: .loopbackIPv6(port: 0)
      case .local: .unix("/tmp/socket-call-\(getpid())-\(UInt32.random(in: 0 ... .max)).sock")
      }
    }
  }

  /// A listening socket and the address to reach it at.
  private func listener(_ kind: Kind, backlog: Int32 = 16) throws -> (fd: Int32, address: RawAddress) {
    let wanted = try #require(kind.address())
    let socket = try SocketCall.open(family: wanted.family)
    try SocketCall.setReuseAddress(socket.rawValue)
    if kind == .ipv6 { try SocketCall.setV6Only(socket.rawValue) }
    try SocketCall.bind(socket.rawValue, to: wanted)
    try SocketCall.listen(socket.rawValue, backlog: backlog)
    let address = try #require(SocketCall.localAddress(socket.rawValue))
    return (socket.release(), address)
  }

  private func connection(_ kind: Kind) throws -> (client: Int32, server: Int32) {
    let listening = try listener(kind)
    let owner = Descriptor(adopting: listening.fd)
    defer { if let path = listening.address.unixPath { unlink(path) } }
    let client = try SocketCall.open(family: listening.address.family)
    let connected = try SocketCall.startConnect(client.rawValue, to: listening.address)
    #expect(isReady(owner.rawValue, POLLIN))
    guard let accepted = try SocketCall.accept(owner.rawValue) else { throw SystemCallFailure(call: "accept", code: 0) }
    if !connected { #expect(isReady(client.rawValue, POLLOUT)) }
    #expect(SocketCall.pendingError(client.rawValue) == 0)
    #expect(accepted.address?.family == listening.address.family)
    if kind != .local { #expect(accepted.address == SocketCall.localAddress(client.rawValue)) }
    #expect(SocketCall.peerAddress(client.rawValue) == listening.address)
    return (client.release(), accepted.takeDescriptor().release())
  }

  @Test(arguments: Kind.allCases)
  func connectAcceptTalk(_ kind: Kind) throws {
    let (first, second) = try connection(kind)
    let client = Descriptor(adopting: first)
    let server = Descriptor(adopting: second)
    #expect(fcntl(server.rawValue, F_GETFL) & O_NONBLOCK != 0)
    #expect(fcntl(server.rawValue, F_GETFD) & FD_CLOEXEC != 0)
    #expect(SocketCall.isStream(server.rawValue))
    #expect(SocketCall.family(server.rawValue) == (kind == .ipv4 ? AF_INET : kind == .ipv6 ? AF_INET6 : AF_UNIX))

    #expect(receiveText(server.rawValue).result == .wouldBlock)
    #expect(SocketCall.peek(server.rawValue) == .wouldBlock)
    #expect(sendText(client.rawValue, "hello") == .bytes(5))
    #expect(isReady(server.rawValue, POLLIN))
    #expect(SocketCall.peek(server.rawValue) == .bytes(1))
    #expect(receiveText(server.rawValue).text == "hello")
    #expect(SocketCall.outgoingQueueCount(client.rawValue) != nil)

    #expect(SocketCall.shutdown(client.rawValue, .write) == 0)
    #expect(isReady(server.rawValue, POLLIN))
    #expect(SocketCall.receive(server.rawValue, into: UnsafeMutableRawBufferPointer(start: nil, count: 0)) == .bytes(0))
    #expect(SocketCall.peek(server.rawValue) == .endOfStream)
    #expect(receiveText(server.rawValue).result == .endOfStream)
    #expect(sendText(server.rawValue, "late") == .bytes(4), "the other half still works")
    #expect(isReady(client.rawValue, POLLIN))
    #expect(receiveText(client.rawValue).text == "late")
  }

  @Test(arguments: Kind.allCases)
  func nothingToAccept(_ kind: Kind) throws {
    let listening = try listener(kind)
    let owner = Descriptor(adopting: listening.fd)
    defer { if let path = listening.address.unixPath { unlink(path) } }
    #expect(SocketCall.isListening(owner.rawValue))
    guard try SocketCall.accept(owner.rawValue) == nil else {
      Issue.record("a connection out of nowhere")
      return
    }
  }

  @Test func refusedConnect() throws {
    let listening = try listener(.ipv4)
    Descriptor(adopting: listening.fd).close()
    let client = try SocketCall.open(family: AF_INET)
    do {
      if try SocketCall.startConnect(client.rawValue, to: listening.address) {
        Issue.record("connected to nobody")
      }
      #expect(isReady(client.rawValue, POLLOUT))
      #expect(SocketCall.pendingError(client.rawValue) == ECONNREFUSED)
      #expect(SocketCall.pendingError(client.rawValue) == 0, "reading the error clears it")
    } catch {
      #expect(error == SystemCallFailure(call: "connect", code: ECONNREFUSED))
    }
  }

  @Test func fullLocalBacklogIsEAGAIN() throws {
    let listening = try listener(.local, backlog: 0)
    let owner = Descriptor(adopting: listening.fd)
    defer { if let path = listening.address.unixPath { unlink(path) } }
    #expect(owner.rawValue >= 0)
    let first = try SocketCall.open(family: AF_UNIX)
    #expect(try SocketCall.startConnect(first.rawValue, to: listening.address))
    let second = try SocketCall.open(family: AF_UNIX)
    #expect(throws: SystemCallFailure(call: "connect", code: EAGAIN)) {
      try SocketCall.startConnect(second.rawValue, to: listening.address)
    }
  }

  @Test func resetIsAFailureAndFinIsTheEnd() throws {
    for resets in [true, false] {
      let (first, second) = try connection(.ipv4)
      let server = Descriptor(adopting: second)
      try SocketCall.setResetOnClose(first, resets)
      Descriptor(adopting: first).close()
      #expect(isReady(server.rawValue, POLLIN))
      #expect(receiveText(server.rawValue).result == (resets ? .failed(ECONNRESET) : .endOfStream))
    }
  }

  @Test func bytesComeBeforeTheEnd() throws {
    let (first, second) = try connection(.ipv6)
    let server = Descriptor(adopting: second)
    #expect(sendText(first, "last words") == .bytes(10))
    Descriptor(adopting: first).close()
    #expect(isReady(server.rawValue, POLLIN))
    #expect(receiveText(server.rawValue).text == "last words")
    #expect(isReady(server.rawValue, POLLIN))
    #expect(receiveText(server.rawValue).result == .endOfStream)
  }

  @Test func sendingIntoNothingIsEPIPE() throws {
    let ends = try SocketCall.pair().release()
    let sender = Descriptor(adopting: ends.first)
    Descriptor(adopting: ends.second).close()
    #expect(sendText(sender.rawValue, "x") == .failed(EPIPE), "and no signal kills the process")
    #expect(SocketCall.sendUrgent(sender.rawValue, 1) != .bytes(1))
  }

  @Test(arguments: [1, 2, 1023, 1024, 1025, 5000])
  func gathering(_ pieces: Int) throws {
    let ends = try SocketCall.pair()
    let bytes = (0..<pieces).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let sent = min(pieces, SocketCall.vectorLimit)
    let result = bytes.withUnsafeBytes { all in
      let vectors = (0..<pieces).map {
        iovec(iov_base: UnsafeMutableRawPointer(mutating: all.baseAddress?.advanced(by: $0)), iov_len: 1)
      }
      return vectors.withUnsafeBufferPointer { SocketCall.send(ends.first.rawValue, gathering: $0) }
    }
    #expect(result == .bytes(sent))
    var received = [UInt8](repeating: 0, count: pieces + 1)
    let back = received.withUnsafeMutableBytes { SocketCall.receive(ends.second.rawValue, into: $0) }
    #expect(back == .bytes(sent))
    #expect(Array(received[..<sent]) == Array(bytes[..<sent]))
  }

  /// A descriptor's mark belongs to the open connection, which other programs may share.
  @Test func noCallWaitsOnABlockingDescriptor() throws {
    let ends = try SocketCall.pair()
    let fd = ends.first.rawValue
    try SocketCall.setNonBlocking(fd, false)
    // A call that waits gives up after this time, with the same result.
    var limit = timeval(tv_sec: 2, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(fd, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    func isAtOnce(_ call: () -> IOResult) -> Bool {
      let begin = Instant.now()
      return call() == .wouldBlock && begin.nanoseconds(until: .now()) < 1_000_000_000
    }
    var room = [UInt8](repeating: 0, count: 1 << 16)
    #expect(isAtOnce { room.withUnsafeMutableBytes { SocketCall.receive(fd, into: $0) } })
    #expect(isAtOnce { SocketCall.peek(fd) })
    while room.withUnsafeBytes({ SocketCall.send(fd, $0) }) != .wouldBlock {}
    #expect(isAtOnce { room.withUnsafeBytes { SocketCall.send(fd, $0) } })
    #expect(
      isAtOnce {
        room.withUnsafeMutableBytes { bytes in
          let vector = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
          return withUnsafePointer(to: vector) {
            SocketCall.send(fd, gathering: UnsafeBufferPointer(start: $0, count: 1))
          }
        }
      })
  }

  @Test func fullBufferWouldBlock() throws {
    let ends = try SocketCall.pair()
    let block = [UInt8](repeating: 1, count: 65536)
    var attempts = 0
    while block.withUnsafeBytes({ SocketCall.send(ends.first.rawValue, $0) }) != .wouldBlock, attempts < 1000 {
      attempts += 1
    }
    #expect(attempts < 1000)
    #expect((SocketCall.outgoingQueueCount(ends.first.rawValue) ?? 0) > 0)
  }

  @Test func urgentByteIsOutOfLine() throws {
    let (first, second) = try connection(.ipv4)
    let client = Descriptor(adopting: first)
    let server = Descriptor(adopting: second)
    #expect(SocketCall.sendUrgent(client.rawValue, 33) == .bytes(1))
    #expect(sendText(client.rawValue, "plain") == .bytes(5))
    #expect(isReady(server.rawValue, POLLIN))
    #expect(receiveText(server.rawValue).text == "plain")
  }

  @Test func options() throws {
    let socket = try SocketCall.open(family: AF_INET6)
    let fd = socket.rawValue
    for enabled in [true, false] {
      try SocketCall.setReuseAddress(fd, enabled)
      try SocketCall.setV6Only(fd, enabled)
      try SocketCall.setNoDelay(fd, enabled)
      try SocketCall.setNonBlocking(fd, enabled)
      #expect(try (SocketCall.option(fd, level: SOL_SOCKET, name: SO_REUSEADDR) != 0) == enabled)
      #expect(try (SocketCall.option(fd, level: Int32(IPPROTO_IPV6), name: IPV6_V6ONLY) != 0) == enabled)
      #expect(try (SocketCall.option(fd, level: Int32(IPPROTO_TCP), name: TCP_NODELAY) != 0) == enabled)
      #expect((fcntl(fd, F_GETFL) & O_NONBLOCK != 0) == enabled)
    }
    try SocketCall.setReceiveBuffer(fd, bytes: 20_000)
    #expect(try SocketCall.option(fd, level: SOL_SOCKET, name: SO_RCVBUF) == 40_000)
    #expect(SocketCall.peerAddress(fd) == nil)
    #expect(!SocketCall.isListening(fd))
  }

  @Test func notASocket() throws {
    let file = Descriptor(adopting: open("/dev/null", O_RDONLY | O_CLOEXEC))
    #expect(SocketCall.family(file.rawValue) == nil)
    #expect(!SocketCall.isStream(file.rawValue))
    #expect(SocketCall.localAddress(file.rawValue) == nil)
    #expect(SocketCall.pendingError(file.rawValue) == ENOTSOCK)
    #expect(SocketCall.shutdown(file.rawValue, .write) == ENOTSOCK)
    #expect(receiveText(file.rawValue).result == .failed(ENOTSOCK))
    #expect(throws: SystemCallFailure(call: "listen", code: ENOTSOCK)) {
      try SocketCall.listen(file.rawValue, backlog: 1)
    }
    #expect(throws: SystemCallFailure(call: "setsockopt", code: ENOTSOCK)) {
      try SocketCall.setNoDelay(file.rawValue)
    }
    do {
      _ = try SocketCall.open(family: 9999)
      Issue.record("a family that does not exist")
    } catch {
      #expect(error == SystemCallFailure(call: "socket", code: EAFNOSUPPORT))
    }
  }
}
