import ScenarioModel
import ScriptedPeer

extension MatchWalker {
  /// An expectation that has not been met, or in part only.
  struct Unmet {
    let node: ExpectationNode
    /// Occurrences of the event, or bytes of the stream, seen so far.
    let progress: Int
    /// When the last of these came; nil: none did, or nobody knows.
    private(set) var lastAt: Duration?

    /// `previous`: when an expectation of its socket was last met, be it in part.
    init(_ node: ExpectationNode, _ cursor: MatchCursor, previous: Duration) {
      self.node = node
      progress = cursor.progress
      lastAt = progress > 0 ? previous : nil
    }

    /// As an item of an `anyOrder`: what was last met may have been another item.
    var amongOthers: Unmet {
      var unmet = self
      unmet.lastAt = nil
      return unmet
    }

    /// `2 of 3 came, the last at 20ms`; nil: it is of one callback, or a stream of which there is nothing yet.
    func part(_ verb: String = "came") -> String? {
      let part: String
      switch node {
      case .event(let event) where event.times > 1: part = "\(progress) of \(event.times) \(verb)"
      case .stream(let stream) where progress > 0:
        part = "\(progress) of \(Wording.count(stream.bytes.count)) \(verb)"
      default: return nil
      }
      return part + (lastAt.map { ", the last at \(Wording.duration($0))" } ?? "")
    }
  }
}

extension Judge {
  /// An expectation that has not been met.
  package struct Outstanding: Sendable {
    /// What was expected, in the scenario's words.
    package var text: String
    /// Where it stands in the file.
    package var position: SourcePosition?
    /// How much of it has come, if it is of several callbacks or many bytes; nil: nothing.
    package var part: String?
    /// What was last asked of its socket.
    package var lastCall: String

    /// `by`: the instant, in words.
    func deviation(_ kind: Deviation.Kind, by instant: String) -> Deviation {
      let seen = part.map { "\($0), and no more" } ?? "not seen"
      return Deviation(kind: kind, expected: text, actual: "\(seen) by \(instant); \(lastCall)", position: position)
    }
  }

  func outstandingExpectation(_ unmet: MatchWalker.Unmet, of socket: String) -> Outstanding {
    Outstanding(
      text: ExpectationText.text(unmet.node), position: ExpectationText.position(unmet.node),
      part: unmet.progress > 0 ? unmet.part() : nil, lastCall: calls.lastCall(of: socket))
  }
}
