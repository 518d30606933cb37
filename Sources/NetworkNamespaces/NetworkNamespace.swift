import Glibc
import SocketPOSIX

/// A network of its own: interfaces, addresses, routes and ports that no other process on the machine sees.
///
/// Laws
/// - It has no name and no mount. It goes with the last thread, socket or object of this class that is in it, however
///   the process ends.
/// - A new thread inherits the network of the thread that makes it; a socket stays where it was opened, whichever
///   thread uses it.
package final class NetworkNamespace: Sendable {
  private let descriptor: Descriptor

  private init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

  /// Gives the calling thread, and every thread that it makes from now on, a new network with nothing but the loopback
  /// interface. With the right to do so it makes that alone; otherwise it makes a user namespace around it, which the
  /// kernel allows only to a process of one thread.
  package static func enterNew() throws(SystemCallFailure) -> NetworkNamespace {
    do throws(SystemCallFailure) {
      try NamespaceCall.unshare(NamespaceCall.network)
    } catch {
      guard error.code == EPERM else { throw error }
      let (user, group) = (getuid(), getgid())
      try NamespaceCall.unshare(NamespaceCall.user | NamespaceCall.network)
      // Map the user and the group outside to root inside the namespace.
      _ = write("deny", to: "/proc/self/setgroups")
      guard write("0 \(user) 1", to: "/proc/self/uid_map"), write("0 \(group) 1", to: "/proc/self/gid_map") else {
        throw SystemCallFailure(call: "write /proc/self/uid_map", code: errno)
      }
    }
    let namespace = NetworkNamespace(try NamespaceCall.current())
    try namespace.prepare()
    return namespace
  }

  /// How often kernels send a segment again, unless told otherwise, before they give a connection up.
  package static let usualRetransmissions = 15

  /// Has the kernel send a segment so often again before it gives a connection up, in the network of the calling
  /// thread.
  package static func setRetransmissions(_ count: Int) throws(SystemCallFailure) {
    let path = "/proc/sys/net/ipv4/tcp_retries2"
    guard write(String(count), to: path) else { throw SystemCallFailure(call: "write \(path)", code: errno) }
  }

  /// Has the system's resolver ask a name server at this address, once and for a second, in the calling thread and
  /// those that it makes from now on. The mounts of other threads do not change, and no file stays behind.
  package static func useNameServer(at address: String) throws(SystemCallFailure) {
    try NamespaceCall.unshare(NamespaceCall.mounts)
    try NamespaceCall.isolateMounts()
    var path = Array("/tmp/socketlab-resolv-XXXXXX".utf8CString)
    let descriptor = mkstemp(&path)
    guard descriptor >= 0 else { throw SystemCallFailure(call: "mkstemp", code: errno) }
    defer {
      close(descriptor)
      unlink(path)
    }
    let text = "nameserver \(address)\noptions timeout:1 attempts:1\n"
    guard Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count, fchmod(descriptor, 0o644) == 0 else {
      throw SystemCallFailure(call: "write", code: errno)
    }
    let file = String(decoding: path.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    try NamespaceCall.bind(file, on: resolverFile)
  }

  private static let resolverFile = "/etc/resolv.conf"

  /// A further network, made beside the calling thread's own, in which the thread stays.
  package static func makeBeside(_ own: NetworkNamespace) throws(SystemCallFailure) -> NetworkNamespace {
    try NamespaceCall.unshare(NamespaceCall.network)
    let made: NetworkNamespace
    do throws(SystemCallFailure) {
      made = NetworkNamespace(try NamespaceCall.current())
      try made.prepare()
    } catch {
      try NamespaceCall.enter(own.descriptor.rawValue)
      throw error
    }
    try NamespaceCall.enter(own.descriptor.rawValue)
    return made
  }

  /// Runs the body with the calling thread inside, and brings it back to `own`. The body makes no threads: they would
  /// stay inside. If the thread can't come back, the process ends.
  package func run<Result, Failure: Error>(
    backTo own: NetworkNamespace, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    enterOrEnd(descriptor.rawValue)
    defer { enterOrEnd(own.descriptor.rawValue) }
    return try body()
  }

  private func enterOrEnd(_ descriptor: Int32) {
    do throws(SystemCallFailure) {
      try NamespaceCall.enter(descriptor)
    } catch {
      preconditionFailure("A thread could not change its network: \(error)")
    }
  }

  /// What every new network needs; the calling thread is inside.
  private func prepare() throws(SystemCallFailure) {
    try InterfaceCall.setUp("lo", true)
    // TCP metrics of an address must not carry over from one case to the next. Without the privilege to set this, cases
    // are still right, and their round trips a little quicker.
    _ = Self.write("1", to: "/proc/sys/net/ipv4/tcp_no_metrics_save")
    // Links get the addresses that they are given, and no others.
    _ = Self.write("1", to: "/proc/sys/net/ipv6/conf/default/addr_gen_mode")
  }

  private static func write(_ text: String, to path: String) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count
  }
}
