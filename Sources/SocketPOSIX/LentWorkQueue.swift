import DequeModule

/// Work that calls have caused for the loop's thread, in order, with the handlers it is done for.
///
/// Inside a loan the loop asks for the group's work before each call, mostly without result. The groups are therefore
/// kept in an array of their own, which is searched without touching the work.
struct LentWorkQueue {
  private var work: Deque<(work: any LentWork, token: UInt64)> = []
  private var groups: Deque<ObjectIdentifier> = []

  var isEmpty: Bool { work.isEmpty }

  mutating func append(_ work: any LentWork, token: UInt64) {
    self.work.append((work, token))
    groups.append(ObjectIdentifier(work.group))
  }

  /// The oldest work; with a group, the oldest of that group's.
  mutating func take(for group: ObjectIdentifier?) -> (work: any LentWork, token: UInt64)? {
    if isEmpty { return nil }
    if group == nil || group == groups.first {
      groups.removeFirst()
      return work.removeFirst()
    }
    guard let index = groups.firstIndex(where: { $0 == group }) else { return nil }
    groups.remove(at: index)
    return work.remove(at: index)
  }

  mutating func takeAll() -> LentWorkQueue {
    var taken = LentWorkQueue()
    swap(&taken, &self)
    return taken
  }

  /// Has all of it done by other threads.
  func handOver() { for entry in work { entry.work.handOver() } }
}
