import SocketCore

/// A transport whose kernel is a table: each call takes the next row of its kind. A table that is used up says "would
/// block" from then on, so a machine that asks too often is not fed by accident.
package struct ScriptedTransport: StreamTransport {
  package enum Receive: Sendable {
    /// These bytes; what the buffer can't take stays for the next call.
    case bytes([UInt8])
    case wouldBlock
    case endOfStream
    case failed(Int32)
  }

  package enum Send: Sendable {
    /// Takes at most that many bytes.
    case takes(Int)
    case wouldBlock
    case failed(Int32)
  }

  package var receives: [Receive]
  package var sends: [Send]
  package var peeks: [TransportResult]
  package var error: Int32 = 0
  package var shortReceiveMeansEmpty = false

  /// What the machine did: the bytes it got rid of, the sizes of the pieces of each send, how often it asked.
  package private(set) var sent: [UInt8] = []
  package private(set) var offers: [[Int]] = []
  package private(set) var receiveCalls = 0
  package private(set) var peekCalls = 0

  package init(receives: [Receive] = [], sends: [Send] = [], peeks: [TransportResult] = []) {
    self.receives = receives
    self.sends = sends
    self.peeks = peeks
  }

  package mutating func receive(into buffer: UnsafeMutableRawBufferPointer) -> TransportResult {
    receiveCalls += 1
    precondition(!buffer.isEmpty, "a receive needs room")
    guard !receives.isEmpty else { return .wouldBlock }
    switch receives.removeFirst() {
    case .wouldBlock: return .wouldBlock
    case .endOfStream: return .endOfStream
    case .failed(let errno): return .failed(errno)
    case .bytes(let bytes):
      let count = min(bytes.count, buffer.count)
      buffer.copyBytes(from: bytes[..<count])
      if count < bytes.count { receives.insert(.bytes(Array(bytes[count...])), at: 0) }
      return .bytes(count)
    }
  }

  package mutating func send(_ pieces: UnsafeBufferPointer<UnsafeRawBufferPointer>) -> TransportResult {
    precondition(!pieces.isEmpty && pieces.allSatisfy { !$0.isEmpty }, "a send needs bytes")
    offers.append(pieces.map(\.count))
    guard !sends.isEmpty else { return .wouldBlock }
    switch sends.removeFirst() {
    case .wouldBlock: return .wouldBlock
    case .failed(let errno): return .failed(errno)
    case .takes(let most):
      let taken = Array(pieces.joined().prefix(most))
      sent += taken
      return .bytes(taken.count)
    }
  }

  package mutating func peek() -> TransportResult {
    peekCalls += 1
    return peeks.isEmpty ? .wouldBlock : peeks.removeFirst()
  }

  package mutating func pendingError() -> Int32 {
    defer { error = 0 }
    return error
  }
}
