import Glibc

/// The system calls on sockets, each safe against interruption by a signal, over plain descriptor numbers.
///
/// Nothing here decides: a call reports what the kernel said, and errors keep their errno.
package enum SocketCall {
  /// A new nonblocking stream socket that is closed on exec.
  package static func open(family: Int32) throws(SystemCallFailure) -> Descriptor {
    Descriptor(adopting: try checked("socket") { socket(family, streamType, 0) })
  }

  /// Two connected local stream sockets, nonblocking and closed on exec.
  package static func pair() throws(SystemCallFailure) -> DescriptorPair {
    var ends: [Int32] = [-1, -1]
    try checked("socketpair") { socketpair(AF_UNIX, streamType, 0, &ends) }
    return DescriptorPair(first: Descriptor(adopting: ends[0]), second: Descriptor(adopting: ends[1]))
  }

  /// Gives the socket its local address; port 0 lets the kernel choose.
  package static func bind(_ fd: Int32, to address: RawAddress) throws(SystemCallFailure) {
    try checked("bind") { address.withSockaddr { Glibc.bind(fd, $0, $1) } }
  }

  /// Makes the socket listen; `backlog` counts connections that are not accepted yet.
  package static func listen(_ fd: Int32, backlog: Int32) throws(SystemCallFailure) {
    try checked("listen") { Glibc.listen(fd, backlog) }
  }

  /// Starts to connect: true when connected already, false when the attempt is under way (writable tells its end, then
  /// `pendingError`). A local socket whose listener has a full backlog fails with EAGAIN.
  package static func startConnect(_ fd: Int32, to address: RawAddress) throws(SystemCallFailure) -> Bool {
    if address.withSockaddr({ Glibc.connect(fd, $0, $1) }) == 0 { return true }
    let code = errno
    // An interrupted connect goes on by itself; a second call would only answer EALREADY.
    if code == EINPROGRESS || code == EINTR { return false }
    throw SystemCallFailure(call: "connect", code: code)
  }

  /// The pending error of the socket, which this call clears; 0 for none.
  package static func pendingError(_ fd: Int32) -> Int32 {
    do {
      return try option(fd, level: SOL_SOCKET, name: SO_ERROR)
    } catch {
      return error.code
    }
  }

  /// The next connection of a listening socket; nil if none is waiting. One that failed in the backlog is skipped.
  package static func accept(_ fd: Int32) throws(SystemCallFailure) -> Accepted? {
    while true {
      var outcome = 0
      let address = RawAddress.reading { pointer, length in
        outcome = uninterrupted { Int(LinuxCall.accept(fd, pointer, &length)) }
        return outcome >= 0
      }
      if outcome >= 0 { return Accepted(descriptor: Descriptor(adopting: Int32(outcome)), address: address) }
      switch Int32(-outcome) {
      case EAGAIN: return nil
      case ECONNABORTED: continue
      case let code: throw SystemCallFailure(call: "accept", code: code)
      }
    }
  }

  /// Which half of a connection `shutdown` ends.
  package enum ShutdownHow: Sendable {
    /// No more reading.
    case read
    /// No more writing: the peer sees the end of the stream.
    case write
  }

  /// Ends one half of the connection: 0, or the errno.
  package static func shutdown(_ fd: Int32, _ how: ShutdownHow) -> Int32 {
    let half =
      switch how {
      case .read: SHUT_RD
      case .write: SHUT_WR
      }
    return Int32(-uninterrupted { Int(Glibc.shutdown(fd, Int32(half))) })
  }

  private static var streamType: Int32 {
    Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
  }
}
