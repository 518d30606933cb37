import Glibc

extension SocketCall {
  /// The address of this end; nil when the descriptor is no socket of a known family.
  package static func localAddress(_ fd: Int32) -> RawAddress? {
    RawAddress.reading { getsockname(fd, $0, &$1) == 0 }
  }

  /// The address of the other end; nil when there is none.
  package static func peerAddress(_ fd: Int32) -> RawAddress? {
    RawAddress.reading { getpeername(fd, $0, &$1) == 0 }
  }

  /// The socket's address family; nil when the descriptor is no socket.
  package static func family(_ fd: Int32) -> Int32? {
    try? option(fd, level: SOL_SOCKET, name: SO_DOMAIN)
  }

  /// Whether the descriptor is a stream socket.
  package static func isStream(_ fd: Int32) -> Bool {
    (try? option(fd, level: SOL_SOCKET, name: SO_TYPE)) == Int32(SOCK_STREAM.rawValue)
  }

  /// Whether the socket listens.
  package static func isListening(_ fd: Int32) -> Bool {
    (try? option(fd, level: SOL_SOCKET, name: SO_ACCEPTCONN)) == 1
  }

  /// Bytes that were sent but not yet acknowledged by the peer (TCP) or not yet read (local); nil when unknown.
  package static func outgoingQueueCount(_ fd: Int32) -> Int? {
    // SIOCOUTQ is another name of the terminals' request, and only that name is visible from here.
    var count: Int32 = 0
    return ioctl(fd, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : nil
  }

  /// Bytes that have arrived and were not read; nil when unknown.
  package static func incomingQueueCount(_ fd: Int32) -> Int? {
    var count: Int32 = 0
    return ioctl(fd, UInt(FIONREAD), &count) == 0 ? Int(count) : nil
  }

  /// Whether the next byte to be read is an urgent one that is read in its place (`setUrgentInline`).
  package static func isAtUrgentMark(_ fd: Int32) -> Bool { sockatmark(fd) == 1 }

  /// How many descriptors the process may have.
  package static var descriptorLimit: Int {
    var limits = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { return 0 }
    return Int(clamping: limits.rlim_cur)
  }
}
