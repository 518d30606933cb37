import CocoaAsyncSocket
import Testing

@Suite struct RandomTests {
  /// Of each length all bytes are drawn, and none beside them.
  @Test(arguments: [0, 1, 7, 8, 9, 100]) func itsBytesAreDrawn(count: Int) {
    var seen = [UInt8](repeating: 0, count: count)
    for _ in 0..<64 {
      var memory = [UInt8](repeating: 0xA5, count: count + 2)
      let status = memory.withUnsafeMutableBytes { room in
        SecRandomCopyBytes(kSecRandomDefault, count, room.baseAddress! + 1)
      }
      #expect(status == errSecSuccess && memory.first == 0xA5 && memory.last == 0xA5)
      for place in 0..<count { seen[place] |= memory[place + 1] }
    }
    #expect(seen.allSatisfy { $0 == 0xFF })
  }

  @Test func lessThanNothingIsRefused() {
    var byte: UInt8 = 7
    #expect(SecRandomCopyBytes(kSecRandomDefault, -1, &byte) == errSecParam && byte == 7)
  }
}
