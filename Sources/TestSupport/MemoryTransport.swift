import SocketCore
import SocketValues

/// A transport whose kernel is two arrays, and behaves like a Linux TCP socket: bytes that arrived before a FIN or a
/// reset stay readable, a reset is reported once and is an end of stream afterwards, a send after it fails.
package struct MemoryTransport: StreamTransport {
  package enum PeerEnd: Sendable { case open, finished, reset }

  private static let connectionReset: Int32 = 104
  private static let brokenPipe: Int32 = 32

  private var incoming: [UInt8] = []
  private var head = 0
  private var resetIsPending = false
  /// The reset came behind the peer's FIN: receives go on to say "end of stream", and the error that waits is EPIPE.
  private var isResetAfterFinish = false
  package private(set) var peerEnd = PeerEnd.open
  /// What readiness notification would say; `takeHints` hands it out.
  private var hints: Readiness = []

  /// How many more bytes sends may take before they would block.
  package var sendRoom: Int
  package private(set) var sent: [UInt8] = []
  package var shortReceiveMeansEmpty: Bool

  /// How often the machine asked, and how often the room it offered was not the continuation of the room before (memory
  /// was moved or made).
  package private(set) var receiveCalls = 0
  package private(set) var peekCalls = 0
  package private(set) var sendCalls = 0
  package private(set) var newRooms = 0
  private var continuation: UnsafeMutableRawPointer?

  package init(sendRoom: Int = .max, shortReceiveMeansEmpty: Bool = true) {
    self.sendRoom = sendRoom
    self.shortReceiveMeansEmpty = shortReceiveMeansEmpty
  }

  // MARK: The peer's side

  /// Bytes that wait in the kernel.
  package var waiting: Int { incoming.count - head }

  package mutating func arrive(_ bytes: some Sequence<UInt8>) {
    precondition(peerEnd == .open)
    incoming += bytes
    hints.insert(.readable)
  }

  /// The peer sent FIN.
  package mutating func finish() {
    guard peerEnd == .open else { return }
    peerEnd = .finished
    hints.formUnion([.readable, .peerClosed])
  }

  /// The peer reset the connection.
  package mutating func reset() {
    guard peerEnd != .reset else { return }
    isResetAfterFinish = peerEnd == .finished
    peerEnd = .reset
    resetIsPending = true
    hints.formUnion([.readable, .writable, .peerClosed, .broken])
  }

  /// The peer took bytes: there is room for `count` more.
  package mutating func drain(_ count: Int) {
    sendRoom = sendRoom > .max - count ? .max : sendRoom + count
    hints.insert(.writable)
  }

  package mutating func takeHints() -> Readiness {
    defer { hints = [] }
    return hints
  }

  // MARK: The machine's side

  package mutating func receive(into buffer: UnsafeMutableRawBufferPointer) -> TransportResult {
    receiveCalls += 1
    precondition(!buffer.isEmpty, "a receive needs room")
    if buffer.baseAddress != continuation { newRooms += 1 }
    continuation = buffer.baseAddress
    guard waiting > 0 else { return emptyAnswer() }
    let count = min(waiting, buffer.count)
    buffer.copyBytes(from: incoming[head..<(head + count)])
    head += count
    if head == incoming.count {
      incoming.removeAll(keepingCapacity: true)
      head = 0
    }
    continuation = buffer.baseAddress.map { $0 + count }
    return .bytes(count)
  }

  package mutating func send(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> TransportResult {
    sendCalls += 1
    precondition(!pieces.isEmpty && pieces.allSatisfy { !$0.isEmpty }, "a send needs bytes")
    if peerEnd == .reset {
      defer { resetIsPending = false }
      return .failed(resetIsPending && !isResetAfterFinish ? Self.connectionReset : Self.brokenPipe)
    }
    guard sendRoom > 0 else { return .wouldBlock }
    var taken = 0
    for piece in pieces where taken < sendRoom {
      let part = piece.prefix(sendRoom - taken)
      sent += part
      taken += part.count
    }
    if sendRoom != .max { sendRoom -= taken }
    return .bytes(taken)
  }

  package mutating func peek() -> TransportResult {
    peekCalls += 1
    return waiting > 0 ? .bytes(waiting) : emptyAnswer()
  }

  package mutating func pendingError() -> Int32 {
    defer { resetIsPending = false }
    return resetIsPending ? isResetAfterFinish ? Self.brokenPipe : Self.connectionReset : 0
  }

  private mutating func emptyAnswer() -> TransportResult {
    switch peerEnd {
    case .open: return .wouldBlock
    case .finished: return .endOfStream
    case .reset:
      guard resetIsPending, !isResetAfterFinish else { return .endOfStream }
      resetIsPending = false
      return .failed(Self.connectionReset)
    }
  }
}
