import CaseWorkers
import Glibc
import TestSupport
import Testing

@Suite struct AllocatorPolicyTests {
  /// Otherwise the first large block that is freed makes the C library keep all that are not larger. In a process of
  /// its own: what other tests have freed would be used first.
  @Test(.disabled(if: ProcessFacts.isSanitized, "sanitizers bring an allocator of their own"))
  func largeBlocksAreNotKept() async {
    await #expect(processExitsWith: .success) {
      AllocatorPolicy.returnLargeBlocks()
      free(malloc(16 << 20))
      guard let block = malloc(1 << 20) else { exit(2) }
      // In front of each block the library has its size, whose second bit says that it was mapped for itself.
      let size = UnsafeRawPointer(block).load(fromByteOffset: -MemoryLayout<UInt>.size, as: UInt.self)
      exit(size & 2 != 0 ? 0 : 1)
    }
  }
}
