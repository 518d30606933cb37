import Glibc
import SocketPOSIX

/// What a worker writes to its standard error as it ends by a signal, for `CrashDump` to read:
///
///     signal 11
///     fault 7f00dead0000
///     stack 7f00dead0010
///     frame 7f00deadbeef
///     ...
///     map 55d0c0e00000-55d0c0f00000 r-xp 00012000 ... /path/of/socketlab
///     end
///
/// Everything here runs inside a signal's handler: no allocation, no lock, system calls only. Frames are found along
/// the frame pointers, which Swift keeps in release builds, too.
package enum CrashSignals {
  /// Signals by which code ends a process.
  private static let fatal = [SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV, SIGSYS]
  /// Asks the process where its threads stand, and ends it.
  package static let whereabouts = SIGQUIT
  /// Asks one thread.
  private static let perThread = SIGUSR2
  static let maxFrames = 64

  /// Installs the handlers, before other threads are made. The calling thread gets a stack for them; others that may
  /// overflow theirs ask for one by themselves (`SignalStack`).
  package static func install() {
    SignalSafeCall.prepare()
    CrashFlags.prepare()
    SignalStack.install()
    for signal in fatal { handle(signal) { number, facts, context in CrashSignals.end(number, facts, context) } }
    handle(whereabouts) { number, _, context in CrashSignals.tellAll(number, context) }
    handle(perThread) { _, _, context in CrashSignals.tellThread(context) }
    // Threads that are made from here on do not block them, even if the parent process did.
    var asked = sigset_t()
    sigemptyset(&asked)
    sigaddset(&asked, whereabouts)
    sigaddset(&asked, perThread)
    pthread_sigmask(SIG_UNBLOCK, &asked, nil)
  }

  private static func handle(
    _ signal: Int32,
    _ handler: @escaping @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void
  ) {
    var action = sigaction()
    action.__sigaction_handler.sa_sigaction = handler
    action.sa_flags = Int32(SA_SIGINFO) | Int32(SA_ONSTACK)
    sigfillset(&action.sa_mask)
    sigaction(signal, &action, nil)
  }

  /// A second thread that crashes while the first one writes its report blocks until the process ends.
  private static func end(
    _ signal: Int32, _ facts: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
  ) {
    guard CrashFlags.claim() else { while true { pause() } }
    write("signal ", UInt(bitPattern: Int(signal)), radix: 10)
    if let facts, let context, signal == SIGSEGV || signal == SIGBUS {
      // The kernel's siginfo_t has the address behind three numbers and a gap.
      write("fault ", UnsafeRawPointer(facts).load(fromByteOffset: 16, as: UInt.self), radix: 16)
      write("stack ", Registers.stack(context.assumingMemoryBound(to: ucontext_t.self)), radix: 16)
    }
    frames(context)
    copyMaps()
    write("end\n")
    leave(signal)
  }

  private static func leave(_ number: Int32) {
    signal(number, SIG_DFL)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    sigprocmask(SIG_UNBLOCK, &set, nil)
    // To this thread: another one would take it later than this one exits.
    raise(number)
    _exit(128 + number)
  }

  /// The threads write their stacks one after the other; a thread that does not do so in time is skipped.
  private static func tellAll(_ signal: Int32, _ context: UnsafeMutableRawPointer?) {
    guard CrashFlags.claim() else { while true { pause() } }
    write("signal ", UInt(bitPattern: Int(signal)), radix: 10)
    frames(context)
    let folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY)
    guard folder >= 0 else { return leave(signal) }
    withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
      while true {
        let count = SignalSafeCall.entries(of: folder, into: buffer)
        guard count > 0 else { break }
        var offset = 0
        while offset < count {
          let length = Int(buffer.load(fromByteOffset: offset + 16, as: UInt16.self))
          guard length > 0 else { break }
          if let thread = number(UnsafeRawBufferPointer(rebasing: buffer[(offset + 19)..<(offset + length)])) {
            ask(thread)
          }
          offset += length
        }
      }
    }
    copyMaps()
    write("end\n")
    leave(signal)
  }

  private static func ask(_ thread: Int32) {
    write("thread ", UInt(bitPattern: Int(thread)), radix: 10)
    let before = CrashFlags.answers
    guard SignalSafeCall.signal(perThread, thread: thread) else { return }
    for _ in 0..<50 where CrashFlags.answers == before { Pause.milliseconds(1) }
  }

  private static func tellThread(_ context: UnsafeMutableRawPointer?) {
    frames(context)
    CrashFlags.answer()
  }

  // MARK: Frames

  private static func frames(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    let registers = context.assumingMemoryBound(to: ucontext_t.self)
    var (place, frame) = Registers.read(registers)
    write("frame ", place, radix: 16)
    // Pages are asked for before they are read: a damaged frame pointer leads anywhere.
    var count = 1
    while count < maxFrames, frame != 0, frame & 7 == 0 {
      var words: (UInt, UInt) = (0, 0)
      guard SignalSafeCall.peek(frame, into: &words) else { break }
      place = words.1
      guard place != 0 else { break }
      write("frame ", place, radix: 16)
      // Frames lie one above the other.
      guard words.0 > frame else { break }
      frame = words.0
      count += 1
    }
  }

  private static func copyMaps() {
    let maps = open("/proc/self/maps", O_RDONLY)
    guard maps >= 0 else { return }
    write("maps\n")
    withUnsafeTemporaryAllocation(byteCount: 8 << 10, alignment: 8) { buffer in
      while true {
        let count = read(maps, buffer.baseAddress, buffer.count)
        guard count > 0 else { break }
        write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
    }
    close(maps)
  }

  // MARK: Text

  private static func number(_ name: UnsafeRawBufferPointer) -> Int32? {
    var value: Int32 = 0
    var digits = 0
    for byte in name {
      if byte == 0 { break }
      guard byte >= 0x30, byte <= 0x39, digits < 9 else { return nil }
      value = value * 10 + Int32(byte - 0x30)
      digits += 1
    }
    return digits > 0 ? value : nil
  }

  private static func write(_ text: StaticString) {
    write(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private static func write(_ bytes: UnsafeRawBufferPointer) {
    var offset = 0
    while offset < bytes.count {
      let count = Glibc.write(STDERR_FILENO, bytes.baseAddress?.advanced(by: offset), bytes.count - offset)
      guard count > 0 || errno == EINTR else { return }
      offset += max(count, 0)
    }
  }

  private static func write(_ head: StaticString, _ value: UInt, radix: UInt) {
    withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { buffer in
      var end = 0
      for index in 0..<min(head.utf8CodeUnitCount, 40) {
        buffer[end] = head.utf8Start[index]
        end += 1
      }
      var divisor: UInt = 1
      while value / divisor >= radix { divisor *= radix }
      var rest = value
      while divisor > 0 {
        let digit = UInt8(truncatingIfNeeded: rest / divisor)
        buffer[end] = digit < 10 ? 0x30 + digit : 0x57 + digit
        end += 1
        rest %= divisor
        divisor /= radix
      }
      buffer[end] = 0x0A
      write(UnsafeRawBufferPointer(rebasing: buffer[...end]))
    }
  }
}
