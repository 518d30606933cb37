import Dispatch
import Foundation
import SocketCore
import SocketPOSIX

/// A caller's buffer that a read fills.
///
/// The library receives into memory of its own and copies the bytes right before it reports them: on the delegate
/// queue, before didRead, and before didReadPartial the part that this reports. So a delegate finds at least the
/// reported bytes in the buffer, and no other thread writes it meanwhile (RD-BUF-02). A read that fails leaves the
/// bytes that were reported (RD-BUF-11). Without a delegate or a queue the bytes are copied at the same points, on
/// whatever thread the library is working on.
final class CallerBuffer: @unchecked Sendable {
  // Unchecked: the buffer is the caller's; the library touches it below one of `locks`.
  private var buffer: NSMutableData?
  private let offset: Int

  init(buffer: NSMutableData, offset: Int) {
    self.buffer = buffer
    self.offset = offset
  }

  /// A read is often dropped under its socket's lock, on the loop's thread. If this is the last reference to the
  /// caller's buffer, another thread releases it: its deallocator may run arbitrary code.
  deinit {
    guard isKnownUniquelyReferenced(&buffer) else { return }
    let last = LastReference(buffer.take())
    DispatchQueue.global().async { last.buffer = nil }
  }

  private final class LastReference: @unchecked Sendable {
    // Unchecked: handed over as a whole to the one block that empties it.
    var buffer: NSMutableData?

    init(_ buffer: NSMutableData?) { self.buffer = buffer }
  }

  /// A buffer may have several reads, even of several sockets. While the delegate queue is copying the bytes of one,
  /// the next may complete on another thread, because the delegate was removed meanwhile.
  private static let locks = (0..<16).map { _ in LockedValue(()) }

  /// Copies the bytes of the event into the buffer.
  static func fill(for event: SocketEvent) {
    switch event {
    case .didRead(let block, _, let destination?): (destination as? CallerBuffer)?.place(block.bytes, at: 0)
    case .didReadPartial(_, _, let shown?):
      (shown.destination as? CallerBuffer)?.place(shown.bytes.bytes, at: shown.offset)
    default: break
    }
  }

  /// Places bytes of the read from the buffer's offset on; the buffer grows if needed and never shrinks (RD-BUF-02,
  /// RD-BUF-07).
  private func place(_ bytes: UnsafeRawBufferPointer, at position: Int) {
    guard let buffer else { return }
    guard let base = bytes.baseAddress else { return }
    Self.locks[ObjectIdentifier(buffer).hashValue & 15].withLock { _ in
      let end = offset + position + bytes.count
      if buffer.length < end { buffer.length = end }
      // Not replaceBytes(in:withBytes:), which on Linux may lengthen a buffer that has just grown.
      (buffer.mutableBytes + offset + position).copyMemory(from: base, byteCount: bytes.count)
    }
  }
}

extension Data {
  /// From here on, taking memory over is cheaper than copying it.
  private static let minTaken = 1024

  /// Takes the block's memory over without copying, unless it is small.
  init(taking block: ByteBlock) {
    if block.count < Self.minTaken {
      self.init(block.bytes)
    } else if let memory = block.release(), let base = memory.baseAddress {
      self.init(bytesNoCopy: base, count: memory.count, deallocator: .custom { pointer, _ in pointer.deallocate() })
    } else {
      self.init(block.bytes)
    }
  }
}
