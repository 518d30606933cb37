import Glibc

/// A system call that failed in a test's own socket.
package struct POSIXFailure: Error, CustomStringConvertible {
  package let call: String
  /// The errno.
  package let code: Int32
  package var description: String { "\(call): \(String(cString: strerror(code)))" }
}

@discardableResult
func posix<Value: BinaryInteger>(_ call: String, _ value: Value) throws -> Value {
  guard value >= 0 else { throw POSIXFailure(call: call, code: errno) }
  return value
}

/// A listening socket of the C library's, on a loopback address or a path.
package final class RawListener: Sendable {
  private let descriptor: Int32
  /// Where it listens.
  package let port: UInt16

  /// Binds, and listens with this backlog; with none it only holds the port.
  package init(
    port: UInt16 = 0, family: RawFamily = .ipv4, onAnyAddress: Bool = false, backlog: Int32? = 64
  ) throws {
    let descriptor = try posix("socket", RawSocket.open(family == .ipv4 ? AF_INET : AF_INET6))
    self.descriptor = descriptor
    if family == .ipv6 {
      var one: Int32 = 1
      setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &one, socklen_t(MemoryLayout<Int32>.size))
    }
    do {
      try posix(
        "bind",
        RawSocket.withLoopback(family, port: port, any: onAnyAddress) { Glibc.bind(descriptor, $0, $1) })
      if let backlog { try posix("listen", Glibc.listen(descriptor, backlog)) }
    } catch {
      Glibc.close(descriptor)
      throw error
    }
    self.port = RawSocket.localPort(descriptor)
  }

  /// Listens on a Unix-domain path; the file stays.
  package init(path: String, backlog: Int32 = 64) throws {
    descriptor = try posix("socket", RawSocket.open(AF_UNIX))
    port = 0
    let descriptor = descriptor
    try posix("bind", RawSocket.withPath(path) { Glibc.bind(descriptor, $0, $1) })
    try posix("listen", Glibc.listen(descriptor, backlog))
  }

  deinit { Glibc.close(descriptor) }

  /// The next connection.
  package func accept(within seconds: Double = generousLimit) throws -> RawPeer {
    try RawSocket.wait(descriptor, POLLIN, "a connection", within: seconds)
    return RawPeer(adopting: try posix("accept", Glibc.accept(descriptor, nil, nil)))
  }
}

enum RawSocket {
  static func open(_ family: Int32) -> Int32 {
    socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  }

  static func setOption(_ descriptor: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, SOL_SOCKET, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  static func wait(
    _ descriptor: Int32, _ events: Int32, _ what: String, within seconds: Double = generousLimit
  ) throws {
    let end = monotonicSeconds() + seconds
    while true {
      var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
      let left = max(0, end - monotonicSeconds())
      if poll(&entry, 1, Int32(left * 1000) + 1) > 0 { return }
      guard monotonicSeconds() < end else { throw WaitFailure("the peer waited in vain for \(what)") }
    }
  }

  static func withLoopback<Result>(
    _ family: RawFamily, port: UInt16, any: Bool = false, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    switch family {
    case .ipv4:
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = any ? 0 : in_addr_t(0x7F00_0001).bigEndian
      return view(&address, body)
    case .ipv6:
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      address.sin6_addr = any ? in6addr_any : in6addr_loopback
      return view(&address, body)
    }
  }

  static func withPath<Result>(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { room in
      room.copyBytes(from: path.utf8.prefix(room.count - 1))
    }
    return view(&address, body)
  }

  private static func view<Address, Result>(
    _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Address>.size)) }
    }
  }

  static func localPort(_ descriptor: Int32) -> UInt16 {
    var storage = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let outcome = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    // The port has the same place in both families.
    return outcome == 0 ? UInt16(bigEndian: storage.sin6_port) : 0
  }
}
