import Glibc
import Testing

@testable import SocketPOSIX

@Suite("Raw addresses")
struct RawAddressTests {
  struct Literal: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    let canonical: String?
    var testDescription: String { name }
  }

  @Test(arguments: [
    Literal(name: "loopback", text: "127.0.0.1", canonical: "127.0.0.1"),
    Literal(name: "any", text: "0.0.0.0", canonical: "0.0.0.0"),
    Literal(name: "broadcast", text: "255.255.255.255", canonical: "255.255.255.255"),
    Literal(name: "short form", text: "127.1", canonical: nil),
    Literal(name: "number too big", text: "1.2.3.256", canonical: nil),
    Literal(name: "empty", text: "", canonical: nil),
    Literal(name: "trailing space", text: "127.0.0.1 ", canonical: nil),
    Literal(name: "hidden zero byte", text: "127.0.0.1\0x", canonical: nil),
    Literal(name: "IPv6", text: "::1", canonical: nil),
  ])
  func ipv4Literals(_ row: Literal) {
    let address = RawAddress.ipv4(row.text, port: 0x1234)
    #expect(address?.numericHost == row.canonical)
    guard let address else { return }
    #expect(address.bytes.count == 16)
    #expect(address.family == AF_INET)
    #expect(address.port == 0x1234)
    #expect(Array(address.bytes[..<4]) == [2, 0, 0x12, 0x34])
    #expect(address.unixPath == nil)
  }

  @Test(arguments: [
    Literal(name: "loopback", text: "::1", canonical: "::1"),
    Literal(name: "any", text: "::", canonical: "::"),
    Literal(name: "long form", text: "2001:0db8:0000:0000:0000:0000:0000:0001", canonical: "2001:db8::1"),
    Literal(name: "mapped", text: "::ffff:1.2.3.4", canonical: "::ffff:1.2.3.4"),
    Literal(name: "scope suffix", text: "fe80::1%lo", canonical: nil),
    Literal(name: "brackets", text: "[::1]", canonical: nil),
    Literal(name: "IPv4", text: "127.0.0.1", canonical: nil),
    Literal(name: "empty", text: "", canonical: nil),
  ])
  func ipv6Literals(_ row: Literal) {
    let address = RawAddress.ipv6(row.text, port: 0xFFFE, scope: 7)
    #expect(address?.numericHost == row.canonical)
    guard let address else { return }
    #expect(address.bytes.count == 28)
    #expect(address.family == AF_INET6)
    #expect(address.port == 0xFFFE)
    #expect(address.scope == 7)
    #expect(Array(address.bytes[..<8]) == [10, 0, 0xFF, 0xFE, 0, 0, 0, 0])
  }

  @Test func wellKnownAddresses() {
    #expect(RawAddress.anyIPv4(port: 1) == RawAddress.ipv4("0.0.0.0", port: 1))
    #expect(RawAddress.anyIPv6(port: 2) == RawAddress.ipv6("::", port: 2))
    #expect(RawAddress.loopbackIPv4(port: 3) == RawAddress.ipv4("127.0.0.1", port: 3))
    #expect(RawAddress.loopbackIPv6(port: 4) == RawAddress.ipv6("::1", port: 4))
  }

  @Test func anotherPortKeepsTheRest() {
    let address = RawAddress.ipv6("fe80::1", port: 1, scope: 3)
    #expect(address?.withPort(65535) == RawAddress.ipv6("fe80::1", port: 65535, scope: 3))
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
      _ = (address.numericHost, address.unixPath, address.port, address.scope)
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
    #expect(RawAddress.unix("/tmp/x")?.numericHost == nil)
    #expect(RawAddress(bytes: [1, 0])?.unixPath == nil)
    #expect(RawAddress(bytes: [1, 0, 0, 65])?.unixPath == nil, "abstract")
    #expect(RawAddress(bytes: [1, 0, 0xFF, 0xFE])?.unixPath == nil, "not UTF-8")
    #expect(RawAddress(bytes: [1, 0, 65, 66])?.unixPath == "AB", "no final zero")
  }

  @Test func bodyMayThrow() {
    #expect(throws: SystemCallFailure(call: "bind", code: EINVAL)) {
      try RawAddress.anyIPv4(port: 0).withSockaddr { _, _ throws(SystemCallFailure) in
        throw SystemCallFailure(call: "bind", code: EINVAL)
      }
    }
  }
}
