import Glibc
import ScenarioModel

extension HostFiles {
  /// Puts the bytes in place of the file at once: a reader sees the old ones or all of the new ones, and of several
  /// writers the last one's. The folder must exist.
  ///
  /// A link stays, and the file that it leads to is replaced. What is no file, such as a device or a pipe, stays as
  /// well, and takes the bytes as they come: another file in its place would be the end of it. So does the file that
  /// this process prints to, because what it prints later would be lost with the old one.
  package static func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
    if let problem = problem(writing: bytes, to: path) {
      throw LabFailure("\(path) can't be written: \(systemError(problem)).")
    }
  }

  /// The number of the error that is in the way; nil: all is written. Foundation's errors don't say that the disk is
  /// full; the system's do.
  private static func problem(writing bytes: some Sequence<UInt8>, to path: String) -> Int32? {
    var facts = stat()
    if stat(path, &facts) == 0 {
      let kind = facts.st_mode & S_IFMT
      if kind == S_IFDIR { return EISDIR }
      if let own = printed(to: facts) { return WholeWrite.writeQuietly(bytes, to: own) }
      if kind != S_IFREG { return problem(writing: bytes, through: path) }
    } else if errno != ENOENT {
      return errno
    }
    guard let target = target(of: path) else { return ELOOP }
    return problem(writing: bytes, inPlaceOf: target)
  }

  /// Which of the descriptors for text leads to just this; nil: none does.
  private static func printed(to facts: stat) -> Int32? {
    [STDOUT_FILENO, STDERR_FILENO].first { descriptor in
      var own = stat()
      return fstat(descriptor, &own) == 0 && own.st_dev == facts.st_dev && own.st_ino == facts.st_ino
    }
  }

  private static func problem(writing bytes: some Sequence<UInt8>, through path: String) -> Int32? {
    var descriptor: Int32
    // A pipe opens when somebody reads it.
    repeat { descriptor = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC) } while descriptor == -1 && errno == EINTR
    guard descriptor != -1 else { return errno }
    let problem = WholeWrite.writeQuietly(bytes, to: descriptor)
    return close(descriptor) != 0 ? problem ?? errno : problem
  }

  private static func problem(writing bytes: some Sequence<UInt8>, inPlaceOf path: String) -> Int32? {
    let place = freshName(beside: path)
    let descriptor = open(place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor != -1 else { return errno }
    var problem = WholeWrite.write(bytes, to: descriptor)
    if close(descriptor) != 0 { problem = problem ?? errno }
    if problem == nil, rename(place, path) != 0 { problem = errno }
    if problem != nil { unlink(place) }
    return problem
  }

  /// As many links as the kernel follows.
  private static let maxLinks = 40

  /// Where the path leads in the end, which need not be there; nil: links lead to each other.
  private static func target(of path: String) -> String? {
    var place = path
    for _ in 0...maxLinks {
      guard let link = FolderLink.target(of: place) else { return place }
      let folder = place.lastIndex(of: "/").map { place[...$0] } ?? ""
      place = link.hasPrefix("/") ? link : folder + link
    }
    return nil
  }
}
