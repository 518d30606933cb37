import ScenarioModel
import ScriptedPeer

/// What must hold for every socket of the run-loop class:
///
/// - THR-16, TMO-24, RL-22: callbacks come on the socket's own loop, in one of its modes. What a call brings about
///   before it returns (willConnect, the didDisconnect of a disconnect) comes in the mode the caller is in.
/// - RL-01: willDisconnect comes once, with an error unless the other side had ended its stream; between it and
///   didDisconnect nothing comes but the read that asks for the rest (RL-07).
/// - DIS-02: disconnect returns after its didDisconnect.
/// - RL-04, RL-06: outside willDisconnect there is no unreadData, and inside it is the same when asked again.
/// - DIAG-10: a description is one line.
extension InvariantChecker {
  /// The last call of a lane's has returned: what it changed holds from now on.
  mutating func laneCallReturned(at instant: Duration) {
    places.callReturned(at: instant)
    if let (place, until) = called {
      sockets[place].updateNewest { $0[keyPath: until] = $0[keyPath: until].map { max($0, instant) } }
    }
    called = nil
    guard let place = disconnecting else { return }
    sockets[place].updateNewest { $0.mustEndBy = instant }
    disconnecting = nil
  }

  mutating func takeDisconnect(place: Int, inCallback: Bool, index: Int) {
    guard let generation = sockets[place].newest, !sockets[place].isMuted, !sockets[place].isOrderless,
      !generation.isEnding, generation.isToldSo || !ChildName.isChild(sockets[place].name)
    else { return }
    guard inCallback else {
      disconnecting = place
      return
    }
    // A lane may have started the socket anew behind its didDisconnect, before the call's record is taken up.
    guard generation.isToldSo || sockets[place].generations.count == 1 else { return }
    sockets[place].updateNewest { $0.endsInCall = true }
  }

  /// What a reaction calls is recorded where it begins or where it returns, so that the end stands behind the
  /// disconnect or in front of it, but not behind the reaction's next call.
  mutating func checkEndInCall(on socket: String, index: Int) {
    guard let place = sockets.firstIndex(where: { $0.name == socket }),
      sockets[place].newest?.endsInCall == true
    else { return }
    sockets[place].updateNewest { $0.endsInCall = false }
    object(
      "didDisconnect of \(socket) comes before disconnect returns", "disconnect had returned without it", "DIS-02",
      index)
  }

  mutating func takeWillDisconnect(_ error: SubjectError?, place: Int, index: Int) {
    let name = sockets[place].name
    check(error, index: index)
    if error == nil {
      requireEvidence(
        of: name, "willDisconnect of \(name) has an error unless the other side has ended its stream", "RL-01", index)
    }
    sockets[place].update {
      $0.isEnding = true
      $0.isEndedByPeer = error == nil
      $0.isClosing = true
    }
  }

  /// Whether the callback may come while the socket is ending, or after disconnect has returned.
  mutating func checkEnding(_ delivered: DeliveredCallback, at instant: Duration, place: Int, index: Int) {
    guard let generation = sockets[place].current else { return }
    let kind = delivered.callback.kind
    if generation.isEnding, kind != .didDisconnect, kind != .didRead {
      object(
        "didDisconnect follows willDisconnect of \(delivered.socket)", ExpectationText.text(delivered), "RL-01", index)
    }
    if kind == .didDisconnect, let latest = generation.mustEndBy, instant > latest {
      object(
        "didDisconnect of \(delivered.socket) comes before disconnect returns, at \(Wording.duration(latest))",
        "it came at \(Wording.duration(instant))", "DIS-02", index)
    }
  }

  mutating func checkPlace(of delivered: DeliveredCallback, at instant: Duration, index: Int) {
    let isInCall: Bool
    switch delivered.callback.kind {
    // On the listener's loop for a child, and inside a call for others.
    case .willConnect: return
    case .didDisconnect:
      isInCall = !(sockets.first { $0.name == delivered.socket }?.current?.isEnding ?? false)
    default: isInCall = false
    }
    guard let flaw = places.flaw(of: delivered, at: instant, inAnyMode: isInCall) else { return }
    let isTimer = [.shouldTimeoutRead, .shouldTimeoutWrite].contains(delivered.callback.kind)
    object(
      flaw.expected,
      "\(ExpectationText.text(delivered)) on \(delivered.runLoop ?? "a queue")"
        + (delivered.mode.map { ", in the mode \($0)" } ?? ""),
      flaw.isLoop ? "THR-16" : isTimer ? "TMO-24" : "RL-22", index)
  }

