import ScenarioModel
import ScriptedPeer

/// Interprets one subject lane: handles waits, sync points and loops itself, and hands out commands and checks one by
/// one. The results of calls are the runner's to keep.
package struct SubjectLaneMachine: Sendable {
  /// The lane's name, which is also the socket that its unprefixed steps call.
  package let name: String
  /// Of the present step.
  package private(set) var position = SourcePosition(line: 0, column: 0)

  private var cursor: LaneCursor<LocatedStep>
  private var waiting = Waiting.nothing
  /// When the last step began, if the subject decided when it was over.
  private var waitedSince: Duration?

  private enum Waiting {
    case nothing
    case until(Duration)
    /// `seen`: the version of the board that was looked at last.
    indirect case syncPoint(SyncPoint, seen: Int)
    case finished
  }

  /// Nothing happens before the first `nextCall`.
  package init(lane: SubjectLane) {
    name = lane.name
    cursor = LaneCursor(lane.steps)
  }

  /// The next command or check to carry out now; nil: the lane waits or is finished.
  package mutating func nextCall(now: Duration, sync: inout SyncBoard) -> LocatedStep? {
    while true {
      switch waiting {
      case .finished: return nil
      case .until(let instant): if now < instant { return nil }
      case .syncPoint(let syncPoint, let seen):
        guard seen != sync.version else { return nil }
        guard sync.hasCome(syncPoint) else {
          waiting = .syncPoint(syncPoint, seen: sync.version)
          return nil
        }
      case .nothing: break
      }
      waiting = .nothing
      guard let step = cursor.next() else {
        waiting = .finished
        return nil
      }
      position = step.position
      defer {
        switch step.step {
        case .reach: break
        case .after(.callback): waitedSince = now
        default: waitedSince = nil
        }
      }
      switch step.step {
      case .command, .check, .network: return step
      case .wait(let duration), .hold(let duration): waiting = .until(now + duration)
      case .after(let syncPoint): waiting = .syncPoint(syncPoint, seen: -1)
      case .reach(let point): sync.reach(point, at: now, position: step.position, waitedSince: waitedSince)
      case .repeated(let times, let steps): cursor.enter(steps, times: times)
      case .answer, .decide: break
      }
    }
  }

  /// When time alone lets the lane go on.
  package var deadline: Duration? {
    if case .until(let instant) = waiting { return instant }
    return nil
  }

  /// Whether it waits for a callback that is no end of a connection.
  var awaitsProgress: Bool {
    guard case .syncPoint(.callback(let pattern, _, _), _) = waiting else { return false }
    switch pattern.kind {
    case .didDisconnect, .willDisconnect, .didCloseRead: return false
    default: return true
    }
  }

  /// The callback that the lane waits for; nil: it waits for something else.
  var awaitedCallback: SyncPoint? {
    guard case .syncPoint(let syncPoint, _) = waiting, case .callback = syncPoint else { return nil }
    return syncPoint
  }

  /// All steps are done.
  package var isFinished: Bool {
    if case .finished = waiting { return true }
    return false
  }

  /// In words.
  package var waitingFor: String {
    switch waiting {
    case .nothing: "\(name) is ready for its next step"
    case .finished: "\(name) has finished"
    case .until(let instant): "\(name) waits until \(Wording.duration(instant))"
    case .syncPoint(.point(let point), _): "\(name) waits for point \(point)"
    case .syncPoint(.callback(let pattern, let socket, let occurrence), _):
      "\(name) waits for \(ExpectationText.text(pattern, socket: socket))"
        + (occurrence == 1 ? "" : " number \(occurrence)")
    }
  }
}
