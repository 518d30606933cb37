import SocketCore
import SocketPOSIX
import SocketValues

/// Closes a connection so that all written bytes reach the peer.
///
/// Why: on Linux `close` with unread input answers with a reset, and a reset destroys bytes that are still in flight to
/// a slow peer (DIS-22). So TLS's last bytes are sent, the write side is shut down, input is read and discarded, and
/// the descriptor is closed when the kernel has nothing left to deliver, when the peer has ended its stream, or when no
/// progress was made for `stallTimeout`.
final class LingeringClose: EventHandler {
  private static let stallTimeout: Int64 = 5_000_000_000
  private static let interval: Int64 = 20_000_000

  /// Those that are running; each removes itself when it is done.
  private static let underWay = LockedValue<[ObjectIdentifier: LingeringClose]>([:])

  private struct State {
    var socket: OpenSocket?
    var attachment: Attachment?
    /// The bytes that are still to be handed to the kernel.
    var finalBytes: ArraySlice<UInt8>
    var outstanding: Int
    var givesUpAt: Instant
  }

  private let state: LockedValue<State>

  private init(_ socket: OpenSocket, finalBytes: ArraySlice<UInt8>, outstanding: Int, now: Instant) {
    state = LockedValue(
      State(
        socket: socket, attachment: nil, finalBytes: finalBytes, outstanding: outstanding,
        givesUpAt: now.advanced(by: Self.stallTimeout)))
  }

  /// Ends the connection; at once if no byte can be lost by that. The caller gives up the descriptor.
  static func begin(_ socket: OpenSocket, finalBytes: [UInt8] = []) {
    var finalBytes = finalBytes[...]
    guard say(&finalBytes, on: socket.number) else { return socket.close() }
    let ended = drain(socket.number)
    let outstanding = finalBytes.count + (SocketCall.outgoingQueueCount(socket.number) ?? 0)
    guard !ended, outstanding > 0 else { return socket.close() }
    let now = Instant.now()
    let closing = LingeringClose(socket, finalBytes: finalBytes, outstanding: outstanding, now: now)
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

  /// Sends as many bytes as the kernel takes and shuts the write side down behind the last one. Returns false if the
  /// connection is broken.
  private static func say(_ finalBytes: inout ArraySlice<UInt8>, on number: Int32) -> Bool {
    guard send(&finalBytes, on: number) else { return false }
    if finalBytes.isEmpty { _ = SocketCall.shutdown(number, .write) }
    return true
  }

  /// Sends as many bytes as the kernel takes: one call need not take all that there is room for. Returns false if the
  /// connection is broken.
  static func send(_ bytes: inout ArraySlice<UInt8>, on number: Int32) -> Bool {
    while !bytes.isEmpty {
      switch bytes.withUnsafeBytes({ SocketCall.send(number, $0) }) {
      case .bytes(let count): bytes.removeFirst(count)
      case .wouldBlock, .endOfStream: return true
      case .failed: return false
      }
    }
    return true
  }

  func handleReadiness(_ readiness: Readiness, key: UInt16, _ context: LoopContext) { proceed() }

  func handleDeadline(_ context: LoopContext) { proceed() }

  private func proceed() {
    let now = Instant.now()
    let isDone = state.withLock { state -> Bool in
      guard let socket = state.socket else { return true }
      if !state.finalBytes.isEmpty, !Self.say(&state.finalBytes, on: socket.number) { return true }
      if Self.drain(socket.number) { return true }
      let outstanding = state.finalBytes.count + (SocketCall.outgoingQueueCount(socket.number) ?? 0)
      if outstanding < state.outstanding {
        state.outstanding = outstanding
        state.givesUpAt = now.advanced(by: Self.stallTimeout)
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

  /// Discards input. Returns true if the peer has ended its stream or the connection is broken.
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
