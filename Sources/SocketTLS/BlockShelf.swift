import SocketPOSIX

/// Blocks of memory that sessions work on, shared by all of a process: as many are in use as passes run at once, and
/// nobody goes to the allocator for so much memory with every few bytes.
///
/// They hold what travels over the wire, never what is secret.
enum BlockShelf {
  /// A batch of records with everything TLS adds to it, or a good receive.
  static let blockSize = 1 << 16 + 1 << 11
  /// The most that lie on the shelf; what comes back beyond that is freed.
  static let mostBlocks = 8

  // Unchecked: the pointers are touched under the lock only, and a block on the shelf is nobody else's.
  private struct Blocks: @unchecked Sendable {
    var pointers: [UnsafeMutableRawPointer] = []
  }

  private static let shelf = LockedValue(Blocks())

  /// A block with arbitrary bytes in it; goes back with `put`.
  static func take() -> UnsafeMutableRawPointer {
    shelf.withLock { $0.pointers.popLast() } ?? .allocate(byteCount: blockSize, alignment: 16)
  }

  static func put(_ block: UnsafeMutableRawPointer) {
    let isKept = shelf.withLock { shelf in
      guard shelf.pointers.count < mostBlocks else { return false }
      shelf.pointers.append(block)
      return true
    }
    if !isKept { block.deallocate() }
  }
}
