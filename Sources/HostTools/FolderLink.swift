import Foundation
import Glibc

/// A symbolic link that is moved in one step: a program that follows it sees the old place or the new one, never
/// nothing.
package enum FolderLink {
  /// Why a link could not be made.
  package struct Failure: LocalizedError {
    /// What could not be done, and the system's reason.
    package var text: String
    package var errorDescription: String? { text }

    package init(text: String) { self.text = text }
  }

  /// Where the link leads, as it was written; nil if it is none.
  package static func target(of path: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: path)
  }

  /// Makes the link lead to `target`, which is relative to the link's folder.
  package static func point(_ path: String, to target: String) throws {
    let new = HostFiles.freshName(beside: path)
    guard symlink(target, new) == 0 else { throw failure("link", path) }
    guard rename(new, path) == 0 else {
      let failure = failure("move the link to", path)
      unlink(new)
      throw failure
    }
  }

  /// The failure of a system call that has just set `errno`: `can't VERB PATH: REASON`.
  package static func failure(_ verb: String, _ path: String) -> Failure {
    Failure(text: "can't \(verb) \(path): \(String(cString: strerror(errno)))")
  }
}
