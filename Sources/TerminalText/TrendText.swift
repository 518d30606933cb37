import Foundation
import HostTools
import RunHistory
import ScenarioModel

/// A trend as a table for the terminal.
package enum TrendText {
  /// Slowest cases that are told.
  private static let maxSlow = 5

  /// Lines, the answer first. Measures of benchmarks and campaigns that are as they were are only counted.
  package static func lines(_ trend: Trend) -> [String] {
    let isGood = trend.regressions.isEmpty
    var lines = [
      Console.styled("\(isGood ? "✓" : "✗") \(TrendWords.headline(trend))", isGood ? .good : .bad),
      "  \(TrendWords.extent(trend))",
    ]
    for kind in HistoryEntry.Kind.allCases {
      guard let last = trend.entries[kind]?.last else { continue }
      let commit = last.commitText.map { ", commit \($0)" } ?? ""
      lines += [
        "", Console.styled(TrendWords.title(kind), .strong) + Console.styled("  last \(last.name)\(commit)", .quiet),
      ]
      let courses = trend.courses.filter { $0.kind == kind }
      let told = courses.filter { kind == .suite || [.worse, .better].contains($0.judgement.change) }
      let width = told.map(\.name.count).max() ?? 0
      for course in told { lines += line(course, width) }
      let left = courses.count - told.count
      if left > 0 { lines.append("  \(QuantityText.count(left, "measure")) within noise or not judged") }
      if !last.slowest.isEmpty {
        lines.append("  slowest")
        lines += last.slowest.prefix(maxSlow).map { slow in
          "    \(HistoryMeasure.text(slow.milliseconds, .milliseconds))  \(slow.name)"
        }
      }
    }
    return lines
  }

  private static func line(_ course: Trend.Course, _ width: Int) -> [String] {
    let name = course.name.padding(toLength: width, withPad: " ", startingAt: 0)
    let change = course.judgement.change
    let style: Console.Style = change == .worse ? .bad : change == .better ? .good : .quiet
    var lines = ["  \(Console.styled(TrendWords.mark(change), style)) \(name)  \(course.last.text)"]
    lines[0] += Console.styled("  \(course.judgement.reason)", .quiet)
    if let pooled = Trend.pooled(course), course.last.noise == .counted {
      lines.append(Console.styled("      all together \(pooled.text)", .quiet))
    }
    return lines
  }
}
