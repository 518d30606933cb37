private import CSystem
import Glibc
import SocketValues

/// The kernel's side of an event loop: an epoll descriptor, and an eventfd that ends a wait from outside.
///
/// Everything is watched edge-triggered. That includes the eventfd, so it is never read: each write is an edge of its
/// own, and its counter cannot overflow within the life of a machine.
struct Poller: ~Copyable, Sendable {
  /// The token of the eventfd's own events; no attachment has it.
  static let wakeupToken: UInt64 = 0

  /// Why the poller cannot work; nil when it can.
  let failure: SystemCallFailure?
  private let epoll: Descriptor
  private let wakeup: Descriptor

  init() {
    epoll = Descriptor(adopting: epoll_create1(Int32(EPOLL_CLOEXEC)))
    let epollCode = errno
    wakeup = Descriptor(adopting: eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK)))
    let wakeupCode = errno
    if epoll.rawValue < 0 {
      failure = SystemCallFailure(call: "epoll_create", code: epollCode)
    } else if wakeup.rawValue < 0 {
      failure = SystemCallFailure(call: "eventfd", code: wakeupCode)
    } else {
      var event = epoll_event()
      event.events = EPOLLIN.rawValue | EPOLLET.rawValue
      event.data.u64 = Self.wakeupToken
      let outcome = epoll_ctl(epoll.rawValue, EPOLL_CTL_ADD, wakeup.rawValue, &event)
      failure = outcome == 0 ? nil : SystemCallFailure(call: "epoll_ctl", code: errno)
    }
  }

  /// The descriptor that waits; readable while there are events.
  var descriptor: Int32 { epoll.rawValue }

  /// Ends the current wait, or the next one.
  func wake() {
    var one: UInt64 = 1
    _ = uninterrupted { write(wakeup.rawValue, &one, MemoryLayout<UInt64>.size) }
  }

  /// Starts to watch a descriptor: its events carry `token`.
  func add(_ fd: Int32, token: UInt64, interest: Readiness) throws(SystemCallFailure) {
    if let failure { throw failure }
    try checked("epoll_ctl") { control(EPOLL_CTL_ADD, fd, token: token, interest: interest) }
  }

  /// Has the present readiness of a watched descriptor reported again.
  func modify(_ fd: Int32, token: UInt64, interest: Readiness) {
    _ = control(EPOLL_CTL_MOD, fd, token: token, interest: interest)
  }

  /// Stops watching a descriptor, if it was watched.
  func remove(_ fd: Int32) {
    _ = control(EPOLL_CTL_DEL, fd, token: 0, interest: [])
  }

  private func control(_ operation: Int32, _ fd: Int32, token: UInt64, interest: Readiness) -> Int32 {
    var event = epoll_event()
    event.events = EPOLLET.rawValue | EPOLLRDHUP.rawValue
    if interest.contains(.readable) { event.events |= EPOLLIN.rawValue | EPOLLPRI.rawValue }
    if interest.contains(.writable) { event.events |= EPOLLOUT.rawValue }
    event.data.u64 = token
    return epoll_ctl(epoll.rawValue, operation, fd, &event)
  }

  /// Waits for events, for `wake`, or until `deadline`, and fills the batch. May return early with an empty batch.
  func wait(into batch: EventBatch, until deadline: Instant) {
    let remaining: Int64? =
      switch deadline {
      case .distantFuture: nil
      case .distantPast: 0
      default: max(0, Instant.now().nanoseconds(until: deadline))
      }
    batch.fill(from: epoll.rawValue, timeout: remaining)
  }

  /// A timeout for `epoll_wait`: milliseconds rounded up, so that a wait never ends before its deadline.
  static func milliseconds(_ nanoseconds: Int64?) -> Int32 {
    guard let nanoseconds else { return -1 }
    guard nanoseconds > 0 else { return 0 }
    return Int32(clamping: (nanoseconds - 1) / 1_000_000 + 1)
  }
}

/// How finely an event loop can time its sleep.
package enum TimerPrecision: Sendable {
  /// As fine as the kernel offers.
  case finest
  /// Whole milliseconds, rounded up: what older kernels can do.
  case millisecond
}

/// Room for the events that one wait brings.
package final class EventBatch: @unchecked Sendable {
  // Unchecked: only the loop's thread touches it, and a change of that thread goes through the loop's lock.
  private typealias PreciseWait =
    @convention(c) (
      Int32, UnsafeMutablePointer<epoll_event>?, Int32, UnsafePointer<timespec>?, UnsafeRawPointer?
    ) -> Int32

  /// Events in the batch.
  package private(set) var count = 0
  /// There may be more events than the batch had room for.
  package var isFull: Bool { count == events.count }
  private let events: UnsafeMutableBufferPointer<epoll_event>
  /// The wait with a timeout in nanoseconds; nil where the C library or the kernel does not have it.
  private var preciseWait: PreciseWait?

  /// Room for `capacity` events.
  package init(capacity: Int, precision: TimerPrecision) {
    events = .allocate(capacity: capacity)
    events.initialize(repeating: epoll_event())
    if precision == .finest {
      preciseWait = LinuxCall.symbol("epoll_pwait2").map { unsafeBitCast($0, to: PreciseWait.self) }
    }
  }

  deinit {
    events.deallocate()
  }

  /// The token and the readiness of one event.
  package subscript(index: Int) -> (token: UInt64, readiness: Readiness) {
    let event = events[index]
    var readiness = Readiness()
    if event.events & EPOLLIN.rawValue != 0 { readiness.insert(.readable) }
    if event.events & EPOLLOUT.rawValue != 0 { readiness.insert(.writable) }
    if event.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { readiness.insert(.broken) }
    if event.events & EPOLLRDHUP.rawValue != 0 { readiness.insert(.peerClosed) }
    if event.events & EPOLLPRI.rawValue != 0 { readiness.insert(.urgent) }
    return (event.data.u64, readiness)
  }

  /// Waits for at most `timeout` nanoseconds, for ever when nil. A signal ends the wait with an empty batch.
  func fill(from epoll: Int32, timeout: Int64?) {
    count = 0
    let outcome = wait(epoll, timeout: timeout)
    if outcome >= 0 {
      count = Int(outcome)
    } else {
      let code = errno
      // Going on would spin: this happens only if foreign code has closed the loop's descriptor.
      guard code == EINTR else { misuse(SystemCallFailure(call: "epoll_wait", code: code).description) }
    }
  }

  private func wait(_ epoll: Int32, timeout: Int64?) -> Int32 {
    let capacity = Int32(events.count)
    if let preciseWait, let timeout, timeout > 0 {
      var time = timespec(tv_sec: Int(timeout / 1_000_000_000), tv_nsec: Int(timeout % 1_000_000_000))
      let outcome = preciseWait(epoll, events.baseAddress, capacity, &time, nil)
      if outcome >= 0 || errno == EINTR { return outcome }
      // The C library knows the call but the kernel, or a filter in front of it, does not.
      self.preciseWait = nil
    }
    return epoll_wait(epoll, events.baseAddress, capacity, Poller.milliseconds(timeout))
  }
}
