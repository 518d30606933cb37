import ScenarioModel

/// Bytes of a secured connection on their way out. They come from TLS at any time (an alert, an answer to a key
/// update), not only when a step sends, so they have a queue of their own beside the activity of the present step.
extension PeerMachine {
  /// Whether all that TLS had to send is with the kernel.
  var wireIsIdle: Bool {
    guard let connection, !connection.cannotSend else { return true }
    return connection.outgoing == nil && connection.tls?.wire.isEmpty ?? true
  }

  /// The next piece of what TLS has to send, if it may go now.
  mutating func nextPiece(now: Duration) -> PeerAction? {
    guard let tls = connection?.tls else { return nil }
    if connection?.cannotSend == true {
      _ = tls.takeWire()
      connection?.outgoing = nil
      return nil
    }
    if connection?.outgoing == nil {
      let bytes = tls.takeWire()
      guard !bytes.isEmpty else { return nil }
      let lengths = pieces(of: bytes.count)
      connection?.outgoing = Outgoing(bytes: bytes, lengths: lengths, gap: Self.splitGap, isDrip: false)
    }
    guard var outgoing = connection?.outgoing, outgoing.unsent == 0 else { return nil }
    if let nextAt = outgoing.nextAt, now < nextAt { return nil }
    let piece = outgoing.takePiece(now: now)
    connection?.outgoing = outgoing
    return .send(piece)
  }

  /// Only the bytes of a `send` or a handshake are cut as the variant asks; a cut at one place applies to payloads
  /// only.
  private mutating func pieces(of count: Int) -> PieceLengths {
    switch activity {
    case .sending(let outgoing) where !outgoing.isDrip: cutter.pieces(of: count)
    case .shaking: cutter.pieces(ofHandshake: count)
    default: .even(max(count, 1))
    }
  }

  /// Takes the answer to a piece; true when the answer was not about TLS.
  mutating func takeSentPiece(_ count: Int, at instant: Duration) -> Bool {
    guard var outgoing = connection?.outgoing else { return true }
    outgoing.takeSent(count, at: instant)
    let isOver = outgoing.unsent == 0 && outgoing.position >= outgoing.bytes.count
    connection?.outgoing = isOver ? nil : outgoing
    if wireIsIdle { wireWentIdle(at: instant) }
    return false
  }

  /// What a step waits for when it has given its bytes to TLS.
  private mutating func wireWentIdle(at instant: Duration) {
    switch activity {
    case .sending(var outgoing) where outgoing.unsent > 0:
      outgoing.takeSent(outgoing.unsent, at: instant)
      activity = outgoing.position < outgoing.bytes.count ? .sending(outgoing) : .ready
    case .echoing(let left, true): activity = .echoing(left: left, awaitsSent: false)
    case .shaking: settleHandshake()
    default: break
    }
  }

  /// Gives bytes to TLS, or to the wire when there is none: the action to take at once, if any.
  mutating func transmit(_ bytes: [UInt8]) -> PeerAction? {
    guard let tls = connection?.tls else { return .send(bytes) }
    guard tls.write(bytes) else {
      connection?.cannotSend = true
      stopSending()
      collectTLSEvents()
      return nil
    }
    collectTLSEvents()
    return nil
  }
}

extension PeerMachine.Outgoing {
  /// The next piece, now under way.
  mutating func takePiece(now: Duration) -> [UInt8] {
    let left = bytes.count - position
    let length = lengths.length(of: pieces, left: left)
    let end = position + length
    let piece = length == bytes.count ? bytes : Array(bytes[position..<end])
    position = end
    pieces += 1
    unsent = length
    startedAt = now
    return piece
  }

  /// `count` bytes of the piece under way are sent; after the last of them it is settled when the next piece may go.
  mutating func takeSent(_ count: Int, at instant: Duration) {
    unsent = max(unsent - count, 0)
    guard unsent == 0 else { return }
    nextAt = isDrip ? startedAt + gap : pieces <= SegmentCutter.maxGaps ? instant + gap : nil
  }
}
