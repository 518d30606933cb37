import DequeModule

/// The secured half of a stream: a session, and the part of its output that the transport has not taken yet.
///
/// Laws
/// - A written byte counts as sent when the transport has taken the whole record that carries it: completion and
///   progress of writes are exact although the session buffers (WR-03, TLS-30).
/// - Nothing is encrypted while output is pending, so at most one batch of records is in flight, and back-pressure
///   works as without TLS.
/// - The end of the wire without a close_notify is a truncation, and stays visible as one (TLS-32).
final class SecureLayer {
  enum Phase { case handshaking, established, over }

  let session: any SecureSession
  var phase = Phase.handshaking
  /// The transport has no more bytes until readiness is signalled again.
  var inputIsDrained = false
  /// A receive stopped at its budget of records without application data; the wire may have more bytes.
  var stoppedEarly = false
  /// A receive stopped because too much of the session's own output is pending.
  var awaitsRoom = false
  /// A write is waiting until the session may encrypt again.
  var sealingWaits = false
  /// How many more bytes this pass may take from the wire.
  private(set) var inputBudget = 0
  /// A short receive may have stopped before the end of what has arrived.
  var distrustsShortReceives = false
  /// The peer's FIN was received.
  var wireEnded = false
  /// The peer's FIN was received without a close_notify before it (TLS-32).
  private(set) var isTruncated = false
  /// The errno of a send that failed because the wire has ended: the transport reports it once, and a later receive
  /// finds an end of stream only.
  private(set) var sendErrno: Int32?

  /// Records in flight: the total output at which the record has left, and the bytes it carries.
  private var records: Deque<(end: Int, plain: Int)> = []
  /// Output taken by the transport so far.
  private var taken = 0

  /// How many bytes are encrypted at once.
  static let batch = 1 << 16
  /// While more output than this is pending, nothing is received: a peer that asks for answers and doesn't read them
  /// meets back-pressure.
  static let maxOutput = 1 << 17
  /// The bytes that a pass takes from the wire for the session to process, so that it costs no more than a pass that
  /// moves data: a peer whose records carry no data must not keep the loop busy. A record costs one to two microseconds
  /// apart from its bytes.
  static let inputPerPass = 1 << 20
  static let recordsPerPass = 512
  /// The bytes that a receive counts as at least, because it is a system call.
  private static let minInput = 1 << 12

  init(_ session: any SecureSession) { self.session = session }

  func beginPass() {
    inputBudget = Self.inputPerPass
    session.recordBudget = Self.recordsPerPass
  }

  /// Records that `count` bytes of the session's room were filled from the wire.
  func fill(_ count: Int) {
    session.inputFilled(count)
    inputBudget -= max(count, Self.minInput)
  }

  func wireEnds() {
    wireEnded = true
    isTruncated = true
    session.inputEnded()
  }

  // MARK: Output

  var hasOutput: Bool { !session.output.isEmpty }

  enum Flush: Equatable { case empty, blocked, failed(Int32) }

  /// Hands output to the transport; adds the bytes of completed records to `completed`.
  func flush<Transport: StreamTransport>(_ transport: inout Transport, completed: inout Int) -> Flush {
    while hasOutput {
      let output = session.output
      let result = withUnsafePointer(to: output) { transport.send(UnsafeBufferPointer(start: $0, count: 1)) }
      switch result {
      case .bytes(let count):
        session.outputTaken(count)
        taken += count
        while let record = records.first, record.end <= taken {
          records.removeFirst()
          completed += record.plain
        }
      case .wouldBlock, .endOfStream: return .blocked
      case .failed(let errno):
        sendErrno = sendErrno ?? errno
        return .failed(errno)
      case .broken: return .blocked
      }
    }
    return .empty
  }

  /// Encrypts the pieces, up to one batch of bytes.
  func seal(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> SocketFailure? {
    let limit = session.recordLimit
    var left = Self.batch
    var index = 0
    while index < pieces.count, left > 0 {
      let piece = pieces[index]
      if piece.count >= limit || index + 1 == pieces.count {
        var offset = 0
        while offset < piece.count, left > 0 {
          let record = UnsafeRawBufferPointer(rebasing: piece[offset..<min(offset + min(limit, left), piece.count)])
          if let failure = sealRecord(record) { return failure }
          offset += record.count
          left -= record.count
        }
        index += 1
        if offset < piece.count { return nil }
      } else {
        // Small pieces share a record: a record each would multiply the bytes on the wire.
        let failure = withUnsafeTemporaryAllocation(byteCount: limit, alignment: 16) { scratch -> SocketFailure? in
          var filled = 0
          while index < pieces.count, filled + pieces[index].count <= min(limit, left) {
            UnsafeMutableRawBufferPointer(rebasing: scratch[filled...]).copyMemory(from: pieces[index])
            filled += pieces[index].count
            index += 1
          }
          guard filled > 0 else {
            left = 0
            return nil
          }
          left -= filled
          return sealRecord(UnsafeRawBufferPointer(rebasing: scratch[..<filled]))
        }
        if let failure { return failure }
      }
    }
    return nil
  }

  private func sealRecord(_ bytes: UnsafeRawBufferPointer) -> SocketFailure? {
    if let failure = session.seal(bytes) { return failure }
    records.append((taken + session.output.count, bytes.count))
    return nil
  }

  /// The bytes to send before the descriptor is closed (DIS-24): after a pending close or a failure all output that is
  /// left, otherwise only the close_notify, and only where it doesn't cut a record in two.
  func finalBytes(keepsOutput: Bool) -> [UInt8] {
    defer { phase = .over }
    if !keepsOutput, phase != .established || hasOutput { return [] }
    if phase == .established { session.close() }
    return Array(session.output)
  }
}
