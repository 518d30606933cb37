import CoverageRunner
import Foundation
import HostTools
import ScenarioModel

extension ReachTable {
  /// For the terminal: what is missing comes first.
  package func lines(worlds: Set<WorldName>, judges: Bool) -> [String] {
    let worlds = [WorldName.loopback, .simulated].filter(worlds.contains)
    let width = rows.map(\.id.count).max() ?? 0
    var lines = [""]
    lines += rows.sorted { isZero($0) && !isZero($1) }.map { row in
      let name = row.id.padding(toLength: width, withPad: " ", startingAt: 0)
      let counts = worlds.map { world in
        let text = row.counts[world.rawValue].map { QuantityText.count(Int(clamping: $0)) } ?? "–"
        return String(repeating: " ", count: max(0, 10 - text.count)) + text
      }
      let line = "\(name)\(counts.joined())  \(row.meaning)"
      let isMissing = judges && row.demanded.contains { row.counts[$0] == 0 }
      let first = isMissing ? Console.styled("✗ \(line)", .bad) : isZero(row) ? "· \(line)" : "  \(line)"
      return ([first] + worlds.compactMap { entering(row, $0) }.map { "      \($0)" }).joined(separator: "\n")
    }
    let sum =
      "\(QuantityText.count(rows.count, "coverage mark")): \(worlds.map { summary($0) }.joined(separator: "; "))"
    lines += ["", sum]
    guard judges else { return lines + ["Only a part of the suite has run: nothing is demanded of it."] }
    for row in missing {
      let place = row.demanded.filter { row.counts[$0] == 0 }.joined(separator: " and ")
      lines.append(
        Console.styled("✗ \(row.place): \(row.id) was not entered (\(place)): \(row.meaning).", .bad))
    }
    if !missing.isEmpty {
      lines.append(
        "Write a scenario that enters it (Scenarios/README.md); if no run can be held to that, say why in "
          + "Sources/CoverageMarks.")
    }
    return lines
  }
}
