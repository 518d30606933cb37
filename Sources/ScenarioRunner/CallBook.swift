import ScenarioModel
import ScriptedPeer

/// The last call on each socket, for messages; and the last time the lab did anything that the subject may answer.
struct CallBook: Sendable {
  private struct Call: Sendable {
    var socket: String
    var command: SubjectCommand
    var at: Duration
    var position: SourcePosition?
    var inCallback: Bool
  }

  /// Of each socket the last one.
  private var calls: [Call] = []
  /// Of each socket the last call that made it connect or listen; of a child its listener's.
  private var starts: [(socket: String, position: SourcePosition?)] = []
  private struct End: Sendable {
    var peer: String
    var act: String
    var at: Duration
    var position: SourcePosition?
  }

  /// The last thing a peer did that ends its stream.
  private var end: End?
  /// The lab's last call, or a peer's last act.
  private(set) var lastActivityAt = Duration.zero

  mutating func observe(_ event: TraceEvent) {
    switch event.kind {
    case .command(let command, let socket, .done, let inCallback),
      .command(let command, let socket, .returned, let inCallback):
      lastActivityAt = max(lastActivityAt, event.at)
      let call = Call(
        socket: socket, command: command, at: event.at, position: event.position, inCallback: inCallback)
      if let place = calls.firstIndex(where: { $0.socket == socket }) {
        calls[place] = call
      } else {
        calls.append(call)
      }
      switch command {
      case .connect, .listen: noteStart(of: socket, at: event.position)
      default: break
      }
    case .peerAction(let action, let peer):
      lastActivityAt = max(lastActivityAt, event.at)
      let act: String
      switch action {
      case .finish: act = "finished"
      case .close: act = "closed"
      case .reset: act = "reset"
      default: return
      }
      end = End(peer: peer, act: act, at: event.at, position: event.position)
    default: break
    }
  }

  /// The listener has accepted the child, whose name is new.
  mutating func accept(_ child: String, by listener: String) { starts.append((child, start(of: listener))) }

  private mutating func noteStart(of socket: String, at position: SourcePosition?) {
    if let place = starts.firstIndex(where: { $0.socket == socket }) {
      starts[place].position = position
    } else {
      starts.append((socket, position))
    }
  }

  /// Where the step stands that made the socket connect or listen, or its listener; nil: nobody knows.
  func start(of socket: String) -> SourcePosition? { starts.first { $0.socket == socket }?.position }

  /// `peer had reset, at 20ms in line 9`.
  var lastEnd: String {
    guard let end else { return "no peer had ended anything" }
    return "\(end.peer) had \(end.act), at \(Wording.duration(end.at))"
      + (end.position.map { " in line \($0.line)" } ?? "")
  }

  /// What was last asked of any socket.
  var latest: String {
    calls.max { $0.at < $1.at }.map { lastCall(of: $0.socket) } ?? "nothing had been asked of any socket"
  }

  /// `last asked of socket: read of tag 5, at 20ms in line 9`.
  func lastCall(of socket: String) -> String {
    guard let call = calls.first(where: { $0.socket == socket }) else { return "nothing had been asked of \(socket)" }
    return "last asked of \(socket): \(call.command.words), at \(Wording.duration(call.at))"
      + (call.position.map { " in line \($0.line)" } ?? "") + (call.inCallback ? ", inside a callback" : "")
  }
}

extension SubjectCommand {
  /// The call with the detail that tells it from others of its kind.
  var words: String {
    switch self {
    case .read(let read): "read of tag \(read.tag)"
    case .write(let write): "write of tag \(write.tag)"
    case .answerTrust(let isTrusted): "trust: \(isTrusted)"
    case .perform(let commands): "perform of " + commands.map(\.words).joined(separator: ", ")
    default: name
    }
  }
}
