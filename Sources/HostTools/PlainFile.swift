import Glibc

/// A file's content, read so that nothing a name may lead to can hold the lab up: a pipe without a writer, a device, a
/// file without end.
package struct PlainFile {
  /// Why there is no content.
  package struct Problem: Error {
    /// The rest of a sentence that begins with the file: `can't be read: Permission denied`.
    package var text: String
    /// What to do about it.
    package var help: String?
    /// Whether there is nothing of that name.
    package var isMissing = false
  }

  /// At most as many as were asked for.
  package var bytes: [UInt8]
  /// Of the file, in bytes; more than `bytes` when it has more than were asked for.
  package var size: Int

  /// Reads up to `most` bytes. A symbolic link stands for what it leads to.
  package static func read(_ path: String, most: Int) throws(Problem) -> PlainFile {
    var facts = stat()
    // Asked before it is opened: to open a pipe or a device is to do something to it.
    guard stat(path, &facts) == 0 else { throw failure(errno) }
    if let kind = kind(facts.st_mode) {
      throw Problem(text: "is \(kind), not a plain file", help: nil)
    }
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(errno) }
    defer { close(descriptor) }
    guard fstat(descriptor, &facts) == 0 else { throw failure(errno) }
    let bytes = try content(descriptor, expected: min(most, max(0, Int(facts.st_size))), most: most)
    return PlainFile(bytes: bytes, size: max(bytes.count, Int(facts.st_size)))
  }

  private static func content(_ descriptor: Int32, expected: Int, most: Int) throws(Problem) -> [UInt8] {
    var bytes: [UInt8] = []
    // One byte more than expected, so that the end of the file is seen by the first read.
    var room = expected + 1
    while bytes.count < most {
      let wanted = min(room, most - bytes.count)
      var code: Int32 = 0
      var count = 0
      let chunk = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, initialized in
        count = Glibc.read(descriptor, buffer.baseAddress, wanted)
        code = errno
        initialized = max(0, count)
      }
      if count < 0 {
        if code == EINTR { continue }
        throw failure(code)
      }
      if bytes.isEmpty { bytes = chunk } else { bytes += chunk }
      if count < wanted { break }
      room = 64 << 10
    }
    return bytes
  }

  private static func failure(_ code: Int32) -> Problem {
    let help: String? =
      switch code {
      case EACCES, EPERM: "Check its permissions."
      case ELOOP: "The link leads back to itself."
      case ENOENT: "It is not there, or it is a link to nothing."
      default: nil
      }
    return Problem(
      text: "can't be read: \(String(cString: strerror(code)))", help: help,
      isMissing: code == ENOENT || code == ENOTDIR)
  }

  /// What it is when it is no plain file.
  private static func kind(_ mode: mode_t) -> String? {
    switch mode & S_IFMT {
    case S_IFREG: nil
    case S_IFDIR: "a folder"
    case S_IFIFO: "a named pipe"
    case S_IFSOCK: "a socket"
    case S_IFCHR, S_IFBLK: "a device"
    default: "something else"
    }
  }
}
