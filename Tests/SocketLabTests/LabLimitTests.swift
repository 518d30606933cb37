import Foundation
import ScenarioFiles
import ScenarioModel
import ScenarioRunner
import Testing

@testable import socketlab

/// How the lab behaves at the limits of what it is given: descriptors, files, patience.
@Suite struct LabLimitTests {
  private static func scenario(connections: Int) -> Scenario {
    var scenario = Scenario(id: "with-\(connections)", title: "")
    let connect = Located(PeerStep.connect(socket: ""), at: SourcePosition(line: 1, column: 1))
    let repeated = PeerStep.repeated(times: connections, steps: [connect])
    scenario.peers = [PeerLane(name: "peer", steps: [Located(repeated, at: connect.position)])]
    return scenario
  }

  /// Whatever the limit, the cases that may run at the same time have enough, and none is left out that has.
  @Test func casesFitTheDescriptors() {
    let scenarios = [1, 100, 2, 0].map { Self.scenario(connections: $0) }
    let needs = scenarios.map(DescriptorLimit.need)
    #expect(needs[1] >= needs[3] + 200)
    let variant = Variant(family: .ipv4, cut: .whole, queues: .separate)
    let plan = WorldName.allCases.flatMap { world in
      (0..<40).map { PlannedCase(scenario: $0 % 4, variant: variant, world: world, seed: UInt64($0)) }
    }
    for wanted in [1, 2, 8, 32, 256] {
      let enough = DescriptorLimit.needed(for: plan, of: scenarios, jobs: wanted)
      for limit in [0, 3, 40, 64, 100, 200, 256, 300, 512, 1_024, enough - 1, enough, 1 << 20] {
        let fit = DescriptorLimit(plan, of: scenarios, atMost: wanted, limit: limit)
        let left = limit - DescriptorLimit.ofLab
        let allowed = plan.filter { $0.world == .loopback && fit.allows($0) }.map { needs[$0.scenario] }
        #expect(allowed.count + fit.skipped.count == 40)
        #expect(fit.skipped.allSatisfy { $0.verdict == .skipped && $0.reason?.contains("ulimit -n \(enough)") == true })
        #expect(allowed.sorted(by: >).prefix(fit.jobs).reduce(0, +) <= max(left, 0), "\(wanted) with \(limit)")
        #expect(plan.filter { $0.world == .simulated }.allSatisfy(fit.allows))
        if limit >= enough { #expect(fit.jobs == wanted && fit.skipped.isEmpty) }
        #expect((1...wanted).contains(fit.jobs))
      }
    }
  }

  @Test func withFewDescriptorsFewerCasesRunAtATime() throws {
    let suite = try ScratchSuite([
      "read/line.yaml": ScratchSuite.passing, "read/again.yaml": ScratchSuite.passing,
      "read/once-more.yaml": ScratchSuite.passing,
    ])
    // The soft limit is ours to raise.
    let raised = try suite.shell("ulimit -S -n 64; \"$LAB\" run --world loopback --jobs 3")
    #expect(raised.status == 0 && raised.error.isEmpty, "\(raised.error)")
    let reduced = try suite.shell("ulimit -n 64; \"$LAB\" run --world loopback --jobs 3")
    #expect(reduced.status == 0, "\(reduced.output)")
    #expect(reduced.error.contains("Note: 1 loopback case at a time instead of 3: only 64 descriptors may be open"))
    let refused = try suite.shell("ulimit -n 40; \"$LAB\" run --world loopback")
    #expect(refused.status == 4, "\(refused.output)")
    #expect(refused.error.contains("Nothing ran: only 40 descriptors may be open; raise the limit with ulimit -n"))
    #expect(!refused.output.contains("error"))
    #expect(try suite.shell("ulimit -n 40; \"$LAB\" run --world simulated").status == 0)
    // Of both worlds one is left; what could not run is said once.
    let half = try suite.shell("ulimit -n 40; \"$LAB\" run")
    #expect(half.status == 0, "\(half.output)")
    #expect(half.output.contains("3 cases skipped: only 40 descriptors may be open"), "\(half.output)")
  }

  /// Ctrl-C after a thousand cases of four, nearly all of which hang on one that may not have run: none is an error.
  @Test func anInterruptionMakesNoErrors() throws {
    let suite = try Self.suite(of: 4_000) { $0 < 10 || $0 == 3_999 ? "" : "control: area-39/line-3999\n" }
    let process = Process()
    process.executableURL = SocketLabProgram.url
    process.arguments = ["run", "--world", "simulated"]
    process.currentDirectoryURL = suite.folder
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    // The first line of progress.
    var text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    process.interrupt()
    text += String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 1, "\(text)")
    #expect(!text.contains("error"), "\(text)")
    #expect(text.contains("interrupted"), "\(text)")
  }

  // MARK: - Growth

  /// So many small files, a hundred in a folder.
  private static func suite(of count: Int, _ addition: (Int) -> String = { _ in "" }) throws -> ScratchSuite {
    try ScratchSuite(
      Dictionary(
        uniqueKeysWithValues: (0..<count).map {
          ("area-\($0 / 100)/line-\($0).yaml", ScratchSuite.passing + addition($0))
        }))
  }

  private static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let duration = try ContinuousClock().measure(body)
    return Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
  }

  /// To plan a run is to look at each scenario a few times; to read one is thousands of times as much. What looks at
  /// all scenarios for each of them is slower than reading long before this many.
  @Test func planningCostsLessThanReading() throws {
    let suite = try Self.suite(of: 4_000)
    var library = ScenarioLibrary()
    let reading = try Self.seconds {
      library = try ScenarioLibrary(folder: suite.folder.appendingPathComponent("Scenarios").path)
    }
    #expect(library.scenarios.count == 4_000)
    // All of them by name, too: names are looked up, not compared.
    let everything = SuiteRun.Options(worlds: [.simulated])
    let planning = try Self.seconds { _ = try SuiteRun(library: library, ids: [], options: everything) }
    #expect(planning < reading, "\(planning) s after \(reading) s")
    let names = library.entries.map(\.id)
    var ids: [String] = []
    let naming = try Self.seconds {
      ids = try library.ids(for: names)
      _ = try SuiteRun(library: library, ids: ids, options: everything)
    }
    #expect(ids == names)
    #expect(naming < reading, "\(naming) s after \(reading) s")
  }

  /// Every file names a control of its own that does not exist: a guess for each compares it with all others.
  @Test func guessesAreFew() throws {
    let suite = try Self.suite(of: 2_000) { "control: area-\($0 / 100)/lime-\($0)\n" }
    let check = try Self.seconds {
      let result = try suite.run(["check"])
      #expect(result.status == 3)
      #expect(result.error.contains("Did you mean area-0/line-0?"))
      #expect(result.error.contains("The control area-19/lime-1999 is no scenario"))
    }
    let plain = try Self.suite(of: 2_000)
    let reading = try Self.seconds {
      let status = try plain.run(["check"]).status
      #expect(status == 0)
    }
    #expect(check < reading * 4 + 1, "\(check) s, \(reading) s without guesses")
  }
}
