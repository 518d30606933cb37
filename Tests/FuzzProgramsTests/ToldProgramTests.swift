import FuzzHarness
import FuzzPrograms
import ReferenceModel
import ScenarioModel
import ScenarioRunner
import ScenarioYAML
import Simulation
import Testing

/// What a scenario says of its program, step by step, and what it takes a trace for.
@Suite struct ToldProgramTests {
  private static func program(
    _ steps: [SocketProgram.Step], _ change: (inout SocketProgram) -> Void = { _ in }
  ) -> SocketProgram {
    var program = SocketProgram()
    program.steps = steps
    change(&program)
    return program
  }

  private static func told(_ program: SocketProgram) throws -> Scenario {
    try ProgramScenario.scenario(CertainProgram(program), id: "found/x", title: "x")
  }

  // MARK: Scenarios

  @Test("each end is expected with its own error, and no other one passes for it")
  func errors() {
    let reasons: [ModelEvent.Reason] = [
      .wish, .closedByPeer, .broken, .closedOrBroken, .readMaxedOut, .readTimeout, .writeTimeout, .connectTimeout,
    ]
    let wanted: [ErrorPattern] = [
      .none, .oneOf([.library(.closed)]), .oneOf([.posix(104), .posix(32)]),
      .oneOf([.library(.closed), .posix(104), .posix(32)]), .oneOf([.library(.readMaxedOut)]),
      .oneOf([.library(.readTimeout)]), .oneOf([.library(.writeTimeout)]), .oneOf([.library(.connectTimeout)]),
    ]
    #expect(reasons.map(ProgramExpectations.error) == wanted)
    #expect(ProgramExpectations.error(.connectFailed) == .any)
  }

  @Test("each question has the answer that is its own") func answers() throws {
    let program = Self.program([.call(.read(.exactly(1), timeout: 50)), .wait(600)]) { $0.extensions = [300] }
    let answers = try Self.told(program).reactions.flatMap { $0.steps }.compactMap { step -> Double? in
      if case .answer(let value) = step.step { value.seconds } else { nil }
    }
    #expect(answers == [300])
  }

  @Test("timeouts go at the pace of the waits, a delimiter and a limit stay as they are") func pace() throws {
    for (wait, seconds) in [(10, 200.0), (500_000, 20.0)] {
      let read = SocketProgram.Call.read(.through([10], limit: 7), timeout: 200)
      let scenario = try Self.told(Self.program([.wait(wait), .call(read)]))
      let reads = scenario.subjects[0].steps.compactMap { step -> ReadCommand? in
        if case .command(.read(let read), _, _) = step.step { read } else { nil }
      }
      #expect(reads.map(\.timeout.seconds) == [seconds])
      #expect(reads.map(\.boundary) == [.through(.bytes([10]), limit: 7)])
    }
  }

  @Test("of a connection that stays, the peer expects all that was written") func wire() throws {
    let open = try Self.told(Self.program([.call(.write([1, 2], timeout: nil)), .call(.write([3], timeout: nil))]))
    #expect(open.peers[0].steps.last?.value == .expect(.bytes([1, 2, 3])))
  }

  @Test("a read and a write of one moment may come in either order") func order() throws {
    let program = Self.program([.call(.read(.exactly(1), timeout: nil)), .arrive([7])]) {
      $0.reactions = [.init(callback: 1, call: .write([1], timeout: nil))]
    }
    let isFree = try Self.told(program).expectations.contains { if case .anyOrder = $0 { true } else { false } }
    #expect(isFree)
  }

  // MARK: Certain programs

  @Test("of two calls inside callbacks of one moment, one stays; on a run loop none") func reactions() {
    let reads = Array(repeating: SocketProgram.Step.call(.read(.exactly(1), timeout: nil)), count: 2)
    let write = SocketProgram.Call.write([1], timeout: nil)
    let both = Self.program(reads + [.arrive([1, 2])]) {
      $0.reactions = [.init(callback: 1, call: write), .init(callback: 2, call: write)]
    }
    #expect(CertainProgram(both).program.reactions.count == 1)
    var onRunLoop = both
    onRunLoop.livesOnRunLoop = true
    let certain = CertainProgram(onRunLoop)
    #expect(certain.program.reactions.isEmpty && certain.remarks.count == 1)
  }

  @Test("what the simulated world is held to lives on queues") func runner() throws {
    let onRunLoop = Self.program([.arrive([1])]) { $0.livesOnRunLoop = true }
    let bytes = try #require(RunnerProgram.encode(onRunLoop))
    #expect(bytes.withUnsafeBytes { RunnerProgram.program(from: $0) } == Self.program([.arrive([1])]))
  }

  // MARK: Traces

