import ScenarioModel
import ScenarioRunner

/// Not the one of Swift Testing.
typealias Expectation = ScenarioModel.Expectation

/// Short spellings for the tables of these tests.
func line(_ line: Int) -> SourcePosition { SourcePosition(line: line, column: 3) }

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

func pattern(_ kind: CallbackKind, _ edit: (inout CallbackPattern) -> Void = { _ in }) -> CallbackPattern {
  var pattern = CallbackPattern(kind: kind)
  edit(&pattern)
  return pattern
}

func event(
  _ kind: CallbackKind, on socket: String = "socket", times: Int = 1, optional: Bool = false,
  window: TimeWindow? = nil, line number: Int = 1, _ edit: (inout CallbackPattern) -> Void = { _ in }
) -> Expectation {
  .event(
    EventExpectation(
      pattern: pattern(kind, edit), socket: socket, times: times, optional: optional, window: window,
      position: line(number)))
}

func stream(_ text: String, on socket: String = "socket") -> Expectation {
  .stream(StreamExpectation(payload: .bytes(bytes(text)), socket: socket, position: line(1)))
}

func nothing(_ milliseconds: Int, on socket: String = "socket", line number: Int = 1) -> Expectation {
  .nothing(.milliseconds(milliseconds), socket: socket, position: line(number))
}

func anyOrder(_ items: Expectation...) -> Expectation { .anyOrder(items, position: line(1)) }

func oneOf(_ alternatives: [Expectation]...) -> Expectation {
  .oneOf(
    alternatives.map { Alternative(grade: .pass, profile: nil, expectations: $0) }, position: line(1))
}

func window(
  _ earliest: Int?, _ latest: Int?, from origin: TimeWindow.Origin = .previous
) -> TimeWindow {
  TimeWindow(
    origin: origin, earliest: earliest.map { .milliseconds($0) }, latest: latest.map { .milliseconds($0) })
}

func scenario(_ expectations: [Expectation] = [], _ edit: (inout Scenario) -> Void = { _ in }) -> Scenario {
  var scenario = Scenario(id: "area/case", title: "A case")
  scenario.expectations = expectations
  edit(&scenario)
  return scenario
}

func delivered(_ callback: Callback, on socket: String = "socket") -> DeliveredCallback {
  DeliveredCallback(socket: socket, delegate: "delegate", callback: callback)
}

func callback(_ callback: Callback, on socket: String = "socket", at milliseconds: Int = 0) -> TraceEvent {
  TraceEvent(at: .milliseconds(milliseconds), kind: .callback(delivered(callback, on: socket)))
}

func happens(_ callback: Callback, on socket: String = "socket", at instant: Duration) -> WorldEvent {
  WorldEvent(at: instant, kind: .callback(delivered(callback, on: socket)))
}

func command(
  _ command: SubjectCommand, on socket: String = "socket", result: CommandResult = .done, inCallback: Bool = false,
  at milliseconds: Int = 0
) -> TraceEvent {
  TraceEvent(
    at: .milliseconds(milliseconds), kind: .command(command, socket: socket, result: result, inCallback: inCallback))
}

func step(_ command: SubjectCommand, refusal: ErrorPattern? = nil, line number: Int = 1) -> LocatedStep {
  LocatedStep(.command(command, socket: "socket", refusal: refusal), at: line(number))
}

func did(_ action: PeerAction, peer: String = "peer") -> TraceEvent {
  TraceEvent(at: .zero, kind: .peerAction(action, peer: peer))
}

func tls(_ event: TLSEvent, peer: String = "peer") -> TraceEvent {
  TraceEvent(at: .zero, kind: .tls(event, peer: peer), position: nil)
}

func saw(_ observation: PeerObservation, peer: String = "peer") -> TraceEvent {
  TraceEvent(at: .zero, kind: .peerSaw(observation, peer: peer))
}

let connected = Callback.didConnect(host: "127.0.0.1", port: 4000)
let closed = SubjectError(domain: .library, code: LibraryErrorCode.closed.rawValue, message: "closed by the peer")
let listenCommand = SubjectCommand.listen(ListenCommand(place: .anywhere(port: .free)))
let connectCommand = SubjectCommand.connect(ConnectCommand(target: .peer("peer")))

func read(_ tag: Int = 0) -> SubjectCommand { .read(ReadCommand(boundary: .available(limit: 0), tag: tag)) }

func write(_ text: String, tag: Int = 0) -> SubjectCommand {
  .write(WriteCommand(payload: .bytes(bytes(text)), tag: tag))
}

/// Feeds the events to a judge, advancing time to each and at last to `end`.
func judged(
  _ expectations: [Expectation], _ events: [TraceEvent], until end: Int? = nil,
  tolerance: Tolerance = Tolerance(early: .zero, late: .zero), profile: Profile = .documented
) -> Judge {
  var judge = Judge(scenario: scenario(expectations), profile: profile, tolerance: tolerance)
  for (index, event) in events.enumerated() {
    judge.advance(to: event.at)
    judge.observe(event, index: index)
  }
  if let end { judge.advance(to: .milliseconds(end)) }
  return judge
}
