import HostTools
import Requirements
import ScenarioFiles
import ScenarioModel
import ScenarioRunner
import Simulation
import Synchronization

/// Plays every scenario of the simulated world with the derived mutants of what it cites.
///
/// A citation is as good as what it can object to: the scenario is played once as it is, and then once for each way in
/// which a subject that breaks the cited requirement would look different. What turns the case red is a kill.
package struct CitationRun {
  /// What the scenarios were found to object to.
  package struct Outcome: Sendable {
    /// The derived mutants that each citation kills.
    package var kills: [KillRecord.Citation: [String]] = [:]
    /// Citations for which at least one derived mutant showed something else than the subject.
    package var tried: Set<KillRecord.Citation> = []
    /// Cases that were played.
    package var cases = 0
  }

  private let register: RequirementRegister
  private let scenarios: [Scenario]
  private let jobs: Int
  /// The mutants to play of each citation; nil: all.
  private let chosen: [KillRecord.Citation: String]?
  /// The number of a scenario's variants that are looked at, and of the events that a mutation fits.
  private static let maxVariants = 3
  private static let maxOccurrences = 5
  private static let seed: UInt64 = 1

  /// Looks at what is cited of the register in the simulated scenarios of the library, `jobs` cases at a time.
  package init(_ register: RequirementRegister, _ library: ScenarioLibrary, jobs: Int) {
    self.init(register, library, jobs: jobs, chosen: nil)
  }

  private init(
    _ register: RequirementRegister, _ library: ScenarioLibrary, jobs: Int, chosen: [KillRecord.Citation: String]?
  ) {
    self.register = register
    scenarios = library.scenarios.filter { !$0.canary && $0.worlds.contains(.simulated) }
    self.jobs = jobs
    self.chosen = chosen
  }

  /// Plays one derived mutant of each citation on record once more. Gives the citations that object to it no more, in
  /// order, and how many were played.
  package static func replay(
    _ record: KillRecord, _ register: RequirementRegister, _ library: ScenarioLibrary, jobs: Int
  ) -> (lost: [KillRecord.Citation], played: Int) {
    var chosen: [KillRecord.Citation: String] = [:]
    for citation in record.citations { chosen[citation] = record[citation].first(where: KillRecord.isDerived) }
    let kills = CitationRun(register, library, jobs: jobs, chosen: chosen).run { _, _ in }.kills
    return (chosen.keys.filter { kills[$0] == nil }.sorted(), chosen.count)
  }

  /// - Parameter tell: is called from any thread with the number of scenarios that are done.
  package func run(tell: @escaping @Sendable (_ done: Int, _ of: Int) -> Void) -> Outcome {
    let outcome = Mutex(Outcome())
    let done = Mutex(0)
    let count = scenarios.count
    ParallelWork.run(scenarios, jobs: jobs) { scenario in
      let part = self.outcome(of: scenario)
      outcome.withLock {
        $0.kills.merge(part.kills) { $0 + $1 }
        $0.tried.formUnion(part.tried)
        $0.cases += part.cases
      }
      tell(
        done.withLock {
          $0 += 1
          return $0
        }, count)
    }
    return outcome.withLock { $0 }
  }

  private func outcome(of scenario: Scenario) -> Outcome {
    var outcome = Outcome()
    var wanted: [EventMutation: [KillRecord.Citation]] = [:]
    for id in scenario.requirements {
      let citation = KillRecord.Citation(requirement: id, witness: scenario.id)
      for mutation in register[id]?.mutations ?? []
      where chosen.map({ $0[citation] == mutation.text }) ?? true {
        wanted[mutation, default: []].append(citation)
      }
    }
    guard !wanted.isEmpty else { return outcome }
    let script = CaseScript(scenario, profile: .documented)
    let variants = scenario.variants.prefix(Self.maxVariants)
    for variant in variants where !wanted.isEmpty {
      var world = SimulatedWorld()
      let plain = CaseRunner.run(
        script, variant: variant, seed: Self.seed, in: &world, tolerance: .simulated)
      outcome.cases += 1
      // A case that is red by itself proves nothing.
      guard plain.verdict == .passed || plain.verdict == .passedNonStrict else { continue }
      for (mutation, citations) in wanted {
        let (isTried, isKilled, cases) = play(mutation, script, variant)
        outcome.cases += cases
        if isTried { outcome.tried.formUnion(citations) }
        guard isKilled else { continue }
        for citation in citations { outcome.kills[citation, default: []].append(mutation.text) }
        wanted[mutation] = nil
      }
    }
    return outcome
  }

  /// Falsifies one event after the other until one falsification is noticed.
  private func play(
    _ mutation: EventMutation, _ script: CaseScript, _ variant: Variant
  ) -> (isTried: Bool, isKilled: Bool, cases: Int) {
    var isTried = false
    for occurrence in 0..<Self.maxOccurrences {
      var world = MutatedWorld(SimulatedWorld(), mutation, occurrence: occurrence)
      let result = CaseRunner.run(
        script, variant: variant, seed: Self.seed, in: &world, tolerance: .simulated)
      guard world.fitting > occurrence else { return (isTried, false, occurrence + 1) }
      guard world.isFalsified else { continue }
      isTried = true
      switch result.verdict {
      case .failed, .timeout, .hang, .violation: return (true, true, occurrence + 1)
      case .passed, .passedNonStrict, .crash, .skipped, .unsupported, .inconclusive, .error: break
      }
    }
    return (isTried, false, Self.maxOccurrences)
  }
}
