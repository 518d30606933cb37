import SocketCore

/// The target's end of a wire whose bytes are known beforehand.
struct TLSTransport: StreamTransport {
  let wire: [UInt8]
  /// So much of it has arrived.
  var arrived = 0
  private(set) var taken = 0
  /// The FIN behind what has arrived.
  var hasEnded = false
  /// The most bytes that one receive hands over; 0: all that have come.
  let receiveCap: Int
  /// The number of bytes that will be taken until more room is made.
  var sendRoom = Int.max
  private(set) var sent: [UInt8] = []

  init(_ wire: [UInt8], receiveCap: Int = 0) {
    self.wire = wire
    self.receiveCap = receiveCap
  }

  var shortReceiveMeansEmpty: Bool { receiveCap == 0 }

  mutating func receive(into buffer: UnsafeMutableRawBufferPointer) -> TransportResult {
    guard arrived > taken else { return hasEnded ? .endOfStream : .wouldBlock }
    let count = min(arrived - taken, buffer.count, receiveCap == 0 ? .max : receiveCap)
    wire.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[taken..<(taken + count)])) }
    taken += count
    return .bytes(count)
  }

  mutating func send(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> TransportResult {
    let before = sent.count
    for piece in pieces where sendRoom > 0 {
      let count = min(piece.count, sendRoom)
      sent += UnsafeRawBufferPointer(rebasing: piece[..<count])
      sendRoom -= count
    }
    return sent.count > before ? .bytes(sent.count - before) : .wouldBlock
  }

  mutating func peek() -> TransportResult {
    if arrived > taken { return .bytes(arrived - taken) }
    return hasEnded ? .endOfStream : .wouldBlock
  }

  mutating func pendingError() -> Int32 { 0 }
}
