import Foundation
import SocketCore

/// A caller's buffer that a read fills.
///
/// The library gathers the bytes in memory of its own and copies them in when the read completes, on the delegate
/// queue, just before didRead. So a read that fails leaves the buffer alone (RD-BUF-11), and the caller's thread and
/// the library's never write it at the same time.
final class CallerBuffer: @unchecked Sendable {
  // Unchecked: the buffer is the caller's; it is touched only on the delegate queue, where its owner is told.
  private let buffer: NSMutableData
  private let offset: Int

  init(buffer: NSMutableData, offset: Int) {
    self.buffer = buffer
    self.offset = offset
  }

  /// Places the bytes from the offset on; the buffer grows if needed and never shrinks (RD-BUF-02, RD-BUF-07).
  func place(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    let end = offset + bytes.count
    if buffer.length < end { buffer.length = end }
    // Not replaceBytes(in:withBytes:), which on Linux may lengthen a buffer that has just grown.
    (buffer.mutableBytes + offset).copyMemory(from: base, byteCount: bytes.count)
  }
}

extension Data {
  /// From here on, taking memory over is cheaper than copying it.
  private static let leastTaken = 1024

  /// Takes the block's memory over without copying, unless it is small.
  init(taking block: ByteBlock) {
    if block.count < Self.leastTaken {
      self.init(block.bytes)
    } else if let memory = block.release(), let base = memory.baseAddress {
      self.init(bytesNoCopy: base, count: memory.count, deallocator: .custom { pointer, _ in pointer.deallocate() })
    } else {
      self.init(block.bytes)
    }
  }
}
