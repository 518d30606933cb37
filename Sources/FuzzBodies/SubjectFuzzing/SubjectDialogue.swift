import FuzzHarness
import ScenarioModel
import SubjectProtocol

/// The lab's side of a dialogue, and what a subject has said in it so far, noted as simply as possible.
struct SubjectDialogue {
  private let reading: SubjectFuzzing.Reading
  private var session = SubjectSession()
  private var now: Int64 = 1_000_000_000_000
  private var number = 0
  private var asked = 0
  /// Calls and questions that are unanswered, by their ids, and when they were asked.
  private var open: [Int: (isCall: Bool, at: Int64)] = [:]
  private var sockets: Set<String> = []
  private var children = 0
  private var callbacks: Set<CallbackKind> = []
  private var latest: Int64 = 0
  private var isBroken = false

  init(_ reading: SubjectFuzzing.Reading) { self.reading = reading }

  /// A step of a reaction, which is reached as often as its callback comes.
  private static let point = 90

  func violation(in lines: [[UInt8]]) -> Violation? {
    var dialogue = self
    for line in lines {
      dialogue.now += 1_000_000
      dialogue.speak()
      do {
        let message = try reading.hear(&dialogue.session, line, dialogue.now)
        guard !dialogue.isBroken else { return Violation("subject/turns", "a message is taken after a mistake") }
        guard dialogue.hasItsTurn(message) else {
          return Violation("subject/turns", "out of turn: \(MessageText.line(message))")
        }
      } catch {
        if let violation = SubjectFuzzing.words(reading.words(error)) { return violation }
        dialogue.isBroken = true
      }
    }
    return nil
  }

  /// Begins a case when none is under way; asks something before each line; ends the case after some questions.
  private mutating func speak() {
    switch session.phase {
    case .idle:
      (number, open, sockets, children, latest, asked) = (number + 1, [:], ["socket"], 0, now, 0)
      let reaction = ReactionOutline(kind: .didRead, steps: [.reach(id: Self.point)])
      session.say(
        .begin(CaseOutline(number: number, scenario: "a/b", sockets: ["socket"], reactions: [reaction])), now: now)
    case .playing where asked == 6: session.say(.end(number: number), now: now)
    case .playing:
      asked += 1
      let isCall = asked % 3 != 0
      open[asked] = (isCall, now)
      session.say(
        isCall
          ? .call(SubjectCall(id: asked, socket: "socket", name: "read"))
          : .get(id: asked, socket: "socket", property: .isConnected), now: now)
    case .greeting, .opening, .closing, .broken: break
    }
  }

  private mutating func hasItsTurn(_ message: SubjectMessage) -> Bool {
    switch message {
    case .hello(_, let claims):
      defer { callbacks = claims.callbacks }
      return number == 0
    case .ready(let said): return said == number && asked == 0
    case .result(let answer):
      guard let call = open.removeValue(forKey: answer.id), call.isCall else { return false }
      switch answer.result {
      case .unsupported, .returned: return false
      case .done, .refused, .hung: break
      }
      return answer.at.map { isPast($0) && $0 >= call.at - SubjectSession.clockSlack } ?? true
    case .value(let id, let at, _):
      guard let question = open.removeValue(forKey: id), !question.isCall else { return false }
      return at.map { isNext($0) } ?? true
    case .reached(let id, let at): return id == Self.point && isNext(at)
    case .callback(let socket, let callback, let at):
      guard callbacks.contains(callback.kind), sockets.contains(socket) else { return false }
      if case .didAccept(let child) = callback {
        children += 1
        guard child == (children == 1 ? "child" : "child\(children)") else { return false }
        sockets.insert(child)
      }
      return isNext(at)
    case .ended(let said, let left): return said == number && asked == 6 && sockets.isSuperset(of: left)
    case .note: return true
    }
  }

  private func isPast(_ at: Int64) -> Bool { at <= now + SubjectSession.clockSlack }

  private mutating func isNext(_ at: Int64) -> Bool {
    defer { latest = max(latest, at) }
    return isPast(at) && at >= latest - SubjectSession.clockSlack
  }
}
