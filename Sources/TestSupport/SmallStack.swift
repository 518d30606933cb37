import Glibc

/// Runs work on a thread with a small stack, where recursion over a long queue crashes instead of going unnoticed.
package enum SmallStack {
  private final class Job {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  /// Runs the body on a thread with `bytes` bytes of stack and waits for its end. False: no such thread could be made.
  package static func run(bytes: Int, _ body: () -> Void) -> Bool {
    withoutActuallyEscaping(body) { escaping in
      var attributes = pthread_attr_t()
      guard pthread_attr_init(&attributes) == 0 else { return false }
      defer { pthread_attr_destroy(&attributes) }
      guard pthread_attr_setstacksize(&attributes, bytes) == 0 else { return false }
      let job = Unmanaged.passRetained(Job(escaping))
      var thread = pthread_t()
      let status = pthread_create(
        &thread, &attributes,
        { argument in
          if let argument { Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body() }
          return nil
        }, job.toOpaque())
      guard status == 0 else {
        job.release()
        return false
      }
      pthread_join(thread, nil)
      return true
    }
  }
}
