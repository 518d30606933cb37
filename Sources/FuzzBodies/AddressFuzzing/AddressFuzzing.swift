import FuzzHarness
import Glibc
import SocketCore
import SocketPOSIX
import SocketValues

/// What reads and writes addresses: the code under test, or a double that proves an oracle can fail.
package struct AddressCode: Sendable {
  package var ipv4: @Sendable (String) -> [UInt8]? = { NumericHost.ipv4($0) }
  package var ipv6: @Sendable (String) -> [UInt8]? = { NumericHost.ipv6($0) }
  package var ipv6Text: @Sendable ([UInt8]) -> String = { NumericHost.text(ipv6: $0) }
  package var decoded: @Sendable ([UInt8]) -> SocketAddress? = { SocketAddress(decoding: $0) }
  package var raw: @Sendable ([UInt8]) -> RawAddress? = { RawAddress(bytes: $0) }
  package var local: @Sendable (String, UInt16, [InterfaceAddress]) -> LocalAddresses? = { spec, port, interfaces in
    InterfaceSpec.addresses(for: spec, port: port) { interfaces }
  }

  package init() {}
}

/// Addresses as text and as raw bytes, held against the C library.
///
/// The input's first byte says what the rest is: `h` a numeric host, `i` an interface argument, `r` a raw sockaddr, `s`
/// the path of a local socket; every other byte means one of these, too.
///
/// Laws
/// - `address/host`: a numeric host is what `inet_pton` reads, and nothing else is.
/// - `address/text`: it prints as `inet_ntop` prints it, and that reads the same.
/// - `address/raw`: a raw sockaddr is read by its length and family, and no byte behind it counts.
/// - `address/interface`: an interface argument means what the grammar of ACC-08…ACC-15 says.
/// - `address/path`: a local path that fits is written whole and reads the same; no other is taken.
package enum AddressFuzzing {
  package static let body: FuzzBody = {
    let code = AddressCode()
    return { check($0, code) }
  }()

  package enum Kind: UInt8, CaseIterable, Sendable {
    case host = 0, interface, raw, path

    /// The letter that means it.
    package var letter: UInt8 { UInt8(ascii: "h") + [0, 1, 10, 11][Int(rawValue)] }

    package init(_ byte: UInt8) {
      // The letters' last two bits happen to count.
      self = Kind(rawValue: byte & 3) ?? .host
    }
  }

  package static func check(_ bytes: UnsafeRawBufferPointer, _ code: AddressCode) -> Violation? {
    guard let first = bytes.first else { return nil }
    let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    switch Kind(first) {
    // The resolver is slow: one letter in two asks it as well.
    case .host: return NumericHostCheck(code).check(String(decoding: rest, as: UTF8.self), asksResolver: first & 4 != 0)
    case .interface: return InterfaceCheck(code).check(String(decoding: rest, as: UTF8.self), port: first >> 4)
    case .raw: return RawCheck(code).check(Array(rest))
    case .path: return RawCheck(code).check(path: String(decoding: rest, as: UTF8.self))
    }
  }
}
