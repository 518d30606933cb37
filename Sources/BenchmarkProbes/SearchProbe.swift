import SocketCore

/// The delimiter search of the library's reads, alone: no socket, no queue, no delegate.
///
/// This module exists because the benchmarks are a package of their own, for the sake of the rivals' libraries, and
/// what they must measure inside the towers has package access. It is their door and does nothing itself.
public struct SearchProbe {
  private let delimiter: Delimiter

  /// nil: there is nothing to search for.
  public init?(delimiter: [UInt8]) {
    guard let delimiter = Delimiter(delimiter) else { return nil }
    self.delimiter = delimiter
  }

  /// Buffers the bytes and, in `measure`'s body, searches all of them `times` times, each time without what earlier
  /// searches have learned. Returns the offset behind the first delimiter, or nil.
  public func search(
    _ bytes: UnsafeRawBufferPointer, times: Int, measure: (() -> Void) -> Void
  ) -> Int? {
    var prebuffer = Prebuffer()
    prebuffer.append(bytes)
    var end: Int?
    measure {
      for _ in 0..<times {
        prebuffer.forgetSearch()
        end = prebuffer.end(of: delimiter, limit: .max)
      }
    }
    return end
  }

  /// Buffers the bytes in pieces of `drip` bytes and searches after each, as a read does to which they come in so many
  /// segments. Returns the offset behind the first delimiter, or nil.
  public func search(_ bytes: UnsafeRawBufferPointer, drip: Int) -> Int? {
    var prebuffer = Prebuffer()
    var offset = 0
    while offset < bytes.count {
      let piece = UnsafeRawBufferPointer(rebasing: bytes[offset..<min(offset + max(drip, 1), bytes.count)])
      prebuffer.room(atLeast: max(piece.count, Self.leastRoom), preferring: Self.receiveSize).copyMemory(from: piece)
      prebuffer.filled(piece.count)
      if let end = prebuffer.end(of: delimiter, limit: .max) { return end }
      offset += piece.count
    }
    return nil
  }

  /// The room that a machine makes for what may come.
  private static let leastRoom = 1 << 14
  private static let receiveSize = 1 << 16
}
