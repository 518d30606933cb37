import Glibc

extension SocketCall {
  /// Lets a listener take a port whose former connections still linger.
  package static func setReuseAddress(_ fd: Int32, _ enabled: Bool = true) throws(SystemCallFailure) {
    try setOption(fd, level: SOL_SOCKET, name: SO_REUSEADDR, to: enabled ? 1 : 0)
  }

  /// Keeps an IPv6 socket from serving IPv4 too; only before `bind`.
  package static func setV6Only(_ fd: Int32, _ enabled: Bool = true) throws(SystemCallFailure) {
    try setOption(fd, level: Int32(IPPROTO_IPV6), name: IPV6_V6ONLY, to: enabled ? 1 : 0)
  }

  /// Sends small pieces at once instead of gathering them.
  package static func setNoDelay(_ fd: Int32, _ enabled: Bool = true) throws(SystemCallFailure) {
    try setOption(fd, level: Int32(IPPROTO_TCP), name: TCP_NODELAY, to: enabled ? 1 : 0)
  }

  /// Has an urgent byte read in its place among the others.
  package static func setUrgentInline(_ fd: Int32, _ enabled: Bool = true) throws(SystemCallFailure) {
    try setOption(fd, level: SOL_SOCKET, name: SO_OOBINLINE, to: enabled ? 1 : 0)
  }

  /// Asks for a receive buffer of that many bytes; the kernel doubles the number and has a limit of its own.
  package static func setReceiveBuffer(_ fd: Int32, bytes: Int) throws(SystemCallFailure) {
    try setOption(fd, level: SOL_SOCKET, name: SO_RCVBUF, to: Int32(clamping: bytes))
  }

  /// Makes `close` reset a TCP connection (RST) instead of ending it (FIN).
  package static func setResetOnClose(_ fd: Int32, _ enabled: Bool = true) throws(SystemCallFailure) {
    try setLinger(fd, seconds: enabled ? 0 : nil)
  }

  /// Has `close` wait so long until the peer has everything; with 0 seconds it resets the connection, with nil it
  /// leaves the rest to the kernel.
  package static func setLinger(_ fd: Int32, seconds: Int32?) throws(SystemCallFailure) {
    var value = linger(l_onoff: seconds == nil ? 0 : 1, l_linger: seconds ?? 0)
    try checked("setsockopt") {
      setsockopt(fd, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }
  }

  /// Has `close` hand what is unsent to the kernel and return. With a time of SO_LINGER it waits for the peer, also
  /// where all other calls return at once. A time of 0, which resets the connection, stays.
  package static func forgetLingerTime(_ fd: Int32) {
    var value = linger()
    var size = socklen_t(MemoryLayout<linger>.size)
    guard getsockopt(fd, SOL_SOCKET, SO_LINGER, &value, &size) == 0, value.l_onoff != 0, value.l_linger > 0 else {
      return
    }
    try? setLinger(fd, seconds: nil)
  }

  /// Makes calls return at once instead of waiting.
  package static func setNonBlocking(_ fd: Int32, _ enabled: Bool = true) throws(SystemCallFailure) {
    let flags = try checked("fcntl") { fcntl(fd, F_GETFL) }
    try checked("fcntl") { fcntl(fd, F_SETFL, enabled ? flags | O_NONBLOCK : flags & ~O_NONBLOCK) }
  }

  /// Has the kernel ask a peer for signs of life of which nothing has come for so long, so often, and as long apart:
  /// one that gives none has ended the connection (ETIMEDOUT).
  package static func setKeepAlive(_ fd: Int32, seconds: Int32, probes: Int32) throws(SystemCallFailure) {
    let level = Int32(IPPROTO_TCP)
    try setOption(fd, level: level, name: TCP_KEEPIDLE, to: seconds)
    try setOption(fd, level: level, name: TCP_KEEPINTVL, to: seconds)
    try setOption(fd, level: level, name: TCP_KEEPCNT, to: probes)
    try setOption(fd, level: SOL_SOCKET, name: SO_KEEPALIVE, to: 1)
  }

  /// Has the kernel give a connection up (ETIMEDOUT) whose bytes stay unacknowledged for so long.
  package static func setUserTimeout(_ fd: Int32, milliseconds: Int32) throws(SystemCallFailure) {
    try setOption(fd, level: Int32(IPPROTO_TCP), name: TCP_USER_TIMEOUT, to: milliseconds)
  }

  private static func setOption(
    _ fd: Int32, level: Int32, name: Int32, to value: Int32
  ) throws(SystemCallFailure) {
    var value = value
    try checked("setsockopt") { setsockopt(fd, level, name, &value, socklen_t(MemoryLayout<Int32>.size)) }
  }

  static func option(_ fd: Int32, level: Int32, name: Int32) throws(SystemCallFailure) -> Int32 {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    try checked("getsockopt") { getsockopt(fd, level, name, &value, &size) }
    return value
  }
}
