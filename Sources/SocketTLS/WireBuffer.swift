/// Bytes between the wire and OpenSSL: filled at the end, taken at the start, in one piece.
///
/// Laws
/// - Memory of its own instead of an array: rooms and contents are lent as pointers that stay valid until the next
///   call.
/// - It works on a block of the pool, which all buffers of the process share, and puts it back when it comes to rest:
///   an idle buffer holds what it contains and no more.
struct WireBuffer {
  private var base: UnsafeMutableRawPointer?
  /// Bytes of memory held.
  private(set) var capacity = 0
  private var start = 0
  private var end = 0

  var count: Int { end - start }

  var contents: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base.map { UnsafeRawPointer($0) + start }, count: end - start)
  }

  /// Room for `size` bytes or more.
  mutating func room(_ size: Int) -> UnsafeMutableRawBufferPointer {
    if start == end {
      start = 0
      end = 0
    }
    if capacity - end < size, let base, start > 0 {
      base.copyMemory(from: base + start, byteCount: end - start)
      end -= start
      start = 0
    }
    if capacity - end < size || base == nil { grow(end + size) }
    return UnsafeMutableRawBufferPointer(start: base.map { $0 + end }, count: capacity - end)
  }

  /// Called with the content at the front.
  private mutating func grow(_ needed: Int) {
    guard needed > BlockPool.blockSize else { return move(to: BlockPool.take(), BlockPool.blockSize) }
    let size = max(needed, capacity * 2)
    move(to: .allocate(byteCount: size, alignment: 16), size)
  }

  private mutating func move(to other: UnsafeMutableRawPointer, _ size: Int) {
    let count = count
    if let base, count > 0 { other.copyMemory(from: base + start, byteCount: count) }
    free()
    base = other
    capacity = size
    end = count
  }

  mutating func filled(_ count: Int) {
    precondition(count >= 0 && count <= capacity - end)
    end += count
  }

  mutating func append(_ bytes: UnsafeRawPointer, _ count: Int) {
    room(count).baseAddress?.copyMemory(from: bytes, byteCount: count)
    end += count
  }

  /// Moves at most `limit` bytes out. Returns how many.
  mutating func take(into bytes: UnsafeMutableRawPointer, _ limit: Int) -> Int {
    let count = min(limit, end - start)
    if count > 0, let base { bytes.copyMemory(from: base + start, byteCount: count) }
    start += count
    return count
  }

  mutating func drop(_ count: Int) {
    precondition(count >= 0 && count <= end - start)
    start += count
  }

  /// Nothing will come or go for a while: gives back what the content does not need.
  mutating func rest() {
    guard base != nil else { return }
    if start == end { return free() }
    // Less than a quarter is copied, so this costs less than filling it did.
    if capacity >= BlockPool.blockSize, count <= capacity / 4 {
      move(to: .allocate(byteCount: count, alignment: 16), count)
    }
  }

  /// Forgets the content and gives all memory back.
  mutating func free() {
    if let base {
      if capacity == BlockPool.blockSize { BlockPool.put(base) } else { base.deallocate() }
    }
    base = nil
    capacity = 0
    start = 0
    end = 0
  }
}
