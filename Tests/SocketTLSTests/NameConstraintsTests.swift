import COpenSSL
import SocketCore
import Testing

@testable import SocketTLS

/// What an authority may sign for (TLS-44).
@Suite struct NameConstraintsTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let subtree: [UInt8]
    let name: String
    let isInside: Bool
    let testDescription: String

    init(_ subtree: String, _ name: String, _ isInside: Bool) {
      (self.subtree, self.name, self.isInside) = (Array(subtree.utf8), name, isInside)
      testDescription = "\(subtree): \(name)"
    }

    init(_ network: [UInt8], mask: [UInt8], _ name: String, _ isInside: Bool) {
      (subtree, self.name, self.isInside) = (network + mask, name, isInside)
      testDescription = "\(network)/\(mask): \(name)"
    }
  }

  static let hosts: [Row] = [
    Row("good.example", "good.example", true),
    Row("good.example", "a.good.example", true),
    Row("good.example", "a.b.good.example", true),
    Row("good.example", "evilgood.example", false),
    Row("good.example", "evil-good.example", false),
    Row("good.example", "example", false),
    Row("good.example", "good.example.evil", false),
    Row("GOOD.Example", "a.good.example", true),
    Row(".good.example", "good.example", false),
    Row(".good.example", "a.good.example", true),
    Row(".good.example", "evilgood.example", false),
    Row("", "good.example", true),
    // An address is no host.
    Row("192.0.2.1", "192.0.2.1", false),
  ]

  static let ten: [UInt8] = [10, 0, 0, 0]
  static let documentation: [UInt8] = [0x20, 0x01, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 12)
  static func ones(_ count: Int, of size: Int) -> [UInt8] {
    [UInt8](repeating: 0xFF, count: count) + [UInt8](repeating: 0, count: size - count)
  }

  static let addresses: [Row] = [
    Row(ten, mask: ones(1, of: 4), "10.0.0.0", true),
    Row(ten, mask: ones(1, of: 4), "10.9.9.9", true),
    Row(ten, mask: ones(1, of: 4), "11.0.0.1", false),
    Row([172, 16, 0, 0], mask: [255, 240, 0, 0], "172.31.255.255", true),
    Row([172, 16, 0, 0], mask: [255, 240, 0, 0], "172.32.0.0", false),
    Row([10, 0, 0, 1], mask: ones(4, of: 4), "10.0.0.1", true),
    Row([10, 0, 0, 1], mask: ones(4, of: 4), "10.0.0.2", false),
    Row(ten, mask: ones(0, of: 4), "192.0.2.1", true),
    Row(documentation, mask: ones(8, of: 16), "2001:db8::9:9:9:9", true),
    Row(documentation, mask: ones(8, of: 16), "2001:db8:0:1::1", false),
    // One family says nothing about the other, nor about hosts.
    Row(ten, mask: ones(0, of: 4), "2001:db8::1", false),
    Row(documentation, mask: ones(0, of: 16), "10.0.0.1", false),
  ]

  @Test(
    "a name is inside of a constraint, or not, label by label and bit by bit (TLS-44)", arguments: hosts + addresses)
  func contains(_ row: Row) throws {
    #expect(NameConstraints.contains(row.subtree, try PeerName(row.name)) == row.isInside)
  }

  @Test("a root's constraints count for the name that was asked for, too, behind a wildcard (TLS-44)")
  func constrainedRoot() throws {
    let root = Mint.make(
      "Constrained Root", ca: true,
      extensions: [(NID_name_constraints, "critical,excluded;DNS:bar.example.com")])
    for issuer in [root, Mint.make("Below", by: root, ca: true)] {
      let leaf = Mint.make("x", by: issuer, names: "DNS:*.example.com")
      for (name, code) in [("foo.example.com", 0), ("bar.example.com", -9807)] as [(String, Int32)] {
        let pair = try SessionPair(
          SessionPair.clientSettings { ($0.peerName, $0.anchors) = (name, [root.tls]) },
          try SessionPair.serverSettings { $0.identity = try leaf.identity })
        let client = pair.run().client
        #expect(client.code ?? 0 == code, "\(name): \(client)")
        if code != 0 { #expect(client.failure?.text.contains("name constraints") == true, "\(client)") }
      }
    }
  }
}
