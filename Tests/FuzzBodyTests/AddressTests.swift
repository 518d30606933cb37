import FuzzHarness
import SocketCore
import SocketPOSIX
import SocketValues
import Testing

@testable import AddressFuzzing

/// The addresses' body lets right code pass and tells wrong code.
@Suite struct AddressTests {
  static let inputs: [[UInt8]] =
    [
      "h127.0.0.1", "l127.0.0.1", "h1.2.3.04", "h1.2.3.256", "h::", "h::1", "l2001:db8::1", "h1:2:3:4:5:6:7:8",
      "h1:0:0:2:0:0:0:3", "h::ffff:1.2.3.4", "h::1.2.3.4", "h:::", "h1::2::3", "hfe80::1%lo", "h1:2:3:4:5:6:7",
      "i", "ilo", "ilo:80", "ie0:65535", "ie0:65536", "i[::1]:80", "i[fe80::1]", "i[]", "i192.0.2.2:1", "i192.0.2.3",
      "i127.9.9.9", "i::", "ilocalhost:7", "ie\u{301}:9", "ie\u{341}", "s/tmp/socket", "s",
      "s" + String(repeating: "p", count: 107), "s" + String(repeating: "p", count: 108),
    ].map { Array($0.utf8) } + [
      [0x72], [0x72, 2], [0x72, 2, 0], Array("r".utf8) + [2, 0, 0, 80, 127, 0, 0, 1] + zeros(8),
      Array("r".utf8) + [2, 0, 0, 80, 127, 0, 0, 1] + zeros(7),
      Array("r".utf8) + [10, 0, 1, 2] + zeros(19) + [1] + zeros(4),
      Array("r".utf8) + [10, 0, 1, 2] + zeros(23), Array("r".utf8) + [1, 0] + Array("/tmp/x".utf8),
      Array("r".utf8) + [1, 0] + zeros(200), Array("r".utf8) + [16, 0] + zeros(20), Array("h1\u{0}".utf8),
      [0x68, 0xFF, 0x3A],
    ]

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  @Test(arguments: inputs) func passes(_ input: [UInt8]) {
    #expect(input.withUnsafeBytes { AddressFuzzing.body($0) } == nil)
  }

  @Test func anythingIsAnInput() {
    for input in ManyInputs.short {
      #expect(input.withUnsafeBytes { AddressFuzzing.body($0) } == nil, "\(input)")
    }
  }

  @Test(arguments: AddressFuzzing.Kind.allCases) func lettersNameTheirKinds(_ kind: AddressFuzzing.Kind) {
    #expect(AddressFuzzing.Kind(kind.letter) == kind)
  }

  @Test func tellsWhatIsWrong() {
    // Leading zeros are taken.
    var lax = AddressCode()
    lax.ipv4 = { text in
      let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
      return parts.count == 4 && !parts.contains(nil) ? parts.compactMap(\.self) : nil
    }
    #expect(Self.laws(lax) == ["address/host"])
    // The first run of zeros instead of the longest.
    var hasty = AddressCode()
    hasty.ipv6Text = { $0[2...3] == [0, 0] ? "1::2:0:0:0:3" : NumericHost.text(ipv6: $0) }
    #expect(Self.laws(hasty).contains("address/text"))
    // Too short a blob is filled up.
    var generous = AddressCode()
    generous.decoded = { SocketAddress(decoding: $0.count >= 8 ? $0 + Self.zeros(28) : $0) }
    #expect(Self.laws(generous) == ["address/raw"])
    // What is behind an address is kept.
    var greedy = AddressCode()
    greedy.raw = { $0.count > 20 ? nil : RawAddress(bytes: $0) }
    #expect(Self.laws(greedy).contains("address/raw"))
    // The port counts before it is known to be one.
    var trusting = AddressCode()
    trusting.local = { spec, port, interfaces in
      let short = spec.hasSuffix("65536") ? String(spec.dropLast()) : spec
      return InterfaceSpec.addresses(for: short, port: port) { interfaces }
    }
    #expect(Self.laws(trusting) == ["address/interface"])
  }

  private static func laws(_ code: AddressCode) -> Set<String> {
    Set(inputs.compactMap { $0.withUnsafeBytes { AddressFuzzing.check($0, code) }?.invariant })
  }
}