  @Test("another time, another count, another error or another connection is a difference") func differences() throws {
    let certain = CertainProgram(
      Self.program([.call(.read(.exactly(2), timeout: 50)), .arrive([1]), .wait(60)]))
    let pace = try ProgramScenario.pace(of: certain.program)
    let scenario = try ProgramScenario.scenario(certain, id: "x", title: "x")
    var world = SimulatedWorld()
    let trace = CaseRunner.run(
      scenario, variant: scenario.variants[0], seed: 1, profile: .documented, in: &world, tolerance: .simulated
    ).trace
    #expect(ProgramTrace.difference(trace, certain, pace: pace) == nil)
    func changed(_ change: (inout Callback) -> Void) -> String? {
      var other = trace
      for index in other.events.indices {
        guard case .callback(var delivered) = other.events[index].kind else { continue }
        change(&delivered.callback)
        other.events[index].kind = .callback(delivered)
      }
      return ProgramTrace.difference(other, certain, pace: pace)
    }
    #expect(changed { _ in } == nil)
    let later = changed {
      if case .shouldTimeoutRead(let tag, let elapsed, let done) = $0 {
        $0 = .shouldTimeoutRead(tag: tag, elapsed: elapsed + 1, bytesDone: done)
      }
    }
    let more = changed {
      if case .shouldTimeoutRead(let tag, let elapsed, let done) = $0 {
        $0 = .shouldTimeoutRead(tag: tag, elapsed: elapsed, bytesDone: done + 1)
      }
    }
    let silent = changed { if case .didDisconnect = $0 { $0 = .didDisconnect(nil) } }
    #expect(later != nil && more != nil && silent != nil)
    var twice = trace
    twice.events += trace.events.filter { if case .peerSaw(.connected, _) = $0.kind { true } else { false } }
    #expect(ProgramTrace.difference(twice, certain, pace: pace) != nil)
  }

  @Test("a close is the peer's end, an urgent byte is a byte, and a timeout has its milliseconds")
  func scenarios() throws {
    let text = """
      title: x
      requirements: [INV-01]
      worlds: { only: loopback, because: urgent data is not simulated }
      peer: [accept, after: didConnect, sendUrgent: 0x41, close]
      subject: [connect, set: { autoDisconnectOnClosedReadStream: false }, read: { length: 5B, timeout: 2s }]
      """
    var scenario = try #require(ScenarioReader.read(text, id: "x").scenario)
    // Its trace has the step all the same.
    scenario.worlds = [.simulated]
    let program = try ScenarioProgram.program(scenario).get()
    #expect(program.steps.contains(.arrive([0x41])) && program.steps.contains(.peerFinishes), "\(program)")
    #expect(program.steps.contains(.call(.read(.exactly(5), timeout: 2000))), "\(program)")
    #expect(!program.closesOnEndOfStream)
  }

  @Test("what the peer sends as soon as it has accepted is part of the program") func early() throws {
    let text = """
      title: x
      requirements: [INV-01]
      peer: [accept, send: "abc", close]
      subject: [connect, read: { length: 3B }]
      """
    let scenario = try #require(ScenarioReader.read(text, id: "x").scenario)
    let program = try ScenarioProgram.program(scenario).get()
    #expect(program.steps.contains(.arrive(Array("abc".utf8))) && program.steps.contains(.peerFinishes), "\(program)")
    let read = CertainProgram(program).run.entries.map(\.bytes).contains(Array("abc".utf8))
    #expect(read, "\(program)")
  }

  // MARK: Seeds

  @Test("a target gets what it knows of a scenario, and no more than fits") func seeds() throws {
    let text = """
      title: x
      requirements: [INV-01]
      peer: [accept, send: "abc", close]
      subject:
        - connect
        - set: { autoDisconnectOnClosedReadStream: false }
        - read: { length: 3B, tag: 1 }
        - write: { bytes: "xyz", tag: 2 }
      reactions: [{ when: didRead, do: [write: { bytes: "uv", tag: 3 }] }]
      """
    let scenario = try #require(ScenarioReader.read(text, id: "a/x").scenario)
    let target = try #require(FuzzTarget.named("writequeue"))
    let code = try #require(ProgramCode.named("writequeue"))
    let made = SeedMaker.seeds(for: target, from: [scenario, scenario])
    #expect(made.seeds.map(\.name) == ["a-x"] && made.omissions.isEmpty)
    let program = try #require(made.seeds.first).bytes.withUnsafeBytes { code.read($0) }
    #expect(program.steps.contains(.call(.write(Array("xyz".utf8), timeout: nil))), "\(program)")
    #expect(!program.closesOnEndOfStream && program.reactions.count == 1, "\(program)")
    var long = scenario
    long.title = String(repeating: "x", count: 1 << 20)
    let texts = SeedMaker.seeds(for: try #require(FuzzTarget.named("scenario")), from: [long])
    #expect(texts.seeds.isEmpty && texts.omissions.map(\.scenario) == ["a/x"])
  }
}
