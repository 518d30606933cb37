import CaseReduction
import FuzzPrograms
import ReferenceModel
import ScenarioModel
import Testing

@testable import Exploration

/// Programs where time is real, what they are about, and what is kept of them.
@Suite("Explored programs")
struct ExploredProgramTests {
  private static func program(_ steps: [SocketProgram.Step], onRunLoop: Bool = false) -> SocketProgram {
    var program = SocketProgram()
    program.steps = steps
    program.livesOnRunLoop = onRunLoop
    return program
  }

  @Test("where time is real nothing waits, nothing times out and nobody is asked") func clocks() throws {
    var program = Self.program([
      .call(.read(.exactly(1), timeout: 5)), .wait(9), .call(.write([1], timeout: 5)), .arrive([1]),
    ])
    program.extensions = [100]
    program.reactions = [.init(callback: 1, call: .write([2], timeout: 5))]
    var plain = Self.program([
      .call(.read(.exactly(1), timeout: nil)), .call(.write([1], timeout: nil)), .arrive([1]),
    ])
    plain.reactions = [.init(callback: 1, call: .write([2], timeout: nil))]
    #expect(program.withoutClocks == plain)
    let variant = Variant(subject: .gcd, family: .ipv4, cut: .whole, queues: .separate)
    let scenario = try #require(ProgramTrial.scenario(program, id: "x", .init(world: .loopback, variant: variant)))
    #expect(scenario.worlds == [.loopback])
    for step in scenario.subjects[0].steps {
      switch step.step {
      case .wait(let pause): #expect(pause == .milliseconds(30))
      case .command(.read(let read), _, _): #expect(read.timeout.seconds < 0)
      case .command(.write(let write), _, _): #expect(write.timeout.seconds < 0)
      default: break
      }
    }
  }

  @Test("programs drawn without clocks have none in their callbacks, and live where they are to live") func drawn() {
    var drawing = ProgramDrawing(seed: 11)
    for number in 0..<300 {
      let program = drawing.program(livesOnRunLoop: number % 2 == 1, hasClocks: false)
      #expect(program == program.withoutClocks && program.livesOnRunLoop == (number % 2 == 1))
    }
    let kinds = (0..<500).map { ProgramChange.drawn(seed: UInt64($0), hasClocks: false).kind }
    #expect(Set(kinds).isDisjoint(with: [.pauses, .timeout, .extends]))
  }

  @Test("only the class that has queues and shortcuts is played with them") func settings() {
    for seed in 0..<UInt64(100) {
      var random = SplitMix64(seed: seed)
      let variant = ProgramTrial.Setting.drawn(&random, world: .simulated, subject: .runLoop).variant
      #expect(variant.queues == .separate && variant.speed == .all && variant.subject == .runLoop)
    }
  }

  @Test("a program is about what comes of it") func requirements() {
    func ids(_ steps: [SocketProgram.Step], onRunLoop: Bool = false) -> [String] {
      ModelRequirements.ids(of: CertainProgram(Self.program(steps, onRunLoop: onRunLoop)))
    }
    let read = ids([.call(.read(.exactly(1), timeout: nil)), .arrive([1])])
    #expect(read == ["INV-03", "INV-05", "RD-LEN-01", "RDQ-01"])
    #expect(ids([.peerFinishes]) == ["HALF-01", "INV-03"])
    #expect(ids([.peerFinishes], onRunLoop: true) == ["HALF-14", "INV-03", "RL-01", "RL-03"])
    let late = ids([.call(.read(.exactly(1), timeout: 5)), .wait(9)])
    #expect(late == ["INV-03", "TMO-03", "TMO-04", "TMO-05", "TMO-06", "TMO-07", "TMO-09"])
  }

  @Test("no number is left out between rounds, and what did not show again is counted") func rounds() throws {
    var explorer = Explorer(TrialDrawing([], .init(seed: 1, worlds: [.simulated]))) { cases in cases.map { _ in nil } }
    _ = try explorer.round(of: 5)
    _ = try explorer.round(of: 3)
    explorer.countUnconfirmed()
    #expect(explorer.next == 8 && explorer.tally.unconfirmed == 1)
  }

  @Test("a kept file says where it is played and what it came of, each in one line") func kept() throws {
    var scenario = try #require(try Committed.scenarios.get().first)
    scenario.title = "two\nlines\u{1B}"
    scenario.worlds = Set(WorldName.allCases)
    scenario.schedule = .quiet
    let trial = ExploredTrial(
      number: 1, origin: .scenario("a/b"), judgement: .laws, changes: .scenario([]), scenario: scenario, points: [])
    func text(_ changes: [String], in world: WorldName = .simulated) -> String {
      KeptTrial.text(
        .init(
          best: .init(scenario: scenario, variant: scenario.variants[0], seed: 7), text: "one\ttwo", changes: changes,
          plays: 1), of: trial, in: world, id: "kept", origin: "Found.", command: "run it")
    }
    let comments = text([]).split(separator: "\n").prefix { $0.hasPrefix("#") }
    #expect(comments.count == 6 && comments.contains("# a/b shows it as it stands."), "\(comments)")
    #expect(comments.contains("# It shows: one two"), "\(comments)")
    #expect(text(["a pause"]).contains("# a/b, with a pause.\n"))
    #expect(text([]).contains("two lines") && text([]).contains("only: simulated"), "\(text([]).prefix(900))")
    // A schedule is one of simulated time: anywhere else the file would be refused.
    #expect(text([]).contains("schedule: quiet") && !text([], in: .loopback).contains("schedule:"))
  }
}
