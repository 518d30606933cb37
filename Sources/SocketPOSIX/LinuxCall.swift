import Glibc

/// The calls that Swift's view of the C library leaves out, because it is compiled without the GNU extensions.
///
/// They are looked up by name once. Where one is missing (an older C library, a fully static program) a portable call
/// is used instead.
package enum LinuxCall {
  private typealias Accept4 =
    @convention(c) (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?, Int32) -> Int32
  private typealias SetThreadName = @convention(c) (pthread_t, UnsafePointer<CChar>) -> Int32

  private static let accept4: Accept4? = symbol("accept4").map { unsafeBitCast($0, to: Accept4.self) }
  private static let setThreadName: SetThreadName? = symbol("pthread_setname_np")
    .map { unsafeBitCast($0, to: SetThreadName.self) }

  /// The address of a C function in this process; nil when there is none of that name.
  package static func symbol(_ name: String) -> UnsafeMutableRawPointer? {
    dlsym(nil, name)
  }

  /// Accepts a connection, nonblocking and closed on exec: its descriptor, or -1 with errno set.
  static func accept(_ fd: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ length: inout socklen_t) -> Int32 {
    if let accept4 {
      return accept4(fd, address, &length, Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
    }
    let accepted = Glibc.accept(fd, address, &length)
    guard accepted >= 0 else { return accepted }
    guard fcntl(accepted, F_SETFD, FD_CLOEXEC) == 0, fcntl(accepted, F_SETFL, O_NONBLOCK) == 0 else {
      let code = errno
      close(accepted)
      errno = code
      return -1
    }
    return accepted
  }

  /// Names the calling thread for debuggers; the kernel keeps 15 bytes.
  static func nameCurrentThread(_ name: String) {
    guard let setThreadName else { return }
    let short = String(decoding: name.utf8.prefix(15), as: UTF8.self)
    _ = setThreadName(pthread_self(), short)
  }
}
