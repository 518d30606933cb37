import FuzzHarness
import Glibc
import SocketCore
import SocketPOSIX
import SocketValues

/// Raw socket addresses of any length. They are handed over in memory of exactly their size, so that AddressSanitizer
/// sees a read behind it.
struct RawCheck {
  let code: AddressCode

  init(_ code: AddressCode) { self.code = code }

  func check(_ bytes: [UInt8]) -> Violation? {
    let family = bytes.count >= 2 ? Int32(bytes[0]) | Int32(bytes[1]) << 8 : -1
    let size: Int? =
      switch family {
      case AF_INET: bytes.count >= 16 ? 16 : nil
      case AF_INET6: bytes.count >= 28 ? 28 : nil
      default: nil
      }
    if let violation = checkDecoded(bytes, size: size) { return violation }
    let rawSize = family == AF_UNIX ? min(bytes.count, MemoryLayout<sockaddr_un>.size) : size
    return checkRaw(bytes, family: family, size: rawSize)
  }

  private func checkDecoded(_ bytes: [UInt8], size: Int?) -> Violation? {
    let address = code.decoded(bytes)
    guard let size else {
      return address == nil ? nil : violation("\(bytes.count) bytes of no IP address are taken for one")
    }
    guard let address, address.bytes == Array(bytes[..<size]) else {
      return violation("an address of \(size) bytes is not read from \(bytes.count)")
    }
    let octets = Array(size == 16 ? bytes[4..<8] : bytes[8..<24])
    guard address.port == UInt16(bytes[2]) << 8 | UInt16(bytes[3]) else { return violation("port \(address.port)") }
    guard address.host == CLibrary.text(octets) else {
      return Violation("address/text", "\(address.host) is printed for \(CLibrary.text(octets))")
    }
    if size == 28, let violation = NumericHostCheck(code).checkText(octets) { return violation }
    guard SocketAddress(numeric: address.host, port: address.port) == bare(octets, address.port) else {
      return Violation("address/text", "\(address.host) does not read as what it was printed for")
    }
    let moved = address.with(port: 0x1234)
    guard moved.port == 0x1234, moved.with(port: address.port) == address else {
      return violation("changing the port changes more than it")
    }
    return nil
  }

  private func bare(_ octets: [UInt8], _ port: UInt16) -> SocketAddress {
    octets.count == 4 ? SocketAddress(ipv4: octets, port: port) : SocketAddress(ipv6: octets, port: port)
  }

  private func checkRaw(_ bytes: [UInt8], family: Int32, size: Int?) -> Violation? {
    let address = code.raw(bytes)
    guard let size else {
      return address == nil ? nil : violation("\(bytes.count) bytes of no known family are taken for an address")
    }
    guard let address, address.bytes == Array(bytes[..<size]), address.family == family else {
      return violation("an address of \(size) bytes and family \(family) is not read from \(bytes.count)")
    }
    let isWhole = address.withSockaddr { pointer, length in
      Int(length) == size && memcmp(pointer, address.bytes, size) == 0
    }
    guard isWhole else { return violation("the kernel would be shown another address") }
    guard address.withPort(address.port) == address else { return violation("the same port changes the address") }
    if family == AF_UNIX {
      let path = bytes[2..<size].prefix { $0 != 0 }
      let wanted = path.isEmpty ? nil : String(validating: path, as: UTF8.self)
      guard address.unixPath == wanted, address.ip == nil else {
        return violation("a path of \(path.count) bytes reads as \(address.unixPath?.utf8.count ?? 0)")
      }
    } else {
      let octets = family == AF_INET ? bytes[4..<8] : bytes[8..<24]
      guard address.ip?.host == CLibrary.text(octets), address.unixPath == nil else {
        return Violation("address/text", "\(address.ip?.host ?? "nothing") for \(CLibrary.text(octets))")
      }
    }
    return nil
  }

  func check(path: String) -> Violation? {
    let text = Array(path.utf8)
    let fits = !text.isEmpty && text.count <= 107 && !text.contains(0)
    let address = RawAddress.unix(path)
    guard (address != nil) == fits else {
      return Violation("address/path", "a path of \(text.count) bytes is \(fits ? "refused" : "taken")")
    }
    guard let address else { return nil }
    guard address.unixPath.map({ Array($0.utf8) }) == text, code.raw(address.bytes) == address else {
      return Violation("address/path", "a path of \(text.count) bytes does not read the same")
    }
    return nil
  }

  private func violation(_ detail: String) -> Violation { Violation("address/raw", detail) }
}
