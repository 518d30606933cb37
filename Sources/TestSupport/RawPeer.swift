import Glibc
import SocketPOSIX

/// The address family of a raw socket in a test.
package enum RawFamily: String, CaseIterable, Sendable {
  case ipv4, ipv6

  /// The family's loopback host in numbers.
  package var host: String { self == .ipv4 ? "127.0.0.1" : "::1" }
}

/// A connected socket of the C library's, written without any of the code under test. Every call waits for
/// `generousLimit` at most; errors are `WaitFailure` or `POSIXFailure`.
package final class RawPeer: Sendable {
  private let number: LockedValue<Int32>

  /// Takes over a connected descriptor.
  package init(adopting descriptor: Int32) { number = LockedValue(descriptor) }

  deinit { close() }

  /// The descriptor; −1 once closed.
  package var descriptor: Int32 { number.withLock { $0 } }

  /// A socket that is not connected yet.
  package static func unconnected(_ family: RawFamily = .ipv4, receiveBuffer: Int32? = nil) throws -> RawPeer {
    let descriptor = try posix("socket", RawSocket.open(family == .ipv4 ? AF_INET : AF_INET6))
    if let receiveBuffer { RawSocket.setOption(descriptor, SO_RCVBUF, receiveBuffer) }
    return RawPeer(adopting: descriptor)
  }

  /// Connects an unconnected socket to the loopback address.
  package func connect(port: UInt16, family: RawFamily = .ipv4) throws {
    try posix("connect", RawSocket.withLoopback(family, port: port) { Glibc.connect(descriptor, $0, $1) })
  }

  /// A socket that is connected to the loopback address.
  package static func connect(
    port: UInt16, family: RawFamily = .ipv4, receiveBuffer: Int32? = nil
  ) throws -> RawPeer {
    let peer = try unconnected(family, receiveBuffer: receiveBuffer)
    try peer.connect(port: port, family: family)
    return peer
  }

  /// Connects to a Unix-domain path.
  package static func connect(path: String) throws -> RawPeer {
    let descriptor = try posix("socket", RawSocket.open(AF_UNIX))
    let peer = RawPeer(adopting: descriptor)
    try posix("connect", RawSocket.withPath(path) { Glibc.connect(descriptor, $0, $1) })
    return peer
  }

  /// Two connected stream sockets.
  package static func pair() throws -> (RawPeer, RawPeer) {
    var ends: [Int32] = [-1, -1]
    try posix("socketpair", socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends))
    return (RawPeer(adopting: ends[0]), RawPeer(adopting: ends[1]))
  }

  /// Sends everything.
  package func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      try RawSocket.wait(descriptor, POLLOUT, "room to send")
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      sent += try posix("send", count)
    }
  }

  /// Sends a text's bytes.
  package func send(_ text: String) throws { try send(Array(text.utf8)) }

  /// Sends bytes with a file descriptor, of which the receiver gets a copy if it asks for it; over a Unix-domain
  /// connection only.
  package func send(_ bytes: [UInt8], with passed: Int32) throws {
    var bytes = bytes
    let count = bytes.count
    // One control message: its length, level and kind, and the number, padded to the length of a word.
    let length = MemoryLayout<cmsghdr>.size + MemoryLayout<Int32>.size
    var control = (length, SOL_SOCKET, Int32(SCM_RIGHTS), passed)
    let sent = bytes.withUnsafeMutableBytes { bytes in
      var piece = iovec(iov_base: bytes.baseAddress, iov_len: count)
      return withUnsafeMutablePointer(to: &piece) { piece in
        withUnsafeMutableBytes(of: &control) { control in
          var message = msghdr()
          (message.msg_iov, message.msg_iovlen) = (piece, 1)
          (message.msg_control, message.msg_controllen) = (control.baseAddress, control.count)
          return sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
        }
      }
    }
    try posix("sendmsg", sent == count ? sent : -1)
  }

  /// Sends as much as goes without waiting, up to the limit; how much that was.
  package func sendUntilFull(limit: Int, quietFor seconds: Double = 0.3) -> Int {
    let chunk = [UInt8](repeating: 0x5A, count: 1 << 16)
    var sent = 0
    while sent < limit {
      let count = Glibc.send(descriptor, chunk, chunk.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      if count > 0 {
        sent += count
      } else {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        if poll(&entry, 1, Int32(seconds * 1000)) <= 0 { break }
      }
    }
    return sent
  }

  /// Receives exactly `count` bytes.
  package func receive(_ count: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count {
      let piece = try receiveSome(limit: count - bytes.count)
      guard !piece.isEmpty else { throw WaitFailure("the stream ended after \(bytes.count) of \(count) bytes") }
      bytes += piece
    }
    return bytes
  }

  /// Receives up to the end of the stream, with a pause (seconds) after each piece.
  package func receiveToEnd(pausing pause: Double = 0) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let piece = try receiveSome(limit: 1 << 16)
      if piece.isEmpty { return bytes }
      bytes += piece
      if pause > 0 { _ = stays(for: pause) { true } }
    }
  }

  /// Receives what is there, at least a byte; empty at the end of the stream.
  package func receiveSome(limit: Int = 1 << 16, within seconds: Double = generousLimit) throws -> [UInt8] {
    while true {
      try RawSocket.wait(descriptor, POLLIN, "bytes or the end of the stream", within: seconds)
      var buffer = [UInt8](repeating: 0, count: limit)
      let count = recv(descriptor, &buffer, limit, Int32(MSG_DONTWAIT))
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      buffer.removeLast(limit - (try posix("recv", count)))
      return buffer
    }
  }

  /// How the other side ended the connection; bytes before that are thrown away.
  package func ending(within seconds: Double = generousLimit) throws -> PeerEnding {
    while true {
      do {
        if try receiveSome(within: seconds).isEmpty { return .endOfStream }
      } catch let failure as POSIXFailure {
        return .broken(failure.code)
      }
    }
  }

  /// Ends the own half of the stream.
  package func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Closes with a reset.
  package func reset() {
    var value = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  /// Closes.
  package func close() {
    number.withLock { number in
      if number >= 0 { Glibc.close(number) }
      number = -1
    }
  }

  /// Gives the descriptor away, open.
  package func release() -> Int32 {
    number.withLock { number in
      defer { number = -1 }
      return number
    }
  }

  /// The own port.
  package var localPort: UInt16 { RawSocket.localPort(descriptor) }
}

/// How a peer saw a connection end.
package enum PeerEnding: Equatable, Sendable {
  case endOfStream
  /// The errno.
  case broken(Int32)
}
