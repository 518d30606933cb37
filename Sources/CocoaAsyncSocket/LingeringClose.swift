import SocketCore
import SocketPOSIX

/// Closes a connection so that everything written reaches the peer.
///
/// Why: on Linux `close` with unread input answers with a reset, and a reset destroys what is still on its way to a
/// slow peer (DIS-22). So the write side is shut down first, input is read and thrown away, and the descriptor is
/// closed when the kernel has nothing left to deliver, when the peer has ended its stream, or when no progress was made
/// for `patience`.
final class LingeringClose: EventHandler {
  private static let patience: Int64 = 5_000_000_000
  private static let interval: Int64 = 20_000_000

  /// Those that are under way; each takes itself out when it is done.
  private static let underWay = LockedValue<[ObjectIdentifier: LingeringClose]>([:])

  private struct State {
    var socket: OpenSocket?
    var attachment: Attachment?
    var outstanding: Int
    var givesUpAt: MonotonicInstant
  }

  private let state: LockedValue<State>

  private init(_ socket: OpenSocket, outstanding: Int, now: MonotonicInstant) {
    state = LockedValue(
      State(socket: socket, attachment: nil, outstanding: outstanding, givesUpAt: now.advanced(by: Self.patience)))
  }

  /// Ends the connection; at once if nothing can be lost by that. The caller gives the descriptor up.
  static func begin(_ socket: OpenSocket) {
    _ = SocketCall.shutdown(socket.number, .write)
    let ended = drain(socket.number)
    let outstanding = SocketCall.outgoingQueueCount(socket.number) ?? 0
    guard !ended, outstanding > 0 else { return socket.close() }
    let now = MonotonicInstant.now()
    let closing = LingeringClose(socket, outstanding: outstanding, now: now)
    underWay.withLock { $0[ObjectIdentifier(closing)] = closing }
    let attachment = EventLoopGroup.next().attach(closing)
    closing.state.withLock { $0.attachment = attachment }
    do {
      try attachment.watch(socket.number, key: 0, interest: [.readable])
      attachment.setDeadline(now.advanced(by: interval))
    } catch {
      closing.finish()
    }
  }

  func handleReadiness(_ readiness: Readiness, key: UInt16) { proceed() }

  func handleDeadline() { proceed() }

  private func proceed() {
    let now = MonotonicInstant.now()
    let isDone = state.withLock { state -> Bool in
      guard let socket = state.socket else { return true }
      if Self.drain(socket.number) { return true }
      let outstanding = SocketCall.outgoingQueueCount(socket.number) ?? 0
      if outstanding < state.outstanding {
        state.outstanding = outstanding
        state.givesUpAt = now.advanced(by: Self.patience)
      }
      guard outstanding > 0, now < state.givesUpAt else { return true }
      state.attachment?.setDeadline(now.advanced(by: Self.interval))
      return false
    }
    if isDone { finish() }
  }

  private func finish() {
    let attachment = state.withLock { state -> Attachment? in
      state.socket?.close()
      state.socket = nil
      defer { state.attachment = nil }
      return state.attachment
    }
    attachment?.detach()
    _ = Self.underWay.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
  }

  /// Throws input away; true when the peer has ended its stream or the connection is broken.
  private static func drain(_ number: Int32) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 1 << 14, alignment: 16) { room in
      for _ in 0..<64 {
        switch SocketCall.receive(number, into: room) {
        case .bytes: continue
        case .wouldBlock: return false
        case .endOfStream, .failed: return true
        }
      }
      return false
    }
  }
}
