import Glibc

/// How the C library handles freed memory, in a run and in its workers.
package enum AllocatorPolicy {
  /// Blocks of this size and more go back to the system as soon as they are freed.
  private static let largeBlock: Int32 = 128 << 10

  /// Call it before other threads allocate much.
  ///
  /// By itself the library keeps large blocks, the larger the more: each thread of a worker that was handed a payload
  /// of megabytes once stands on as much for good, and four workers of eight cases on gigabytes. The values are those
  /// that it begins with; to name them is what makes them stay.
  package static func returnLargeBlocks() {
    typealias Adjust = @convention(c) (Int32, Int32) -> Int32
    guard let symbol = dlsym(nil, "mallopt") else { return }
    let adjust = unsafeBitCast(symbol, to: Adjust.self)
    let (trimThreshold, mmapThreshold): (Int32, Int32) = (-1, -3)
    _ = adjust(trimThreshold, largeBlock)
    _ = adjust(mmapThreshold, largeBlock)
  }
}
