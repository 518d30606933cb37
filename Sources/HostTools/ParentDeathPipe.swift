import Glibc
import ScenarioModel
import Synchronization

/// The pipe that ties children to this process: they hold its reading end and end themselves when the writing end is
/// gone, which the kernel sees to, however this process ends.
package final class ParentDeathPipe: Sendable {
  /// The number that children know the reading end by.
  package static let descriptor: Int32 = 3

  /// The reading end in this process, to be left to children as `descriptor`.
  package let reading: Int32
  private let writing: Mutex<Int32>

  /// Throws if there are no descriptors left.
  package init() throws {
    let ends = try Spawning.lock.withLock { _ in try Spawning.pipe() }
    reading = ends.reading
    writing = Mutex(ends.writing)
  }

  /// Ends all that hold it.
  func closeWritingEnd() {
    writing.withLock { writing in
      if writing != -1 { close(writing) }
      writing = -1
    }
  }

  deinit {
    closeWritingEnd()
    close(reading)
  }
}
