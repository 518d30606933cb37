import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import HostTools

/// One at a time, whoever else asks and whatever signals come.
@Suite struct FolderLockTests {
  @Test func oneOfManyWorksAtATime() throws {
    let scratch = try Scratch()
    let (folder, file) = (scratch.folder.path, scratch.path("count"))
    try HostFiles.write([0], to: file)
    let failures = try Concurrently.run(8) { _ in
      for _ in 0..<25 {
        try FolderLock.hold(folder) { try HostFiles.write([try HostFiles.read(file)[0] + 1], to: file) }
      }
    }
    #expect(failures.isEmpty, "\(failures)")
    #expect(try HostFiles.read(file) == [200])
  }

  private static let signalsHandled = Atomic<Int>(0)

  private struct Waiter {
    var thread: pthread_t?
    /// Whether the lock was given back before the work began; nil: it has not begun.
    var waited: Bool?
  }

  @Test func aSignalDoesNotEndTheWait() throws {
    let scratch = try Scratch()
    let folder = scratch.folder.path
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in FolderLockTests.signalsHandled.add(1, ordering: .relaxed) }
    sigaction(SIGUSR2, &action, nil)
    let other = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    #expect(flock(other, LOCK_EX) == 0)
    let isReleased = Atomic(false)
    let waiter = Mutex(Waiter())
    // It may get signals, so it must be there until the last one was sent.
    let (mayEnd, ended) = (Latch(), Latch())
    Thread {
      // Tests run on threads that block signals, and this one has got that from them.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGUSR2)
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      waiter.withLock { $0.thread = pthread_self() }
      FolderLock.hold(folder) { waiter.withLock { $0.waited = isReleased.load(ordering: .relaxed) } }
      try? mayEnd.wait("the last signal")
      ended.signal()
    }.start()
    try eventually("the thread runs") { waiter.withLock { $0.thread } != nil }
    for number in 1...20 {
      if let thread = waiter.withLock({ $0.thread }) { pthread_kill(thread, SIGUSR2) }
      try eventually("signal \(number)") { Self.signalsHandled.load(ordering: .relaxed) >= number }
    }
    mayEnd.signal()
    isReleased.store(true, ordering: .relaxed)
    close(other)
    try ended.wait("the work")
    #expect(waiter.withLock { $0.waited } == true)
  }

  @Test func whatHasNoFolderIsDoneWithoutALock() throws {
    #expect(FolderLock.hold("/nonexistent/folder") { 1 } == 1)
  }
}
