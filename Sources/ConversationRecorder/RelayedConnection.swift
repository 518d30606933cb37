import Conversations
import Glibc
import ScenarioModel
import ScriptedPeer
import SocketPOSIX
import SocketValues

/// A client and a server with the recorder between them, which passes on and records the bytes of both.
///
/// Laws
/// - Nothing is changed: bytes, their order, the end of a stream and a reset are passed on as they came. A reset is
///   passed on as soon as it is seen, even while the other side takes nothing.
/// - Urgent bytes stand where they were in the stream, and go on as such; inside of TLS that is opened they are bytes.
/// - Bytes of one side are taken no faster than the other side takes them. Bytes that have arrived when the connection
///   is broken off are recorded all the same, unless no more are wanted.
/// - Never takes more than it is told to.
/// - Who is broken off sees a reset, so that none takes what it has got for the whole.
/// - What is kept is bounded (see `ConversationLog`); the rest goes on all the same, and is counted.
/// - With an interceptor, the first ClientHello opens TLS: then the session with the server is what is written down,
///   and its secrets are kept.
/// - Never blocks.
final class RelayedConnection {
  /// Of one end in a row, so that the other gets its turn.
  private static let maxRounds = 8
  /// The most bytes that are read from one end that is broken off: more than the system holds for a connection.
  private static let maxDrained = 64 << 20

  private var log: ConversationLog
  private(set) var isOver = false
  private let interceptor: TLSInterceptor?
  private var session: InterceptedSession?
  /// From the client: the beginning of what may become a ClientHello.
  private var undecided: [UInt8] = []
  private let client: RelayedEnd
  private let server: RelayedEnd
  private let start: Instant
  private var isConnecting: Bool
  /// Whether there is memory for more than is kept already.
  private var hasRoom = true
  /// What comes is only written down.
  private var isDraining = false
  /// So many bytes of both may still be taken.
  private var left = Int.max

  /// As far as it has come.
  var recording: ConversationRecording {
    var conversation = log.conversation
    if let session {
      conversation.notes.append("The proxy opened TLS: this is its session with the server, as the client's own asked.")
      if let failure = session.failure { conversation.notes.append(failure) }
    }
    return ConversationRecording(conversation: conversation, secrets: session?.secrets ?? [])
  }
  /// The memory that the conversation takes, in bytes, about.
  var kept: Int { log.cost }

  /// Takes over both ends; `isConnecting`: the server has not answered yet.
  init(
    client: consuming Descriptor, server: consuming Descriptor, isConnecting: Bool, conversation: Conversation,
    interceptor: TLSInterceptor?
  ) {
    self.client = RelayedEnd(client)
    self.server = RelayedEnd(server)
    self.isConnecting = isConnecting
    self.interceptor = interceptor
    log = ConversationLog(conversation)
    start = Instant.now()
    for end in [self.client, self.server] {
      try? SocketCall.setNoDelay(end.descriptor.rawValue)
      // An urgent byte is then read in its place, and wakes who waits. Where that can't be, it is not seen.
      try? SocketCall.setUrgentInline(end.descriptor.rawValue)
    }
  }

  /// Bytes that both have sent.
  private(set) var count = 0

  func addInterest(to set: inout ReadinessSet) {
    guard !isConnecting else { return set.add(server.descriptor.rawValue, reading: false, writing: true) }
    for side in Conversation.Side.allCases {
      let (end, canRead) = (end(side), canRead(from: side))
      if canRead || end.hasUnsent {
        set.add(end.descriptor.rawValue, reading: canRead, writing: end.hasUnsent)
      } else if isHeld(side) {
        set.addForErrors(end.descriptor.rawValue)
      }
    }
  }

  /// Does all that can be done without waiting, and takes `most` bytes at most. `hasRoom`: what is said may be kept.
  func serve(into buffer: UnsafeMutableRawBufferPointer, hasRoom: Bool, most: Int) {
    (self.hasRoom, left) = (hasRoom, most)
    guard !isOver, !isConnecting || finishConnecting() else { return }
    for side in Conversation.Side.allCases where !isOver && isHeld(side) { lookForReset(by: side, into: buffer) }
    for side in Conversation.Side.allCases where !isOver { flush(to: side) }
    for side in Conversation.Side.allCases where !isOver { carry(from: side, into: buffer) }
    isOver = isOver || client.hasFinished && server.hasFinished && !client.hasUnsent && !server.hasUnsent
  }

  /// What a failed attempt to reach the server says of it.
  static func opening(_ code: Int32) -> Conversation.Opening {
    // A Unix-domain path without a listener is missing, or is the stale file of a server.
    [ECONNREFUSED, ENOENT].contains(code) ? .refused : .unanswered
  }

  /// The sentence about a server that could not be reached.
  static func unreached(_ failure: SystemCallFailure) -> String {
    "The recorder could not reach the server: \(failure)."
  }

  private func end(_ side: Conversation.Side) -> RelayedEnd { side == .client ? client : server }

  /// Whether bytes of the side have somewhere to go.
  private func canRead(from side: Conversation.Side) -> Bool {
    guard !end(side).hasFinished, !end(side.other).hasUnsent else { return false }
    guard let session else { return true }
    return !end(side).hasUnsent && session.takes(from: side)
  }

