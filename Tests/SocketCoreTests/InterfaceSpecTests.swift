import SocketCore
import SocketValues
import Testing

@Suite("Interface argument")
struct InterfaceSpecTests {
  static let linkLocal: [UInt8] = [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [7]

  static let host: [InterfaceAddress] = [
    InterfaceAddress(name: "lo", address: .loopback(.ipv4, port: 0)),
    InterfaceAddress(name: "lo", address: .loopback(.ipv6, port: 0)),
    InterfaceAddress(name: "eth0", address: SocketAddress(ipv4: [192, 0, 2, 7], port: 0)),
    InterfaceAddress(name: "eth0", address: SocketAddress(ipv4: [192, 0, 2, 8], port: 0)),
    InterfaceAddress(name: "lo:1", address: SocketAddress(ipv4: [127, 0, 0, 9], port: 0)),
    InterfaceAddress(name: "tun6", address: SocketAddress(ipv6: linkLocal, port: 0, scope: 3)),
    InterfaceAddress(name: "tun7", address: SocketAddress(ipv6: linkLocal, port: 0, scope: 0x0102)),
  ]

  struct Row: CustomTestStringConvertible, Sendable {
    var spec: String?
    var port: UInt16 = 0
    /// "host:port" by family; nil: the interface can't be found.
    var ipv4: String?
    var ipv6: String?
    var isUnknown = false
    var testDescription: String { "\(spec ?? "nil"), port \(port)" }

    init(_ spec: String?, port: UInt16 = 0, v4 ipv4: String? = nil, v6 ipv6: String? = nil) {
      self.spec = spec
      self.port = port
      self.ipv4 = ipv4
      self.ipv6 = ipv6
      isUnknown = ipv4 == nil && ipv6 == nil
    }
  }

  static let rows: [Row] = [
    // ACC-11
    Row(nil, port: 80, v4: "0.0.0.0 80", v6: ":: 80"),
    Row("", port: 80, v4: "0.0.0.0 80", v6: ":: 80"),
    // ACC-10
    Row("localhost", port: 80, v4: "127.0.0.1 80", v6: "::1 80"),
    Row("loopback", port: 80, v4: "127.0.0.1 80", v6: "::1 80"),
    // ACC-08, ACC-12
    Row("lo", port: 80, v4: "127.0.0.1 80", v6: "::1 80"),
    Row("eth0", port: 80, v4: "192.0.2.7 80"),
    Row("tun6", port: 80, v6: "fe80::7 80"),
    Row("nosuch0", port: 80),
    Row("LO", port: 80),
    Row(" ", port: 80),
    // ACC-09
    Row("127.0.0.1", port: 80, v4: "127.0.0.1 80"),
    Row("127.0.0.2", port: 80, v4: "127.0.0.2 80"),
    Row("192.0.2.8", port: 80, v4: "192.0.2.8 80"),
    Row("192.0.2.9", port: 80),
    Row("0.0.0.0", port: 80, v4: "0.0.0.0 80"),
    // ACC-15: an IPv6 literal is never "everything before the first colon".
    Row("::1", port: 80, v6: "::1 80"),
    Row("::1", v6: "::1 0"),
    Row("0:0:0:0:0:0:0:1", port: 80, v6: "::1 80"),
    Row("::", port: 80, v6: ":: 80"),
    Row("fe80::7", port: 80, v6: "fe80::7 80"),
    Row("fe80::8", port: 80),
    Row("fe80::7%tun7", port: 80, v6: "fe80::7 80"),
    Row("fe80::7%3", port: 80, v6: "fe80::7 80"),
    Row("[fe80::7%tun7]:9000", v6: "fe80::7 9000"),
    Row("fe80::7%lo", port: 80),
    Row("fe80::7%03", port: 80),
    Row("fe80::7%", port: 80),
    Row("fe80::8%tun7", port: 80),
    Row("::%lo", port: 80),
    Row("::1%lo", port: 80, v6: "::1 80"),
    Row("127.0.0.1%lo", port: 80),
    Row("%tun6", port: 80),
    Row("2001:db8::1", port: 80),
    Row("::1:80", port: 0),
    Row("lo::80", port: 0),
    Row("::ffff:127.0.0.1", port: 80),
    // ACC-14, CON-26
    Row("lo:9000", v4: "127.0.0.1 9000", v6: "::1 9000"),
    Row("lo:9000", port: 9001, v4: "127.0.0.1 9001", v6: "::1 9001"),
    Row("192.0.2.7:9000", v4: "192.0.2.7 9000"),
    Row("localhost:9000", v4: "127.0.0.1 9000", v6: "::1 9000"),
    Row(":45001", v4: "0.0.0.0 45001", v6: ":: 45001"),
    Row(":65535", v4: "0.0.0.0 65535", v6: ":: 65535"),
    Row("lo:", v4: "127.0.0.1 0", v6: "::1 0"),
    // The label of an alias is a name as a whole; other numbers are ports.
    Row("lo:1", port: 80, v4: "127.0.0.9 80"),
    Row("lo:1", v4: "127.0.0.9 0"),
    Row("[lo:1]:9000", v4: "127.0.0.9 9000"),
    Row("lo:11", v4: "127.0.0.1 11", v6: "::1 11"),
    Row(":65536"),
    Row("lo:-1"),
    Row("lo:+80"),
    Row("lo:80x"),
    Row("lo: 80"),
    Row("lo:٣"),
    // As C strings, interfaces end at their first zero.
    Row("localhost\0\0", port: 80, v4: "127.0.0.1 80", v6: "::1 80"),
    Row("lo:9000\0", v4: "127.0.0.1 9000", v6: "::1 9000"),
    Row("::1\0:80", port: 80, v6: "::1 80"),
    Row("\0lo", port: 80, v4: "0.0.0.0 80", v6: ":: 80"),
    Row("nosuch0\0", port: 80),
    // Brackets
    Row("[::1]", port: 80, v6: "::1 80"),
    Row("[::1]:9000", v6: "::1 9000"),
    Row("[::1]:9000", port: 80, v6: "::1 80"),
    Row("[::1]:", v6: "::1 0"),
    Row("[::1"),
    Row("[::1]9000"),
    Row("[::1]]:9000"),
    Row("[]:9000"),
    Row("[]"),
    Row("]"),
  ]

  @Test("stands for the right addresses, or for none (ACC-08)", arguments: rows)
  func table(row: Row) {
    let found = InterfaceSpec.addresses(for: row.spec, port: row.port) { Self.host }
    #expect((found == nil) == row.isUnknown)
    #expect(found?.ipv4.map { "\($0.host) \($0.port)" } == row.ipv4)
    #expect(found?.ipv6.map { "\($0.host) \($0.port)" } == row.ipv6)
  }

  @Test(
    "keeps the scope of a link-local address, which several interfaces may have",
    arguments: [
      ("tun6", 3), ("fe80::7", 3), ("[fe80::7]:9", 3), ("tun7", 258), ("fe80::7%tun7", 258), ("fe80::7%258", 258),
      ("[fe80::7%tun7]:9", 258), ("fe80::7%tun6", 3), ("fe80::7%3", 3),
    ])
  func scope(spec: String, scope: UInt32) {
    let found = InterfaceSpec.addresses(for: spec, port: 0) { Self.host }
    #expect(found?.ipv6?.scope == scope)
  }

  @Test("asks for the interfaces only when it needs them", arguments: [nil, "", "localhost", ":80"])
  func laziness(spec: String?) {
    _ = InterfaceSpec.addresses(for: spec, port: 0) {
      Issue.record("not needed")
      return []
    }
  }

  struct FamilyRow: CustomTestStringConvertible, Sendable {
    var spec: String?
    var errno: Int32
    var goesOn: Bool
    var ipv4 = true
    var testDescription: String { "\(spec ?? "nil"), errno \(errno), IPv4 \(ipv4)" }
  }

  /// 97: no such family; 99: no such address; 98: in use; 13: not permitted.
  static let familyRows: [FamilyRow] =
    [nil, "localhost", "loopback"].map { FamilyRow(spec: $0, errno: 97, goesOn: true) }
    + [
      FamilyRow(spec: "localhost", errno: 99, goesOn: true), FamilyRow(spec: "loopback:80", errno: 99, goesOn: true),
      FamilyRow(spec: "localhost", errno: 99, goesOn: false, ipv4: false),
      FamilyRow(spec: "localhost", errno: 97, goesOn: false, ipv4: false),
      FamilyRow(spec: "localhost", errno: 98, goesOn: false), FamilyRow(spec: "localhost", errno: 13, goesOn: false),
      FamilyRow(spec: nil, errno: 98, goesOn: false), FamilyRow(spec: nil, errno: 99, goesOn: false),
      FamilyRow(spec: "::1", errno: 99, goesOn: false), FamilyRow(spec: "::1", errno: 97, goesOn: false),
      FamilyRow(spec: "::", errno: 97, goesOn: false), FamilyRow(spec: "tun6", errno: 99, goesOn: false),
      FamilyRow(spec: "both0", errno: 99, goesOn: false), FamilyRow(spec: "both0", errno: 97, goesOn: false),
    ]

  /// Of interfaces that the system does not list nothing can be said: that they are unknown, least of all (ACC-12).
  @Test(
    "ERR-04: when the interfaces can't be listed, the failure is the system's",
    arguments: [
      ("eth0", true), ("192.0.2.7", true), ("lo:1", true), ("2001:db8::1", true), (nil, false), ("", false),
      ("localhost", false), ("[]", false), ("::1", true), ("[::1]:80", true), ("127.0.0.1:80", false),
      ("0.0.0.0", false), ("::", false),
    ] as [(String?, Bool)])
  func unlisted(spec: String?, needsList: Bool) {
    let failure = SocketFailure.posix(code: 24, call: "getifaddrs")
    var thrown: SocketFailure?
    do throws(SocketFailure) {
      _ = try InterfaceSpec.addresses(for: spec, port: 0) { () throws(SocketFailure) in throw failure }
    } catch { thrown = error }
    #expect(thrown == (needsList ? failure : nil))
  }

  @Test("ACC-04, ACC-10: what is listened on without IPv6", arguments: familyRows)
  func withoutIPv6(row: FamilyRow) throws {
    let both = [
      InterfaceAddress(name: "both0", address: SocketAddress(ipv4: [192, 0, 2, 9], port: 0)),
      InterfaceAddress(name: "both0", address: SocketAddress(ipv6: Self.linkLocal, port: 0, scope: 4)),
    ]
    var addresses = try #require(InterfaceSpec.addresses(for: row.spec, port: 0) { Self.host + both })
    if !row.ipv4 { addresses.ipv4 = nil }
    #expect(addresses.mayDoWithoutIPv6(row.errno) == row.goesOn)
  }
}
