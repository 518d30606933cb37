import Dispatch
import ScenarioModel
import ScenarioRunner
import ScriptedPeer
import SocketPOSIX
import SocketValues

/// A class of the library, in this process. A call is made on a thread of its own and given up after `callTimeout`, or
/// at the case's limit if until then a `hold` of the scenario's has the thread that the call needs; the thread is then
/// replaced.
final class LibrarySubject: CaseSubject {
  private let callTimeout: DispatchTimeInterval
  private var caller: CallerThread?
  private(set) var stage: SubjectStage?
  private(set) var hold: SourcePosition?

  init(callTimeout: DispatchTimeInterval) { self.callTimeout = callTimeout }

  let fault: SubjectFault? = nil

  let lastCall: Instant? = nil

  let lastWords: [String] = []

  func open(_ stage: CaseStage) {
    let made = SubjectStage(
      setup: stage.setup, peers: stage.peers, folder: stage.folder, log: stage.log, gate: stage.gate)
    self.stage = made
    made.makeSockets()
    caller = CallerThread()
  }

  func perform(_ command: SubjectCommand, on socket: String) -> CommandResult {
    call(on: socket, with: command) { $0.execute(command, on: socket) } ?? .hung
  }

  func read(_ property: SubjectProperty, name: String?, of socket: String) -> PropertyValue? {
    call(on: socket) { $0.read(property, name: name, of: socket) }
  }

  func port(_ reference: PortReference) -> UInt16? { stage?.port(reference) }

  func listener(_ name: String) -> ListenerPlace? { stage?.listener(name) }

  /// Its callbacks wake the reader of the log.
  func addInterest(to set: inout ReadinessSet) {}

  func serve() {}

  func close() -> [ClosingRemark] {
    guard let stage else { return [] }
    stage.beginClosing()
    var remarks: [ClosingRemark] = []
    for name in stage.openSockets {
      switch call({ $0.disconnect(name) }) {
      case true?: break
      case false?: remarks.append(ClosingRemark("\(name) was not disconnected after disconnect()", isFault: true))
      case nil: remarks.append(ClosingRemark("disconnect() of \(name) did not return", isFault: true))
      }
    }
    // A reaction may hold it, as the scenario says.
    if !stage.drainQueues(within: .seconds(1)) {
      remarks.append(ClosingRemark("a callback did not return", isFault: false))
    }
    return remarks
  }

  func forget() {
    stage?.forget()
    stage = nil
    caller?.end()
    caller = nil
  }

  /// Runs the body on the caller thread; nil when it does not return. `socket`: the one that it calls, with the command
  /// or, without one, to look at it.
  private func call<Result: Sendable>(
    on socket: String? = nil, with command: SubjectCommand? = nil, _ body: @escaping @Sendable (SubjectStage) -> Result
  ) -> Result? {
    guard let stage else { return nil }
    let thread = caller ?? CallerThread()
    caller = thread
    hold = nil
    let goesOn = {
      let wasHeld = self.hold != nil
      self.hold = socket.flatMap { stage.hold(inTheWayOf: command, on: $0) }
      // Once it is over, the call has its time.
      return self.hold == nil ? wasHeld : stage.log.now < stage.setup.scenario.limit
    }
    guard let answer = thread.run(within: callTimeout, { body(stage) }, goesOn: goesOn) else {
      thread.end()
      caller = nil
      return nil
    }
    // The time that closing a case takes does not count as lateness.
    if !stage.isClosed { stage.log.noteLateness(answer.delay) }
    return answer.result
  }
}
