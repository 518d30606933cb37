import Conversations
import Dispatch
import ScenarioModel
import Synchronization

/// Writes scenarios beside a recording, so that no connection waits for a file.
///
/// Laws
/// - Scenarios are written in the order in which they were given, one at a time; `finish` waits for all of them.
/// - Memory is bounded: a caller that is faster than the disk waits.
/// - A scenario that can't be written does not keep the others from being written; the first failure is reported at the
///   end.
package final class DraftWriter: @unchecked Sendable {
  // Unchecked: the folder is used on the queue alone, and by `finish` behind all of its work.
  private static let maxWaiting = 8

  private let queue = DispatchQueue(label: "socketlab.drafts")
  private let room = DispatchSemaphore(value: maxWaiting)
  private let failure = Mutex<LabFailure?>(nil)
  private var folder: DraftFolder

  /// What the folder tells comes from a thread of the writer's.
  package init(_ folder: DraftFolder) { self.folder = folder }

  /// Whether a scenario could not be written.
  package var hasFailed: Bool { failure.withLock { $0 != nil } }

  /// Has the scenario written under the name with the next number (see `DraftFolder`). `conversation` is made beside
  /// the caller, too.
  package func write(numbered name: String, source: String, _ conversation: @escaping @Sendable () -> Conversation) {
    room.wait()
    queue.async { [self] in
      do { try folder.write(conversation(), numbered: name, source: source) } catch {
        failure.withLock { $0 = $0 ?? error as? LabFailure ?? LabFailure("\(error)") }
      }
      room.signal()
    }
  }

  /// Waits for all; gives the folder, and why one could not be written.
  package func finish() -> (DraftFolder, LabFailure?) {
    queue.sync {}
    return (folder, failure.withLock { $0 })
  }
}
