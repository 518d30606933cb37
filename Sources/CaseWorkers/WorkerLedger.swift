/// The cases that a worker has been given and not yet answered, and since when it has been running them.
///
/// A worker begins its cases in the order in which it got them, `width` at a time: so the first `width` of the
/// unanswered ones are under way, and the others have not begun.
package struct WorkerLedger<Case: Sendable>: Sendable {
  /// A case that was given to the worker and not yet answered.
  package struct Entry: Sendable {
    /// The run's own number of it.
    package var number: Int
    /// The case.
    package var work: Case
    /// When it began at the earliest; nil: it has not.
    package var since: ContinuousClock.Instant?
  }

  /// Cases that the worker runs at a time.
  package let width: Int
  /// In the order in which they were given.
  package private(set) var entries: [Entry] = []

  package init(width: Int) { self.width = width }

  /// Cases not yet answered, begun or not.
  package var count: Int { entries.count }
  /// Whether every case has been answered.
  package var isEmpty: Bool { entries.isEmpty }

  /// A case goes to the worker at this moment; it begins at once if fewer than `width` are under way.
  package mutating func add(_ number: Int, _ work: Case, at now: ContinuousClock.Instant) {
    entries.append(Entry(number: number, work: work, since: entries.count < width ? now : nil))
  }

  /// Takes the case out that was answered; nil: it was never asked for.
  package mutating func answer(_ number: Int, at now: ContinuousClock.Instant) -> Case? {
    guard let index = entries.firstIndex(where: { $0.number == number }) else { return nil }
    let entry = entries.remove(at: index)
    for place in entries.indices.prefix(width) where entries[place].since == nil { entries[place].since = now }
    return entry.work
  }

  /// What is under way.
  package var begun: [Entry] { Array(entries.prefix(width)) }
  /// What has not begun.
  package var waiting: [Entry] { Array(entries.dropFirst(width)) }

  /// Forgets all, when the worker is gone.
  package mutating func removeAll() { entries.removeAll() }

  /// When the first of those that are under way will have taken too long.
  package func nextDeadline(allowing time: (Case) -> Duration) -> ContinuousClock.Instant? {
    begun.compactMap { entry in entry.since.map { $0 + time(entry.work) } }.min()
  }

  /// Those that have taken too long.
  package func overdue(at now: ContinuousClock.Instant, allowing time: (Case) -> Duration) -> [Entry] {
    begun.filter { entry in entry.since.map { now - $0 >= time(entry.work) } ?? false }
  }
}
