import Glibc

/// System calls for the handlers of signals: they neither allocate nor lock. The C library's functions are looked up
/// once, by `prepare`.
package enum SignalSafeCall {
  private typealias ReadMemory =
    @convention(c) (pid_t, UnsafePointer<iovec>, UInt, UnsafePointer<iovec>, UInt, UInt) -> Int
  private typealias SignalThread = @convention(c) (pid_t, pid_t, Int32) -> Int32
  private typealias ListFolder = @convention(c) (Int32, UnsafeMutableRawPointer?, Int) -> Int

  private static let readMemory = LinuxCall.symbol("process_vm_readv").map { unsafeBitCast($0, to: ReadMemory.self) }
  private static let signalThread = LinuxCall.symbol("tgkill").map { unsafeBitCast($0, to: SignalThread.self) }
  private static let listFolder = LinuxCall.symbol("getdents64").map { unsafeBitCast($0, to: ListFolder.self) }

  /// To be called before any handler is installed. False: this C library lacks one of them.
  @discardableResult
  package static func prepare() -> Bool { readMemory != nil && signalThread != nil && listFolder != nil }

  /// Reads two words at an address of this process that may not be there.
  package static func peek(_ address: UInt, into words: inout (UInt, UInt)) -> Bool {
    guard let readMemory, let there = UnsafeMutableRawPointer(bitPattern: address) else { return false }
    let size = 2 * MemoryLayout<UInt>.size
    return withUnsafeMutableBytes(of: &words) { here in
      var to = iovec(iov_base: here.baseAddress, iov_len: size)
      var from = iovec(iov_base: there, iov_len: size)
      return readMemory(getpid(), &to, 1, &from, 1, 0) == size
    }
  }

  /// Sends a signal to one thread of this process.
  package static func signal(_ number: Int32, thread: pid_t) -> Bool {
    signalThread.map { $0(getpid(), thread, number) == 0 } ?? false
  }

  /// Entries of an open folder (`linux_dirent64`); how many bytes of them, 0 at the end.
  package static func entries(of folder: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    listFolder.map { max(0, $0(folder, buffer.baseAddress, buffer.count)) } ?? 0
  }
}
