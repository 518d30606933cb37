import Glibc

/// A socket address, byte for byte as the kernel takes it.
///
/// Layout on Linux: two bytes of family in host order; for IP two bytes of port, big endian, then for IPv4 four bytes
/// of address and eight of padding (16 in all), for IPv6 four of flow, sixteen of address and four of scope in host
/// order (28 in all); for a local socket the path (2 to 110 bytes in all).
package struct RawAddress: Hashable, Sendable {
  /// The whole sockaddr: 16 bytes for IPv4, 28 for IPv6, 2 to 110 for a local socket.
  package let bytes: [UInt8]

  /// Room for a local path with its terminating zero.
  static let pathLimit = MemoryLayout<sockaddr_un>.size - 2

  /// Reads an address from a blob. IPv4 and IPv6 are cut to their size; nil when the blob is too short for its family
  /// or has another family.
  package init?(bytes: [UInt8]) {
    guard bytes.count >= 2 else { return nil }
    let limit: Int
    switch Self.family(of: bytes) {
    case AF_INET:
      limit = MemoryLayout<sockaddr_in>.size
      guard bytes.count >= limit else { return nil }
    case AF_INET6:
      limit = MemoryLayout<sockaddr_in6>.size
      guard bytes.count >= limit else { return nil }
    case AF_UNIX:
      limit = MemoryLayout<sockaddr_un>.size
    default:
      return nil
    }
    self.bytes = bytes.count > limit ? Array(bytes[..<limit]) : bytes
  }

  /// Copies what the kernel wrote.
  init?(_ pointer: UnsafePointer<sockaddr>, length: Int) {
    self.init(bytes: Array(UnsafeRawBufferPointer(start: pointer, count: length)))
  }

  /// Lets the kernel write an address: `body` fills the storage, sets its length and tells whether it did.
  static func reading(_ body: (UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Bool) -> RawAddress? {
    var storage = sockaddr_storage()
    let capacity = MemoryLayout<sockaddr_storage>.size
    return withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        var length = socklen_t(capacity)
        guard body(address, &length) else { return nil }
        return RawAddress(UnsafePointer(address), length: min(Int(length), capacity))
      }
    }
  }

  /// AF_INET, AF_INET6 or AF_UNIX.
  package var family: Int32 {
    Self.family(of: bytes)
  }

  /// The port in host order; 0 for a local socket.
  package var port: UInt16 {
    guard family != AF_UNIX else { return 0 }
    return UInt16(bytes[2]) << 8 | UInt16(bytes[3])
  }

  /// The 4 or 16 bytes of the IP address, in network order; nil for a local socket.
  package var hostBytes: [UInt8]? {
    switch family {
    case AF_INET: Array(bytes[4..<8])
    case AF_INET6: Array(bytes[8..<24])
    default: nil
    }
  }

  /// The same address with another port; a local socket has none and stays as it is.
  package func withPort(_ port: UInt16) -> RawAddress {
    guard family != AF_UNIX else { return self }
    var copy = bytes
    copy[2] = UInt8(port >> 8)
    copy[3] = UInt8(port & 0xFF)
    return RawAddress(unchecked: copy)
  }

  /// Hands the address to a system call; the pointer is aligned, and valid only inside `body`.
  package func withSockaddr<Result, Failure: Error>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var storage = sockaddr_storage()
    withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: bytes) }
    return try withUnsafePointer(to: storage) { pointer throws(Failure) -> Result in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address throws(Failure) -> Result in
        try body(address, socklen_t(bytes.count))
      }
    }
  }

  /// Bytes that were built here and are known to be whole.
  init(unchecked bytes: [UInt8]) {
    self.bytes = bytes
  }

  private static func family(of bytes: [UInt8]) -> Int32 {
    Int32(bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt16.self) })
  }
}
