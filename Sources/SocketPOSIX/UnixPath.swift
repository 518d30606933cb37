import Glibc

/// Paths of Unix-domain listeners that a program makes and removes.
package enum UnixPath {
  /// Binds as `SocketCall.bind` does. A stale socket file at the path, which has no listener because its program ended
  /// without removing it, is removed first; anything else there is EADDRINUSE.
  package static func bind(_ descriptor: Int32, to address: RawAddress) throws(SystemCallFailure) {
    do throws(SystemCallFailure) {
      try SocketCall.bind(descriptor, to: address)
    } catch {
      guard error.code == EADDRINUSE, let path = address.unixPath, isSocket(path), isAbandoned(address),
        unlink(path) == 0
      else {
        throw error
      }
      try SocketCall.bind(descriptor, to: address)
    }
  }

  /// A connection to any other file is refused, too.
  private static func isSocket(_ path: String) -> Bool {
    var facts = stat()
    return lstat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFSOCK
  }

  private static func isAbandoned(_ address: RawAddress) -> Bool {
    do throws(SystemCallFailure) {
      let probe = try SocketCall.open(family: AF_UNIX)
      _ = try SocketCall.startConnect(probe.rawValue, to: address)
      return false
    } catch { return error.code == ECONNREFUSED }
  }
}
