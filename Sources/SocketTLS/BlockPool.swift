import SocketPOSIX

/// Blocks of memory that sessions work on, shared by a process: as many are in use as passes run at once, and no
/// session allocates so much memory for every few bytes.
///
/// They hold bytes of the wire, never secrets.
enum BlockPool {
  /// A batch of records with everything TLS adds to it, or a good receive.
  static let blockSize = 1 << 16 + 1 << 11
  /// The most that are kept; what comes back beyond that is freed.
  static let maxBlocks = 8

  // Unchecked: the pointers are touched under the lock only, and no session uses a block that is in the pool.
  private struct Blocks: @unchecked Sendable {
    var pointers: [UnsafeMutableRawPointer] = []
  }

  private static let pool = LockedValue(Blocks())

  /// A block with arbitrary bytes in it; goes back with `put`.
  static func take() -> UnsafeMutableRawPointer {
    pool.withLock { $0.pointers.popLast() } ?? .allocate(byteCount: blockSize, alignment: 16)
  }

  static func put(_ block: UnsafeMutableRawPointer) {
    let isKept = pool.withLock { pool in
      guard pool.pointers.count < maxBlocks else { return false }
      pool.pointers.append(block)
      return true
    }
    if !isKept { block.deallocate() }
  }
}
