import HostTools
import RunReports
import ScenarioModel

/// Cases in words, for the terminal.
package enum CaseText {
  private static let maxDeviations = 6

  /// One case, in lines without a last line end. Places are told in `path`, the scenario's file; nil: by the scenario's
  /// id.
  package static func describe(_ result: CaseResult, path: String?) -> String {
    AlikeCases.groups([result]).map { describe($0, path: path, isControl: false) }.joined(separator: "\n")
  }

  /// Cases that went wrong in the same way, described once. Cases that a control voids are described at the end of the
  /// run.
  package static func describe(_ group: AlikeCases, path: String?, isControl: Bool) -> String {
    let result = group.first
    let mark = result.verdict == .inconclusive ? Console.styled("?", .caution) : Console.styled("✗", .bad)
    let verdict = result.canary ? "\(result.verdict.label), but a canary must fail" : result.verdict.label
    let name = Console.styled(Console.visible(group.name), .strong)
    var lines = ["\(mark) \(name)  \(verdict)\(isControl ? ", and it is a control" : "")"]
    if group.variants.count > 1 { lines.append("    in \(Console.visible(group.variantsText()))") }
    if group.seeds.count > 1 { lines.append("    with \(group.seedsText())") }
    if let reason = result.reason { lines.append("    \(Console.quotation(reason))") }
    lines += lastWords(result)
    for deviation in result.deviations.prefix(maxDeviations) {
      let file = Console.visible(path ?? result.scenario)
      let place = deviation.position.map { "  \(file):\($0.line):\($0.column)" } ?? ""
      lines.append("    \(deviation.kind.rawValue)\(Console.styled(place, .quiet))")
      lines.append("      expected  \(Console.visible(deviation.expected))")
      lines.append("      actual    \(Console.visible(deviation.actual))")
    }
    if result.deviations.count > maxDeviations {
      lines.append("    … and \(QuantityText.count(result.deviations.count - maxDeviations, "more deviation"))")
    }
    if group.differs {
      lines.append(Console.styled("    instants, addresses and counts are those of \(result.variant.name)", .quiet))
    }
    lines.append(Console.styled("    again: \(Console.visible(ReproCommand.text(result)))", .quiet))
    return lines.joined(separator: "\n")
  }

  /// What the process said as it ended, and where the subject was.
  private static func lastWords(_ result: CaseResult) -> [String] {
    guard !result.backtrace.isEmpty else { return [] }
    let excerpt = BacktraceExcerpt(result.backtrace)
    var lines = excerpt.messages.map { "    \(Console.quotation($0))" } + excerpt.frames.map { "      at \($0)" }
    if excerpt.omitted > 0 {
      lines.append(Console.styled("      \(QuantityText.count(excerpt.omitted, "more line")) in the report", .quiet))
    }
    return lines
  }

  /// What was told before and came again.
  package static func describe(_ again: AlikeCases, after first: AlikeCases) -> String {
    let name = Console.styled(Console.visible(first.name), .strong)
    var text = "\(Console.styled("✗", .bad)) \(name)  \(again.first.verdict.label) as told above, "
    text += "in \(QuantityText.count(again.count, "more case")): \(again.variantsText(most: 4))"
    if again.seeds != first.seeds { text += "; \(again.seedsText(most: 4))" }
    return text
  }
}
