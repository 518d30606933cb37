import ScenarioModel
import ScriptedPeer
import SocketCore

/// A lane that is being drained.
struct LaneRun {
  let subject: SimulatedSubject
  var draining: SocketEngine.Draining
  /// On the loop's thread.
  var isLent = false
  /// The delegate of the last event, or of the first one.
  var receiver: SimulatedDelegate?
  /// When its block began; nil: it begins now. `.max`: it is ending.
  var began: Int64?
  /// The number of the synchronous hop that waits for it.
  var hop: Int?
}

/// One event in its callback, with the reaction that runs inside: the state that is kept while the callback holds.
struct Delivery {
  enum Stage {
    /// The callback is the last thing about the event.
    case callback
    /// The delegate is asked for more time.
    case question(TimeoutQuestion)
    /// The delegate was asked for a queue; next the client is handed over.
    case askingQueue(AcceptedLink)
    /// The client was handed over; next it is activated.
    case accepting(child: Int)
    /// On a run loop: the client was handed over; next its loop is asked for.
    case handingOver(child: Int)
    /// Next its own delegate is asked whether it may connect.
    case choosingLoop(child: Int)
    /// Next it is activated, or closed.
    case askingChild(child: Int)
  }

  /// A life of a socket, from a start to its end.
  struct Life: Equatable {
    let generation: UInt64
    let isOver: Bool

    init(_ subject: SimulatedSubject) {
      (generation, isOver) = (subject.machine.generation, subject.machine.isDisconnected)
    }
  }

  let subject: SimulatedSubject
  let delegate: SimulatedDelegate
  /// The lane that the event was in; nil on a run loop.
  var lane: SocketEngine.Box.LaneID?
  /// Of the socket, when the callback began.
  let life: Life
  /// Of a client, when it was handed over on a run loop.
  var childsLife: Life?
  var stage: Stage
  /// The steps of the reaction that are left; nil when there is no reaction.
  var steps: LaneCursor<LocatedStep>?
  /// Seconds, for questions.
  var answer: Double = 0
  /// The answers to willConnect and to wantsRunLoop.
  var mayConnect = true
  var chosenLoop: String?
  /// Until when it holds, and in which mode its run loop runs meanwhile (nil: not at all).
  var hold: (end: Int64, mode: String?)?

  init(
    subject: SimulatedSubject, delegate: SimulatedDelegate, stage: Stage, steps: LaneCursor<LocatedStep>?
  ) {
    (self.subject, self.delegate, self.stage, self.steps) = (subject, delegate, stage, steps)
    life = Life(subject)
  }
}

/// A client that a simulated listener accepted, on its way to the delegate.
final class AcceptedLink: Sendable {
  let link: Int
  /// The number of the listener's delegate queue when the client came, which becomes the child's (CFG-15).
  let delegateQueue: Int?

  init(link: Int, delegateQueue: Int?) {
    self.link = link
    self.delegateQueue = delegateQueue
  }
}

/// Where a read into a caller's buffer puts its bytes.
final class BufferPlace: Sendable {
  let buffer: Int
  let offset: Int

  init(buffer: Int, offset: Int) {
    self.buffer = buffer
    self.offset = offset
  }
}
