import Glibc

/// A stack for the handlers of signals, on the thread that asks for it.
///
/// A thread whose own stack is used up can't run a handler there: the process would end without a word of where. The
/// stack goes with the thread.
package enum SignalStack {
  /// Room for a handler that walks frames and writes text.
  private static let size = 64 << 10

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { memory in
      var none = stack_t()
      none.ss_flags = Int32(SS_DISABLE)
      sigaltstack(&none, nil)
      free(memory)
    }
    return key
  }()

  /// Gives the calling thread such a stack, once. It costs a look at a thread-local value afterwards.
  package static func install() {
    guard pthread_getspecific(key) == nil, let memory = malloc(size) else { return }
    var stack = stack_t()
    stack.ss_sp = memory
    stack.ss_size = size
    guard sigaltstack(&stack, nil) == 0 else { return free(memory) }
    pthread_setspecific(key, memory)
  }
}
