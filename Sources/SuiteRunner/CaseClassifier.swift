import CaseReduction
import Dispatch
import Foundation
import HostTools
import RunComparison
import ScenarioModel
import ScenarioRunner
import SubjectAdapters
import Synchronization

/// Repeats a case that was not as expected, alone and beside others, on an idle and on a busied machine, and counts.
///
/// A simulated case has the same result with the same seed, whatever runs beside it; so it is repeated with other
/// seeds.
package struct CaseClassifier {
  /// How often under each circumstance.
  private let repetitions: Int
  private let profile: Profile
  private let company: [(scenario: Scenario, variant: Variant)]
  private let programs: [SubjectEntry]
  private let scope: (String) -> RequirementScope
  private let stop: StopFlag
  private let jitter: Duration

  /// - Parameters:
  ///   - repetitions: under each circumstance.
  ///   - company: cases of the library to run beside it over loopback; beside a program's case, those that the
  ///     program supports.
  ///   - programs: the subjects that are programs of their own, and have cases to be repeated.
  ///   - scope: which class a requirement of the register binds.
  ///   - stop: ends the counting early.
  package init(
    repetitions: Int, profile: Profile, company: [(scenario: Scenario, variant: Variant)],
    programs: [SubjectEntry] = [], scope: @escaping (String) -> RequirementScope = { _ in .any }, stop: StopFlag
  ) {
    (self.programs, self.scope) = (programs, scope)
    self.repetitions = repetitions
    self.profile = profile
    self.company = company
    self.stop = stop
    jitter = HostProbe.jitter()
  }

  /// Cases of a library that make good company: quick ones over loopback, each of another scenario.
  package static func company(of scenarios: [Scenario]) -> [(scenario: Scenario, variant: Variant)] {
    let quick = scenarios.filter { $0.worlds.contains(.loopback) && !$0.canary && $0.peers.count == 1 }
    let step = max(1, quick.count / 24)
    return stride(from: 0, to: quick.count, by: step).compactMap { place in
      quick[place].variants.first.map { (quick[place], $0) }
    }
  }

  /// Repeats the case and counts how often it shows the finding. Throws when cases can't be run.
  package func classify(
    _ scenario: Scenario, variant: Variant, world: WorldName, seed: UInt64, finding: FindingIdentity
  ) throws -> RepeatedCase {
    let planned = PlannedCase(scenario: 0, variant: variant, world: world, seed: seed)
    var counts: [RepeatedCase.Circumstance: RepeatedCase.Count] = [:]
    for circumstance in RepeatedCase.Circumstance.allCases where !stop.isSet {
      if world == .simulated, circumstance == .beside || circumstance == .besideBusied { continue }
      let isBusied = circumstance == .aloneBusied || circumstance == .besideBusied
      let load = isBusied ? ProcessorLoad() : nil
      defer { load?.end() }
      let hasCompany = circumstance == .beside || circumstance == .besideBusied
      counts[circumstance] = try count(scenario, planned, hasCompany: hasCompany, finding)
    }
    return RepeatedCase(counts)
  }

  /// How often a simulated case shows the finding with the seeds that follow its own.
  package func seeds(
    _ scenario: Scenario, variant: Variant, seed: UInt64, count: Int, finding: FindingIdentity
  ) throws -> FailureRate {
    let cases = (1...UInt64(count)).map {
      PlannedCase(scenario: 0, variant: variant, world: .simulated, seed: seed &+ $0)
    }
    let results = try run([scenario], cases, jobs: 16)
    return FailureRate(failures: results.count { FindingIdentity($0) == finding }, runs: max(1, results.count))
  }

  /// The first finding that the case shows in that many runs; nil: none.
  package func finding(
    _ scenario: Scenario, _ variant: Variant, _ world: WorldName, _ seed: UInt64, most: Int
  ) throws -> FindingIdentity? {
    let planned = PlannedCase(scenario: 0, variant: variant, world: world, seed: seed)
    for _ in 0..<(world == .simulated ? 1 : most) where !stop.isSet {
      if let finding = try run([scenario], [planned], jobs: 1).compactMap(FindingIdentity.init).first { return finding }
    }
    return nil
  }

  private func count(
    _ scenario: Scenario, _ planned: PlannedCase, hasCompany: Bool, _ finding: FindingIdentity
  ) throws -> RepeatedCase.Count {
    var scenarios = [scenario]
    var cases = Array(repeating: planned, count: repetitions)
    if hasCompany {
      cases = []
      let company = company(of: planned.variant.program)
      scenarios += company.map(\.scenario)
      for _ in 0..<repetitions {
        cases.append(planned)
        for (place, other) in company.enumerated() {
          cases.append(PlannedCase(scenario: place + 1, variant: other.variant, world: planned.world, seed: 1))
        }
      }
    }
    let results = try run(scenarios, cases, jobs: hasCompany ? 32 : 1).filter { $0.scenario == scenario.id }
    return results.reduce(into: RepeatedCase.Count()) { count, result in
      if result.verdict == .inconclusive {
        count.late += 1
        return
      }
      count.runs += 1
      if FindingIdentity(result) == finding { count.hits += 1 } else if !result.isAsExpected { count.others += 1 }
    }
  }

  /// What runs beside a case of this program's, or of the library's.
  private func company(of program: String?) -> [(scenario: Scenario, variant: Variant)] {
    guard let program else { return company }
    guard let entry = programs.first(where: { $0.program.name == program }) else { return [] }
    return company.compactMap { scenario, variant in
      let own = variant.of(program: program)
      return entry.refusal(of: scenario, own, scope: scope) == nil ? (scenario, own) : nil
    }
  }

  private func run(_ scenarios: [Scenario], _ cases: [PlannedCase], jobs: Int) throws -> [CaseResult] {
    let executor = SuiteExecutor(
      scenarios: scenarios, options: .init(jobs: jobs, profile: profile, jitter: jitter, programs: programs),
      stop: stop)
    let results = Mutex<[CaseResult]>([])
    let amended = try executor.run(cases) { result in results.withLock { $0.append(result) } }
    // A batch as a whole may show a deviation that its cases do not: it counts as a finding of one of them.
    return results.withLock { results in
      for result in amended {
        let place = results.firstIndex { $0.name == result.name && $0.seed == result.seed && $0.isAsExpected }
        if let place { results[place] = result }
      }
      return results
    }
  }
}

/// Keeps all processors busy, until it is ended.
private final class ProcessorLoad: Sendable {
  private let isOver = Atomic(false)

  init() {
    for number in 0..<2 * ProcessInfo.processInfo.activeProcessorCount {
      let thread = Thread { [self] in
        var value = UInt64(number)
        while !isOver.load(ordering: .relaxed) {
          for _ in 0..<10_000 { value = value &* 6_364_136_223_846_793_005 &+ 1 }
          if value == 0 { continue }
        }
      }
      thread.name = "lab-load-\(number)"
      thread.start()
    }
  }

  func end() { isOver.store(true, ordering: .relaxed) }
}
