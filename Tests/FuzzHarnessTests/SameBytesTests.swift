import FuzzHarness
import Testing

/// Oracles compare with it: a byte that it passed over, they would pass over.
@Suite struct SameBytesTests {
  private func same(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    one.withUnsafeBytes { one in other.withUnsafeBytes { areSame(one, $0) } }
  }

  @Test(arguments: [0, 1, 7, 8, 9, 15, 16, 17, 31])
  func everyByteAndTheLengthCount(_ count: Int) {
    let bytes = (0..<count).map { UInt8($0) }
    #expect(same(bytes, bytes))
    #expect(!same(bytes, bytes + [0]) && !same(bytes + [0], bytes))
    for place in bytes.indices {
      var other = bytes
      other[place] ^= 1
      #expect(!same(bytes, other), "byte \(place) of \(count)")
    }
  }

  @Test func theCanaryIsATarget() {
    #expect(FuzzTarget.named("canary") == FuzzTarget.canary && FuzzTarget.named("explore") == nil)
    let met = ([0x46, 0x55, 0x5A] as [UInt8]).withUnsafeBytes { CanaryFuzzing.body($0) }
    #expect(met?.invariant == CanaryFuzzing.law)
    #expect(([0x46, 0x55, 0x5B] as [UInt8]).withUnsafeBytes { CanaryFuzzing.body($0) } == nil)
  }
}
