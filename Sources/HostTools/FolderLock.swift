import Glibc

/// A lock on a folder: of all processes and threads that ask for it, one works at a time.
///
/// The folder is locked and none of its files, because a file that is replaced takes its lock along: the next process
/// would lock the new file while the first still holds the old one.
package enum FolderLock {
  /// Does the work with the lock held. Without one where there is no such folder, or where the file system knows no
  /// locks: the lab works there, too, and only two runs that end at the same time may get in each other's way.
  ///
  /// Not to be called again by the work for the same folder: that would wait for itself.
  package static func hold<Result, Failure: Error>(
    _ folder: String, _ work: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // A signal, such as that of ctrl-C, ends the wait and not the need for the lock.
    while descriptor >= 0, flock(descriptor, LOCK_EX) != 0, errno == EINTR {}
    defer { if descriptor >= 0 { close(descriptor) } }
    return try work()
  }
}
