import Foundation
import Requirements
import RunReports
import ScenarioFiles
import ScenarioModel
import ScenarioRunner
import Simulation
import SubjectAdapters
import Testing

/// The suite as tests, built for debugging: each scenario in each of its worlds, in one of its variants.
///
/// Which one goes round with the scenario's place in the suite, so that all values of every dimension come up; in each
/// world it is another one. `SOCKETLAB_ALL_VARIANTS=1 swift test --filter SuiteTests` plays all of them; so does
/// `./lab run`, in release.
@Suite struct SuiteTests {
  /// How often a case in which the lab itself was late is run again before that counts.
  private static let tries = 3

  @Test(arguments: SuiteFiles.all)
  func isInOrder(_ file: SuiteFiles.File) {
    let errors = file.diagnostics.filter { $0.severity == .error }
    #expect(errors.isEmpty, "\(file.id): \(errors.map { "\($0.position.line):\($0.position.column) \($0.message)" })")
  }

  /// `socketlab disputes --record` makes the file.
  @Test func everyDisputedBehaviourIsOnRecord() throws {
    let scenarios = SuiteFiles.all.flatMap(\.scenarios)
    let record = try DisputeRecord(text: SuiteFiles.record)
    #expect(record.missing(scenarios) == [])
    // Nothing is left of scenarios that are gone, and everything is where it belongs.
    #expect(record.text(scenarios) == SuiteFiles.record)
  }

  @Test(arguments: [WorldName.simulated, .loopback])
  func eachValueOfADimensionIsPlayed(world: WorldName) {
    let played = SuiteFiles.cases(in: world).flatMap(\.variants)
    #expect(Set(played.map(\.family)) == Set(AddressFamily.allCases))
    #expect(Set(played.map(\.queues)) == Set(QueueTopology.allCases))
    #expect(Set(played.map(\.security)) == Set(Security.allCases))
    let cuts = Set(played.map { variant in if case .split = variant.cut { "split" } else { variant.cut.name } })
    #expect(cuts == ["whole", "bytes", "split", "random"])
  }

  @Test(arguments: SuiteFiles.cases(in: .simulated))
  func simulated(_ entry: SuiteFiles.Case) async {
    await judge(entry) { script, variant in
      var world = SimulatedWorld()
      return CaseRunner.run(script, variant: variant, seed: 1, in: &world, tolerance: .simulated)
    }
  }

  @Test(arguments: SuiteFiles.cases(in: .loopback))
  func loopback(_ entry: SuiteFiles.Case) async {
    let jitter = HostProbe.jitter()
    await judge(entry) { script, variant in
      var world = LoopbackWorld()
      return CaseRunner.run(script, variant: variant, seed: 1, in: &world, tolerance: .loopback(jitter: jitter))
    }
  }

  private func judge(
    _ entry: SuiteFiles.Case, run: @escaping @Sendable (CaseScript, Variant) -> CaseResult
  ) async {
    let script = CaseScript(entry.scenario, profile: .documented)
    for variant in entry.variants {
      var result = await CaseThreads.shared.run { run(script, variant) }
      for _ in 1..<Self.tries where result.verdict == .inconclusive {
        result = await CaseThreads.shared.run { run(script, variant) }
      }
      if Self.isMatterOfTime(result) {
        // One that is right goes right twice.
        for _ in 0..<2 {
          result = await CaseThreads.shared.run { run(script, variant) }
          if !result.isAsExpected { break }
        }
      }
      let seen = result
      #expect(
        seen.isAsExpected,
        "\(seen.name) \(seen.verdict.rawValue): \(Self.words(seen)); again: \(ReproCommand.text(seen))")
    }
  }

  /// Whether all that is wrong is that things came late, or not in time: on a machine that is busy elsewhere, this may
  /// be the machine's doing without the runner's own thread having noticed. Early is always wrong.
  private static func isMatterOfTime(_ result: CaseResult) -> Bool {
    !result.isAsExpected && !result.deviations.isEmpty
      && result.deviations.allSatisfy { [.late, .missing].contains($0.kind) }
  }

  private static func words(_ result: CaseResult) -> String {
    let deviations = result.deviations.map { deviation in
      let place = deviation.position.map { "\($0.line):\($0.column) " } ?? ""
      return "\(place)\(deviation.kind.rawValue): expected \(deviation.expected), actual \(deviation.actual)"
    }
    return ([result.reason].compactMap { $0 } + deviations).joined(separator: "; ")
  }
}

/// The scenario files of the repository.
enum SuiteFiles {
  struct File: Sendable, CustomTestStringConvertible {
    var id: String
    var scenarios: [Scenario]
    var diagnostics: [Diagnostic]
    var testDescription: String { id }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var scenario: Scenario
    /// Those that are played.
    var variants: [Variant]
    var testDescription: String { scenario.id }
  }

  private static let playsAllVariants = ProcessInfo.processInfo.environment["SOCKETLAB_ALL_VARIANTS"] != nil

  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let folder = root.appendingPathComponent("Scenarios").path

  static let record =
    FileManager.default.contents(atPath: DisputeFile(below: folder).path)
    .map { String(decoding: $0, as: UTF8.self) } ?? ""

  static let all: [File] = {
    do {
      let register = try RequirementRegister(folder: root.appendingPathComponent(RequirementRegister.folder).path)
      return try ScenarioLibrary(folder: folder, citations: register.citations).entries.map {
        File(id: $0.id, scenarios: [$0.scenario].compactMap(\.self), diagnostics: $0.diagnostics)
      }
    } catch { fatalError("\(error)") }
  }()

  static func cases(in world: WorldName) -> [Case] {
    let scenarios = all.flatMap(\.scenarios).filter { $0.worlds.contains(world) }
    return scenarios.enumerated().map { place, scenario in
      let variants = scenario.variants
      guard !playsAllVariants, !variants.isEmpty else { return Case(scenario: scenario, variants: variants) }
      let turn = world == .loopback ? place : place + 1
      return Case(scenario: scenario, variants: [variants[turn % variants.count]])
    }
  }
}

/// A few threads on which cases run: a loopback case blocks its thread while it waits, which the threads of Swift's own
/// pool must not.
actor CaseThreads {
  static let shared = CaseThreads()

  private var free = 16
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func run(_ body: @escaping @Sendable () -> CaseResult) async -> CaseResult {
    await enter()
    defer { leave() }
    return await withCheckedContinuation { continuation in
      let thread = Thread { continuation.resume(returning: body()) }
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  private func enter() async {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { waiting.append($0) }
    }
  }

  private func leave() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}
