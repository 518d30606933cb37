import HostTools
import KnownDeviations
import ScenarioModel
import ScenarioRunner
import SubjectPrograms
import SubjectProtocol

/// A subject that is a program of its own, as a run has it: what it says of itself, and what is on record of it.
package struct SubjectEntry: Sendable {
  /// What is run.
  package var program: SubjectProgram
  /// What it offers.
  package var claims: SubjectClaims
  /// What is on record of its deviations; nil: nothing.
  package var deviations: DeviationLedger?
  /// What the person called it.
  package var word: String

  package init(program: SubjectProgram, claims: SubjectClaims, deviations: DeviationLedger?, word: String? = nil) {
    self.program = program
    self.claims = claims
    self.deviations = deviations
    self.word = word ?? program.name
  }

  /// As variants and reports name it.
  package var name: String { program.name }

  /// As reports know it.
  var facts: ProgramFacts {
    ProgramFacts(
      name: program.name, library: claims.name, version: claims.version.isEmpty ? nil : claims.version,
      called: word == program.name ? nil : word)
  }

  /// Why the case is none that the subject is asked, in words; nil: it is.
  ///
  /// - Parameter scope: whom a requirement of the register binds.
  package func refusal(
    of scenario: Scenario, _ variant: Variant, scope: (String) -> RequirementScope
  ) -> String? {
    claims.missing(for: scenario, variant, scope: scope)?.text
  }

  /// Starts the subject and hears its hello; nothing of it is left running, and this process starts nothing else
  /// meanwhile. Throws a `SubjectPool.Trouble`, or a `LabFailure` when no process can be had.
  package static func claims(of program: SubjectProgram) throws -> SubjectClaims {
    try StrayProcesses.endingOrphans {
      let pool = SubjectPool()
      let process = try pool.take(program)
      // The subject ends with the pool that it came from.
      defer { withExtendedLifetime(pool) { _ = process.end() } }
      guard let claims = process.claims else { throw LabFailure("\(program.name) said no hello.") }
      return claims
    }
  }
}

/// The cases that the programs among the subjects of a run are asked to play, and those that they can't play.
struct ProgramPlan {
  private(set) var cases: [PlannedCase] = []
  /// Cases that are not played, and why.
  private(set) var unsupported: [PlannedCase: String] = [:]

  /// - Parameters:
  ///   - cases: those of the library. A program has one queue and none of the library's shortcuts, so that several of
  ///     them may be one; canaries prove what they prove with the library.
  ///   - variants: a glob. Of the scenarios asked for only what it means is kept, and whatever controls that has; nil:
  ///     all.
  ///   - chosen: the scenarios asked for.
  ///   - scope: whom a requirement of the register binds.
  init(
    _ entries: [SubjectEntry], like cases: [PlannedCase], of scenarios: [Scenario], fitting variants: String? = nil,
    among chosen: Set<Int> = [], scope: (String) -> RequirementScope
  ) {
    for entry in entries {
      var planned = Self.all(of: entry, like: cases, scenarios)
      if let variants { planned = Self.kept(Glob(variants), of: planned, among: chosen, scenarios) }
      var refused: [Int: PlannedCase] = [:]
      for own in planned {
        guard let refusal = entry.refusal(of: scenarios[own.scenario], own.variant, scope: scope) else {
          self.cases.append(own)
          continue
        }
        // Of a scenario that can't be asked one case says so.
        if let first = refused[own.scenario], unsupported[first] == refusal { continue }
        refused[own.scenario] = own
        unsupported[own] = refusal
        self.cases.append(own)
      }
    }
  }

  private static func all(
    of entry: SubjectEntry, like cases: [PlannedCase], _ scenarios: [Scenario]
  ) -> [PlannedCase] {
    var seen: Set<PlannedCase> = []
    return cases.filter { $0.world == .loopback && !scenarios[$0.scenario].canary }.map { planned in
      PlannedCase(
        scenario: planned.scenario, variant: planned.variant.of(program: entry.program.name), world: .loopback,
        seed: planned.seed)
    }.filter { seen.insert($0).inserted }
  }

  /// Of the scenarios asked for the variants that are meant, and whatever controls those have.
  private static func kept(
    _ variants: Glob, of cases: [PlannedCase], among chosen: Set<Int>, _ scenarios: [Scenario]
  ) -> [PlannedCase] {
    let fitting = cases.filter { chosen.contains($0.scenario) && $0.variant.isMeant(by: variants) }
    let kept = Set(fitting)
    let controls = ControlChain.ids(of: fitting.map(\.scenario), in: scenarios)
      .subtracting(fitting.map { scenarios[$0.scenario].id })
    return cases.filter { kept.contains($0) || controls.contains(scenarios[$0.scenario].id) }
  }

  /// The result of a case that is not played.
  func result(of planned: PlannedCase, _ scenario: Scenario) -> CaseResult? {
    unsupported[planned].map { CaseResult(unsupported: planned, of: scenario, because: $0) }
  }
}

extension CaseResult {
  /// The result of a case that the subject is not asked.
  package init(unsupported planned: PlannedCase, of scenario: Scenario, because reason: String) {
    self.init(scenario: scenario, variant: planned.variant, world: planned.world, seed: planned.seed)
    verdict = .unsupported
    self.reason = reason
  }
}
