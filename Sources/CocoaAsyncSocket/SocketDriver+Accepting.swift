import Foundation
import SocketCore
import SocketPOSIX

extension SocketDriver {
  private static let backlog: Int32 = 1024
  private static let clientsAtOnce = 256
  /// How often a free port that turns out to be taken in the other family is given back for another one.
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
      guard let address, let raw = RawAddress(port == 0 ? address : address.with(port: port)) else { continue }
      do {
        let descriptor = try SocketCall.open(family: raw.family)
        try SocketCall.setReuseAddress(descriptor.rawValue)
        if address.family == .ipv6 { try SocketCall.setV6Only(descriptor.rawValue) }
        try SocketCall.bind(descriptor.rawValue, to: raw)
        try SocketCall.listen(descriptor.rawValue, backlog: Self.backlog)
        port = SocketCall.localAddress(descriptor.rawValue)?.port ?? 0
        bound.append(OpenSocket(descriptor))
      } catch {
        // A host without IPv6 at all still listens on IPv4.
        if address.family == .ipv6, error.code == EAFNOSUPPORT, !bound.isEmpty { continue }
        throw SocketFailure(error)
      }
    }
    return bound
  }

  /// Listens on a Unix-domain path (ACC-34…ACC-37).
  func listen(onPath path: String) throws(SocketFailure) {
    try UnixListenerPath.clear(path)
    do throws(SystemCallFailure) {
      guard let raw = RawAddress.unix(path) else { throw SystemCallFailure(call: "bind", code: ENAMETOOLONG) }
      let descriptor = try SocketCall.open(family: raw.family)
      try SocketCall.bind(descriptor.rawValue, to: raw)
      do throws(SystemCallFailure) {
        try SocketCall.listen(descriptor.rawValue, backlog: Self.backlog)
      } catch {
        UnixListenerPath.remove(path)
        throw error
      }
      listeners = [OpenSocket(descriptor)]
    } catch {
      throw SocketFailure(error)
    }
    listenerPath = path
    try startListening()
  }

  private func startListening() throws(SocketFailure) {
    machine.listenerIsReady()
    do {
      for listener in listeners {
        try attachment.watch(listener.number, key: key(.listener), interest: [.readable])
      }
    } catch {
      machine.startRefused()
      for listener in listeners { attachment.unwatch(listener.number) }
      listeners = []
      if let path = listenerPath { UnixListenerPath.remove(path) }
      listenerPath = nil
      throw SocketFailure(error)
    }
  }

  /// Takes all clients that wait, in the kernel's order for each family (ACC-29).
  func acceptClients() {
    guard machine.isListening else { return }
    for listener in listeners {
      var left = Self.clientsAtOnce
      accepting: while true {
        guard left > 0 else {
          attachment.requestWakeup(key: key(.listener))
          break
        }
        left -= 1
        do {
          guard let client = try SocketCall.accept(listener.number) else { break accepting }
          let address = client.address
          let open = OpenSocket(client.takeDescriptor())
          applyNoDelay(to: open.number, address)
          machine.accepted(
            AcceptedConnection(
              socket: open, address: address?.bytes ?? [], delegateQueue: delegateQueue,
              isNoDelayEnabled: isNoDelayEnabled))
        } catch {
          guard machine.acceptFailed(error.code, now: Self.now) == .goOn else { break accepting }
        }
      }
    }
  }
}

/// The file that stands for a Unix-domain listener.
enum UnixListenerPath {
  /// Makes way for a listener: a stale socket goes, anything else stays and is an error (ACC-36).
  static func clear(_ path: String) throws(SocketFailure) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw .other("There is a file at \(path) that is not a socket; it was left alone.")
    }
    guard unlink(path) == 0 else {
      throw .other("The stale socket at \(path) can't be removed: \(SystemCallFailure.text(for: errno))")
    }
  }

  static func remove(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
    unlink(path)
  }
}
