/// Bytes in and out of order of arrival: a growing array with a moving front.
struct ByteQueue {
  private var storage: [UInt8] = []
  private var head = 0

  /// The number of taken bytes above which the rest may move to the front, so that many small takes cost linear time.
  private static let compactionThreshold = 1 << 16

  var count: Int { storage.count - head }

  mutating func append(_ bytes: UnsafeRawBufferPointer) { storage.append(contentsOf: bytes) }

  /// Copies the first bytes into the buffer and drops them; there must be enough to fill it.
  mutating func take(into buffer: UnsafeMutableRawBufferPointer) {
    precondition(buffer.count <= count)
    storage.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[head..<head + buffer.count]))
    }
    drop(buffer.count)
  }

  /// Takes the first bytes as an array.
  mutating func take(_ wanted: Int) -> [UInt8] {
    precondition(wanted <= count)
    let bytes = Array(storage[head..<head + wanted])
    drop(wanted)
    return bytes
  }

  mutating func drop(_ dropped: Int) {
    precondition(dropped <= count)
    head += dropped
    if head == storage.count {
      storage.removeAll(keepingCapacity: true)
      head = 0
    } else if head > Self.compactionThreshold, head > storage.count / 2 {
      storage.removeSubrange(..<head)
      head = 0
    }
  }

  /// Drops bytes from the back.
  mutating func dropLast(_ dropped: Int) {
    precondition(dropped <= count)
    storage.removeLast(dropped)
  }
}
