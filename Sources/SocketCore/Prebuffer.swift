/// Bytes received but not yet delivered, in stream order.
///
/// Laws
/// - Bytes enter at the back and leave at the front; none is lost, doubled or moved (INV-05).
/// - The search for a delimiter goes on where it stopped (`DelimiterSearch`); bytes leaving the front end it.
/// - Memory follows the content: after `trim` an empty prebuffer holds none, and leftovers don't hold a burst's
///   (UB-27).
package struct Prebuffer {
  private var storage: ByteBlock?
  private var head = 0
  private var search = DelimiterSearch()

  package init() {}

  /// How many bytes wait.
  package var count: Int { (storage?.count ?? 0) - head }
  /// Whether no byte waits.
  package var isEmpty: Bool { count == 0 }
  /// Bytes of memory held.
  package var capacity: Int { storage?.capacity ?? 0 }

  /// The bytes that wait, in place; valid until the next change.
  package var bytes: UnsafeRawBufferPointer {
    guard let storage else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(rebasing: storage.bytes[head...])
  }

  /// Room for at least `wanted` more bytes behind the content; follow with `filled`. When memory has to be made for it,
  /// there is room for `preferred`: bytes that drip in must not move the content each time (RD-DELIM-19).
  package mutating func room(atLeast wanted: Int, preferring preferred: Int = 0) -> UnsafeMutableRawBufferPointer {
    if let storage, storage.capacity - storage.count >= wanted { return storage.room }
    let kept = count
    // Doubling keeps the cost of moving content linear in what is received.
    let needed = kept + max(wanted, preferred)
    let block = ByteBlock(capacity: kept > 0 ? max(needed, kept * 2) : needed)
    block.append(bytes)
    storage = block
    head = 0
    return block.room
  }

  /// Declares `added` bytes of the room filled.
  package mutating func filled(_ added: Int) { storage?.advance(by: added) }

  /// Copies bytes to the back.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    _ = room(atLeast: bytes.count)
    storage?.append(bytes)
  }

  /// The offset behind the first delimiter within the first `limit` bytes, or nil. A nil answer is remembered until
  /// bytes leave the front or `forgetSearch` is called.
  package mutating func end(of delimiter: Delimiter, limit: Int) -> Int? {
    let window = min(count, limit)
    guard window >= delimiter.count else { return nil }
    return search.end(of: delimiter, in: UnsafeRawBufferPointer(rebasing: bytes[..<window]))
  }

  /// The length of the prefix that an unsuccessful search will not look at again.
  package var searched: Int { search.searched }

  /// Starts the next search afresh, for another delimiter.
  package mutating func forgetSearch() { search = DelimiterSearch() }

  /// Takes `wanted` bytes off the front into a block of their own.
  package mutating func take(_ wanted: Int) -> ByteBlock {
    precondition(wanted <= count)
    search = DelimiterSearch()
    if wanted == count, head == 0, let whole = storage, wanted * 2 >= whole.capacity {
      // The content is most of the block: hand the block on instead of copying it.
      storage = nil
      return whole
    }
    let block = ByteBlock(copying: UnsafeRawBufferPointer(rebasing: bytes[..<wanted]))
    drop(wanted)
    return block
  }

  /// Moves up to `block`'s room worth of bytes off the front to the back of `block`; at most `limit`.
  package mutating func move(to block: ByteBlock, limit: Int) -> Int {
    let moved = min(count, limit, block.room.count)
    guard moved > 0 else { return 0 }
    block.append(UnsafeRawBufferPointer(rebasing: bytes[..<moved]))
    drop(moved)
    return moved
  }

  /// Frees memory that the content does not need.
  package mutating func trim() {
    if isEmpty {
      storage = nil
      head = 0
    } else if capacity > 4 * max(count, Self.smallCapacity) {
      // What is left of a burst; less than a quarter is copied, so this costs less than receiving did.
      storage = ByteBlock(copying: bytes)
      head = 0
    }
  }

  /// Below a few times this capacity, freeing memory does not pay.
  private static let smallCapacity = 1 << 16

  /// Takes bytes off the front: they stay in place until the next change.
  @discardableResult
  mutating func drop(_ dropped: Int) -> UnsafeRawBufferPointer {
    let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<dropped])
    head += dropped
    search = DelimiterSearch()
    guard let storage, head == storage.count else { return bytes }
    // Empty: the same memory serves the rest of the pass; `trim` gives it back.
    storage.removeAll()
    head = 0
    return bytes
  }
}
