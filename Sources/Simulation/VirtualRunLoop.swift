import DequeModule
import ScenarioModel
import SocketCore

/// A run loop in virtual time, with a thread of its own.
///
/// Laws
/// - It serves one socket at a time, and only sockets that are attached in the mode it runs in. What is due for others
///   waits.
/// - It runs in the default mode for ever. A nested run goes on in another mode for a time; a callback that holds keeps
///   the loop until it goes on. Both end from the innermost outwards.
final class VirtualRunLoop {
  let id: Int
  let name: String
  /// Draws when the loop iterates, which socket it serves first, and with which event.
  var random: SeededRandom
  /// Nested runs and callbacks that hold, outermost first.
  var frames: [Frame] = []
  var isScheduled = false
  /// Code runs on the loop's thread, outside of the nested runs it has begun.
  var isBusy = false

  struct Frame {
    /// The mode of a nested run; nil: a callback holds, and nothing happens meanwhile.
    var mode: String?
    var until: Int64
    var work: Work
  }

  enum Work {
    /// A run that a lane has asked for: nothing follows it.
    case nothing
    /// Whoever began it looks after its end.
    case caller
    /// A callback goes on, and delivery behind it.
    case callback(RunLoopCall)
  }

  init(id: Int, name: String, seed: DrawSource) {
    self.id = id
    self.name = name
    random = SeededRandom(seed: seed, concern: .runLoops, index: id)
  }

  var mode: String { frames.last { $0.mode != nil }?.mode ?? RunLoopName.defaultMode }

  /// Nobody else can be served: code runs, or a callback holds.
  var isOccupied: Bool {
    if isBusy { return true }
    guard let frame = frames.last else { return false }
    return frame.mode == nil
  }
}

/// A socket's place on a run loop.
final class RunLoopPlace {
  let loop: VirtualRunLoop
  let modes: [String]

  init(_ loop: VirtualRunLoop, modes: [String]) {
    self.loop = loop
    self.modes = modes
  }

  /// Whether the loop serves the socket as it runs now.
  var isServed: Bool {
    modes.contains(loop.mode) || loop.mode == RunLoopName.defaultMode && modes.contains(RunLoopName.commonModes)
  }
}

/// What a socket of the run-loop class has besides; stands for its thread where the engine wants a queue.
final class RunLoopPart {
  /// The loop that calls are made on while the socket has no place: where a start puts it. nil: a child's that was not
  /// opened yet, which anybody may call.
  var home: VirtualRunLoop?
  var place: RunLoopPlace?
  var modes = [RunLoopName.defaultMode]
  var userNumber = 0
  var undelivered = Deque<SocketEvent>()
  /// Callbacks under way, one inside the other.
  var callbackDepth = 0
  /// Callbacks under way, and the accepting of this child: the socket is held.
  var holders = 0
  var isTurnDue = false
  var isDeadlineDue = false
  /// The last start was a connect to an address, and has not succeeded (CON-33).
  var startsWithAddress = false
  var lateRead: ReadRequest?
  var isAnnouncingEnd = false
  /// What has been called since the delegate was asked whether to connect; nil: it is not being asked.
  var callsAtQuestion: CallsAtQuestion?
  /// Where a child is to work that was moved before it works anywhere.
  var wantedLoop: VirtualRunLoop?
  /// What the last willDisconnect said; nil: there was none.
  var announced: SubjectError??

  init(home: VirtualRunLoop?) { self.home = home }

  /// Whether an end was found, of which the delegate has not heard.
  var isEndPending: Bool { undelivered.contains(where: \.isTerminal) }
}

/// What a delegate calls inside willConnect takes effect when the start has, in the same order.
struct CallsAtQuestion {
  var inOrder: [SubjectCommand] = []
  /// There is to be no connection.
  var isDisconnected = false

  /// Puts the call off, or notes that there is nothing to put off any more. False: it has nothing to do with a
  /// connection.
  mutating func putOff(_ command: SubjectCommand) -> Bool {
    switch command {
    case .disconnect: isDisconnected = true
    case .read, .write, .startTLS, .disconnectAfterReading, .disconnectAfterWriting,
      .disconnectAfterReadingAndWriting:
      inOrder.append(command)
    case .runLoop(let command):
      guard case .move(.some) = command.call else { return false }
      inOrder.append(.runLoop(command))
    default: return false
    }
    return true
  }
}

/// A callback of a run-loop socket, and the delivery it belongs to.
struct RunLoopCall {
  /// The work that is done when the callback has returned.
  enum FollowUp {
    case nothing
    case answer(TimeoutQuestion)
    case activate(generation: UInt64)
    case concludeEnd
  }

  var delivery: Delivery
  var followUp: FollowUp
  /// Where the socket was when the delivery began.
  var place: RunLoopPlace?
}
