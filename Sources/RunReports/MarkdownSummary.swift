import ReportMarkup
import ScenarioModel

/// `summary.md`: the run on one screen, for a pull request or a job summary.
package enum MarkdownSummary {
  /// At most this many findings are told, each with all the cases that show it; the count of the rest follows.
  static let maxCases = 25
  /// Of them, of one cause: the likeliest one, and others.
  static let maxOfFirstCause = 12
  static let maxOfCause = 5
  static let maxSlow = 5
  /// Cases of a finding that are named.
  static let maxNames = 3
  /// Frames of a process that ended.
  static let maxFrames = 8

  /// UTF-8, ending with a line feed.
  package static func make(_ report: RunReport) -> [UInt8] {
    let totals = RunTotals(report)
    var text = "# \(headline(totals, report))\n\n"
    text += "\(MarkdownText.escape(subject(report, totals))) under profile \(report.profile.rawValue), "
    text += "seed \(report.seed)\(report.seeds > 1 ? " (\(report.seeds) seeds)" : ""), "
    text += "\(MarkdownText.escape(report.startedAt)), took \(QuantityText.duration(report.duration)), "
    text += "SocketLab \(MarkdownText.escape(report.version)) on \(MarkdownText.escape(report.host.system))\n\n"
    if report.casesNotJudged > 0 {
      let verb = report.casesNotJudged == 1 ? "was" : "were"
      text += "**Interrupted**: \(QuantityText.count(report.casesNotJudged, "planned case")) \(verb) not judged.\n\n"
    }
    for shortfall in report.shortfalls {
      let words = VisibleText.clipped(shortfall.message, to: 400)
      text += "**Less than was asked**: \(MarkdownText.escape(words))\n\n"
    }
    for program in report.leftOut {
      text += "**\(MarkdownText.escape(program.name)) was left out**: "
      text += "\(MarkdownText.escape(VisibleText.clipped(program.leftOut ?? "", to: 400)))\n\n"
    }
    for program in report.programs {
      guard let remains = program.remains else { continue }
      text +=
        "**\(MarkdownText.escape(program.name))** \(MarkdownText.escape(VisibleText.clipped(remains, to: 400)))\n\n"
    }
    for program in report.programs {
      for fault in program.exitFaults ?? [] {
        let words = ([fault.text] + fault.lastWords.suffix(3)).joined(separator: ": ")
        text +=
          "**\(MarkdownText.escape(program.name)) did not end well**: "
          + "\(MarkdownText.escape(VisibleText.clipped(words, to: 400)))\n\n"
      }
    }
    text += table(totals, report)
    text += KnownDeviationList(report).markdown
    text += failing(report)
    text += divergences(report)
    text += slowest(report)
    return Array(text.utf8)
  }

  private static func headline(_ totals: RunTotals, _ report: RunReport) -> String {
    guard !totals.isEmpty else { return "Nothing ran" }
    let all =
      "\(QuantityText.count(totals.cases, "case")) of \(QuantityText.count(totals.scenarios, "scenario"))"
    if let concern = totals.concern { return "\(all): \(concern)" }
    if let reservation = report.reservations.first {
      return "\(all): as expected, but \(MarkdownText.escape(VisibleText.clipped(reservation, to: 400)))"
    }
    return report.casesNotJudged == 0 ? "\(all): all as expected" : "\(all): all that was judged is as expected"
  }

  /// `CocoaAsyncSocket (reference): GCDAsyncSocket and AsyncSocket`, or without its subjects if nothing ran.
  private static func subject(_ report: RunReport, _ totals: RunTotals) -> String {
    let names = totals.subjects.map(\.name).joined(separator: " and ")
    return names.isEmpty ? report.subjectTitle : "\(report.subjectTitle): \(names)"
  }

  private static func table(_ totals: RunTotals, _ report: RunReport) -> String {
    let columns = totals.columns
    let heads = columns.map { totals.subjects.count > 1 ? $0.name : $0.world.rawValue }
    var text = "| Verdict |" + heads.map { " \($0) |" }.joined() + " all |\n"
    text += "|:--|" + String(repeating: "--:|", count: columns.count + 1) + "\n"
    for verdict in Verdict.allCases where totals.count(verdict) > 0 {
      text += "| \(verdict.glyph) \(verdict.label) |"
      text += columns.map { " \(totals.count(verdict, in: $0)) |" }.joined() + " \(totals.count(verdict)) |\n"
    }
    text += "| all |" + columns.map { " \(totals.byColumn[$0]?.cases ?? 0) |" }.joined() + " \(totals.cases) |\n"
    if totals.canaries > 0 {
      text += "| besides, canaries, which must fail |"
      text += columns.map { " \(totals.byColumn[$0]?.canaries ?? 0) |" }.joined() + " \(totals.canaries) |\n"
    }
    if let unlisted = totals.unlistedText { text += "\n\(unlisted)\n" }
    for (subject, control, count) in report.withoutControl {
      text += "\nAmong them \(QuantityText.count(count, "case")) of \(subject.name) judged without a control: "
      text += "it does not offer \(MarkdownText.code(control)).\n"
    }
    if totals.known > 0 { text += "\nAmong all cases: \(QuantityText.count(totals.known, "known deviation")).\n" }
    return text
  }

  /// Causes, the likeliest first; each with its findings.
  private static func failing(_ report: RunReport) -> String {
    let cases = report.cases
    guard cases.contains(where: { !$0.isAsExpected }) else { return "" }
    var text = "\n## What to look at\n\n"
    for control in FailedControl.all(in: cases).prefix(maxCases) {
      let absence = control.cases.isEmpty ? " did not run" : " did not pass"
      text += "- ! The control \(MarkdownText.code(control.scenario))\(absence)\n"
      text += "  **\(control.cost)**\(control.remainder.map { "; \($0)" } ?? ""): index.html lists them\n"
    }
    let findings = RunFindings(cases, sources: report.sources)
    var left = maxCases
    for (place, cause) in findings.causes.enumerated() where left > 0 {
      text += "\n### \(MarkdownText.escape(cause.title))\n\n"
      text += "\(cause.extent)\(cause.isOfControl ? ", a control among them" : "")\n\n"
      let shown = cause.findings.prefix(min(left, place == 0 ? maxOfFirstCause : maxOfCause))
      left -= shown.count
      for finding in shown { text += entry(finding, report) }
      let hidden = cause.findings.dropFirst(shown.count).reduce(0) { $0 + $1.cases.count }
      if hidden > 0 { text += "\nand \(QuantityText.count(hidden, "more case")) of this kind, see index.html\n" }
      if left == 0 {
        let rest = findings.causes.dropFirst(place + 1).reduce(0) { $0 + $1.cases }
        if rest > 0 { text += "\nand \(QuantityText.count(rest, "more case")) of other kinds, see index.html\n" }
      }
    }
    return text
  }

  private static func entry(_ finding: RunFinding, _ report: RunReport) -> String {
    let result = report.cases[finding.example]
    var text = "- \(result.verdict.glyph) **\(MarkdownText.escape(result.title))**: \(result.verdictText)"
    if finding.cases.count > 1 { text += ", \(QuantityText.count(finding.cases.count, "case")) alike" }
    let headline = VisibleText.clipped(finding.headline, to: 400)
    text += "\n  \(MarkdownText.code(result.name)), \(MarkdownText.escape(headline))\n"
    if let place = finding.place { text += "  at \(MarkdownText.code(place.text))\n" }
    if let tls = TLSSummary(result.trace) {
      text += "  \(MarkdownText.escape(VisibleText.clipped(tls.headline, to: 400)))\n"
    }
    for frame in BacktraceExcerpt(result.backtrace, maxFrames: maxFrames).frames {
      text += "  - \(MarkdownText.code(frame))\n"
    }
    return text + "  \(MarkdownText.code(ReproCommand.text(result)))\n" + others(finding, report)
  }

  /// The finding's other cases, each name once with its seeds.
  private static func others(_ finding: RunFinding, _ report: RunReport) -> String {
    var names: [String] = []
    var groups: [String: [CaseResult]] = [:]
    for place in finding.cases where place != finding.example {
      let result = report.cases[place]
      if groups[result.name] == nil { names.append(result.name) }
      groups[result.name, default: []].append(result)
    }
    guard !names.isEmpty else { return "" }
    let isSeeded = report.seeds * report.rounds > 1
    let shown = names.prefix(maxNames).map { name -> String in
      let group = groups[name] ?? []
      var seen: Set<UInt64> = []
      let seeds = group.map(\.seed).filter { seen.insert($0).inserted }
      // Over loopback rounds have no seeds of their own.
      let times = group.count > seeds.count ? ", \(group.count) times" : ""
      return MarkdownText.code(name) + (isSeeded ? " with \(AlikeCases.text(seeds: seeds))" : "") + times
    }
    let left = names.dropFirst(maxNames).reduce(0) { $0 + (groups[$1]?.count ?? 0) }
    return "  also \(shown.joined(separator: "; "))\(left > 0 ? " and \(left) more" : "")\n"
  }

  private static func divergences(_ report: RunReport) -> String {
    let divergences = WorldDivergence.all(in: report.cases)
    guard !divergences.isEmpty else { return "" }
    var text = "\n## The worlds disagree\n\n"
    for divergence in divergences.prefix(maxCases) {
      text += "- \(MarkdownText.code("\(divergence.scenario) [\(divergence.variant), seed \(divergence.seed)]")): "
      text += "loopback \(divergence.loopback.label), simulated \(divergence.simulated.label)\n"
    }
    if divergences.count > maxCases { text += "\nand \(divergences.count - maxCases) more\n" }
    return text
  }

  private static func slowest(_ report: RunReport) -> String {
    guard !report.cases.isEmpty else { return "" }
    // The last of the few that are kept is what all others have to beat; to sort a long run costs more than its text.
    var slowest: [CaseResult] = []
    for result in report.cases {
      let isFull = slowest.count == maxSlow
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
