private import CSystem
import Glibc
import SocketValues

/// Readiness and a timer behind one descriptor, which becomes readable when either has events: for loops that can wait
/// for a descriptor and for nothing else.
package final class DescriptorPoller: Sendable {
  /// The token of the events that `wake` causes; no watched descriptor has it.
  package static let wakeupToken = Poller.wakeupToken
  /// The token of the timer.
  package static let timerToken = UInt64.max

  private let poller: Poller
  private let timer: Descriptor

  /// Throws if the process has no descriptors left.
  package init() throws(SystemCallFailure) {
    poller = Poller()
    timer = Descriptor(adopting: timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK)))
    if timer.rawValue < 0 { throw SystemCallFailure(call: "timerfd_create", code: errno) }
    try poller.add(timer.rawValue, token: Self.timerToken, interest: .readable)
  }

  /// Readable while there are events to fetch. Wait for it, and never read it.
  package var descriptor: Int32 { poller.descriptor }

  /// Starts to watch a descriptor, edge-triggered; its events carry the token.
  package func add(_ descriptor: Int32, token: UInt64, interest: Readiness) throws(SystemCallFailure) {
    try poller.add(descriptor, token: token, interest: interest)
  }

  /// Stops watching a descriptor, if it was watched.
  package func remove(_ descriptor: Int32) { poller.remove(descriptor) }

  /// Makes the descriptor readable once.
  package func wake() { poller.wake() }

  /// Sets the timer, in place of its previous instant.
  package func setTimer(_ instant: Instant) {
    // A time of zero would stop it, and the clock is past that.
    let nanoseconds = max(1, instant.nanoseconds)
    var time = itimerspec()
    time.it_value = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    _ = timerfd_settime(timer.rawValue, Int32(TFD_TIMER_ABSTIME), &time, nil)
  }

  /// Fetches the events that are there, without waiting.
  package func fetch(into batch: EventBatch) { batch.fill(from: poller.descriptor, timeout: 0) }
}
