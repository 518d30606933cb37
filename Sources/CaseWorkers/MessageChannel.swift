import Glibc
import Synchronization

/// Messages over a descriptor, each with its length in front.
///
/// Laws
/// - Several threads may send; one receives.
/// - A message is whole or not there. The process on the other side may end at any moment, or send anything.
package final class MessageChannel: Sendable {
  /// A longer message is damage: the traces of a case are bounded.
  static let longest = 1 << 30

  /// Why no more messages come or go; the channel is of no use after it.
  package enum Trouble: Error, Hashable, Sendable {
    /// The other side is gone.
    case ended
    case damaged(String)
  }

  /// What the messages go over; the caller's to close.
  package let descriptor: Int32
  private let sending = Mutex(())
  private let receiving = Mutex(Incoming())

  private struct Incoming {
    var bytes: [UInt8] = []
    /// What lies before it has been taken.
    var head = 0
  }

  /// The descriptor stays the caller's to close.
  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// Returns when all of the message has gone out. From any thread. Throws `Trouble.ended` if the other side is gone.
  package func send(_ message: some Encodable) throws {
    let body = try MessageCoding.encode(message)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(body.count + 4)
    for shift in stride(from: UInt32(0), to: 32, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: UInt32(truncatingIfNeeded: body.count) >> shift))
    }
    bytes += body
    try sending.withLock { _ in try write(bytes) }
  }

  private func write(_ bytes: [UInt8]) throws(Trouble) {
    var offset = 0
    while offset < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress?.advanced(by: offset), $0.count - offset, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .ended }
      offset += count
    }
  }

  /// The next message; waits for it.
  package func receive<Message: Decodable>(_ type: Message.Type) throws -> Message {
    while true {
      if let message = try next(type) { return message }
      try fill()
    }
  }

  /// A message that has come already; nil when there is none.
  package func next<Message: Decodable>(_ type: Message.Type) throws -> Message? {
    guard let body = try receiving.withLock({ try Self.take(&$0) }) else { return nil }
    do {
      return try MessageCoding.decode(type, from: body)
    } catch { throw Trouble.damaged("\(error)") }
  }

  private static func take(_ incoming: inout Incoming) throws(Trouble) -> [UInt8]? {
    let head = incoming.head
    guard incoming.bytes.count - head >= 4 else { return nil }
    let length = (0..<4).reduce(0) { $0 | Int(incoming.bytes[head + $1]) << ($1 * 8) }
    guard length <= longest else { throw .damaged("a message of \(length) bytes") }
    guard incoming.bytes.count - head - 4 >= length else { return nil }
    let body = Array(incoming.bytes[(head + 4)..<(head + 4 + length)])
    incoming.head += 4 + length
    if incoming.head == incoming.bytes.count {
      incoming.bytes.removeAll(keepingCapacity: incoming.bytes.count <= 1 << 20)
      incoming.head = 0
    }
    return body
  }

  /// Takes what has come; waits until something has.
  package func fill() throws(Trouble) {
    let piece = withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { room -> [UInt8]? in
      while true {
        let count = recv(descriptor, room.baseAddress, room.count, 0)
        if count < 0, errno == EINTR { continue }
        return count > 0 ? Array(room[..<count]) : nil
      }
    }
    guard let piece else { throw .ended }
    receiving.withLock { incoming in
      incoming.bytes.removeFirst(incoming.head)
      incoming.head = 0
      incoming.bytes += piece
    }
  }
}
