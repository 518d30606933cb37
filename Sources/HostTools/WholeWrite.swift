import Glibc

/// Writing to what is open already.
package enum WholeWrite {
  /// Writes all of the bytes; returns the number of the error that is in the way, nil if nothing is.
  ///
  /// Whoever started this process may have left the descriptor non-blocking, as Node does with its pipes. That it is
  /// full for now is no error then: the rest waits for room, as it does where the kernel itself waits.
  package static func write(_ bytes: some Sequence<UInt8>, to descriptor: Int32) -> Int32? {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count < 0 else {
        rest = rest.dropFirst(count)
        continue
      }
      switch errno {
      case EINTR: break
      case EAGAIN:
        var set = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&set, 1, -1)
      case let problem: return problem
      }
    }
    return nil
  }

  /// The same to a descriptor whose reader may leave: that is an error then, and never the end of the process.
  static func writeQuietly(_ bytes: some Sequence<UInt8>, to descriptor: Int32) -> Int32? {
    // The signal of a pipe without reader is sent to the thread that writes.
    var pipe = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    var before = sigset_t()
    pthread_sigmask(SIG_BLOCK, &pipe, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let problem = write(bytes, to: descriptor)
    var now = timespec()
    // One that was blocked before is not ours to take.
    if problem == EPIPE, sigismember(&before, SIGPIPE) == 0 { _ = sigtimedwait(&pipe, nil, &now) }
    return problem
  }
}
