import CocoaAsyncSocket
import Foundation
import Glibc
import TestSupport
import Testing

/// The class's helpers for raw addresses (UTIL).
@Suite struct UtilityTests {
  static let ipv4: [UInt8] = [2, 0, 0x1F, 0x90, 192, 168, 1, 7] + [UInt8](repeating: 0, count: 8)
  static let ipv6: [UInt8] =
    [10, 0, 0x1F, 0x90, 0, 0, 0, 0, 0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1] + [3, 0, 0, 0]

  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    var host: String?
    var port: UInt16 = 0
    var claimsIPv4 = false
    var claimsIPv6 = false
    var testDescription: String { name }
  }

  static let rows: [Row] = [
    Row(name: "empty", bytes: []),
    Row(name: "one byte", bytes: [2]),
    Row(name: "IPv4", bytes: ipv4, host: "192.168.1.7", port: 8080, claimsIPv4: true),
    Row(name: "IPv4, 15 bytes", bytes: Array(ipv4.dropLast())),
    Row(
      name: "IPv4, 32 bytes (UTIL-05)", bytes: ipv4 + [UInt8](repeating: 9, count: 16), host: "192.168.1.7",
      port: 8080, claimsIPv4: true),
    Row(name: "IPv6, without its scope (DIAG-04)", bytes: ipv6, host: "fe80::1", port: 8080, claimsIPv6: true),
    Row(name: "IPv6, 27 bytes", bytes: Array(ipv6.dropLast()), claimsIPv6: true),
    Row(name: "IPv6, 16 bytes (UTIL-04)", bytes: Array(ipv6[..<16]), claimsIPv6: true),
    Row(name: "IPv6, 15 bytes", bytes: Array(ipv6[..<15])),
    Row(name: "IPv6, 40 bytes", bytes: ipv6 + ipv6[..<12], host: "fe80::1", port: 8080, claimsIPv6: true),
    Row(name: "Unix-domain", bytes: [1, 0] + Array("/tmp/a-path-of-some-length".utf8)),
    Row(name: "family in the wrong byte order", bytes: [0, 2] + Array(ipv4[2...])),
    Row(name: "a length byte in front, as on other systems", bytes: [16, 2] + Array(ipv4[2...])),
  ]

  @Test("raw addresses are decoded (UTIL-01…UTIL-05)", arguments: rows)
  func decoding(_ row: Row) {
    let address = Data(row.bytes)
    #expect(GCDAsyncSocket.host(fromAddress: address) == row.host)
    #expect(GCDAsyncSocket.port(fromAddress: address) == row.port)
    #expect(GCDAsyncSocket.isIPv4Address(address) == row.claimsIPv4)
    #expect(GCDAsyncSocket.isIPv6Address(address) == row.claimsIPv6)
    var host: String? = "untouched"
    var port: UInt16 = 77
    var family: sa_family_t = 99
    #expect(GCDAsyncSocket.getHost(&host, port: &port, fromAddress: address) == (row.host != nil))
    #expect(host == row.host ?? "untouched")
    #expect(port == (row.host == nil ? 77 : row.port))
    #expect(GCDAsyncSocket.getHost(nil, port: nil, family: &family, fromAddress: address) == (row.host != nil))
    #expect(family == (row.host == nil ? 99 : sa_family_t(row.claimsIPv4 ? AF_INET : AF_INET6)))
    #expect(GCDAsyncSocket.getHost(nil, port: nil, family: nil, fromAddress: address) == (row.host != nil))
    // A slice with another start is the same blob.
    let slice = Data([1, 2, 3] + row.bytes)[3...]
    #expect(GCDAsyncSocket.host(fromAddress: slice) == row.host)
  }

  @Test("hosts are the C library's numeric names: 2,000 random addresses (DIAG-04)")
  func matchesTheCLibrary() {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<2000 {
      for (family, bytes, count) in [(AF_INET, Self.ipv4, 4), (AF_INET6, Self.ipv6, 16)] {
        var bytes = bytes
        let start = family == AF_INET ? 4 : 8
        for index in 0..<count {
          bytes[start + index] = random.oneIn(3) ? UInt8.random(in: 0...255, using: &random) : 0
        }
        var text = [CChar](repeating: 0, count: 64)
        _ = bytes[start...].withUnsafeBytes { inet_ntop(family, $0.baseAddress, &text, 64) }
        let expected = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // The C library writes the old IPv4-compatible form ::a.b.c.d for addresses that RFC 5952 writes in hex.
        guard !(expected.hasPrefix("::") && expected.contains(".") && !expected.hasPrefix("::ffff:")) else { continue }
        #expect(GCDAsyncSocket.host(fromAddress: Data(bytes)) == expected)
      }
    }
  }

  @Test("100,000 random blobs do no harm (UTIL-08)")
  func randomBlobs() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<100_000 {
      var bytes = [UInt8](repeating: 0, count: random.int(0...40))
      for index in bytes.indices { bytes[index] = UInt8.random(in: 0...255, using: &random) }
      if bytes.count > 1, random.oneIn(2) {
        bytes[0] = [1, 2, 10][random.int(0...2)]
        bytes[1] = 0
      }
      let blob = Data(bytes)
      let host = GCDAsyncSocket.host(fromAddress: blob)
      let isDecoded = GCDAsyncSocket.getHost(nil, port: nil, fromAddress: blob)
      guard (host != nil) == isDecoded,
        !isDecoded || GCDAsyncSocket.isIPv4Address(blob) != GCDAsyncSocket.isIPv6Address(blob),
        isDecoded || GCDAsyncSocket.port(fromAddress: blob) == 0
      else {
        Issue.record("the helpers disagree about \(bytes)")
        return
      }
    }
  }

  @Test("connectToAddress takes exactly a sockaddr_in or sockaddr_in6 (CON-31)")
  func exactAddresses() throws {
    let delegate = RecorderDelegate()
    let socket = GCDAsyncSocket(delegate: delegate, delegateQueue: DispatchQueue(label: "delegate"))
    let blobs = [0, 1, 15, 27, 29, 32].map { count in
      Array((count < 20 ? Self.ipv4 : Self.ipv6).prefix(count)) + [UInt8](repeating: 0, count: max(0, count - 28))
    }
    for blob in blobs + [[1, 0] + [UInt8](repeating: 97, count: 14), Self.ipv4 + [0]] {
      let error = #expect(throws: (any Error).self) { try socket.connect(toAddress: Data(blob)) }
      #expect((error as? GCDAsyncSocketError)?.code == .badParamError, "\(blob.count) bytes")
    }
    #expect(socket.isDisconnected && delegate.occurrences.isEmpty)
  }

  @Test("lookupHost: loopback names, literals, and names that are none (UTIL-07, ERR-06)")
  func lookingUp() throws {
    for name in ["localhost", "loopback"] {
      let found = try GCDAsyncSocket.lookupHost(name, port: 8080).compactMap { $0 as? Data }
      #expect(found.map { GCDAsyncSocket.host(fromAddress: $0) } == ["127.0.0.1", "::1"])
      #expect(found.allSatisfy { GCDAsyncSocket.port(fromAddress: $0) == 8080 })
    }
    for literal in ["10.1.2.3", "2001:db8::7"] {
      let found = try GCDAsyncSocket.lookupHost(literal, port: 1).compactMap { $0 as? Data }
      #expect(found.map { GCDAsyncSocket.host(fromAddress: $0) } == [literal])
      #expect(found.map { GCDAsyncSocket.port(fromAddress: $0) } == [1])
    }
    // Ill-formed names need no network to be turned down.
    for name in ["a name with spaces", "..", String(repeating: "x", count: 300)] {
      let error = #expect(throws: (any Error).self) { try GCDAsyncSocket.lookupHost(name, port: 1) }
      let recorded = RecordedError(try #require(error))
      #expect(recorded.domain == "kCFStreamErrorDomainNetDB" && recorded.code < 0)
      #expect(recorded.text.contains(String(cString: gai_strerror(Int32(recorded.code)))), "\(recorded)")
    }
  }
}
