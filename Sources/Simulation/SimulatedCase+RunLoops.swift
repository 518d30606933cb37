import ScenarioModel
import SocketCore

/// The scheduling of virtual run loops.
extension SimulatedCase {
  /// The loop scenarios know by this name, made on first use.
  func runLoop(named name: String) -> VirtualRunLoop {
    if let loop = runLoops.first(where: { $0.name == name }) { return loop }
    let loop = VirtualRunLoop(id: runLoops.count, name: name, seed: draws)
    runLoops.append(loop)
    return loop
  }

  // MARK: Serving

  /// Something that a socket's place reports.
  private enum Due {
    case readiness(SocketEngine.WatchedPart)
    case deadline
    case turn
  }

  private func due(_ subject: SimulatedSubject, _ part: RunLoopPart) -> [Due] {
    var due: [Due] = []
    if subject.inbox.mayAccept { due.append(.readiness(.listener)) }
    if subject.inbox.results.contains(where: { $0.id.index == 0 }) { due.append(.readiness(.preferred)) }
    if subject.inbox.results.contains(where: { $0.id.index != 0 }) { due.append(.readiness(.alternate)) }
    if subject.inbox.isSignalled { due.append(.readiness(.stream)) }
    if part.isDeadlineDue { due.append(.deadline) }
    if part.isTurnDue { due.append(.turn) }
    return due
  }

  private func waiting(for loop: VirtualRunLoop) -> [(subject: SimulatedSubject, due: [Due])] {
    subjects.compactMap { subject in
      // What is due for a socket stays so until the callback that has moved it here has returned.
      guard let part = subject.runLoop, let place = part.place, place.loop === loop, place.isServed,
        !part.engine.isCalledElsewhere
      else { return nil }
      let due = due(subject, part)
      return due.isEmpty ? nil : (subject, due)
    }
  }

  /// Schedules the loop's next iteration, if there is work for it.
  func scheduleNext(_ loop: VirtualRunLoop) {
    guard !loop.isScheduled, !loop.isOccupied, !waiting(for: loop).isEmpty else { return }
    loop.isScheduled = true
    timeline.schedule(after: loop.random.pick(faults.turnLatency), .serveNext(runLoop: loop.id))
  }

  /// The loop serves one socket that waits.
  func serveNext(_ loop: VirtualRunLoop) {
    loop.isScheduled = false
    guard !loop.isOccupied else { return }
    let waiting = waiting(for: loop)
    guard !waiting.isEmpty else { return }
    let (subject, due) = waiting[Int(loop.random.pick(0...Int64(waiting.count - 1)))]
    let first = due[Int(loop.random.pick(0...Int64(due.count - 1)))]
    occupy(loop) { serve(subject, first) }
    unwind(loop)
  }

  private func serve(_ subject: SimulatedSubject, _ due: Due) {
    guard let part = subject.runLoop else { return }
    switch due {
    case .turn: part.isTurnDue = false
    case .deadline: (part.isDeadlineDue, subject.armedDeadline) = (false, nil)
    case .readiness(.listener): subject.inbox.mayAccept = false
    case .readiness(.stream):
      if let connection = subject.connection { connection.link[connection.side].hasUnannounced = false }
    case .readiness: break
    }
    serve(subject) { engine in
      switch due {
      case .turn: part.engine.takeTurn()
      case .deadline: engine.deadlineCame()
      case .readiness(let watched): engine.takeUp(watched == .stream ? takeHints(subject) : [], for: watched)
      }
    }
  }

  /// Runs code on the loop's thread.
  func occupy<Result>(_ loop: VirtualRunLoop, _ body: () -> Result) -> Result {
    let outer = (currentLoop, loop.isBusy)
    (currentLoop, loop.isBusy) = (loop, true)
    defer { (currentLoop, loop.isBusy) = outer }
    return body()
  }

  // MARK: Frames

  /// Begins a nested run, or the time that a callback holds.
  func push(_ frame: VirtualRunLoop.Frame, on loop: VirtualRunLoop) {
    loop.frames.append(frame)
    timeline.schedule(at: frame.until, .unwind(runLoop: loop.id))
  }

  /// Ends what is to end by now, from the innermost frame outwards.
  func unwind(_ loop: VirtualRunLoop) {
    while !loop.isBusy, let frame = loop.frames.last, frame.until <= timeline.now {
      switch frame.work {
      case .caller: return
      case .nothing: loop.frames.removeLast()
      case .callback(let call):
        loop.frames.removeLast()
        occupy(loop) { goOn(call) }
      }
    }
    scheduleNext(loop)
  }

  /// Lets the time pass inside a callback that must return: its loop runs in that mode meanwhile, or not at all.
  func hold(until end: Int64, runningIn mode: String?) {
    guard let loop = currentLoop, let mode else { return pass(to: end) }
    let depth = loop.frames.count
    loop.isBusy = false
    push(VirtualRunLoop.Frame(mode: mode, until: end, work: .caller), on: loop)
    scheduleNext(loop)
    pass(to: end)
    // What the nested run has begun ends first.
    while loop.frames.count > depth + 1, let event = timeline.next(before: .max) { happen(event) }
    loop.frames.removeLast(loop.frames.count - depth)
    loop.isBusy = true
  }

  // MARK: Calls

  /// Makes a call on the socket's own loop: it waits until that is free. nil if that would take for ever.
  func onLoop<Result>(of subject: SimulatedSubject, _ body: () -> Result) -> Result? {
    let limit = timeline.now.addingReportingOverflow(setup.scenario.limit.clampedNanoseconds).partialValue
    while let part = subject.runLoop, let loop = part.place?.loop ?? part.home, loop !== currentLoop {
      guard loop.isOccupied else {
        let result = occupy(loop, body)
        unwind(loop)
        return result
      }
      guard let event = timeline.next(before: limit) else { return nil }
      happen(event)
    }
    return body()
  }
}
