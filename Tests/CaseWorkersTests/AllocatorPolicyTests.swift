import CaseWorkers
import Glibc
import TestSupport
import Testing

@Suite struct AllocatorPolicyTests {
  /// Otherwise the first large block that is freed makes the C library keep all that are not larger.
  @Test(.disabled(if: ProcessFacts.isSanitized, "sanitizers bring an allocator of their own"))
  func largeBlocksAreNotKept() throws {
    AllocatorPolicy.returnLargeBlocks()
    free(malloc(16 << 20))
    let block = try #require(malloc(1 << 20))
    defer { free(block) }
    // In front of each block the library has its size, whose second bit says that it was mapped for itself.
    let size = UnsafeRawPointer(block).load(fromByteOffset: -MemoryLayout<UInt>.size, as: UInt.self)
    #expect(size & 2 != 0)
  }
}
