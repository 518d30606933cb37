import ScenarioModel
import ScriptedPeer
import TestCertificates

/// Plays one case in one world and says what came of it. Single-threaded and without a clock of its own: the world is
/// pulled, and all time is the world's.
///
/// Steps every lane until all of them wait; asks the world for the next event before the earliest deadline; adds it to
/// the trace; and so on. The case ends
/// - when all lanes are done, everything expected was seen, and there was no activity for `settle` (for up to
///   `Tolerance.ending` if the expected ending has not been seen yet, or over the real kernel a read that has all its
///   bytes is not complete: a busy machine must not hide what comes);
/// - after a deviation, at the first pause of `settle`, so that the trace shows what it led to;
/// - at the scenario's limit: a timeout, with a deviation for whatever was outstanding;
/// - at once when a call hangs, the subject does not offer it, or there is no end of events.
/// Progress callbacks, notes, events of TLS and reading at a pace are no activity.
package struct CaseRunner {
  /// Runs the case; its duration is left to the caller.
  package static func run<W: World>(
    _ scenario: Scenario, variant: Variant, seed: UInt64, profile: Profile, in world: inout W, tolerance: Tolerance
  ) -> CaseResult {
    run(CaseScript(scenario, profile: profile), variant: variant, seed: seed, in: &world, tolerance: tolerance)
  }

  /// The same for a scenario that is run many times.
  package static func run<W: World>(
    _ script: CaseScript, variant: Variant, seed: UInt64, in world: inout W, tolerance: Tolerance
  ) -> CaseResult {
    guard world.name == .simulated else {
      return perform(script, variant: variant, seed: seed, in: &world, tolerance: tolerance)
    }
    // Both sides' TLS draws from the seed, too: equal seeds give equal bytes on the wire.
    return SeededRandomness.with(seed: seed) {
      perform(script, variant: variant, seed: seed, in: &world, tolerance: tolerance)
    }
  }

  private static func perform<W: World>(
    _ script: CaseScript, variant: Variant, seed: UInt64, in world: inout W, tolerance: Tolerance
  ) -> CaseResult {
    let script = script.form(of: variant)
    let scenario = script.scenario
    var result = CaseResult(scenario: scenario, variant: variant, world: world.name, seed: seed)
    let setup = CaseSetup(
      scenario: scenario, variant: variant, seed: seed, reactions: ReactionBook(scenario.reactions))
    do {
      try world.open(setup)
    } catch {
      switch error {
      case .skip(let reason):
        result.verdict = .skipped
        result.reason = reason
      case .unsupported(let reason):
        result.verdict = .unsupported
        result.reason = reason
      case .failure(let failure):
        result.verdict = .error
        result.reason = failure.message
      case .subject(let fault):
        result.verdict = fault.verdict
        result.reason = fault.text
        result.deviations = [fault.deviation]
        result.backtrace = world.lastWords
      }
      return result
    }
    var execution = CaseExecution(script, variant: variant, seed: seed, tolerance: tolerance)
    execution.reactions.isFalsified = W.falsifies
    execution.ordersEnds = world.name == .loopback && variant.subject == .runLoop
    execution.awaitsOwedReads = world.name == .loopback && !W.falsifies && script.readsAreFree
    play(&execution, in: &world)
    if execution.reachedLimit { execution.noteTaken { world.takenUnderWay(by: $0) } }
    if scenario.ending == .neverConnected { execution.ending.note(uninvited: world.uninvited()) }
    for remark in world.close() { execution.take(remark) }
    // Without one until then: it did not end the case.
    if execution.halt == nil, let fault = world.fault { execution.halt = .fault(fault) }
    execution.conclude(lateness: world.lateness, processorWait: { world.processorWait }, into: &result)
    if world.fault != nil { result.backtrace = world.lastWords }
    return result
  }

  private static func play<W: World>(_ execution: inout CaseExecution, in world: inout W) {
    while true {
      execution.clock(world.now)
      step(&execution, in: &world)
      if execution.halt != nil { return }
      // What has happened by now is taken before time goes on: a lab that was held up would find events missing that
      // wait for it, or the case at rest.
      let reached = world.now
      if reached < execution.scenario.limit, let event = world.nextEvent(before: reached) {
        execution.take(event) { world.port($0) }
        if execution.halt != nil { return }
        continue
      }
      execution.clock(reached)
      execution.advance()
      let quiet = execution.quietDeadline
      if let quiet, execution.now >= quiet { return }
      guard execution.now < execution.scenario.limit else {
        execution.reachedLimit = quiet == nil || !execution.isSettled
        return
      }
      var deadline = min(quiet ?? execution.scenario.limit, execution.scenario.limit)
      if let own = execution.ownDeadline { deadline = min(deadline, max(own, execution.now + .nanoseconds(1))) }
      if let event = world.nextEvent(before: deadline) {
        execution.take(event) { world.port($0) }
        if execution.halt != nil { return }
      } else if let fault = world.fault {
        execution.halt = .fault(fault)
        return
      } else {
        execution.clock(deadline)
      }
    }
  }

  /// Steps all lanes until every one of them waits: they can set each other off.
  private static func step<W: World>(_ execution: inout CaseExecution, in world: inout W) {
    var goesOn = true
    while goesOn {
      goesOn = false
      let sync = execution.sync.version
      // First, so that its first steps say what the others meet from the beginning.
      while execution.halt == nil, let step = execution.nextNetworkStep() {
        goesOn = true
        carryOut(step, &execution, in: &world)
      }
      execution.recordPoints()
      for lane in execution.peers.indices {
        while execution.halt == nil, let action = execution.nextAction(of: lane) {
          goesOn = true
          execution.recordPoints()
          execution.recordTLSEvents(of: lane, at: execution.now)
          act(action, lane: lane, &execution, in: &world)
        }
        execution.recordPoints()
        execution.recordTLSEvents(of: lane, at: execution.now)
        execution.report(lane)
      }
      for lane in execution.subjects.indices {
        while execution.halt == nil,
          let step = execution.subjects[lane].nextCall(now: execution.now, sync: &execution.sync)
        {
          goesOn = true
          carryOut(step, &execution, in: &world)
          execution.clock(world.now)
        }
        execution.recordPoints()
      }
      if execution.halt != nil { return }
      // A point that a lane reached may be what another one, stepped before it, waits for.
      if execution.sync.version != sync { goesOn = true }
    }
  }

  private static func act<W: World>(
    _ action: PeerAction, lane: Int, _ execution: inout CaseExecution, in world: inout W
  ) {
    var isActivity = true
    if case .setReading = action { isActivity = false }
    let peer = execution.peers[lane].name
    let position = execution.peers[lane].position
    execution.record(.peerAction(action, peer: peer), at: execution.now, position: position, isActivity: isActivity)
    world.perform(action, by: peer)
  }

  private static func carryOut<W: World>(_ step: LocatedStep, _ execution: inout CaseExecution, in world: inout W) {
    switch step.step {
    case .command(let command, let socket, let refusal):
      let instant = execution.now
      let result = world.perform(command, on: socket)
      let made = max(instant, world.lastCall ?? instant)
      if made > instant { takeEvents(before: made, &execution, in: &world) }
      execution.recordPoints(to: made)
      execution.record(
        .command(command, socket: socket, result: result, inCallback: false), at: made, position: step.position)
      execution.invariants.laneCallReturned(at: world.now)
      if world.fault != nil { return takeFault(&execution, in: &world) }
      if result == .hung, let hold = world.hold {
        return takeHold(hold, of: "\(socket).\(command.name)", &execution, in: &world)
      }
      execution.judge(result, of: command, on: socket, refusal: refusal, position: step.position)
      takeWhatHappened(since: instant, &execution, in: &world)
      // What the call set off comes behind its return.
      execution.noteActivity(at: world.now)
    case .check(let checks, let socket):
      execution.recordPoints()
      for check in checks {
        let actual = world.read(check.property, name: check.name, of: socket)
        if world.fault != nil { return takeFault(&execution, in: &world) }
        guard let actual else {
          let reading = "\(socket).\(check.property.rawValue)"
          if let hold = world.hold { return takeHold(hold, of: reading, &execution, in: &world) }
          execution.halt = .hang("\(reading) did not return")
          return
        }
        let port = check.portReference.flatMap { world.port($0) }
        execution.take(check, of: socket, actual: actual, port: port, at: execution.now)
      }
    case .network(let action):
      execution.recordPoints()
      execution.record(.network(action), at: execution.now, position: step.position)
      if let trouble = world.perform(action) { execution.fail(action, trouble, position: step.position) }
    default: break
    }
  }

  /// The subject is of no use any more: what it told before comes first.
  private static func takeFault<W: World>(_ execution: inout CaseExecution, in world: inout W) {
    while execution.halt == nil, let event = world.nextEvent(before: world.now + .seconds(1)) {
      execution.take(event) { world.port($0) }
    }
    if let fault = world.fault { execution.halt = .fault(fault) }
  }

  /// The scenario's own `hold` has kept a call from returning until the limit: what happened meanwhile comes first.
  private static func takeHold<W: World>(
    _ hold: SourcePosition, of call: String, _ execution: inout CaseExecution, in world: inout W
  ) {
    let returned = world.now
    while execution.halt == nil, let event = world.nextEvent(before: returned) {
      execution.take(event) { world.port($0) }
    }
    execution.clock(returned)
    if execution.halt == nil { execution.halt = .held(call, hold) }
  }

  /// What happened inside a call comes before whatever is done or judged next. A call that took its time let other
  /// things happen, too: the peers are looked at then, up to a connection, whose lane may say that it is not read.
  private static func takeWhatHappened<W: World>(
    since instant: Duration, _ execution: inout CaseExecution, in world: inout W
  ) {
    let returned = world.now
    guard returned - instant <= .milliseconds(1) else { return takeEvents(before: returned, &execution, in: &world) }
    while execution.halt == nil, let event = world.toldEvent(before: returned) {
      execution.take(event) { world.port($0) }
    }
  }

  /// Nothing is waited for: the instant has come already.
  private static func takeEvents<W: World>(
    before instant: Duration, _ execution: inout CaseExecution, in world: inout W
  ) {
    while execution.halt == nil, let event = world.nextEvent(before: instant) {
      execution.take(event) { world.port($0) }
      if case .peer(_, .connected) = event.kind { return }
    }
  }
}
