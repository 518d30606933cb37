import Foundation
import SocketCore
import SocketPOSIX

/// The file that stands for a Unix-domain listener.
///
/// It is known by device and inode, not by its path alone: when a server is replaced by another, the new one has bound
/// the path before the old one ends, and the old one must not take it away (ACC-37). An inode's number is not given
/// away as long as a socket is bound to it, so this holds while the listener's descriptor is open.
struct UnixListenerFile {
  private let path: String
  private let device: dev_t
  private let inode: ino_t

  /// Remembers the file that `bind` has just made; nil if it is gone already. A path that begins in the working
  /// directory must not lead elsewhere when the program changes that.
  init?(boundAt path: String, workingDirectory: String = FileManager.default.currentDirectoryPath) {
    let path = path.hasPrefix("/") || workingDirectory.isEmpty ? path : workingDirectory + "/" + path
    guard let status = Self.socketStatus(at: path) else { return nil }
    self.path = path
    device = status.st_dev
    inode = status.st_ino
  }

  /// Removes the file, if it is still there.
  func remove() {
    guard let status = Self.socketStatus(at: path), status.st_dev == device, status.st_ino == inode else { return }
    unlink(path)
  }

  /// Makes way for a listener: a socket goes, be it stale or a listener's that is replaced, anything else stays and is
  /// an error (ACC-36).
  static func makeWay(at path: String) throws(SocketFailure) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw .other("There is a file at \(path) that is not a socket; it was left alone.")
    }
    guard unlink(path) == 0 else {
      throw .other("The stale socket at \(path) can't be removed: \(SystemCallFailure.text(for: errno))")
    }
  }

  private static func socketStatus(at path: String) -> stat? {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    return status
  }
}

extension URL {
  /// The path of a URL that names a Unix-domain socket: of the scheme "file", "unix" or none, and with a path (ACC-35,
  /// CON-34). A trailing slash is no part of a socket's name.
  func socketPath() throws(SocketFailure) -> String {
    let scheme = scheme?.lowercased() ?? "file"
    guard scheme == "file" || scheme == "unix" else {
      throw .badParam(
        "The URL \(absoluteString) does not name a Unix-domain path. Pass a file URL, or one of the scheme unix.")
    }
    let path = path
    guard !path.isEmpty else {
      throw .badParam("The Unix-domain path of the URL \"\(absoluteString)\" is empty.")
    }
    guard !path.utf8.contains(0) else {
      throw .badParam("The Unix-domain path of the URL \(absoluteString) contains a zero byte.")
    }
    return path
  }
}
