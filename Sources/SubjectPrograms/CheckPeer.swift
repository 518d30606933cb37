import Glibc
import HostTools
import ScenarioModel

/// The other side of a connection while a subject is tried: blocking, with a limit on every wait.
final class CheckPeer {
  /// Milliseconds that anything may take.
  private static let timeout: Int32 = 5_000

  /// Where it listens, on the loopback interface.
  let port: UInt16
  private let listener: Int32
  private var connection: Int32 = -1

  /// Throws when there is no port to be had.
  init() throws(LabFailure) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = Self.loopback(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, length) == 0 && listen(listener, 8) == 0
          && getsockname(listener, address, &length) == 0
      }
    }
    guard code else {
      let text = systemError()
      close(listener)
      throw LabFailure("There is no port to be had on the loopback interface: \(text).")
    }
    self.listener = listener
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit {
    hangUp()
    close(listener)
  }

  private static func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  /// Takes the next connection; false: none came.
  func accept() -> Bool {
    guard Self.isReady(listener) else { return false }
    connection = Glibc.accept(listener, nil, nil)
    return connection >= 0
  }

  /// Connects to a listener of the subject's; false: there is none.
  func connect(to port: UInt16) -> Bool {
    connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = Self.loopback(port: port)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// The next bytes, as many as are wanted; fewer if no more come.
  func receive(_ count: Int) -> String {
    var received: [UInt8] = []
    var room = [UInt8](repeating: 0, count: count)
    while received.count < count, Self.isReady(connection) {
      let got = recv(connection, &room, count - received.count, 0)
      guard got > 0 else { break }
      received += room[..<got]
    }
    return String(decoding: received, as: UTF8.self)
  }

  /// Whether the other side ends the connection; what it sends before is passed over.
  func isEnded() -> Bool {
    var room = [UInt8](repeating: 0, count: 1 << 12)
    while Self.isReady(connection) {
      // A reset is an end, too.
      if recv(connection, &room, room.count, 0) <= 0 { return true }
    }
    return false
  }

  /// Begins TLS on the connection, which nothing else reads or writes from then on.
  func secure(isServer: Bool) -> CheckTLS {
    // The thread of TLS may outlive this peer: it has a descriptor of its own.
    CheckTLS(dup(connection), isServer: isServer)
  }

  func hangUp() {
    if connection >= 0 { close(connection) }
    connection = -1
  }

  private static func isReady(_ descriptor: Int32) -> Bool {
    var set = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&set, 1, timeout) > 0
  }
}
