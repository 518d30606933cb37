import Glibc

/// One of the threads that a loop has had, on that thread.
struct LoopThread {
  /// Only the one with the highest number goes on.
  let number: UInt64
  /// See `LoopContext`.
  let scratch: UnsafeMutableRawBufferPointer

  private static let scratchSize = 1 << 16

  init(number: UInt64) {
    self.number = number
    scratch = .allocate(byteCount: Self.scratchSize, alignment: 16)
  }

  func end() { scratch.deallocate() }
}

/// Starts a thread that takes no signals, which belong to the program, but those that report a crash: its handle, or
/// why there is none (0 is success).
func startThread(named name: String, _ body: @escaping @Sendable () -> Void) -> (code: Int32, thread: pthread_t) {
  var blocked = sigset_t()
  var previous = sigset_t()
  sigfillset(&blocked)
  for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS] { sigdelset(&blocked, signal) }
  pthread_sigmask(SIG_SETMASK, &blocked, &previous)
  defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }

  let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
  var thread = pthread_t()
  let code = pthread_create(
    &thread, nil,
    { context in
      guard let context else { return nil }
      let start = Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
      LinuxCall.nameCurrentThread(start.name)
      start.body()
      return nil
    }, start.toOpaque())
  if code != 0 { start.release() }
  return (code, thread)
}

private final class ThreadStart: Sendable {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}
