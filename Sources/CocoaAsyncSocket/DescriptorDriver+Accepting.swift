import Foundation
import SocketCore
import SocketPOSIX

extension DescriptorDriver {
  private static let backlog: Int32 = 1024
  private static let clientsAtOnce = 256
  /// How many free ports are tried if each turns out to be taken in the other family.
  private static let portTries = 16

  /// Binds and listens on the addresses; all of them or none (ACC-04, ACC-05).
  func listen(on addresses: LocalAddresses) throws(SocketFailure) {
    var last: SocketFailure?
    for _ in 0..<Self.portTries {
      do {
        listeners = try bindAll(addresses)
        return try startListening()
      } catch {
        last = error
        // Only a port of the kernel's own choice is tried again.
        guard case .posix(EADDRINUSE, _) = error, addresses.ipv4?.port ?? addresses.ipv6?.port == 0,
          addresses.ipv4 != nil, addresses.ipv6 != nil
        else { break }
      }
    }
    throw last ?? .other("No address to listen on.")
  }

  /// IPv4 first; IPv6 on the same port, which a port of 0 fixes (ACC-02, ACC-03).
  private func bindAll(_ addresses: LocalAddresses) throws(SocketFailure) -> [OpenSocket] {
    var bound: [OpenSocket] = []
    var port: UInt16 = 0
    for address in [addresses.ipv4, addresses.ipv6] {
      guard let address else { continue }
      let raw = RawAddress(port == 0 ? address : address.with(port: port))
      do {
        let descriptor = try SocketCall.open(family: raw.family)
        try SocketCall.setReuseAddress(descriptor.rawValue)
        if address.family == .ipv6 { try SocketCall.setV6Only(descriptor.rawValue) }
        try SocketCall.bind(descriptor.rawValue, to: raw)
        try SocketCall.listen(descriptor.rawValue, backlog: Self.backlog)
        port = SocketCall.localAddress(descriptor.rawValue)?.port ?? 0
        bound.append(OpenSocket(descriptor))
      } catch {
        if address.family == .ipv6, addresses.mayDoWithoutIPv6(error.code) { continue }
        throw SocketFailure(error)
      }
    }
    return bound
  }

  /// Listens on a Unix-domain path (ACC-34…ACC-37).
  func listen(onPath path: String) throws(SocketFailure) {
    guard let raw = RawAddress.unix(path) else {
      throw SocketFailure(SystemCallFailure(call: "bind", code: ENAMETOOLONG))
    }
    let descriptor = try Self.openUnixSocket()
    // Not before there is a socket to bind: a listener that is there already would be out of reach for nothing.
    try UnixListenerFile.makeWay(at: path)
    do throws(SystemCallFailure) {
      try SocketCall.bind(descriptor.rawValue, to: raw)
      let file = UnixListenerFile(boundAt: path)
      do throws(SystemCallFailure) {
        try SocketCall.listen(descriptor.rawValue, backlog: Self.backlog)
      } catch {
        file?.remove()
        throw error
      }
      listeners = [OpenSocket(descriptor)]
      listenerFile = file
    } catch {
      throw SocketFailure(error)
    }
    try startListening()
  }

  private static func openUnixSocket() throws(SocketFailure) -> Descriptor {
    do { return try SocketCall.open(family: AF_UNIX) } catch { throw SocketFailure(error) }
  }

  private func startListening() throws(SocketFailure) {
    machine.listenerIsReady()
    do {
      for listener in listeners {
        try watch(listener.number, key: key(.listener), interest: [.readable])
      }
    } catch {
      machine.startRefused()
      closeListeners()
      throw SocketFailure(error)
    }
  }

  /// Stops listening. The path is removed first: while the descriptor is open, no other file can be mistaken for its
  /// own.
  func closeListeners() {
    listenerFile?.remove()
    listenerFile = nil
    for listener in listeners {
      unwatch(listener.number)
      listener.close()
    }
    listeners = []
  }

  /// Accepts all waiting clients, in the kernel's order for each family (ACC-29).
  func acceptClients() {
    guard machine.isListening else { return }
    for listener in listeners {
      // There is no accept that says not to wait, and a program that shares the listener may have taken the mark away.
      try? SocketCall.setNonBlocking(listener.number)
      var left = Self.clientsAtOnce
      accepting: while true {
        guard left > 0 else {
          wakeup(key: key(.listener))()
          break
        }
        left -= 1
        do {
          try DescriptorReserve.spareNext(after: lastClient, duplicating: listener.number)
          guard let client = try SocketCall.accept(listener.number) else { break accepting }
          let address = client.address
          let open = OpenSocket(client.takeDescriptor(), peer: address)
          lastClient = open.number
          applyNoDelay(to: open.number, address)
          machine.accepted(connection(open, from: address))
        } catch {
          guard machine.acceptFailed(error.code, now: Self.now) == .goOn else { break accepting }
        }
      }
    }
  }
}
