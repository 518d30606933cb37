import ScenarioModel

/// Which messages the lab and one subject may exchange, and when: takes both sides' messages, and reports what is wrong
/// with the subject's. Pure: the present is an argument.
///
/// Laws
/// - Hello comes first. A case lasts from `case` to `ended`, and only in it there are callbacks and answers.
/// - Every call and question of the lab has an id, unlike any other of the case, and one answer. Steps of reactions may
///   have several, because their callback may come several times.
/// - Instants never go back within a case, and none is later than the present. A call was made after it was asked for.
/// - After a violation all further messages are ignored.
package struct SubjectSession {
  /// Where the session stands.
  package enum Phase: Hashable, Sendable {
    case greeting
    case idle
    case opening(case: Int)
    case playing(case: Int)
    case closing(case: Int)
    /// Nothing that it says is taken any more.
    case broken
  }

  /// Clocks of the same kind may differ by so much between processors, in nanoseconds.
  package static let clockSlack: Int64 = 1_000_000
  /// Notes of one case beyond these are dropped.
  package static let maxNotes = 1_000

  /// Where it stands.
  package private(set) var phase = Phase.greeting
  /// What the subject has said of itself; nil: nothing yet.
  package private(set) var claims: SubjectClaims?

  private var sockets: Set<String> = []
  private var children = 0
  /// Calls and questions of the lab without an answer.
  private var open: [Int: Asked] = [:]
  /// When each call of the lab was said, and when the case began: no call was made before.
  private var said: [Int: Int64] = [:]
  private var begun: Int64 = 0
  /// Calls of the lab that are of many bytes, without an answer: what is waited for, in words.
  private var large: [Int: String] = [:]
  /// Steps of reactions.
  private var steps: [Int: Asked] = [:]
  /// What the calls of the case are called, by their ids.
  private var names: [Int: String] = [:]
  private var latest: Int64 = 0
  private var notes = 0

  private enum Asked { case call, question, point }

  package init() {}

  /// Records a message of the lab's. A message that the lab must not send now is the lab's own fault, and not noticed
  /// here.
  ///
  /// - Parameter now: in nanoseconds of the monotonic clock.
  package mutating func say(_ message: LabMessage, now: Int64) {
    switch message {
    case .hello: break
    case .begin(let outline):
      phase = .opening(case: outline.number)
      sockets = Set(outline.sockets)
      (open, steps, children, latest, notes) = ([:], [:], 0, now, 0)
      (said, begun, large, names) = ([:], now, [:], [:])
      for step in outline.reactions.flatMap(\.steps) {
        switch step {
        case .call(let call): (steps[call.id], names[call.id]) = (.call, call.name)
        case .get(let id, _, _): steps[id] = .question
        case .reach(let id): steps[id] = .point
        case .hold, .answer: break
        }
      }
    case .call(let call):
      (open[call.id], said[call.id], names[call.id]) = (.call, now, call.name)
      // A large one takes its time, and whoever reads that it did not return has to know.
      large[call.id] = call.size.map {
        "the answer to `\(call.name)` of \(QuantityText.size($0)) on \(call.socket) was to come"
      }
    case .get(let id, _, _): open[id] = .question
    case .end(let number): phase = .closing(case: number)
    }
  }

  /// The subject says something.
  ///
  /// - Parameter now: when it was read, in nanoseconds of the monotonic clock.
  /// - Returns: what it is.
  package mutating func hear(_ line: [UInt8], now: Int64) throws(ProtocolViolation) -> SubjectMessage {
    do throws(ProtocolViolation) {
      let message = try SubjectMessage(line: line)
      try take(message, now: now)
      return message
    } catch {
      phase = .broken
      throw error
    }
  }

  private mutating func take(_ message: SubjectMessage, now: Int64) throws(ProtocolViolation) {
    if case .note = message, phase != .broken {
      notes += 1
      guard notes <= Self.maxNotes else { throw .tooManyNotes(limit: Self.maxNotes) }
      return
    }
    switch (phase, message) {
    case (.greeting, .hello(_, let claims)):
      self.claims = claims
      phase = .idle
    case (.opening(let number), .ready(let said)):
      guard said == number else { throw .wrongCase(said, wanted: number) }
      phase = .playing(case: number)
    case (.closing(let number), .ended(let said, let open)):
      guard said == number else { throw .wrongCase(said, wanted: number) }
      if let stranger = open.first(where: { !sockets.contains($0) }) {
        throw .unknownSocket(stranger, callback: "ended")
      }
      phase = .idle
    case (.playing, .result(let answer)), (.closing, .result(let answer)):
      try answered(answer.id, .call, message)
      if let at = answer.at { try check(at, message, now: now) }
      if case .unsupported = answer.result {
        throw .notClaimed("it answers `unsupported` to a call that its hello promises")
      }
      if case .returned(let value) = answer.result {
        throw .unwantedValue(call: names[answer.id] ?? "a call", value: value)
      }
    case (.playing, .value(let id, let at, _)), (.closing, .value(let id, let at, _)):
      try answered(id, .question, message)
      if let at { try check(at, message, now: now) }
    case (.playing, .reached(let id, let at)), (.closing, .reached(let id, let at)):
      try answered(id, .point, message)
      try check(at, message, now: now)
    case (.playing, .callback(let socket, let callback, let at)),
      (.closing, .callback(let socket, let callback, let at)):
      try take(callback, of: socket)
      try check(at, message, now: now)
    default: throw .outOfTurn(message: message.type, wanted: turn)
    }
  }

  private mutating func take(_ callback: Callback, of socket: String) throws(ProtocolViolation) {
    let kind = callback.kind
    guard claims?.callbacks.contains(kind) ?? false else {
      throw .notClaimed("it told a `\(kind.rawValue)`, which its `callbacks` do not name")
    }
    guard sockets.contains(socket) else { throw .unknownSocket(socket, callback: kind.rawValue) }
    guard case .didAccept(let child) = callback else { return }
    children += 1
    let next = ChildName.number(children)
    guard child == next else { throw .wrongChild(child, wanted: next) }
    sockets.insert(child)
  }

  private mutating func answered(
    _ id: Int, _ kind: Asked, _ message: SubjectMessage
  ) throws(ProtocolViolation) {
    if steps[id] == kind { return }
    guard open[id] == kind else { throw .unknownID(id, message: message.type) }
    (open[id], large[id]) = (nil, nil)
  }

  private mutating func check(_ at: Int64, _ message: SubjectMessage, now: Int64) throws(ProtocolViolation) {
    if at > now + Self.clockSlack {
      throw .fromTheFuture(message: message.type, nanoseconds: Self.time(from: now, to: at))
    }
    // A call's instant is when it was made: what it set off may have been told before it returned.
    if case .result(let answer) = message {
      let earliest = said[answer.id] ?? begun
      if at < earliest - Self.clockSlack {
        throw .fromThePast(message: message.type, nanoseconds: Self.time(from: at, to: earliest))
      }
      return
    }
    if at < latest - Self.clockSlack {
      throw .fromThePast(message: message.type, nanoseconds: Self.time(from: at, to: latest))
    }
    latest = max(latest, at)
  }

  /// As long as it can be said: instants are a subject's, and may be any numbers.
  private static func time(from start: Int64, to end: Int64) -> Int64 {
    let (time, isTooLong) = end.subtractingReportingOverflow(start)
    return isTooLong ? .max : time
  }

  /// What the lab waits for, in words: a call with its size if it is of many bytes.
  package var wanted: String {
    guard case .playing = phase, open.count == 1, let call = large.values.first else { return turn }
    return call
  }

  /// What the subject may say now.
  private var turn: String {
    switch phase {
    case .greeting: "its `hello` was to come"
    case .idle: "no case was under way"
    case .opening(let number): "its `ready` for case \(number) was to come"
    case .playing: "the case was under way"
    case .closing(let number): "its `ended` for case \(number) was to come"
    case .broken: "nothing is taken any more"
    }
  }
}
