import HostTools
import RunComparison
import RunReports
import ScenarioModel

/// A baseline, and what was changed of it, in words for the terminal.
package enum BaselineText {
  /// Cases of a change that are named of one scenario; of the rest the number.
  private static let maxCases = 6

  /// What is on record in a few numbers, or, with patterns, each scenario that has a case among them.
  package static func lines(_ baseline: Baseline, of patterns: [CasePattern]) -> [String] {
    guard !patterns.isEmpty else { return summary(baseline) }
    return baseline.scenarios.sorted { $0.key < $1.key }.flatMap { id, entry -> [String] in
      let cases = entry.cases.filter { key, _ in patterns.contains { $0.covers(key) } }
      guard !cases.isEmpty else { return [] }
      let groups = Dictionary(grouping: cases) { $0.value.text }.sorted { $0.key < $1.key }
      return ["\(Console.styled(id, .strong))\(entry.isCanary ? "  canary" : "")  \(entry.hash)"]
        + groups.map { text, cases in
          let names = cases.map { "\($0.key.variant), \($0.key.world.rawValue)" }.sorted()
          return "    \(text): \(names.joined(separator: "; "))"
        }
    }
  }

  private static func summary(_ baseline: Baseline) -> [String] {
    let standings = baseline.scenarios.values.flatMap { entry in
      entry.cases.values.map { entry.isCanary && $0.verdict == .failed ? "failed, as canaries must" : words($0) }
    }
    let counts = Dictionary(standings.map { ($0, 1) }, uniquingKeysWith: +).sorted {
      ($1.value, $0.key) < ($0.value, $1.key)
    }
    return [
      "\(baseline.subject), profile \(baseline.profile)",
      "\(QuantityText.count(baseline.scenarios.count, "scenario")), \(QuantityText.count(baseline.count, "case"))",
    ] + counts.map { "  \(QuantityText.count($0.value)) \($0.key)" }
  }

  private static func words(_ standing: Baseline.Standing) -> String {
    (standing.isKnown ? "known " : "") + standing.verdict.label
  }

  /// Each scenario with what was changed of it, and how many cases that were.
  package static func lines(_ changes: [Baseline.Change]) -> [String] {
    var lines: [String] = []
    let groups = Dictionary(grouping: changes, by: \.key.scenario).sorted { $0.key < $1.key }
    for (id, changes) in groups {
      let alike = Dictionary(grouping: changes) { "\($0.old?.text ?? "–") → \($0.new?.text ?? "–")" }
      for (course, changes) in alike.sorted(by: { $0.key < $1.key }) {
        let names = changes.map { "\($0.key.variant), \($0.key.world.rawValue)" }
        let left = names.count - maxCases
        let more = left > 0 ? "; and \(QuantityText.count(left)) more" : ""
        lines.append("\(mark(changes[0])) \(id)  \(course)")
        lines.append(Console.styled("    \(names.prefix(maxCases).joined(separator: "; "))\(more)", .quiet))
      }
    }
    return lines
  }

  private static func mark(_ change: Baseline.Change) -> String {
    switch (change.old, change.new) {
    case (nil, _): Console.styled("+", .good)
    case (_, nil): Console.styled("-", .bad)
    default: Console.styled("~", .caution)
    }
  }
}
