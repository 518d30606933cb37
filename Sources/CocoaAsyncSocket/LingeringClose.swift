import DequeModule
import SocketCore
import SocketPOSIX
import SocketValues

/// Closes a connection so that written bytes reach the peer: all of them after a graceful end, and what the kernel has
/// taken after a plain disconnect under TLS.
///
/// Why: on Linux `close` with unread input answers with a reset, and a reset destroys bytes that are still in flight to
/// a slow peer (DIS-22, DIS-23). So TLS's last bytes are sent, input is read and discarded, the write side is shut
/// down, and the descriptor is closed when the kernel has nothing left to deliver and the peer sends nothing, when the
/// peer has ended its stream and all is handed over, or when the peer has had time enough (`LingerLimit`).
final class LingeringClose: EventHandler {
  /// Those that are running, oldest first; each removes itself when it is done.
  private static let underWay = LockedValue<Deque<LingeringClose>>([])

  private struct State {
    var socket: OpenSocket?
    var attachment: Attachment?
    /// The bytes that are still to be handed to the kernel.
    var finalBytes: ArraySlice<UInt8>
    var limit: LingerLimit
  }

  private let state: LockedValue<State>
  private let initialLimit: LingerLimit

  private init(_ socket: OpenSocket, finalBytes: ArraySlice<UInt8>, limit: LingerLimit) {
    initialLimit = limit
    state = LockedValue(State(socket: socket, attachment: nil, finalBytes: finalBytes, limit: limit))
  }

  /// Ends the connection; at once if no byte can be lost by that, or if more than `maxInput` bytes are unread, which
  /// make the close a reset. The caller gives up the descriptor.
  static func begin(_ socket: OpenSocket, finalBytes: [UInt8] = [], maxInput: Int = .max) {
    var finalBytes = finalBytes[...]
    guard send(&finalBytes, on: socket.number) else { return socket.close() }
    if maxInput < .max, SocketCall.incomingQueueCount(socket.number) ?? 0 > maxInput { return socket.close() }
    let input = drain(socket.number, atMost: maxInput)
    if finalBytes.isEmpty { _ = SocketCall.shutdown(socket.number, .write) }
    let outstanding = finalBytes.count + (SocketCall.outgoingQueueCount(socket.number) ?? 0)
    guard !input.endsClosing(with: finalBytes) else { return socket.close() }
    let now = Instant.now()
    var limit = LingerLimit(outstanding: outstanding, maxInput: maxInput, now: now)
    if input.count > 0 { limit.discardedInput(input.count, at: now) }
    guard let firstLook = limit.nextLook(outstanding: outstanding, at: now) else { return socket.close() }
    let closing = LingeringClose(socket, finalBytes: finalBytes, limit: limit)
    let attachment = EventLoopGroup.next().attach(closing)
    closing.state.withLock { $0.attachment = attachment }
    let evicted = underWay.withLock { closings -> LingeringClose? in
      closings.append(closing)
      return LingerLimit.evicted(
        of: closings.lazy.map(\.initialLimit), descriptors: SocketCall.descriptorLimit, at: now
      ).map { closings.remove(at: $0) }
    }
    evicted?.finish()
    closing.watch(firstLook: firstLook)
  }

  private func watch(firstLook: Instant) {
    let isWatched = state.withLock { state -> Bool in
      // It may be the one too many by now, and closed.
      guard let socket = state.socket, let attachment = state.attachment else { return true }
      attachment.setDeadline(firstLook)
      return (try? attachment.watch(socket.number, key: 0, interest: [.readable])) != nil
    }
    if !isWatched { finish() }
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
      if !state.finalBytes.isEmpty {
        guard Self.send(&state.finalBytes, on: socket.number) else { return true }
        if state.finalBytes.isEmpty { _ = SocketCall.shutdown(socket.number, .write) }
      }
      let input = Self.drain(socket.number, atMost: state.limit.inputLeft)
      if input.endsClosing(with: state.finalBytes) { return true }
      if input.count > 0 { state.limit.discardedInput(input.count, at: now) }
      let outstanding = state.finalBytes.count + (SocketCall.outgoingQueueCount(socket.number) ?? 0)
      guard let nextLook = state.limit.nextLook(outstanding: outstanding, at: now) else { return true }
      // Readiness is told once: what is left of a flood is taken in the loop's next turn.
      state.attachment?.setDeadline(input.rest == .more ? now : nextLook)
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
    Self.underWay.withLock { closings in
      if let index = closings.firstIndex(where: { $0 === self }) { closings.remove(at: index) }
    }
  }

  /// What came of discarding input.
  private struct Input {
    enum Rest { case none, more, end, broken }

    var count = 0
    /// What comes behind it.
    var rest = Rest.none

    /// A peer that has ended its stream reads on: TLS's last bytes tell it that what it has is complete (TLS-42).
    func endsClosing(with finalBytes: ArraySlice<UInt8>) -> Bool {
      switch rest {
      case .none, .more: false
      case .end: finalBytes.isEmpty
      case .broken: true
      }
    }
  }

  /// Discards what has arrived: a megabyte at most, so that a peer that floods keeps nobody from the loop, and little
  /// more than `limit`.
  private static func drain(_ number: Int32, atMost limit: Int) -> Input {
    withUnsafeTemporaryAllocation(byteCount: 1 << 14, alignment: 16) { room in
      var input = Input()
      for _ in 0..<64 where input.count <= limit {
        switch SocketCall.receive(number, into: room) {
        case .bytes(let count): input.count += count
        case .wouldBlock: return input
        case .endOfStream:
          input.rest = .end
          return input
        case .failed:
          input.rest = .broken
          return input
        }
      }
      input.rest = .more
      return input
    }
  }
}
