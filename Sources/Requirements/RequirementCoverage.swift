import Foundation
import ScenarioModel

/// A scenario that cites a requirement.
package struct ScenarioWitness: Encodable, Sendable {
  /// What the last run said of the scenario.
  package struct Tally: Encodable, Sendable, Equatable {
    /// Cases of all variants, worlds and seeds that the report lists.
    package var cases: Int
    /// How many of them went as expected.
    package var asExpected: Int
    /// Of the first case that did not, or `passed`.
    package var verdict: String

    package init(cases: Int, asExpected: Int, verdict: String) {
      self.cases = cases
      self.asExpected = asExpected
      self.verdict = verdict
    }

    private enum CodingKeys: String, CodingKey {
      case cases, verdict
      case asExpected = "as_expected"
    }
  }

  /// Its id.
  package var scenario: String
  /// Of its file.
  package var path: String
  /// Those in which it is played.
  package var worlds: [WorldName]
  /// nil: the last run did not play it, or there is none.
  package var last: Tally?

  package init(scenario: String, path: String, worlds: [WorldName], last: Tally?) {
    self.scenario = scenario
    self.path = path
    self.worlds = worlds
    self.last = last
  }
}

/// Every requirement with what witnesses it.
///
/// A citation claims that the scenario or test would fail if the requirement were broken. The record of kills is the
/// evidence: the mutants of the requirement that turned the witness red.
package struct RequirementCoverage: Encodable {
  /// How well a requirement is witnessed, the worst first.
  package enum State: String, Encodable, CaseIterable, Comparable {
    /// By nothing.
    case open
    /// By witnesses of which none is known to fail when the requirement is broken.
    case unproven
    /// By scenarios, of which one failed in the last run.
    case failing
    /// By scenarios, all of them in one world, whatever tests there are.
    case oneWorld = "one-world"
    /// By Swift tests alone.
    case tests
    /// By scenarios in both worlds, or by every case.
    case bothWorlds = "both-worlds"
    /// By nothing that could fail: no subject can break it (`Requirement.permits`).
    case permissive

    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  /// One requirement with its witnesses.
  package struct Entry: Encodable {
    /// As in the register, with its sentence.
    package var requirement: Requirement
    /// In the order of the library.
    package var scenarios: [ScenarioWitness]
    /// In the order of their paths and lines.
    package var tests: [TestWitness]
    /// Whether the judge holds every case to it, whatever the scenario expects.
    package var isInEveryCase: Bool
    /// The mutants of the requirement that turn a witness red, by the witness; nil: there is no record of kills.
    package var kills: [String: [String]]?

    /// All mutants of the requirement that some witness kills, in order.
    package var killed: [String] { Set((kills ?? [:]).values.joined()).sorted() }

    /// The worlds in which some scenario is played that cites it; all, if every case is held to it.
    package var worlds: [WorldName] {
      WorldName.allCases.filter { world in isInEveryCase || scenarios.contains { $0.worlds.contains(world) } }
    }

    /// How well it is witnessed.
    package var state: State {
      if scenarios.contains(where: { $0.last.map { $0.asExpected < $0.cases } ?? false }) {
        return .failing
      }
      guard requirement.permits == nil else { return .permissive }
      let isWitnessed = !worlds.isEmpty || !tests.isEmpty
      if isWitnessed, let kills, kills.isEmpty { return .unproven }
      switch worlds.count {
      case 0: return isWitnessed ? .tests : .open
      case 1: return .oneWorld
      default: return .bothWorlds
      }
    }

    private enum CodingKeys: String, CodingKey {
      case id, area, level, scope, sentence, upstream, permits, sources, see, state, worlds, scenarios,
        tests, mutants
      case upstreamUnseen = "upstream_unseen"
      case isInEveryCase = "every_case"
    }

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(requirement.id, forKey: .id)
      try container.encode(requirement.area, forKey: .area)
      try container.encode(requirement.level, forKey: .level)
      try container.encode(requirement.scope, forKey: .scope)
      try container.encode(requirement.sentence, forKey: .sentence)
      try container.encodeIfPresent(requirement.upstream, forKey: .upstream)
      try container.encodeIfPresent(requirement.upstreamUnseen, forKey: .upstreamUnseen)
      try container.encodeIfPresent(requirement.permits, forKey: .permits)
      try container.encode(requirement.sources, forKey: .sources)
      try container.encode(requirement.see, forKey: .see)
      try container.encode(state, forKey: .state)
      try container.encode(worlds, forKey: .worlds)
      try container.encode(scenarios, forKey: .scenarios)
      try container.encode(tests, forKey: .tests)
      try container.encodeIfPresent(kills, forKey: .mutants)
      try container.encode(isInEveryCase, forKey: .isInEveryCase)
    }
  }

  /// In the order of the register.
  package private(set) var rows: [Entry]
  /// When the run began whose verdicts are shown; nil: there is no report of one.
  package let lastRun: String?
  /// What the table can't tell.
  package static let notKnown = [
    "whether a witness without a killed mutant would fail if its requirement were broken",
    "which class a witness of a requirement of both classes has driven",
  ]

  /// - Parameters:
  ///   - scenarios: with the ids that each cites; canaries, which must fail, are no witnesses and are left out.
  ///   - tests: declarations; those of ids that are no requirements are left out.
  ///   - everyCase: what the judge holds every case to.
  ///   - kills: the record of kills; nil: there is none.
  package init(
    _ register: RequirementRegister, scenarios: [(witness: ScenarioWitness, ids: [String])],
    tests: [(id: String, witness: TestWitness)], everyCase: [String], kills: KillRecord?,
    lastRun: String?
  ) {
    self.lastRun = lastRun
    var byScenario: [String: [ScenarioWitness]] = [:]
    for (witness, ids) in scenarios {
      for id in ids { byScenario[id, default: []].append(witness) }
    }
    var byTest: [String: [TestWitness]] = [:]
    for (id, witness) in tests where !(byTest[id]?.contains(witness) ?? false) {
      byTest[id, default: []].append(witness)
    }
    var killed: [String: [String: [String]]] = [:]
    for citation in kills?.citations ?? [] {
      killed[citation.requirement, default: [:]][citation.witness] = kills?[citation]
    }
    rows = register.requirements.map { requirement in
      Entry(
        requirement: requirement, scenarios: byScenario[requirement.id] ?? [],
        tests: (byTest[requirement.id] ?? []).sorted { ($0.path, $0.line) < ($1.path, $1.line) },
        isInEveryCase: everyCase.contains(requirement.id),
        kills: kills == nil ? nil : killed[requirement.id] ?? [:])
    }
  }

  /// The row of a requirement.
  package subscript(id: String) -> Entry? { rows.first { $0.requirement.id == id } }

  /// The musts that nothing witnesses, in the order of the register.
  package var openMusts: [Requirement] {
    rows.filter { $0.state == .open && $0.requirement.level == .must }.map(\.requirement)
  }

  /// Whether there is a record of kills.
  package var hasKills: Bool { rows.contains { $0.kills != nil } }

  /// The requirements of which no witness kills a mutant, though a subject can break them, in the order of the
  /// register; none without a record of kills.
  package var unproven: [Requirement] {
    rows.filter { $0.requirement.permits == nil && $0.kills?.isEmpty == true }.map(\.requirement)
  }

  /// The citations of scenarios that kill no mutant on record, though a subject can break what they cite, in order;
  /// none without a record of kills.
  package var idleCitations: [KillRecord.Citation] {
    rows.flatMap { row -> [KillRecord.Citation] in
      guard row.requirement.permits == nil, let kills = row.kills else { return [] }
      return row.scenarios.map(\.scenario).filter { kills[$0] == nil }.map {
        KillRecord.Citation(requirement: row.requirement.id, witness: $0)
      }
    }.sorted()
  }

  /// The requirements that are said to permit whatever a subject does, and of which a witness kills a mutant all the
  /// same: one of the two is wrong.
  package var contradicted: [Entry] {
    rows.filter { $0.requirement.permits != nil && $0.kills?.isEmpty == false }
  }

  private enum CodingKeys: String, CodingKey {
    case schema, unproven, contradicted
    case rows = "requirements"
    case lastRun = "last_run"
    case openMusts = "open_musts"
    case idleCitations = "idle_citations"
    case notKnown = "not_known"
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(1, forKey: .schema)
    try container.encode(lastRun, forKey: .lastRun)
    try container.encode(openMusts.map(\.id), forKey: .openMusts)
    try container.encode(unproven.map(\.id), forKey: .unproven)
    try container.encode(contradicted.map(\.requirement.id), forKey: .contradicted)
    try container.encode(
      idleCitations.map { ["requirement": $0.requirement, "scenario": $0.witness] }, forKey: .idleCitations)
    try container.encode(Self.notKnown, forKey: .notKnown)
    try container.encode(rows, forKey: .rows)
  }

  /// The whole table as JSON, with a last line end.
  package func json() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(self)) + [10]
  }
}