  /// Whether the side has to wait until the other one takes what is there. Then its errors are not watched for: after
  /// both ends of stream the system would report them for ever.
  private func isHeld(_ side: Conversation.Side) -> Bool {
    let end = end(side)
    return !end.hasFinished && !end.wasFinished && !canRead(from: side)
  }

  private func lookForReset(by side: Conversation.Side, into buffer: UnsafeMutableRawBufferPointer) {
    guard SocketCall.pendingError(end(side).descriptor.rawValue) != 0 else { return }
    end(side).isReset = true
    drain(side, into: buffer)
    guard !isOver else { return }
    let untaken = left == 0 ? end(side).waiting : 0
    if untaken > 0 { note(.missing(untaken, .tooMany), side) }
    reset(by: side)
  }

  private func drain(_ side: Conversation.Side, into buffer: UnsafeMutableRawBufferPointer) {
    isDraining = true
    defer { isDraining = false }
    let before = count
    while !isOver, !end(side).hasFinished, count - before < Self.maxDrained {
      guard take(from: side, into: buffer) else { return }
    }
  }

  private func finishConnecting() -> Bool {
    let code = SocketCall.pendingError(server.descriptor.rawValue)
    guard code != 0 || SocketCall.peerAddress(server.descriptor.rawValue) == nil else {
      isConnecting = false
      return true
    }
    guard code != 0 else { return false }
    log.conversation.opening = Self.opening(code)
    log.conversation.notes.append(Self.unreached(SystemCallFailure(call: "connect", code: code)))
    try? SocketCall.setResetOnClose(client.descriptor.rawValue)
    isOver = true
    return false
  }

  private func carry(from side: Conversation.Side, into buffer: UnsafeMutableRawBufferPointer) {
    for _ in 0..<Self.maxRounds where canRead(from: side) && !isOver {
      guard take(from: side, into: buffer) else { return }
    }
  }

  /// Takes what is there, as far as it fits and may be taken; false: there was nothing.
  private func take(from side: Conversation.Side, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    let (source, target) = (end(side), end(side.other))
    let most = min(buffer.count, left, source.allowance)
    guard most > 0 else { return takeEnd(of: side) }
    let isUrgent = isAtUrgent(side)
    let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<(isUrgent ? 1 : most)])
    switch SocketCall.receive(source.descriptor.rawValue, into: room) {
    case .wouldBlock: return false
    case .bytes(let count):
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      self.count += count
      left -= count
      source.allowance -= count
      if isUrgent { pass(urgent: bytes[0], from: side) } else if !open(bytes, from: side) { pass(bytes, from: side) }
      if target.ignoresInput, target.hasFinished { reset(by: side.other) }
    case .endOfStream: finish(side)
    case .failed: reset(by: side)
    }
    return true
  }

  /// Takes the end of the stream, if that is all that is left of it; false: it is not.
  private func takeEnd(of side: Conversation.Side) -> Bool {
    switch SocketCall.peek(end(side).descriptor.rawValue) {
    case .bytes, .wouldBlock: return false
    case .endOfStream: finish(side)
    case .failed: reset(by: side)
    }
    return true
  }

  private func finish(_ side: Conversation.Side) {
    guard !end(side).isReset else { return reset(by: side) }
    end(side).hasFinished = true
    if side == .client { passUndecided() }
    note(.finish, side)
    if !isDraining { flush(to: side.other) }
  }

  /// Whether the next byte is an urgent one that goes on as such. The kernel ends a read before it.
  private func isAtUrgent(_ side: Conversation.Side) -> Bool {
    guard session == nil, side == .server || undecided.isEmpty else { return false }
    return SocketCall.isAtUrgentMark(end(side).descriptor.rawValue)
  }

  private func pass(urgent byte: UInt8, from side: Conversation.Side) {
    if isDraining { end(side).drained += 1 } else { send(urgent: byte, to: end(side.other)) }
    note(.urgent(byte), side)
  }

  private func send(urgent byte: UInt8, to target: RelayedEnd) {
    guard !target.ignoresInput else { return }
    switch SocketCall.sendUrgent(target.descriptor.rawValue, byte) {
    case .bytes: break
    case .wouldBlock, .endOfStream: target.unsentUrgent = byte
    case .failed(EOPNOTSUPP):
      log.conversation.notes.append("An urgent byte went on as any other: the socket behind the proxy knows none.")
      [byte].withUnsafeBytes { send($0, to: target) }
    case .failed: target.ignoresInput = true
    }
  }

  /// Sends bytes on as they are.
  private func pass(_ bytes: UnsafeRawBufferPointer, from side: Conversation.Side) {
    // First on its way, then written down.
    if isDraining { end(side).drained += bytes.count } else { send(bytes, to: end(side.other)) }
    write(down: bytes, side)
  }

  private func write(down bytes: UnsafeRawBufferPointer, _ side: Conversation.Side) {
    note(hasRoom ? .bytes(Array(bytes)) : .missing(bytes.count, .tooMany), side)
  }

  /// Has TLS opened; false: the bytes are none of TLS's that is opened.
  private func open(_ bytes: UnsafeRawBufferPointer, from side: Conversation.Side) -> Bool {
    guard let interceptor else { return false }
    if session == nil {
      guard side == .client else { return false }
      let isHello = TLSInterceptor.isHello(undecided + bytes.prefix(TLSInterceptor.helloHead))
      guard let isHello else {
        undecided += bytes
        return true
      }
      if isHello { session = InterceptedSession(interceptor) }
      guard session != nil else {
        passUndecided()
        return false
      }
    }
    guard let session else { return false }
    if side == .server { write(down: bytes, .server) }
    let before = undecided
    undecided = []
    if !before.isEmpty { before.withUnsafeBytes { session.take($0, from: .client) } }
    session.take(bytes, from: side)
    for target in Conversation.Side.allCases {
      session.takeOutput(to: target).withUnsafeBytes { output in
        guard !output.isEmpty else { return }
        send(output, to: end(target))
        if target == .server { write(down: output, .client) }
      }
    }
    return true
  }

  private func passUndecided() {
    let bytes = undecided
    undecided = []
    if !bytes.isEmpty { bytes.withUnsafeBytes { pass($0, from: .client) } }
  }

  private func send(_ bytes: UnsafeRawBufferPointer, to target: RelayedEnd) {
    guard !target.ignoresInput, !isDraining else { return }
    guard !target.hasUnsent else {
      target.unsent += bytes
      return
    }
    var rest = bytes
    while !rest.isEmpty {
      switch SocketCall.send(target.descriptor.rawValue, rest) {
      case .bytes(let count): rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      case .wouldBlock, .endOfStream:
        target.unsent = Array(rest)
        return
      // Its `receive` says why, if it has not ended its stream already.
      case .failed:
        target.ignoresInput = true
        return
      }
    }
  }

  private func flush(to side: Conversation.Side) {
    let target = end(side)
    if target.hasUnsent {
      let (urgent, rest) = (target.unsentUrgent.take(), target.unsent)
      target.unsent = []
      if let urgent { send(urgent: urgent, to: target) }
      if !rest.isEmpty { rest.withUnsafeBytes { send($0, to: target) } }
    }
    guard !target.hasUnsent, end(side.other).hasFinished, !target.wasFinished else { return }
    target.wasFinished = true
    _ = SocketCall.shutdown(target.descriptor.rawValue, .write)
  }

  private func reset(by side: Conversation.Side) {
    passUndecided()
    note(.reset, side)
    try? SocketCall.setResetOnClose(end(side.other).descriptor.rawValue)
    isOver = true
  }

  private func note(_ act: Conversation.Act, _ side: Conversation.Side) {
    let at = Duration.nanoseconds(start.nanoseconds(until: Instant.now()))
    log.note(act, by: side, at: at, hasRoom: hasRoom)
  }
}

