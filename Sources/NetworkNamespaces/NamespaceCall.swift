import Glibc
import SocketPOSIX

/// The calls around namespaces that Swift's view of the C library leaves out.
enum NamespaceCall {
  private typealias Unshare = @convention(c) (Int32) -> Int32
  private typealias Enter = @convention(c) (Int32, Int32) -> Int32

  private typealias Mount =
    @convention(c) (UnsafePointer<CChar>?, UnsafePointer<CChar>?, UnsafePointer<CChar>?, UInt, UnsafeRawPointer?)
    -> Int32

  static let mounts: Int32 = 0x0002_0000
  static let network: Int32 = 0x4000_0000
  static let user: Int32 = 0x1000_0000

  private static let systemUnshare = LinuxCall.symbol("unshare").map { unsafeBitCast($0, to: Unshare.self) }
  private static let systemEnter = LinuxCall.symbol("setns").map { unsafeBitCast($0, to: Enter.self) }

  private static let systemMount = LinuxCall.symbol("mount").map { unsafeBitCast($0, to: Mount.self) }
  private static let binding: UInt = 0x1000
  private static let recursive: UInt = 0x4000
  private static let isolated: UInt = 1 << 18

  /// Keeps what is mounted from now on from all other processes.
  static func isolateMounts() throws(SystemCallFailure) { try mount("none", on: "/", flags: recursive | isolated) }

  /// Puts a file in the place of another one.
  static func bind(_ file: String, on target: String) throws(SystemCallFailure) {
    try mount(file, on: target, flags: binding)
  }

  private static func mount(_ source: String, on target: String, flags: UInt) throws(SystemCallFailure) {
    guard let systemMount else { throw SystemCallFailure(call: "mount", code: ENOSYS) }
    guard systemMount(source, target, nil, flags, nil) == 0 else {
      throw SystemCallFailure(call: "mount \(target)", code: errno)
    }
  }

  /// Gives the calling thread namespaces of its own.
  static func unshare(_ kinds: Int32) throws(SystemCallFailure) {
    guard let systemUnshare else { throw SystemCallFailure(call: "unshare", code: ENOSYS) }
    guard systemUnshare(kinds) == 0 else { throw SystemCallFailure(call: "unshare", code: errno) }
  }

  /// Moves the calling thread into a network namespace that is open as a descriptor.
  static func enter(_ descriptor: Int32) throws(SystemCallFailure) {
    guard let systemEnter else { throw SystemCallFailure(call: "setns", code: ENOSYS) }
    guard systemEnter(descriptor, network) == 0 else { throw SystemCallFailure(call: "setns", code: errno) }
  }

  /// The calling thread's network namespace as a descriptor.
  static func current() throws(SystemCallFailure) -> Descriptor {
    let descriptor = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemCallFailure(call: "open /proc/thread-self/ns/net", code: errno) }
    return Descriptor(adopting: descriptor)
  }
}
