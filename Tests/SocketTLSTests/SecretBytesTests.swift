import Glibc
import SocketPOSIX
import Testing

@testable import SocketTLS

@Suite struct SecretBytesTests {
  @Test(arguments: [0, 1, 15, 80, 70_000])
  func theMemoryIsOverwrittenBeforeItIsGivenBack(_ count: Int) {
    let seen = LockedValue<[[UInt8]]>([])
    do {
      let secret = SecretBytes(count: count) { memory in seen.withLock { $0.append(Array(memory)) } }
      secret.withBytes { bytes in for index in 0..<count { bytes[index] = 0xA5 } }
      // A copy of another size is watched like the first.
      let larger = secret.resized(to: count + 5, keeping: count)
      #expect(larger.all.prefix(count).allSatisfy { $0 == 0xA5 })
    }
    #expect(
      seen.withLock { $0.sorted { $0.count < $1.count } }
        == [[UInt8](repeating: 0, count: count), [UInt8](repeating: 0, count: count + 5)])
  }

  @Test func textsAreThereAsTheyAre() {
    #expect(SecretBytes(copying: "pässword").all == Array("pässword".utf8))
    #expect(SecretBytes(copying: "").all == [])
    #expect(SecretBytes(copying: "", terminated: true).all == [0])
    #expect(SecretBytes(copying: "secret", terminated: true).all == Array("secret\0".utf8))
  }

  /// Of all sizes around the steps in which the memory grows.
  @Test(arguments: [0, 1, 4095, 4096, 4097, 8193, 100_000])
  func filesAreReadWhole(_ count: Int) throws {
    var template = Array("/tmp/secret-XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer {
      close(descriptor)
      unlink(path)
    }
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    #expect(write(descriptor, bytes, count) == count)
    #expect(try OpenSSLBytes.file(path).all == bytes)
  }

  @Test func aFileThatKnowsNoSizeIsReadToItsEnd() throws {
    #expect(try OpenSSLBytes.file("/proc/self/cmdline").count > 0)
    let failure = #expect(throws: (any Error).self) { try OpenSSLBytes.file("/dev/zero") }
    #expect("\(failure!)".contains("larger than"))
  }
}

extension SecretBytes {
  fileprivate var all: [UInt8] { withBytes { Array($0) } }
}
