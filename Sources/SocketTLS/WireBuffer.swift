/// Bytes between the wire and OpenSSL: filled at the end, taken at the start, in one piece.
///
/// Memory of its own instead of an array: rooms and contents are lent as pointers that stay valid until the next call.
struct WireBuffer {
  private var base: UnsafeMutableRawPointer?
  private var capacity = 0
  private var start = 0
  private var end = 0
  /// More than this is given back when the buffer is empty.
  private let keeps: Int

  init(keeps: Int) { self.keeps = keeps }

  var count: Int { end - start }

  var contents: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base.map { UnsafeRawPointer($0) + start }, count: end - start)
  }

  /// Room for `size` bytes or more.
  mutating func room(_ size: Int) -> UnsafeMutableRawBufferPointer {
    if start == end {
      start = 0
      end = 0
      if capacity > keeps { free() }
    }
    if capacity - end < size, let base, start > 0 {
      base.copyMemory(from: base + start, byteCount: end - start)
      end -= start
      start = 0
    }
    if capacity - end < size || base == nil { grow(end + size) }
    return UnsafeMutableRawBufferPointer(start: base.map { $0 + end }, count: capacity - end)
  }

  private mutating func grow(_ needed: Int) {
    var size = max(capacity, 4096)
    while size < needed { size *= 2 }
    let grown = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
    if let base {
      grown.copyMemory(from: base + start, byteCount: end - start)
      base.deallocate()
    }
    base = grown
    capacity = size
    end -= start
    start = 0
  }

  mutating func filled(_ count: Int) {
    precondition(count >= 0 && count <= capacity - end)
    end += count
  }

  mutating func append(_ bytes: UnsafeRawPointer, _ count: Int) {
    room(count).baseAddress?.copyMemory(from: bytes, byteCount: count)
    end += count
  }

  /// Moves up to so many bytes out; how many.
  mutating func take(into bytes: UnsafeMutableRawPointer, _ limit: Int) -> Int {
    let count = min(limit, end - start)
    if count > 0, let base { bytes.copyMemory(from: base + start, byteCount: count) }
    start += count
    return count
  }

  mutating func drop(_ count: Int) {
    precondition(count >= 0 && count <= end - start)
    start += count
    if start == end, capacity > keeps { free() }
  }

  mutating func free() {
    base?.deallocate()
    base = nil
    capacity = 0
    start = 0
    end = 0
  }
}
