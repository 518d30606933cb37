import ReportMarkup
import ScenarioModel

/// What the lab says to a subject: a line of JSON each.
package enum LabMessage: Hashable {
  /// The first line, with the version of the protocol.
  case hello(version: Int)
  case begin(CaseOutline)
  case call(SubjectCall)
  case get(id: Int, socket: String, property: SubjectProperty)
  /// The case of this number is over: everything is to be closed.
  case end(number: Int)

  /// The version of the protocol that this lab speaks.
  package static let version = 1

  /// The line with its end.
  package var line: [UInt8] { node.encoded(spread: 0) }

  private var node: JSONNode {
    switch self {
    case .hello(let version): ["type": .text("hello"), "protocol": .integer(version)]
    case .begin(let outline): outline.node
    case .call(let call): call.node
    case .get(let id, let socket, let property):
      [
        "type": .text("get"), "id": .integer(id), "socket": .text(socket), "property": .text(property.rawValue),
      ]
    case .end(let number): ["type": .text("end"), "case": .integer(number)]
    }
  }
}

/// What a subject has to know before a case begins.
package struct CaseOutline: Hashable {
  /// Unlike that of any other case of the process.
  package var number: Int
  /// The scenario's id, for a subject that keeps a log.
  package var scenario: String
  /// The sockets that exist from the start.
  package var sockets: [String]
  /// What is done inside callbacks, in order: the first that fits and is not used up.
  package var reactions: [ReactionOutline]

  package init(number: Int, scenario: String, sockets: [String], reactions: [ReactionOutline]) {
    self.number = number
    self.scenario = scenario
    self.sockets = sockets
    self.reactions = reactions
  }

  fileprivate var node: JSONNode {
    [
      "type": .text("case"), "case": .integer(number), "scenario": .text(scenario), "sockets": .texts(sockets),
      "reactions": .list(reactions.map(\.node)),
    ]
  }
}

/// Steps inside a callback, as the subject gets them.
package struct ReactionOutline: Hashable {
  /// The callback in which they run.
  package var kind: CallbackKind
  /// nil: any socket's.
  package var socket: String?
  /// nil: with any tag, or with none.
  package var tag: Int?
  /// nil: whatever the accepted socket is called.
  package var child: String?
  /// nil: every time.
  package var times: Int?
  /// In order.
  package var steps: [ReactionStep]

  package init(
    kind: CallbackKind, socket: String? = nil, tag: Int? = nil, child: String? = nil, times: Int? = nil,
    steps: [ReactionStep]
  ) {
    self.kind = kind
    self.socket = socket
    self.tag = tag
    self.child = child
    self.times = times
    self.steps = steps
  }

  fileprivate var node: JSONNode {
    [
      "on": .text(kind.rawValue), "socket": socket.map(JSONNode.text), "tag": tag.map(JSONNode.integer),
      "child": child.map(JSONNode.text), "times": times.map(JSONNode.integer), "steps": .list(steps.map(\.node)),
    ]
  }
}

/// A step inside a callback.
package enum ReactionStep: Hashable {
  case call(SubjectCall)
  case get(id: Int, socket: String, property: SubjectProperty)
  /// Keeps the callback busy for so long, in seconds.
  case hold(Double)
  /// To be told with the id.
  case reach(id: Int)
  /// What the callback returns, in seconds.
  case answer(Double)

  fileprivate var node: JSONNode {
    switch self {
    case .call(let call): call.node
    case .get(let id, let socket, let property):
      [
        "type": .text("get"), "id": .integer(id), "socket": .text(socket), "property": .text(property.rawValue),
      ]
    case .hold(let seconds): ["type": .text("hold"), "seconds": .number(seconds)]
    case .reach(let id): ["type": .text("reach"), "id": .integer(id)]
    case .answer(let seconds): ["type": .text("answer"), "seconds": .number(seconds)]
    }
  }
}

/// A call on a socket, as the subject gets it.
package struct SubjectCall: Hashable {
  /// The answer names it.
  package var id: Int
  /// The socket's name.
  package var socket: String
  /// By the name that scenario files have.
  package var name: String
  /// In a fixed order, so that equal calls give equal lines.
  package var arguments: [JSONNode.Member]
  /// Of a write: how many bytes it is of, for who is told of the call. The subject sees that by itself.
  package var size: Int?

  package init(id: Int, socket: String, name: String, arguments: JSONNode = [:], size: Int? = nil) {
    self.id = id
    self.socket = socket
    self.name = name
    self.arguments = arguments.members
    self.size = size
  }

  /// Inside a `perform`, which has id and socket.
  var step: JSONNode { .object(JSONNode(members: [("call", .text(name))]).members + arguments) }

  fileprivate var node: JSONNode {
    let head: JSONNode = [
      "type": .text("call"), "id": .integer(id), "socket": .text(socket), "call": .text(name),
    ]
    return .object(head.members + arguments)
  }
}

extension JSONNode {
  /// Of an object; nothing of any other value.
  fileprivate var members: [Member] { if case .object(let members) = self { members } else { [] } }
}
