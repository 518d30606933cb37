import Glibc
import SocketValues
import TestSupport
import Testing

/// The C library is the oracle in both directions.
@Suite("Numeric hosts")
struct NumericHostTests {
  static func pton(_ family: Int32, _ text: String) -> [UInt8]? {
    // A C string ends at its first zero; no address has one.
    guard !text.utf8.contains(0) else { return nil }
    var octets = [UInt8](repeating: 0, count: 16)
    guard inet_pton(family, text, &octets) == 1 else { return nil }
    return Array(octets[..<(family == AF_INET ? 4 : 16)])
  }

  static func ntop(_ octets: [UInt8]) -> String {
    var text = [CChar](repeating: 0, count: 64)
    let family = octets.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, octets, &text, 64) != nil else { return "" }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  static func check(_ text: String) {
    for (name, mine, expected) in [
      ("IPv4", NumericHost.ipv4(text), pton(AF_INET, text)), ("IPv6", NumericHost.ipv6(text), pton(AF_INET6, text)),
    ] where mine != expected {
      Issue.record("\(name): \(text.debugDescription) read as \(mine as Any), not \(expected as Any)")
    }
  }

  static let texts: [String] = [
    "", ".", "...", "....", "1", "1.2.3", "1.2.3.4", "1.2.3.4.", ".1.2.3.4", "1..3.4", "1.2.3.4.5", "0.0.0.0",
    "255.255.255.255", "256.1.1.1", "1.2.3.999", "01.2.3.4", "1.2.3.00", "1.2.3.0", "1.2.3.0x4", "1.2.3.-4", "+1.2.3.4",
    " 1.2.3.4", "1.2.3.4 ", "1.2.3.4\n", "1.2.3.4\0", "１.2.3.4", "1。2。3。4", "1.2.3.0004", "127.1", "2130706433",
    ":", "::", ":::", "::::", "1::", "::1", "1::1", "::1::", "1::2::3", ":1", "1:", ":1::", "::1:", "1:::2",
    "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1::3:4:5:6:7:8",
    "1:2:3:4::5:6:7:8", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "12345::", "::fffff", "::g", "::FFFF", "::aBcD",
    "::1.2.3.4", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5:1.2.3.4", "::1.2.3",
    "1.2.3.4::", "1.2.3.4:5::", "::1.2.3.4:5", "::1.2.3.256", "::01.2.3.4", "::1.2.3.4.", "0:0:0:0:0:0:0:0",
    "::0001", "::00001", "fe80::1%lo", "[::1]", "::1%", "::-1", "::+1", ":: 1", "::1 ", "::1\0", "::１", "1:2",
    "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255", "0ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255",
    "a\u{301}::", ":\u{301}:", "::1\u{200D}", "\u{FEFF}::1", "::\r\n", "1\u{2024}2\u{2024}3\u{2024}4",
  ]

  @Test("reads what inet_pton reads", arguments: texts)
  func table(text: String) { Self.check(text) }

  @Test("reads random and hostile texts like inet_pton", arguments: 0..<6)
  func randomTexts(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let alphabets = ["0123456789.", "01289af:", ":.0f1", "0123456789abcdefABCDEF:.", ": .%[]gx\0\n٣é"].map(Array.init)
    for _ in 0..<6000 {
      var characters: [Character]
      if random.oneIn(2) {
        // A valid address with some damage.
        characters = Array(Self.ntop(Self.octets(&random)))
        for _ in 0..<random.int(0...3) { Self.damage(&characters, alphabets[4], &random) }
      } else {
        let alphabet = alphabets[random.int(0...4)]
        characters = (0..<random.int(0...24)).map { _ in alphabet[random.int(0...(alphabet.count - 1))] }
      }
      Self.check(String(characters))
    }
  }

  static func damage(_ text: inout [Character], _ alphabet: [Character], _ random: inout SeededGenerator) {
    let place = random.int(0...text.count)
    switch random.int(0...3) {
    case 0: text.insert(alphabet[random.int(0...(alphabet.count - 1))], at: place)
    case 1: if place < text.count { text.remove(at: place) }
    case 2: if place < text.count { text.insert(text[place], at: place) }
    default: text.insert(":", at: place)
    }
  }

  /// Addresses with many zero groups, mapped and compatible IPv4 addresses, and plain IPv4.
  static func octets(_ random: inout SeededGenerator) -> [UInt8] {
    if random.oneIn(4) { return random.bytes(4, from: [0, 1, 9, 10, 99, 100, 255]) }
    var octets: [UInt8] = []
    for _ in 0..<8 { octets += random.oneIn(2) ? [0, 0] : random.bytes(2, from: [0, 1, 15, 16, 255]) }
    switch random.int(0...5) {
    case 0: octets.replaceSubrange(0..<12, with: [UInt8](repeating: 0, count: 10) + [255, 255])
    case 1: octets.replaceSubrange(0..<12, with: [UInt8](repeating: 0, count: 12))
    default: break
    }
    return octets
  }

  @Test("writes what inet_ntop writes, and reads it back", arguments: 0..<4)
  func writes(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed) &+ 77)
    for _ in 0..<5000 {
      let octets = Self.octets(&random)
      let address = octets.count == 4 ? SocketAddress(ipv4: octets, port: 0) : SocketAddress(ipv6: octets, port: 0)
      guard address.host == Self.ntop(octets), SocketAddress(numeric: address.host, port: 0) == address else {
        Issue.record("\(octets) written as \(address.host), not \(Self.ntop(octets))")
        return
      }
    }
  }
}
