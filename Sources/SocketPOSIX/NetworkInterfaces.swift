import Glibc

/// The network interfaces of this machine.
package enum NetworkInterfaces {
  /// One address of one interface.
  package struct Entry: Hashable, Sendable {
    /// The interface's name: "lo", "eth0".
    package let name: String
    /// An IPv4 or IPv6 address with port 0.
    package let address: RawAddress

    /// An address that an interface has.
    package init(name: String, address: RawAddress) {
      self.name = name
      self.address = address
    }
  }

  /// Every IPv4 and IPv6 address, in the system's order. Throws when the system does not tell, as when the process has
  /// no descriptor left.
  package static func all() throws(SystemCallFailure) -> [Entry] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { throw SystemCallFailure(call: "getifaddrs", code: errno) }
    defer { freeifaddrs(list) }

    var entries: [Entry] = []
    var next = list
    while let node = next {
      next = node.pointee.ifa_next
      guard let pointer = node.pointee.ifa_addr, let name = node.pointee.ifa_name else { continue }
      let length: Int
      switch Int32(pointer.pointee.sa_family) {
      case AF_INET: length = MemoryLayout<sockaddr_in>.size
      case AF_INET6: length = MemoryLayout<sockaddr_in6>.size
      default: continue
      }
      guard let address = RawAddress(pointer, length: length) else { continue }
      entries.append(Entry(name: String(cString: name), address: address))
    }
    return entries
  }

  /// The index the kernel knows an interface by; nil when there is none of that name.
  package static func index(of name: String) -> UInt32? {
    let index = if_nametoindex(name)
    return index == 0 ? nil : index
  }
}
