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
    /// The code that began it also ends it.
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

  /// Whether nothing else can be served: code runs, or a callback holds.
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

/// What a socket of the run-loop class has besides.
final class RunLoopPart {
  let engine = RunLoopEngine()
  /// The loop that calls are made on while the socket has no place: where a start puts it. nil: a child's that was not
  /// opened yet, which anybody may call.
  var home: VirtualRunLoop?
  var place: RunLoopPlace?
  var modes = [RunLoopName.defaultMode]
  var userNumber = 0
  /// Callbacks under way, and the accepting of this child: the socket is held.
  var holders = 0
  var isTurnDue = false
  var isDeadlineDue = false
  /// Whether the delegate is being asked about a start, and what it has called since.
  var startQuestion = StartQuestion<SubjectCommand>()
  /// Where a child is to work that was moved before it works anywhere.
  var wantedLoop: VirtualRunLoop?
  /// What the last willDisconnect said; nil: there was none.
  var announced: SubjectError??

  init(home: VirtualRunLoop?) { self.home = home }
}

/// A callback of a run-loop socket, and the delivery it belongs to.
struct RunLoopCall {
  var delivery: Delivery
  var followUp: RunLoopEngine.FollowUp
  /// Where the socket was when the delivery began.
  var place: RunLoopPlace?
}

extension SubjectCommand {
  /// Whether a delegate that calls it inside willConnect has it wait for the start.
  var waitsForStart: Bool {
    switch self {
    case .read, .write, .startTLS, .disconnectAfterReading, .disconnectAfterWriting,
      .disconnectAfterReadingAndWriting:
      return true
    case .runLoop(let command):
      if case .move(.some) = command.call { return true }
      return false
    default: return false
    }
  }
}
