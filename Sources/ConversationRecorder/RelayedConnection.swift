import Conversations
import Glibc
import ScenarioModel
import ScriptedPeer
import SocketPOSIX
import SocketValues

/// A client and a server with the recorder between them: what one sends the other gets, and both are written down.
///
/// Laws
/// - Nothing is changed: bytes, their order, the end of a stream, and a reset go on as they came. A reset goes on as
///   soon as it is seen.
/// - What one side sends is taken no faster than the other takes it.
/// - What is kept is bounded; the rest goes on all the same, and is counted.
/// - Never blocks.
final class RelayedConnection {
  /// One of the two ends, and what is on its way to it.
  private final class End {
    let descriptor: Descriptor
    var unsent: [UInt8] = []
    var sent = 0
    /// It sends no more.
    var hasFinished = false
    /// It was told that no more comes.
    var wasFinished = false
    /// It takes nothing any more.
    var isDeaf = false

    init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

    var hasUnsent: Bool { sent < unsent.count }
  }

  private static let mostKept = 24 << 20
  /// Of one end in a row, so that the other gets its turn.
  private static let mostRounds = 8

  private(set) var conversation: Conversation
  private(set) var isOver = false
  private let client: End
  private let server: End
  private let start: Instant
  private var isConnecting: Bool
  private var kept = 0

  /// Takes over both ends; `isConnecting`: the server has not answered yet.
  init(
    client: consuming Descriptor, server: consuming Descriptor, isConnecting: Bool, conversation: Conversation
  ) {
    self.client = End(client)
    self.server = End(server)
    self.isConnecting = isConnecting
    self.conversation = conversation
    start = Instant.now()
    for end in [self.client, self.server] { try? SocketCall.setNoDelay(end.descriptor.rawValue) }
  }

  /// Bytes that both have sent.
  private(set) var count = 0

  func addInterest(to set: inout ReadinessSet) {
    guard !isConnecting else { return set.add(server.descriptor.rawValue, reading: false, writing: true) }
    for (end, other) in [(client, server), (server, client)] {
      set.add(
        end.descriptor.rawValue, reading: !end.hasFinished && !other.hasUnsent, writing: end.hasUnsent)
    }
  }

  /// Does all that can be done without waiting.
  func serve(into buffer: UnsafeMutableRawBufferPointer) {
    guard !isOver, !isConnecting || finishConnecting() else { return }
    for side in Conversation.Side.allCases where !isOver { flush(to: side) }
    for side in Conversation.Side.allCases where !isOver { carry(from: side, into: buffer) }
    isOver = isOver || client.hasFinished && server.hasFinished && !client.hasUnsent && !server.hasUnsent
  }

  private func end(_ side: Conversation.Side) -> End { side == .client ? client : server }

  private func finishConnecting() -> Bool {
    let code = SocketCall.pendingError(server.descriptor.rawValue)
    guard code != 0 || SocketCall.peerAddress(server.descriptor.rawValue) == nil else {
      isConnecting = false
      return true
    }
    guard code != 0 else { return false }
    conversation.opening = code == ECONNREFUSED ? .refused : .unanswered
    try? SocketCall.setResetOnClose(client.descriptor.rawValue)
    isOver = true
    return false
  }

  private func carry(from side: Conversation.Side, into buffer: UnsafeMutableRawBufferPointer) {
    let (source, target) = (end(side), end(side.other))
    for _ in 0..<Self.mostRounds where !source.hasFinished && !target.hasUnsent {
      switch SocketCall.receive(source.descriptor.rawValue, into: buffer) {
      case .wouldBlock: return
      case .bytes(let count):
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        // First on its way, then written down.
        send(bytes, to: target)
        note(bytes, of: side)
      case .endOfStream:
        source.hasFinished = true
        note(.finish, side)
        flush(to: side.other)
      case .failed: return reset(by: side)
      }
    }
  }

  private func send(_ bytes: UnsafeRawBufferPointer, to target: End) {
    guard !target.isDeaf else { return }
    var rest = bytes
    while !rest.isEmpty {
      switch SocketCall.send(target.descriptor.rawValue, rest) {
      case .bytes(let count): rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      case .wouldBlock, .endOfStream:
        target.unsent = Array(rest)
        target.sent = 0
        return
      // Its `receive` says why.
      case .failed:
        target.isDeaf = true
        return
      }
    }
  }

  private func flush(to side: Conversation.Side) {
    let target = end(side)
    if target.hasUnsent {
      let rest = Array(target.unsent[target.sent...])
      target.unsent = []
      target.sent = 0
      rest.withUnsafeBytes { send($0, to: target) }
    }
    guard !target.hasUnsent, end(side.other).hasFinished, !target.wasFinished else { return }
    target.wasFinished = true
    _ = SocketCall.shutdown(target.descriptor.rawValue, .write)
  }

  private func reset(by side: Conversation.Side) {
    note(.reset, side)
    try? SocketCall.setResetOnClose(end(side.other).descriptor.rawValue)
    isOver = true
  }

  private func note(_ bytes: UnsafeRawBufferPointer, of side: Conversation.Side) {
    count += bytes.count
    if kept + bytes.count <= Self.mostKept {
      kept += bytes.count
      note(.bytes(Array(bytes)), side)
    } else if let last = conversation.events.last, last.side == side, case .missing(let more, .tooMany) = last.act {
      conversation.events[conversation.events.count - 1].act = .missing(more + bytes.count, .tooMany)
    } else {
      note(.missing(bytes.count, .tooMany), side)
    }
  }

  private func note(_ act: Conversation.Act, _ side: Conversation.Side) {
    let at = Duration.nanoseconds(start.nanoseconds(until: Instant.now()))
    conversation.events.append(Conversation.Event(at: at, side: side, act: act))
  }
}
