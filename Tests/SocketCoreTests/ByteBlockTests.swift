import SocketCore
import Testing

@Suite("Byte block")
struct ByteBlockTests {
  @Test("fills, grows and keeps its bytes")
  func growth() {
    let block = ByteBlock(capacity: 3)
    ([1, 2, 3] as [UInt8]).withUnsafeBytes { block.append($0) }
    #expect(block.room.isEmpty)
    block.grow(to: 2)
    #expect(block.capacity == 3)
    block.grow(to: 10)
    #expect(block.capacity == 10)
    block.room[0] = 4
    block.advance(by: 1)
    #expect(block.array == [1, 2, 3, 4])
    block.removeAll()
    #expect(block.array == [])
    #expect(block.capacity == 10)
  }

  @Test("growing byte by byte moves the bytes a few times only, and never beyond the limit")
  func growthIsGeometric() {
    let block = ByteBlock(capacity: 1)
    var capacities: Set<Int> = [block.capacity]
    for count in 1...100_000 {
      block.grow(to: count, atMost: 100_000)
      block.room[0] = UInt8(truncatingIfNeeded: count)
      block.advance(by: 1)
      capacities.insert(block.capacity)
    }
    #expect(capacities.count <= 18)
    #expect(block.capacity == 100_000)
    #expect(block.bytes.enumerated().allSatisfy { $0.element == UInt8(truncatingIfNeeded: $0.offset + 1) })
    block.grow(to: 100_001, atMost: 100_000)
    #expect(block.capacity == 100_001, "what is wanted counts more than the limit")
  }

  @Test("copies what it is given")
  func copies() {
    var source: [UInt8] = [9, 8, 7]
    let block = source.withUnsafeBytes { ByteBlock(copying: $0) }
    source[0] = 0
    #expect(block.array == [9, 8, 7])
    let empty = ByteBlock(copying: UnsafeRawBufferPointer(start: nil, count: 0))
    #expect(empty.array == [])
  }

  private final class Lender {
    let memory: UnsafeRawBufferPointer
    let onEnd: () -> Void

    init(_ bytes: [UInt8], onEnd: @escaping () -> Void) {
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
      memory.copyBytes(from: bytes)
      self.memory = UnsafeRawBufferPointer(memory)
      self.onEnd = onEnd
    }

    deinit {
      memory.deallocate()
      onEnd()
    }
  }

  @Test("borrowed memory lives as long as the block, and is not the block's to give away")
  func lent() async {
    await confirmation { ended in
      var block: ByteBlock?
      do {
        let owner = Lender([5, 6]) { ended() }
        block = ByteBlock(borrowing: owner.memory, from: owner)
      }
      #expect(block?.array == [5, 6])
      #expect(block?.release() == nil)
      block = nil
    }
  }

  @Test("released memory is the caller's, once")
  func release() throws {
    let block = ByteBlock(capacity: 4)
    ([1, 2] as [UInt8]).withUnsafeBytes { block.append($0) }
    let memory = try #require(block.release())
    #expect(Array(memory) == [1, 2])
    #expect(block.release() == nil)
    memory.deallocate()
  }
}
