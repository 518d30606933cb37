import ScenarioModel

/// What `report.json` tells a later run: enough to repeat a case and to compare two runs, without the traces.
package struct ReportDigest: Hashable, Sendable {
  /// The version of the schema that it was written under.
  package var schema: Int
  /// ISO 8601.
  package var startedAt: String
  /// Of the lab that wrote the report.
  package var version: String
  /// As `RunReport.subject`.
  package var subject: String
  /// Which profile's alternatives applied.
  package var profile: Profile
  /// The first seed.
  package var seed: UInt64
  /// How many seeds each simulated case ran with.
  package var seeds: Int
  /// As `RunReport.casesNotJudged`.
  package var casesNotJudged: Int
  /// As `RunReport.programs`.
  package var programs: [ProgramFacts] = []
  /// In the order of the report.
  package var cases: [CaseDigest]

  /// The cases of a scenario, narrowed by whatever else is given, in the order of the report.
  package func cases(
    of scenario: String, variant: String? = nil, world: WorldName? = nil, seed: UInt64? = nil
  ) -> [CaseDigest] {
    cases.filter {
      $0.scenario == scenario && (variant ?? $0.variant) == $0.variant && (world ?? $0.world) == $0.world
        && (seed ?? $0.seed) == $0.seed
    }
  }
}

extension [ProgramFacts] {
  /// Whose variant it is, by its name; nil: the library's.
  package func owner(ofVariant name: String) -> ProgramFacts? {
    Variant.program(inName: name, among: map(\.name)).flatMap { owner in first { $0.name == owner } }
  }
}

/// One case of a written report.
package struct CaseDigest: Hashable, Sendable {
  /// The scenario's id.
  package var scenario: String
  /// `Variant.name`; find the variant itself among `Scenario.variants`.
  package var variant: String
  /// The world it ran in.
  package var world: WorldName
  /// The seed it ran with.
  package var seed: UInt64
  /// As `CaseResult.verdict`: `error` if the control did not vouch for the case.
  package var verdict: Verdict
  /// A canary's case fails when all is well.
  package var canary: Bool
  /// The scenario's title.
  package var title: String
  /// The requirement ids the scenario names.
  package var requirements: [String]
  /// The scenario's tags.
  package var tags: [String]
  /// As `CaseResult.traceHash`.
  package var traceHash: String
  /// Real time spent, in milliseconds.
  package var milliseconds: Double
  /// As `CaseResult.deviations`; the trace that they point into is not kept.
  package var deviations: [Deviation]
  /// Why it was skipped, unsupported, inconclusive or an error.
  package var reason: String?
  /// As `CaseResult.backtrace`; empty: nothing was said.
  package var backtrace: [String]
  /// Set when the control did not vouch for the case.
  package var voided: VoidedCase?
  /// Whether what went wrong is on record.
  package var isKnown = false
  /// nil: the case has neither sessions nor errors of TLS.
  package var tls: TLSSummary?
  /// Where its capture lies, relative to the report.
  package var capture: String?
  /// As `ScenarioSource.hash`; nil: not known.
  package var scenarioHash: String?

  /// `read/line [ipv4-bytes, simulated]`, as `CaseResult.name`.
  package var name: String { "\(scenario) [\(variant), \(world.rawValue)]" }

  /// As `CaseResult.isAsExpected`.
  package var isAsExpected: Bool { canary ? verdict == .failed : verdict.isAsExpected || isKnown }
}
