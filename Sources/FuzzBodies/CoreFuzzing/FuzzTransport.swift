import SocketCore
import SocketValues

/// A kernel in memory that behaves like a Linux TCP socket, as far as the fuzzer lets it: what arrived before a FIN or
/// a reset stays readable, a reset is reported once, and a send after it fails.
package struct FuzzTransport: StreamTransport {
  /// Choices that a kernel has, and that must make no difference to any socket (RDQ-17).
  package struct KernelBehaviour: Hashable, Sendable {
    /// The most that one receive gives; 0: all there is. Much at once is cut coarser, or a flood would take all day.
    package var receiveCap = 0
    /// The most that one send takes; 0: all there is room for.
    package var sendCap = 0
    /// A capped receive is announced as urgent data, instead of by a transport that never promises to be empty.
    package var signalsUrgentData = false
    /// A failing send says EPIPE at once.
    package var failsWithBrokenPipe = false

    package init() {}
  }

  private enum PeerEnd { case open, finished, reset }

  private static let connectionReset: Int32 = 104
  private static let brokenPipe: Int32 = 32

  private static let maxCuts = 8
  // Sets made once: a literal costs more than the rest of a signal.
  private static let nothing: Readiness = []
  private static let finished: Readiness = [.readable, .peerClosed]
  private static let broken: Readiness = [.readable, .writable, .peerClosed, .broken]

  /// The kernel's choices, of which no socket may depend on any.
  package var behaviour = KernelBehaviour()
  private var incoming: [UInt8] = []
  private var head = 0
  private var peerEnd = PeerEnd.open
  private var resetIsPending = false
  /// The reset came behind the peer's FIN: receives go on to say "end of stream", and the error that waits is EPIPE.
  private var isResetAfterFinish = false
  /// Readiness that has not been signalled yet (`takeHints`).
  package private(set) var hints = FuzzTransport.nothing
  /// How many more bytes sends may take; nil: all.
  package private(set) var room: Int?
  /// All bytes that sends have taken, over all connections.
  package private(set) var sent: [UInt8] = []

  package init() {}

  // MARK: The peer's side

  /// Bytes that wait in the kernel.
  package var waiting: Int { incoming.count - head }

  /// Whether the peer has neither finished nor broken the connection.
  package var takesArrivals: Bool { peerEnd == .open }

  /// A new connection with an empty wire.
  package mutating func reconnect(room: Int?) {
    incoming.removeAll(keepingCapacity: true)
    head = 0
    peerEnd = .open
    resetIsPending = false
    hints = Self.nothing
    self.room = room
  }

  /// Bytes arrive from the peer; nothing after its end.
  package mutating func arrive(_ bytes: UnsafeRawBufferPointer) {
    guard peerEnd == .open, !bytes.isEmpty else { return }
    incoming.append(contentsOf: bytes)
    hints.insert(.readable)
    if behaviour.signalsUrgentData { hints.insert(.urgent) }
  }

  /// The peer's FIN arrives.
  package mutating func finish() {
    guard peerEnd == .open else { return }
    peerEnd = .finished
    hints.formUnion(Self.finished)
  }

  /// The peer breaks the connection.
  package mutating func reset() {
    guard peerEnd != .reset else { return }
    isResetAfterFinish = peerEnd == .finished
    peerEnd = .reset
    resetIsPending = true
    hints.formUnion(Self.broken)
  }

  /// Sends may take `bytes` more bytes.
  package mutating func makeRoom(_ bytes: Int) {
    room = room.map { $0 + bytes }
    hints.insert(.writable)
  }

  /// Readiness is signalled although nothing changed: what is so, is said again.
  package mutating func signalAgain() {
    if waiting > 0 { hints.insert(.readable) }
    if room != 0 { hints.insert(.writable) }
    switch peerEnd {
    case .open: break
    case .finished: hints.formUnion(Self.finished)
    case .reset: hints.formUnion(Self.broken)
    }
  }

  /// Whether there is readiness to signal.
  package var hasSignals: Bool { hints.rawValue != 0 }

  /// Takes the readiness to signal; afterwards there is none until something changes.
  package mutating func takeHints() -> Readiness {
    defer { hints = Self.nothing }
    return hints
  }

  // MARK: The machine's side

  package var shortReceiveMeansEmpty: Bool { behaviour.receiveCap == 0 || behaviour.signalsUrgentData }

  package mutating func receive(into buffer: UnsafeMutableRawBufferPointer) -> TransportResult {
    guard waiting > 0 else { return emptyAnswer() }
    var count = min(waiting, buffer.count)
    if behaviour.receiveCap > 0 { count = min(count, max(behaviour.receiveCap, waiting / Self.maxCuts)) }
    incoming.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[head..<(head + count)])) }
    head += count
    if head == incoming.count {
      incoming.removeAll(keepingCapacity: true)
      head = 0
    }
    return .bytes(count)
  }

  package mutating func send(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> TransportResult {
    if peerEnd == .reset {
      defer { resetIsPending = false }
      return .failed(
        resetIsPending && !isResetAfterFinish && !behaviour.failsWithBrokenPipe ? Self.connectionReset : Self.brokenPipe
      )
    }
    var most = room ?? .max
    guard most > 0 else { return .wouldBlock }
    if behaviour.sendCap > 0 {
      let offered = pieces.reduce(0) { $0 + $1.count }
      most = min(most, max(behaviour.sendCap, offered / Self.maxCuts))
    }
    var taken = 0
    for piece in pieces where taken < most {
      let part = min(piece.count, most - taken)
      sent.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece[..<part]))
      taken += part
    }
    room = room.map { $0 - taken }
    return .bytes(taken)
  }

  package mutating func peek() -> TransportResult { waiting > 0 ? .bytes(waiting) : emptyAnswer() }

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
