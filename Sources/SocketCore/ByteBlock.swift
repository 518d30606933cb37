import func Glibc.realloc

/// A buffer of bytes on its way from the wire to the delegate, or from the caller to the wire.
///
/// Laws
/// - A block has one owner at a time: it is filled, then handed on, and never used by two threads at once. That makes
///   passing it between threads safe without a lock.
/// - Its memory is plain (`malloc`) or borrowed from an owner object that keeps it alive, so a public layer can wrap it
///   without copying.
package final class ByteBlock: @unchecked Sendable {
  // Unchecked: ownership moves with the block (see the laws); nothing is shared.
  @exclusivity(unchecked) private var memory: UnsafeMutableRawPointer
  @exclusivity(unchecked) private var size: Int
  @exclusivity(unchecked) private var filled: Int
  /// Keeps borrowed memory alive; nil when the memory is the block's own.
  @exclusivity(unchecked) private var owner: AnyObject?
  @exclusivity(unchecked) private var isReleased = false

  /// An empty block that can hold `capacity` bytes.
  package init(capacity: Int) {
    size = max(capacity, 1)
    memory = .allocate(byteCount: size, alignment: 16)
    filled = 0
    owner = nil
  }

  /// A copy of the bytes.
  package convenience init(copying bytes: UnsafeRawBufferPointer) {
    self.init(capacity: bytes.count)
    append(bytes)
  }

  /// Bytes that `owner` owns and keeps in place and unchanged while it lives.
  package init(borrowing bytes: UnsafeRawBufferPointer, from owner: AnyObject) {
    memory = UnsafeMutableRawPointer(mutating: bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 16)!)
    size = bytes.count
    filled = bytes.count
    self.owner = owner
  }

  /// Where the memory begins. It moves when the block grows, or when `keep` copies borrowed memory.
  package private(set) var base: UnsafeMutableRawPointer {
    get { memory }
    set { memory = newValue }
  }

  /// How many bytes the memory holds.
  package private(set) var capacity: Int {
    get { size }
    set { size = newValue }
  }

  /// How many bytes of the memory are filled, from its beginning.
  package private(set) var count: Int {
    get { filled }
    set { filled = newValue }
  }

  deinit {
    if owner == nil, !isReleased { base.deallocate() }
  }

  /// The bytes filled so far, in place; valid while the block is neither grown, kept nor released.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// The unused memory behind the filled bytes: fill it, then call `advance(by:)`.
  package var room: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: base + count, count: capacity - count)
  }

  /// All of the memory, filled or not.
  package var whole: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: base, count: capacity) }

  /// The bytes as an array (a copy).
  package var array: [UInt8] { Array(bytes) }

  /// Declares `added` bytes of `room` filled.
  package func advance(by added: Int) {
    precondition(added >= 0 && added <= capacity - count)
    count += added
  }

  /// Copies bytes to the end; `room` must be large enough.
  package func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
    precondition(bytes.count <= capacity - count)
    (base + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  /// Sets the count to 0 and keeps the memory.
  package func removeAll() {
    precondition(owner == nil)
    count = 0
  }

  /// Makes the capacity at least `wanted` and keeps the bytes. A block that has to grow doubles its capacity, up to
  /// `limit`, so that filling it byte by byte costs linear time.
  package func grow(to wanted: Int, atMost limit: Int = .max) {
    guard wanted > capacity else { return }
    precondition(owner == nil)
    let target = max(wanted, min(limit, capacity * 2))
    // Not copied where the kernel can move the pages: a copy of a large read would hold up the loop's other sockets.
    guard let larger = realloc(base, target) else { preconditionFailure("no memory for \(target) bytes") }
    base = larger
    capacity = target
  }

  /// A copy of borrowed memory, for `keep`; nil: the memory is the block's own. Needs no lock while the owner keeps the
  /// bytes.
  package func copyToKeep() -> UnsafeMutableRawPointer? {
    guard owner != nil else { return nil }
    let own = UnsafeMutableRawPointer.allocate(byteCount: max(capacity, 1), alignment: 16)
    own.copyMemory(from: base, byteCount: count)
    return own
  }

  /// Takes the copy in place of the borrowed memory, so that the block owns its bytes.
  package func keep(_ own: UnsafeMutableRawPointer) {
    precondition(owner != nil)
    base = own
    owner = nil
  }

  /// Transfers the memory to the caller, who frees it with `deallocate()`; the block must not be used afterwards. nil:
  /// the memory is borrowed, or was released before.
  package func release() -> UnsafeMutableRawBufferPointer? {
    guard owner == nil, !isReleased else { return nil }
    isReleased = true
    return UnsafeMutableRawBufferPointer(start: base, count: count)
  }
}
