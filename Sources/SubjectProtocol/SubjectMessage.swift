import ReportMarkup
import ScenarioModel

/// What a subject says to the lab: a line of JSON each.
package enum SubjectMessage: Hashable, Sendable {
  case hello(version: Int, SubjectClaims)
  /// The case of this number can begin.
  case ready(number: Int)
  /// A call has returned.
  case result(CallAnswer)
  /// What a property is.
  case value(id: Int, at: Int64?, PropertyValue)
  /// A step `reach` inside a callback was come to.
  case reached(id: Int, at: Int64)
  case callback(socket: String, Callback, at: Int64)
  /// The case of this number is over; the sockets that could not be closed.
  case ended(number: Int, open: [String])
  /// For people.
  case note(String)
}

/// What a call has come to.
package struct CallAnswer: Hashable, Sendable {
  /// The call's.
  package var id: Int
  /// When the call was made, in nanoseconds of the monotonic clock; nil: not said.
  package var at: Int64?
  /// Neither `hung`, which only the lab can say.
  package var result: CommandResult
  /// Of a listen: where it listens.
  package var port: UInt16?
  /// Of a listen: the address; nil: any.
  package var host: String?

  package init(id: Int, at: Int64? = nil, result: CommandResult, port: UInt16? = nil, host: String? = nil) {
    self.id = id
    self.at = at
    self.result = result
    self.port = port
    self.host = host
  }
}

/// A violation of the protocol by a subject. Nothing that it says afterwards can be relied on.
package enum ProtocolViolation: Error, Hashable, Sendable {
  /// The line is no object of JSON.
  case notJSON(line: String, problem: String)
  case unknownMessage(String)
  /// A member is missing or of the wrong kind; of a message without a type the name is empty.
  case badMember(message: String, problem: String)
  case wrongVersion(Int)
  /// Nothing of the kind was to be said now.
  case outOfTurn(message: String, wanted: String)
  case unknownSocket(String, callback: String)
  case unknownID(Int, message: String)
  /// It says in its hello that it does not deliver this, or that it takes what it does not take.
  case notClaimed(String)
  case wrongCase(Int, wanted: Int)
  case wrongChild(String, wanted: String)
  /// The instant is ahead of the lab's clock, by `nanoseconds`.
  case fromTheFuture(message: String, nanoseconds: Int64)
  /// The instant lies before that of an earlier message of the same case, or before the case; that of an answer before
  /// its call.
  case fromThePast(message: String, nanoseconds: Int64)
  /// The call was answered with true or false, and returns neither.
  case unwantedValue(call: String, value: Bool)
  case longLine(limit: Int)
  case tooMuch(limit: Int)
  case tooManyNotes(limit: Int)

  /// In words that can be shown, whatever the subject wrote; the subject is the sentence's.
  package var text: String { VisibleText.clipped(sentence, to: 600) }

  private var sentence: String {
    switch self {
    case .notJSON(let line, let problem): "it wrote `\(line)`, which is no line of the protocol: \(problem)"
    case .unknownMessage(let type): "it wrote a message of the type `\(type)`, which there is not"
    case .badMember("", let problem): "one of its messages is wrong: \(problem)"
    case .badMember(let message, let problem): "its message `\(message)` is wrong: \(problem)"
    case .wrongVersion(let version):
      "it speaks version \(version) of the protocol, and this lab speaks \(LabMessage.version)"
    case .outOfTurn(let message, let wanted): "it wrote `\(message)` where \(wanted)"
    case .unknownSocket(let socket, let callback):
      "it told a `\(callback)` of `\(Self.shown(socket))`, and the case has no socket of that name"
    case .unknownID(let id, let message): "its `\(message)` names the id \(id), which nothing that is under way has"
    case .notClaimed(let what): "its hello does not say what it does: \(what)"
    case .wrongCase(let number, let wanted): "it spoke of case \(number) in case \(wanted)"
    case .wrongChild(let child, let wanted):
      "it called an accepted socket `\(Self.shown(child))`; the next one is `\(wanted)`"
    case .fromTheFuture(let message, let nanoseconds):
      "the instant of its `\(message)` comes \(Self.milliseconds(nanoseconds)) after the present; "
        + "`at` is nanoseconds of CLOCK_MONOTONIC"
    case .fromThePast("result", let nanoseconds):
      "the instant of its `result` lies \(Self.milliseconds(nanoseconds)) before the call that it answers"
    case .fromThePast(let message, let nanoseconds):
      "the instant of its `\(message)` lies \(Self.milliseconds(nanoseconds)) before what it had told already"
    case .unwantedValue(let call, let value):
      "it answered `\(call)` with `\(value)`, and no call of this version returns a value: its `result` is `done` or "
        + "`refused`"
    case .longLine(let limit): "it wrote a line of more than \(QuantityText.count(limit)) bytes"
    case .tooMuch(let limit): "it wrote more than \(QuantityText.count(limit)) bytes in one case"
    case .tooManyNotes(let limit): "it wrote more than \(QuantityText.count(limit)) notes in one case"
    }
  }

  private static func shown(_ name: String) -> String { VisibleText.clipped(name, to: 100) }

  private static func milliseconds(_ nanoseconds: Int64) -> String { "\(nanoseconds / 1_000_000) ms" }
}
