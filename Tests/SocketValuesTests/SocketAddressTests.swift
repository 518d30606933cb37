import Glibc
import SocketValues
import TestSupport
import Testing

@Suite("Socket address")
struct SocketAddressTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var name: String
    var bytes: [UInt8]
    var host: String?
    var port: UInt16 = 0
    var family: SocketAddress.Family?
    var testDescription: String { name }
  }

  static let ipv4: [UInt8] = [2, 0, 0x1F, 0x90, 10, 1, 2, 3] + [UInt8](repeating: 0, count: 8)
  static let ipv6: [UInt8] =
    [10, 0, 0x1F, 0x90, 9, 9, 9, 9, 0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1, 7, 0, 0, 0]

  static let rows: [Row] = [
    Row(name: "IPv4", bytes: ipv4, host: "10.1.2.3", port: 8080, family: .ipv4),
    Row(name: "IPv6 with a scope", bytes: ipv6, host: "fe80::1", port: 8080, family: .ipv6),
    Row(name: "empty", bytes: []),
    Row(name: "one byte", bytes: [2]),
    Row(name: "15 bytes", bytes: Array(ipv4.dropLast())),
    Row(name: "17 bytes decode", bytes: ipv4 + [1], host: "10.1.2.3", port: 8080, family: .ipv4),
    Row(name: "16 bytes of an IPv6 address have a family and no host", bytes: Array(ipv6.prefix(16)), family: .ipv6),
    Row(name: "27 bytes of an IPv6 address", bytes: Array(ipv6.dropLast()), family: .ipv6),
    Row(name: "32 bytes decode", bytes: ipv6 + [1, 2, 3, 4], host: "fe80::1", port: 8080, family: .ipv6),
    Row(name: "a Unix-domain address", bytes: [1, 0] + [UInt8](repeating: 47, count: 30)),
    Row(name: "a family in network order", bytes: [0, 2] + ipv4.dropFirst(2)),
  ]

  @Test("decodes what it should and nothing else (UTIL-01, UTIL-04, UTIL-05)", arguments: rows)
  func decoding(row: Row) {
    let address = SocketAddress(decoding: row.bytes)
    #expect(address?.host == row.host)
    #expect((address?.port ?? 0) == row.port)
    #expect(SocketAddress.family(of: row.bytes) == row.family)
    #expect(address == nil || address?.family == row.family)
    #expect(address == nil || address?.bytes == Array(row.bytes.prefix(row.family == .ipv4 ? 16 : 28)))
  }

  @Test("random blobs never trap, and what decodes survives the round trip (UTIL-08)", arguments: 0..<4)
  func randomBlobs(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    for _ in 0..<5000 {
      var blob = random.bytes(random.int(0...64), from: Array(0...255))
      if random.oneIn(2), blob.count > 1 { blob.replaceSubrange(0..<2, with: [random.oneIn(2) ? 2 : 10, 0]) }
      guard let address = SocketAddress(decoding: blob) else {
        guard blob.count < 28 || SocketAddress.family(of: blob) == nil else {
          Issue.record("refused \(blob)")
          return
        }
        continue
      }
      let survives =
        blob.starts(with: address.bytes) && SocketAddress(decoding: address.bytes) == address
        && address.with(port: address.port) == address && address.with(port: 4711).port == 4711
        && SocketAddress(numeric: address.host, port: address.port)?.host == address.host
      guard survives else {
        Issue.record("\(blob) became \(address)")
        return
      }
    }
  }

  @Test("is laid out as the C library lays it out")
  func layout() {
    var expected = sockaddr_in()
    expected.sin_family = sa_family_t(AF_INET)
    expected.sin_port = UInt16(4711).bigEndian
    expected.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    #expect(withUnsafeBytes(of: &expected) { Array($0) } == SocketAddress.loopback(.ipv4, port: 4711).bytes)
    var expected6 = sockaddr_in6()
    expected6.sin6_family = sa_family_t(AF_INET6)
    expected6.sin6_port = UInt16(4711).bigEndian
    expected6.sin6_addr = in6addr_loopback
    #expect(withUnsafeBytes(of: &expected6) { Array($0) } == SocketAddress.loopback(.ipv6, port: 4711).bytes)
    expected6.sin6_scope_id = 0x0102_0304
    let scoped = SocketAddress(ipv6: [UInt8](repeating: 0, count: 15) + [1], port: 4711, scope: 0x0102_0304)
    #expect(withUnsafeBytes(of: &expected6) { Array($0) } == scoped.bytes)
    #expect(SocketAddress.any(.ipv4, port: 1).host == "0.0.0.0")
    #expect(SocketAddress.any(.ipv6, port: 1).host == "::")
  }
}