  mutating func takeRunLoop(_ value: PropertyValue, of property: SubjectProperty, on socket: String, index: Int) {
    switch (property, value) {
    case (.description, .text(let text)):
      guard text.contains(where: \.isNewline) else { return }
      object("the description of \(socket) is one line", value.text, "DIAG-10", index)
    case (.unreadData, .bytes(let bytes)):
      guard let place = sockets.firstIndex(where: { $0.name == socket }), let generation = sockets[place].current,
        generation.isEnding
      else { return object("unreadData of \(socket) is none outside willDisconnect", value.text, "RL-04", index) }
      if let before = generation.unread {
        guard before.bytes != bytes else { return }
        return object("unreadData of \(socket) is the same when asked again", value.text, "RL-06", index)
      }
      sockets[place].update { $0.unread = ($0.delivered.count, bytes) }
    default: break
    }
  }
}

/// Where the callbacks of run-loop sockets may come: each socket's loop and modes, as the scenario and its calls say.
struct RunLoopPlaces: Sendable {
  private struct Place: Hashable, Sendable {
    /// nil: an accepted socket's, of which nothing has been heard yet.
    var loop: String?
    var modes: Set<String>

    func isServed(in mode: String) -> Bool {
      modes.contains(mode) || mode == RunLoopName.defaultMode && modes.contains(RunLoopName.commonModes)
    }
  }

  private struct Record: Sendable {
    var place: Place
    /// Loops that an accepted socket may turn out to be on.
    var choices: Set<String> = []
    /// Where it was before, and until when that may still be seen; nil: the call that moved it has not returned.
    var former: [(place: Place, until: Duration?)] = []
  }

  private var records: [String: Record]
  /// What reactions answer to wantsRunLoop.
  private let answers: Set<String>

  init(scenario: Scenario) {
    records = [:]
    answers = Set(scenario.reactions.flatMap { Self.answers($0.steps) })
    for socket in scenario.sockets {
      let modes = Set(socket.modes ?? [RunLoopName.defaultMode])
      records[socket.name] = Record(place: Place(loop: socket.runLoop ?? RunLoopName.main, modes: modes))
    }
  }

  private static func answers(_ steps: [LocatedStep]) -> [String] {
    steps.flatMap { step -> [String] in
      switch step.step {
      case .decide(.runLoop(let name?)): [name]
      case .repeated(_, let inner): answers(inner)
      default: []
      }
    }
  }

  /// A child has its listener's modes (RL-23), and the loop that the answer to wantsRunLoop names, or the listener's.
  mutating func accept(_ child: String, of listener: String) {
    guard let record = records[listener] else { return }
    let choices = record.place.loop.map { answers.union([$0]) } ?? answers
    records[child] = Record(place: Place(loop: nil, modes: record.place.modes), choices: choices)
  }

  /// A call that the subject has accepted.
  mutating func take(_ call: RunLoopCommand.Call, on socket: String, inCallback: Bool) {
    guard var record = records[socket] else { return }
    let before = record.place
    switch call {
    case .move(let loop?): record.place.loop = loop
    case .setModes(let modes): record.place.modes = Set(modes)
    case .addMode(let mode?): record.place.modes.insert(mode)
    case .removeMode(let mode?): record.place.modes.remove(mode)
    case .move(nil), .addMode(nil), .removeMode(nil), .enablePrebuffering, .run: return
    }
    // What a reaction calls is recorded in its order; a lane's call while callbacks are on their way.
    if !inCallback { record.former.append((before, nil)) }
    records[socket] = record
  }

  mutating func callReturned(at instant: Duration) {
    for socket in records.keys {
      guard let record = records[socket], record.former.contains(where: { $0.until == nil }) else { continue }
      records[socket]?.former = record.former.map { ($0.place, $0.until ?? instant) }
    }
  }

  /// What is wrong with where the callback came; nil: nothing, or it is unknown.
  mutating func flaw(
    of delivered: DeliveredCallback, at instant: Duration, inAnyMode: Bool
  ) -> (expected: String, isLoop: Bool)? {
    guard let loop = delivered.runLoop, let mode = delivered.mode, var record = records[delivered.socket] else {
      return nil
    }
    if record.place.loop == nil, record.choices.contains(loop) {
      record.place.loop = loop
      records[delivered.socket] = record
    }
    let places = [record.place] + record.former.filter { instant <= $0.until ?? instant }.map(\.place)
    let here = places.filter { $0.loop == loop }
    guard !here.isEmpty else {
      let wanted = record.place.loop.map { [$0] } ?? record.choices.sorted()
      return ("callbacks of \(delivered.socket) come on its run loop, \(wanted.joined(separator: " or "))", true)
    }
    guard !inAnyMode, !here.contains(where: { $0.isServed(in: mode) }) else { return nil }
    let modes = record.place.modes.sorted().joined(separator: ", ")
    return ("callbacks of \(delivered.socket) come in its modes only: \(modes)", false)
  }
}
