import Dispatch
import Glibc
import TestSupport
import Testing

@testable import SocketPOSIX

/// Signals belong to the program: the library's threads take none of them.
@Suite("Signals of the library's threads")
struct ThreadSignalTests {
  /// Those that report a crash of the thread, and those that can't be blocked.
  static let taken: Set<Int32> = [
    SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS, SIGKILL, SIGSTOP,
  ]

  /// All but those of the C library's own use, between the classical and the real-time ones.
  static let all = Array(1...31) + Array(__libc_current_sigrtmin()...__libc_current_sigrtmax())

  /// The signals that the current thread takes.
  static func open() -> Set<Int32> {
    var mask = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &mask)
    return Set(all.filter { sigismember(&mask, $0) == 0 })
  }

  @Test("a thread of the library's takes no signal but those of its own crashes, and its maker's are as before")
  func threads() throws {
    let seen = LockedValue<[Set<Int32>]>([])
    let done = Latch()
    let note: @Sendable () -> Void = {
      seen.withLock { $0.append(Self.open()) }
      done.signal()
    }
    let before = Self.open()
    let made = startThread(named: "test-signals", note)
    #expect(made.code == 0 && Self.open() == before)
    pthread_join(made.thread, nil)
    try withLoop { loop in
      let probe = Probe(on: loop) { _, _, _ in note() }
      let ends = try SocketCall.pair()
      try #require(probe.attachment).watch(ends.first.rawValue, key: 1)
      try done.wait("a thread and a loop", count: 2)
    }
    let pool = LookupPool<Int>(idleTimeout: 0, name: "test-signals")
    _ = pool.lookUp("host.test", sharedName: nil) {
      note()
      return 0
    } then: { _ in
    }
    try done.wait("a lookup")
    #expect(Self.open() == before)
    for open in seen.withLock({ $0 }) { #expect(open == Self.taken) }
    #expect(seen.withLock { $0.count } >= 3)
  }
}
