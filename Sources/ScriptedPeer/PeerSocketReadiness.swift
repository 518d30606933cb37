import Glibc
import SocketPOSIX
import SocketValues

/// Descriptors and what each is waited for: one `poll` set, filled anew before every wait.
///
/// Laws
/// - Level-triggered: what is left undone is reported again by the next wait, and need not be remembered.
/// - A descriptor for which nothing is wanted does not enter the set, unless its errors are. The kernel reports errors
///   and hang-ups whether asked or not, and a peer that does not read must not be woken by them for ever.
/// - A wait never ends before its deadline unless a descriptor is ready (or a signal came).
package struct ReadinessSet {
  private typealias PreciseWait =
    @convention(c) (UnsafeMutablePointer<pollfd>?, UInt, UnsafePointer<timespec>?, UnsafeRawPointer?) -> Int32

  /// The wait with a timeout in nanoseconds, which Swift's view of the C library leaves out; nil where it is missing.
  private static let preciseWait: PreciseWait? = dlsym(nil, "ppoll").map { unsafeBitCast($0, to: PreciseWait.self) }

  private var entries: [pollfd] = []

  package init() {}

  /// How many descriptors are in the set.
  package var count: Int { entries.count }

  /// Empties the set and keeps its memory for the next wait.
  package mutating func removeAll() { entries.removeAll(keepingCapacity: true) }

  /// Adds a descriptor unless nothing is wanted of it.
  package mutating func add(_ descriptor: Int32, reading: Bool, writing: Bool) {
    guard reading || writing else { return }
    let wanted = (reading ? POLLIN : 0) | (writing ? POLLOUT : 0)
    entries.append(pollfd(fd: descriptor, events: Int16(wanted), revents: 0))
  }

  /// Adds a descriptor of which only errors are wanted, and the end of both directions.
  package mutating func addForErrors(_ descriptor: Int32) {
    entries.append(pollfd(fd: descriptor, events: 0, revents: 0))
  }

  /// Whether the last wait found the entry at `index` ready, broken or hung up.
  package func isReady(_ index: Int) -> Bool { entries[index].revents != 0 }

  /// Whether the last wait found any entry of the range ready.
  package func isAnyReady(_ range: Range<Int>) -> Bool { entries[range].contains { $0.revents != 0 } }

  /// Waits until a descriptor is ready or the deadline has come: how many are ready, 0 for none.
  @discardableResult
  package mutating func wait(until deadline: Instant) -> Int {
    var outcome: Int32 = 0
    repeat {
      let remaining = deadline == .distantFuture ? nil : max(0, Instant.now().nanoseconds(until: deadline))
      outcome = wait(nanoseconds: remaining)
    } while outcome < 0 && errno == EINTR
    if outcome <= 0 {
      for index in entries.indices { entries[index].revents = 0 }
    }
    return Int(max(outcome, 0))
  }

  private mutating func wait(nanoseconds: Int64?) -> Int32 {
    let count = UInt(entries.count)
    return entries.withUnsafeMutableBufferPointer { buffer in
      guard let nanoseconds else { return poll(buffer.baseAddress, count, -1) }
      if nanoseconds > 0, let preciseWait = Self.preciseWait {
        var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        return preciseWait(buffer.baseAddress, count, &time, nil)
      }
      return poll(buffer.baseAddress, count, Int32(clamping: (nanoseconds + 999_999) / 1_000_000))
    }
  }
}
