import Glibc
import SocketValues
import Testing

@testable import SocketPOSIX

@Suite("Raw addresses")
struct RawAddressTests {
  @Test func anotherPortKeepsTheRest() {
    let ip = SocketAddress(ipv6: [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1], port: 1, scope: 3)
    #expect(RawAddress(ip).withPort(65535) == RawAddress(ip.with(port: 65535)))
    #expect(RawAddress(ip).ip == ip)
    #expect(RawAddress.unix("/tmp/x")?.ip == nil)
    let local = RawAddress.unix("/tmp/x")
    #expect(local?.withPort(80) == local)
    #expect(local?.port == 0)
  }

  struct Blob: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    let kept: Int?
    var testDescription: String { name }
  }

  @Test(arguments: [
    Blob(name: "nothing", bytes: [], kept: nil),
    Blob(name: "half a family", bytes: [2], kept: nil),
    Blob(name: "IPv4 family only", bytes: [2, 0], kept: nil),
    Blob(name: "IPv4 one byte short", bytes: [2, 0] + Array(repeating: 1, count: 13), kept: nil),
    Blob(name: "IPv4 exact", bytes: [2, 0] + Array(repeating: 1, count: 14), kept: 16),
    Blob(name: "IPv4 with a tail", bytes: [2, 0] + Array(repeating: 1, count: 112), kept: 16),
    Blob(name: "IPv6 one byte short", bytes: [10, 0] + Array(repeating: 1, count: 25), kept: nil),
    Blob(name: "IPv6 exact", bytes: [10, 0] + Array(repeating: 1, count: 26), kept: 28),
    Blob(name: "IPv6 with a tail", bytes: [10, 0] + Array(repeating: 1, count: 100), kept: 28),
    Blob(name: "local without a name", bytes: [1, 0], kept: 2),
    Blob(name: "local too long", bytes: [1, 0] + Array(repeating: 65, count: 300), kept: 110),
    Blob(name: "big-endian family", bytes: [0, 2] + Array(repeating: 1, count: 14), kept: nil),
    Blob(name: "unknown family", bytes: [17, 0] + Array(repeating: 1, count: 40), kept: nil),
  ])
  func blobs(_ row: Blob) {
    let address = RawAddress(bytes: row.bytes)
    #expect(address?.bytes == row.kept.map { Array(row.bytes[..<$0]) })
  }

  @Test func randomBlobsNeverCrash() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      var bytes = (0..<Int.random(in: 0...160, using: &generator)).map { _ in UInt8.random(in: 0...255) }
      if bytes.count >= 2, Bool.random() {
        bytes[0] = [1, 2, 10].randomElement() ?? 1
        bytes[1] = 0
      }
      guard let address = RawAddress(bytes: bytes) else { continue }
      _ = (address.ip?.host, address.unixPath, address.port)
      let length = address.withSockaddr { pointer, length in
        Int32(pointer.pointee.sa_family) == address.family ? Int(length) : -1
      }
      #expect(length == address.bytes.count)
      #expect(RawAddress(bytes: address.withPort(9).bytes) == address.withPort(9))
    }
  }

  @Test func localPaths() {
    #expect(RawAddress.unix("") == nil)
    #expect(RawAddress.unix("a\0b") == nil)
    let longest = String(repeating: "p", count: 107)
    #expect(RawAddress.unix(longest)?.unixPath == longest)
    #expect(RawAddress.unix(longest)?.bytes.count == 110)
    #expect(RawAddress.unix(longest + "p") == nil)
    #expect(RawAddress.unix("/tmp/é")?.unixPath == "/tmp/é")
    #expect(RawAddress(bytes: [1, 0])?.unixPath == nil)
    #expect(RawAddress(bytes: [1, 0, 0, 65])?.unixPath == nil, "abstract")
    #expect(RawAddress(bytes: [1, 0, 0xFF, 0xFE])?.unixPath == nil, "not UTF-8")
    #expect(RawAddress(bytes: [1, 0, 65, 66])?.unixPath == "AB", "no final zero")
  }

  @Test func bodyMayThrow() {
    #expect(throws: SystemCallFailure(call: "bind", code: EINVAL)) {
      try RawAddress.loopbackIPv4(port: 0).withSockaddr { _, _ throws(SystemCallFailure) in
        throw SystemCallFailure(call: "bind", code: EINVAL)
      }
    }
  }
}
