import ScenarioModel
import ScriptedPeer
import TestCertificates

/// Plays one case in one world and says what came of it. Single-threaded and without a clock of its own: the world is
/// pulled, and all time is the world's.
///
/// The course of a case: step every lane until all of them wait; ask the world for the next event before the earliest
/// instant anybody waits for; feed it to the trace and all who read it; again. It ends
/// - when all lanes are done, everything expected was seen, and nothing has stirred for `settle` (for up to
///   `Tolerance.ending` if the expected ending has not been seen yet);
/// - after a deviation, at the first pause of `settle`, so that the trace shows what it led to;
/// - at the scenario's limit: a timeout, with a deviation for whatever was outstanding;
/// - at once when a call hangs, the subject does not offer it, or there is no end of events.
/// Progress callbacks, remarks and reading at a pace do not stir.
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
      case .failure(let failure):
        result.verdict = .error
        result.reason = failure.message
      }
      return result
    }
    var course = CaseCourse(script, variant: variant, seed: seed, tolerance: tolerance)
    play(&course, in: &world)
    for note in world.close() { course.record(.note(note), at: course.now, stirs: false) }
    course.conclude(lateness: world.lateness, into: &result)
    return result
  }

  private static func play<W: World>(_ course: inout CaseCourse, in world: inout W) {
    while true {
      course.clock(world.now)
      step(&course, in: &world)
      if course.halt != nil { return }
      course.clock(world.now)
      course.advance()
      let quiet = course.quietDeadline
      if let quiet, course.now >= quiet { return }
      guard course.now < course.scenario.limit else {
        course.reachedLimit = quiet == nil
        return
      }
      var deadline = min(quiet ?? course.scenario.limit, course.scenario.limit)
      if let own = course.ownDeadline { deadline = min(deadline, max(own, course.now + .nanoseconds(1))) }
      if let event = world.nextEvent(before: deadline) {
        course.take(event) { world.port($0) }
        if course.halt != nil { return }
      } else {
        course.clock(deadline)
      }
    }
  }

  /// Steps all lanes until every one of them waits: they can set each other off.
  private static func step<W: World>(_ course: inout CaseCourse, in world: inout W) {
    var goesOn = true
    while goesOn {
      goesOn = false
      let moments = course.moments.version
      // First, so that its first steps say what the others meet from the beginning.
      while course.halt == nil, let step = course.network?.nextCall(now: course.now, moments: &course.moments) {
        goesOn = true
        course.recordPoints()
        carryOut(step, &course, in: &world)
      }
      course.recordPoints()
      for lane in course.peers.indices {
        while course.halt == nil, let action = course.peers[lane].nextAction(now: course.now, moments: &course.moments)
        {
          goesOn = true
          course.recordPoints()
          course.recordRemarks(of: lane, at: course.now)
          act(action, lane: lane, &course, in: &world)
        }
        course.recordPoints()
        course.recordRemarks(of: lane, at: course.now)
        course.report(lane)
      }
      for lane in course.subjects.indices {
        while course.halt == nil,
          let step = course.subjects[lane].nextCall(now: course.now, moments: &course.moments)
        {
          goesOn = true
          course.recordPoints()
          carryOut(step, &course, in: &world)
          course.clock(world.now)
        }
        course.recordPoints()
      }
      if course.halt != nil { return }
      // A point that a lane reached may be what another one, stepped before it, waits for.
      if course.moments.version != moments { goesOn = true }
    }
  }

  private static func act<W: World>(
    _ action: PeerAction, lane: Int, _ course: inout CaseCourse, in world: inout W
  ) {
    var stirs = true
    if case .setReading = action { stirs = false }
    let peer = course.peers[lane].name
    let position = course.peers[lane].stepPosition
    course.record(.peerAction(action, peer: peer), at: course.now, position: position, stirs: stirs)
    world.perform(action, by: peer)
  }

  private static func carryOut<W: World>(_ step: LocatedStep, _ course: inout CaseCourse, in world: inout W) {
    switch step.step {
    case .command(let command, let socket, let refusal):
      let instant = course.now
      let result = world.perform(command, on: socket)
      course.record(
        .command(command, socket: socket, result: result, inCallback: false), at: instant, position: step.position)
      course.invariants.laneCallReturned(at: world.now)
      course.judge(result, of: command, on: socket, refusal: refusal, position: step.position)
      takeWhatHappened(since: instant, &course, in: &world)
    case .check(let checks, let socket):
      for check in checks {
        let actual = world.read(check.property, name: check.name, of: socket)
        let port = check.portReference.flatMap { world.port($0) }
        course.take(check, of: socket, actual: actual, port: port, at: course.now)
      }
    case .network(let action):
      course.record(.network(action), at: course.now, position: step.position)
      if let trouble = world.perform(action) { course.fail(action, trouble, position: step.position) }
    default: break
    }
  }

  /// A call that took its time let other things happen: they come before whatever is done or judged next.
  private static func takeWhatHappened<W: World>(
    since instant: Duration, _ course: inout CaseCourse, in world: inout W
  ) {
    let returned = world.now
    guard returned - instant > .milliseconds(1) else { return }
    while course.halt == nil, let event = world.nextEvent(before: returned) {
      course.take(event) { world.port($0) }
    }
  }
}
