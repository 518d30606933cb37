import Glibc

/// A stack for the handlers of signals, on the thread that asks for it.
///
/// A thread whose own stack is used up can't run a handler there: the process would end without a backtrace. The stack
/// is freed when the thread ends.
package enum SignalStack {
  /// Room for a handler that walks frames and writes text.
  private static let size = 64 << 10

  private static let stack = ThreadValue { memory in
    var none = stack_t()
    none.ss_flags = Int32(SS_DISABLE)
    sigaltstack(&none, nil)
    free(memory)
  }

  /// Gives the calling thread such a stack, once. It costs a look at a thread-local value afterwards.
  package static func install() {
    guard stack.pointer == nil, let memory = malloc(size) else { return }
    var settings = stack_t()
    settings.ss_sp = memory
    settings.ss_size = size
    guard sigaltstack(&settings, nil) == 0 else { return free(memory) }
    stack.pointer = memory
  }
}
