import ReportMarkup
import ScenarioModel

/// `summary.md`: the run on one screen, for a pull request or a job summary.
package enum MarkdownSummary {
  /// At most this many deviations are told, each with all the cases that show it; the count of the rest follows.
  static let mostCases = 25
  /// Of them, of one failed control.
  static let mostOfControl = 3
  static let mostSlow = 5
  /// Frames of a process that ended.
  static let mostFrames = 8

  /// UTF-8, ending with a line feed.
  package static func make(_ report: RunReport) -> [UInt8] {
    let totals = RunTotals(report.cases)
    var text = "# \(headline(totals))\n\n"
    text += "\(MarkdownText.escape(report.subject)) under profile \(report.profile.rawValue), "
    text += "seed \(report.seed)\(report.seeds > 1 ? " (\(report.seeds) seeds)" : ""), "
    text += "\(MarkdownText.escape(report.startedAt)), took \(QuantityText.duration(report.duration)), "
    text += "SocketLab \(MarkdownText.escape(report.version)) on \(MarkdownText.escape(report.host.system))\n\n"
    if report.casesNotJudged > 0 {
      let verb = report.casesNotJudged == 1 ? "was" : "were"
      text += "**Interrupted**: \(QuantityText.count(report.casesNotJudged, "planned case")) \(verb) not judged.\n\n"
    }
    text += table(totals, report)
    text += failing(report)
    text += divergences(report)
    text += slowest(report)
    return Array(text.utf8)
  }

  private static func headline(_ totals: RunTotals) -> String {
    guard totals.cases > 0 else { return "Nothing ran" }
    let all = "\(totals.cases) cases of \(totals.scenarios) scenarios"
    return totals.notAsExpected == 0 ? "\(all): all as expected" : "\(all): \(totals.notAsExpected) need a look"
  }

  private static func table(_ totals: RunTotals, _ report: RunReport) -> String {
    let worlds = totals.worlds
    var text = "| Verdict |" + worlds.map { " \($0.rawValue) |" }.joined() + " all |\n"
    text += "|:--|" + String(repeating: "--:|", count: worlds.count + 1) + "\n"
    for verdict in Verdict.allCases where totals.count(verdict) > 0 {
      text += "| \(verdict.glyph) \(verdict.label) |"
      text += worlds.map { " \(totals.count(verdict, in: $0)) |" }.joined() + " \(totals.count(verdict)) |\n"
    }
    let sums = worlds.map { world in Verdict.allCases.reduce(0) { $0 + totals.count($1, in: world) } }
    text += "| all |" + sums.map { " \($0) |" }.joined() + " \(totals.cases) |\n"
    let unlisted = report.unlistedCases.values.reduce(0, +)
    if unlisted > 0 { text += "\n\(unlisted) more cases, of further seeds and repetitions, went as expected.\n" }
    if totals.canaries > 0 { text += "\nAmong them \(totals.canaries) canaries, which must fail.\n" }
    return text
  }

  private static func failing(_ report: RunReport) -> String {
    let cases = report.cases
    guard cases.contains(where: { !$0.isAsExpected }) else { return "" }
    let controls = FailedControl.all(in: cases)
    let ranks = FailedControl.ranks(of: cases, controls)
    func groups(_ rank: Int) -> [AlikeCases] {
      AlikeCases.groups(cases.indices.lazy.filter { ranks[$0] == rank }.map { (place: $0, result: cases[$0]) })
    }
    var text = "\n## Need a look\n\n"
    let failed = groups(0)
    for control in controls.prefix(mostCases) {
      let own = failed.filter { $0.first.scenario == control.scenario }
      for group in own.prefix(mostOfControl) { text += entry(group, report) }
      if control.cases.isEmpty { text += "- ! The control \(MarkdownText.code(control.scenario)) did not run\n" }
      text += "  **\(control.cost)**\(control.remainder.map { "; \($0)" } ?? ""): index.html lists them\n"
    }
    let others = groups(1)
    for group in others.prefix(mostCases) { text += entry(group, report) }
    let left = others.dropFirst(mostCases).reduce(0) { $0 + $1.count }
    if left > 0 { text += "\nand \(left) more, see index.html\n" }
    return text
  }

  private static func entry(_ group: AlikeCases, _ report: RunReport) -> String {
    let result = group.first
    var text = "- \(result.verdict.glyph) **\(MarkdownText.escape(result.title))**: \(result.verdictText)"
    if group.count > 1 { text += ", \(QuantityText.count(group.count, "case")) alike" }
    let headline = VisibleText.clipped(CaseSummary.headline(result), to: 400)
    text += "\n  \(MarkdownText.code(group.name)), \(MarkdownText.escape(headline))\n"
    if group.variants.count > 1 { text += "  in \(MarkdownText.escape(group.variantsText()))\n" }
    if group.seeds.count > 1 { text += "  with \(group.seedsText())\n" }
    if let position = result.deviations.lazy.compactMap(\.position).first,
      let source = report.sources[result.scenario]
    {
      text += "  at \(MarkdownText.code("\(source.path):\(position.line):\(position.column)"))\n"
    }
    if let tls = TLSSummary(result.trace) {
      text += "  \(MarkdownText.escape(VisibleText.clipped(tls.headline, to: 400)))\n"
    }
    for frame in BacktraceExcerpt(result.backtrace, mostFrames: mostFrames).frames {
      text += "  - \(MarkdownText.code(frame))\n"
    }
    return text + "  \(MarkdownText.code(ReproCommand.text(result)))\n"
  }

  private static func divergences(_ report: RunReport) -> String {
    let divergences = WorldDivergence.all(in: report.cases)
    guard !divergences.isEmpty else { return "" }
    var text = "\n## The worlds disagree\n\n"
    for divergence in divergences.prefix(mostCases) {
      text += "- \(MarkdownText.code("\(divergence.scenario) [\(divergence.variant), seed \(divergence.seed)]")): "
      text += "loopback \(divergence.loopback.label), simulated \(divergence.simulated.label)\n"
    }
    if divergences.count > mostCases { text += "\nand \(divergences.count - mostCases) more\n" }
    return text
  }

  private static func slowest(_ report: RunReport) -> String {
    guard !report.cases.isEmpty else { return "" }
    // The last of the few that are kept is what all others have to beat; to sort a long run costs more than its text.
    var slowest: [CaseResult] = []
    for result in report.cases {
      let isFull = slowest.count == mostSlow
      if isFull, let last = slowest.last, !isSlower(result, last) { continue }
      if isFull { slowest.removeLast() }
      slowest.insert(result, at: slowest.firstIndex { isSlower(result, $0) } ?? slowest.endIndex)
    }
    return "\n## Slowest\n\n"
      + slowest.map { "- \(QuantityText.duration($0.duration)) \(MarkdownText.code($0.name))\n" }.joined()
  }

  /// Names are made only for cases that took equally long.
  private static func isSlower(_ one: CaseResult, _ other: CaseResult) -> Bool {
    one.duration == other.duration ? one.name < other.name : one.duration > other.duration
  }
}
