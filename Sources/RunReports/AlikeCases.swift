import ScenarioModel

/// The outcome of a case without what merely differs by variant or run. Cases with equal accounts are reported once.
package struct CaseAccount: Hashable, Sendable {
  private struct Line: Hashable {
    var kind: Deviation.Kind
    var position: SourcePosition?
    var requirement: String?
    var expected: String
    var actual: String
  }

  private let scenario: String
  private let world: WorldName
  private let verdict: Verdict
  private let canary: Bool
  private let voided: VoidedCase?
  private let reason: String?
  private let lines: [Line]
  private let frames: [String]

  /// What the result says, with what depends on the variant alone left out.
  package init(_ result: CaseResult) {
    scenario = result.scenario
    world = result.world
    verdict = result.verdict
    canary = result.canary
    voided = result.voided
    reason = result.reason.map { VariantNeutral.text($0) }
    lines = result.deviations.map {
      Line(
        kind: $0.kind, position: $0.position, requirement: $0.requirement,
        expected: VariantNeutral.text($0.expected), actual: VariantNeutral.text($0.actual))
    }
    frames = result.backtrace.isEmpty ? [] : BacktraceExcerpt(result.backtrace).frames.map { VariantNeutral.text($0) }
  }
}

/// Cases of one scenario and world that went wrong in the same way.
package struct AlikeCases: Sendable {
  /// The first of them, which speaks for all.
  package let first: CaseResult
  /// Places of all in the list they were taken from, in its order.
  package private(set) var places: [Int]
  /// Names of their variants, each once, in the order of their first case.
  package private(set) var variants: [String]
  /// Their seeds, each once, in the order of their first case.
  package private(set) var seeds: [UInt64]
  /// Whether some deviation reads differently in another of them: an instant, an address, a count of bytes.
  package private(set) var differs = false

  /// How many cases they are, at least 1.
  package var count: Int { places.count }

  private init(_ result: CaseResult, at place: Int) {
    first = result
    places = [place]
    variants = [result.variant.name]
    seeds = [result.seed]
  }

  /// Groups the cases, in the order of each group's first.
  package static func groups(_ cases: some Sequence<(place: Int, result: CaseResult)>) -> [AlikeCases] {
    var groups: [AlikeCases] = []
    var known: [CaseAccount: (group: Int, variants: Set<String>, seeds: Set<UInt64>)] = [:]
    for (place, result) in cases {
      let account = CaseAccount(result)
      guard var entry = known[account] else {
        known[account] = (groups.count, [result.variant.name], [result.seed])
        groups.append(AlikeCases(result, at: place))
        continue
      }
      groups[entry.group].places.append(place)
      if entry.variants.insert(result.variant.name).inserted {
        groups[entry.group].variants.append(result.variant.name)
      }
      if entry.seeds.insert(result.seed).inserted { groups[entry.group].seeds.append(result.seed) }
      if !groups[entry.group].differs {
        groups[entry.group].differs = zip(groups[entry.group].first.deviations, result.deviations).contains {
          $0.actual != $1.actual || $0.expected != $1.expected
        }
      }
      known[account] = entry
    }
    return groups
  }

  /// Groups the cases by their places in the list, in the order of each group's first.
  package static func groups(_ cases: [CaseResult]) -> [AlikeCases] {
    groups(cases.enumerated().lazy.map { (place: $0.offset, result: $0.element) })
  }

  /// `read/line [ipv4, simulated]`, or `read/line [8 variants, simulated]`.
  package var name: String {
    variants.count == 1 ? first.name : "\(first.scenario) [\(variants.count) variants, \(first.world.rawValue)]"
  }

  /// `ipv4, ipv6-bytes and 6 more`.
  package func variantsText(most: Int = 12) -> String { Self.listed(variants, most: most) }

  /// `seed 3`, or `seeds 3, 17 and 4 more`.
  package func seedsText(most: Int = 8) -> String { Self.text(seeds: seeds, most: most) }

  static func text(seeds: [UInt64], most: Int = 8) -> String {
    (seeds.count == 1 ? "seed " : "seeds ") + listed(seeds.map { "\($0)" }, most: most)
  }

  private static func listed(_ words: [String], most: Int) -> String {
    guard words.count > most else {
      guard words.count > 1, let last = words.last else { return words.first ?? "" }
      return words.dropLast().joined(separator: ", ") + " and " + last
    }
    return words.prefix(most).joined(separator: ", ") + " and \(words.count - most) more"
  }
}
