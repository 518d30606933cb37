import ScenarioModel
import ScriptedPeer

/// Everything that tells how far an operation is: didReadPartial and didWritePartial, the questions of timeouts,
/// `progressOfRead` and `progressOfWrite`. It is judged whether or not a scenario names it, and also when the operation
/// never completes.
///
/// - Only the operation under way makes progress: the next one to complete (INV-16), never a read of whatever there is
///   (RDQ-10).
/// - Increments are positive (INV-15), and add up to less than the operation has: its last piece is reported by the
///   completion alone (INV-16).
/// - A question's `bytesDone` is no less than what was reported, and no more than can be (TMO-09).
/// - A property's fraction is what its parts say, between 0 and 1; for one operation it never falls, and it is no less
///   than what was reported (DIAG-11, DIAG-13).
///
/// A property may run ahead of the callbacks, which are still on their way to the delegate: there any operation that
/// has not been told to be complete will do.
extension InvariantChecker {
  enum Direction: Sendable {
    case read, write

    var partial: CallbackKind { self == .read ? .didReadPartial : .didWritePartial }
    var question: CallbackKind { self == .read ? .shouldTimeoutRead : .shouldTimeoutWrite }
    var property: String { self == .read ? "progressOfRead" : "progressOfWrite" }
    var requirement: String { self == .read ? "DIAG-11" : "DIAG-13" }
    var queue: WritableKeyPath<Generation, OperationQueue> & Sendable { self == .read ? \.reads : \.writes }
  }

  // MARK: - Partials

  mutating func takePartial(_ count: Int, _ direction: Direction, tag: Int, place: Int, index: Int) {
    let name = direction.partial.rawValue
    if count <= 0 {
      object("\(name) carries a length above 0", "\(count) for tag \(tag)", "INV-15", index)
    }
    guard let entry = underWay(tag, direction, named: name, place: place, requirement: "INV-16", index: index) else {
      return
    }
    sockets[place].update { $0[keyPath: direction.queue].note(tag, increment: count) }
    let reported = sockets[place].current?[keyPath: direction.queue].progress?.reported ?? 0
    guard count > 0, reported > entry.maxProgress else { return }
    if entry.maxProgress == 0, direction == .read, entry.count == 0 {
      object("a read of whatever there is reports no progress", "\(name) for tag \(tag)", "RDQ-10", index)
    } else {
      object(
        "\(name) of tag \(tag) adds up to at most \(Wording.count(entry.maxProgress)) before the operation completes",
        "\(Wording.count(reported)) in all with this one of \(Wording.count(count))", "INV-16", index)
    }
  }

  mutating func takeQuestion(_ done: Int, _ direction: Direction, tag: Int, place: Int, index: Int) {
    let name = direction.question.rawValue
    guard let entry = underWay(tag, direction, named: name, place: place, requirement: "TMO-09", index: index) else {
      return
    }
    let reported = sockets[place].current?[keyPath: direction.queue].progress?.reported ?? 0
    if done < reported {
      object(
        "bytesDone of \(name) for tag \(tag) is no less than the \(Wording.count(reported)) reported before",
        "\(Wording.count(done))", "TMO-09", index)
    } else if done > entry.maxProgress, !entry.isOpenEnded {
      object(
        "bytesDone of \(name) for tag \(tag) is at most \(Wording.count(entry.maxProgress))", "\(Wording.count(done))",
        "TMO-09", index)
    }
    sockets[place].update { $0[keyPath: direction.queue].note(tag, seen: done) }
  }

  /// The operation that a callback of this tag tells of; nil after a remark that there is none, and where the lab can't
  /// know.
  private mutating func underWay(
    _ tag: Int, _ direction: Direction, named name: String, place: Int, requirement: String, index: Int
  ) -> OperationQueue.Entry? {
    guard !sockets[place].isOrderless, !sockets[place].isMuted,
      let queue = sockets[place].current?[keyPath: direction.queue]
    else { return nil }
    guard let entry = queue.active(tag, isLoose: false) else {
      object(
        "\(name) of \(sockets[place].name) tells of the operation under way, \(queue.next)", "tag \(tag)", requirement,
        index)
      return nil
    }
    if let other = queue.progress?.tag, other != tag {
      object(
        "\(name) of \(sockets[place].name) tells of tag \(other), which is under way", "tag \(tag)", requirement, index)
    }
    return entry
  }

  // MARK: - Properties

  mutating func take(_ value: PropertyValue, of property: SubjectProperty, on socket: String, index: Int) {
    let direction: Direction
    switch property {
    case .progressOfRead: direction = .read
    case .progressOfWrite: direction = .write
    default: return
    }
    if let flaw = value.progressFlaw {
      return object("\(direction.property) of \(socket) agrees with itself", flaw, direction.requirement, index)
    }
    guard case .progress(let tag, let done, let total, let fraction) = value, !fraction.isNaN,
      let place = sockets.firstIndex(where: { $0.name == socket }), !sockets[place].isOrderless,
      !sockets[place].isMuted
    else { return }
    guard let queue = sockets[place].newest?[keyPath: direction.queue] else {
      return object(
        "\(direction.property) is none: \(socket) is not started", "\(value.text)", direction.requirement, index)
    }
    let candidates = queue.outstanding(tag)
    guard let first = candidates.first else {
      return object(
        "\(direction.property) of \(socket) tells of an operation that has not completed", "\(value.text)",
        direction.requirement, index)
    }
    guard candidates.contains(where: { $0.count == total && ($0.isOpenEnded || done <= $0.maxProgress) }) else {
      let known = first.count > 0 ? "of \(Wording.count(first.count)), less than that done" : "without a total"
      return object(
        "\(direction.property) of \(socket) for tag \(tag): \(known)", value.text, direction.requirement, index)
    }
    // Of several operations with the same tag it is unknown which one the earlier report was about.
    guard candidates.count == 1 else { return }
    if let progress = queue.progress, progress.tag == tag, done < progress.seen {
      object(
        "\(direction.property) of \(socket) for tag \(tag) is no less than the \(Wording.count(progress.seen)) told "
          + "before",
        value.text, direction.requirement, index)
    }
    sockets[place].updateNewest { $0[keyPath: direction.queue].note(tag, seen: done) }
  }

  mutating func object(_ expected: String, _ actual: String, _ requirement: String, _ index: Int) {
    deviations.append(
      Deviation(
        kind: .invariant, expected: expected, actual: actual, requirement: requirement, traceIndex: index))
  }
}

extension OperationQueue.Entry {
  /// A read whose end is not known beforehand: what its progress tells is what is buffered, which may be more than it
  /// will take.
  var isOpenEnded: Bool { count == 0 }
}

extension PropertyValue {
  /// What is wrong with progress by itself; nil for progress that can be, and for other values.
  var progressFlaw: String? {
    guard case .progress(_, let done, let total, let fraction) = self else { return nil }
    // Zeros when there is none (DIAG-12).
    if fraction.isNaN { return done == 0 && total == 0 ? nil : "no progress, and yet \(done) of \(total) bytes" }
    if !(0...1).contains(fraction) { return "\(text): outside 0…1" }
    if done < 0 || total < 0 || total > 0 && done > total { return "\(text): more than there is" }
    let wanted = total > 0 ? Double(Float(done) / Float(total)) : 1
    return abs(fraction - wanted) <= 1e-6 ? nil : "\(text): the fraction should be \(wanted)"
  }
}