// MARK: - The end of the recording

extension RelayedConnection {
  /// From now on no more of each side is taken than has arrived.
  func beginEnd() {
    for end in [client, server] { end.allowance = end.waiting }
  }

  /// Whether something that was or may be taken is still on its way to the other side.
  var isPassingOn: Bool {
    guard !isOver, !isConnecting else { return false }
    return Conversation.Side.allCases.contains { side in
      let (source, target) = (end(side), end(side.other))
      let isWanted = min(left, source.allowance) > 0 && !source.hasFinished
      return !target.ignoresInput && (isWanted || target.hasUnsent || target.unacknowledged > 0)
    }
  }

  /// What is waited for while the rest goes on.
  func addLastInterest(to set: inout ReadinessSet) {
    guard !isOver, !isConnecting else { return }
    for end in [client, server] where !end.ignoresInput {
      set.add(end.descriptor.rawValue, reading: false, writing: end.hasUnsent)
    }
  }

  /// Records what has arrived and was not taken yet. Nothing is passed on any more, and both see a reset.
  ///
  /// - Parameters:
  ///   - hasRoom: whether there is memory for it.
  ///   - most: so many bytes may be taken.
  func breakOff(into buffer: UnsafeMutableRawBufferPointer, hasRoom: Bool, most: Int) {
    (self.hasRoom, left) = (hasRoom, most)
    if !isConnecting {
      for side in Conversation.Side.allCases where !isOver { drain(side, into: buffer) }
    }
    guard !isOver else { return }
    isDraining = true
    passUndecided()
    for side in Conversation.Side.allCases {
      noteHeldBack(from: side)
      try? SocketCall.setResetOnClose(end(side).descriptor.rawValue)
    }
  }

  /// What stands in the conversation and was never given to the other side. TLS that was opened has other bytes there.
  private func noteHeldBack(from side: Conversation.Side) {
    guard session == nil else { return }
    let count = end(side).drained + end(side.other).unsentCount + end(side.other).unacknowledged
    guard count > 0 else { return }
    let (one, other) = (side.rawValue, side.other.rawValue)
    log.conversation.notes.append("The recording ended before the \(other) had got the \(one)'s last bytes: \(count).")
  }
}
