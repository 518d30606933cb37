import Glibc
import Synchronization

/// The state that signal handlers share: atomics in memory that exists from the start.
enum CrashFlags {
  private static let claimed = Atomic(false)
  private static let answered = Atomic(0)

  /// Touches them, so that no handler makes them.
  static func prepare() { _ = (claimed.load(ordering: .relaxed), answered.load(ordering: .relaxed)) }

  /// True for the first who asks.
  static func claim() -> Bool { !claimed.exchange(true, ordering: .acquiringAndReleasing) }

  static var answers: Int { answered.load(ordering: .acquiring) }
  static func answer() { answered.add(1, ordering: .acquiringAndReleasing) }
}

/// Waiting inside a signal handler, or in a process that is observed from outside; no other thread waits for it.
enum Pause {
  static func milliseconds(_ count: Int) {
    var time = timespec(tv_sec: count / 1_000, tv_nsec: count % 1_000 * 1_000_000)
    nanosleep(&time, nil)
  }
}

/// Where a thread was when a signal came.
enum Registers {
  static func stack(_ context: UnsafeMutablePointer<ucontext_t>) -> UInt {
    #if arch(x86_64)
      // REG_RSP.
      return UInt(bitPattern: Int(context.pointee.uc_mcontext.gregs.15))
    #elseif arch(arm64)
      return UInt(context.pointee.uc_mcontext.sp)
    #else
      return 0
    #endif
  }

  /// The program counter and the frame pointer.
  static func read(_ context: UnsafeMutablePointer<ucontext_t>) -> (place: UInt, frame: UInt) {
    #if arch(x86_64)
      let registers = context.pointee.uc_mcontext.gregs
      // REG_RBP is 10, REG_RIP 16.
      return (UInt(bitPattern: Int(registers.16)), UInt(bitPattern: Int(registers.10)))
    #elseif arch(arm64)
      let machine = context.pointee.uc_mcontext
      // x29 is the frame pointer.
      let frame = withUnsafeBytes(of: machine.regs) { $0.load(fromByteOffset: 29 * 8, as: UInt64.self) }
      return (UInt(machine.pc), UInt(frame))
    #else
      return (0, 0)
    #endif
  }
}
