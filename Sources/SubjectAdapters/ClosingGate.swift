import ScriptedPeer
import SocketPOSIX
import SocketValues

/// The end of a case, as something to wait for: callbacks and lookups that are kept busy on purpose wait here, and go
/// on when the case is closed.
final class ClosingGate: Sendable {
  private let ends: DescriptorPair

  /// Throws when the process has no descriptors left.
  init() throws(SystemCallFailure) { ends = try SocketCall.pair() }

  /// Waits for that long or until the gate opens; returns how late it was, in nanoseconds (0 if it opened).
  ///
  /// The one place where the lab blocks a thread that is not its own: `hold` is the scenario's wish for a slow
  /// delegate, and `delay` its wish for a slow resolver.
  func hold(for duration: Duration) -> Int64 {
    let deadline = Instant.now().advanced(by: max(duration.nanoseconds, 0))
    var set = ReadinessSet()
    set.add(ends.second.rawValue, reading: true, writing: false)
    guard set.wait(until: deadline) == 0 else { return 0 }
    return deadline.nanoseconds(until: .now())
  }

  /// For good: the byte is never taken out.
  func open() { withUnsafeBytes(of: UInt8(1)) { _ = SocketCall.send(ends.first.rawValue, $0) } }
}
