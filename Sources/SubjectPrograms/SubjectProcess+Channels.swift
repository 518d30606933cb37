import Glibc
import HostTools
import ScenarioModel

// The channels between the lab and a subject.
extension SubjectProcess {
  /// Duplicates the descriptor above the numbers that the child will use, so that none is overwritten before it is
  /// duplicated.
  private static func high(_ descriptor: Int32) throws -> Int32 {
    defer { close(descriptor) }
    return try copy(descriptor)
  }

  /// The same under such a number beside the old one, closed on exec from its first moment: children that other threads
  /// start meanwhile must not have it.
  static func copy(_ descriptor: Int32) throws -> Int32 {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 10)
    guard copy >= 0 else { throw LabFailure("There is no descriptor to be had for a subject: \(systemError()).") }
    return copy
  }

  /// Whether the other end of a channel has been closed.
  static func isAbandoned(_ channel: Int32) -> Bool {
    var set = pollfd(fd: channel, events: 0, revents: 0)
    return poll(&set, 1, 0) > 0 && set.revents & Int16(POLLHUP) != 0
  }

  static func pair() throws -> (here: Int32, there: Int32) {
    var ends: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
      throw LabFailure("There is no channel to be had for a subject: \(systemError()).")
    }
    do { return (ends[0], try high(ends[1])) } catch {
      close(ends[0])
      throw error
    }
  }

  static func pipe() throws -> (here: Int32, there: Int32) {
    let ends = try Spawning.lock.withLock { _ in try Spawning.pipe() }
    do { return (ends.reading, try high(ends.writing)) } catch {
      close(ends.reading)
      throw error
    }
  }
}
