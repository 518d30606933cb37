import FuzzCampaign
import FuzzHarness
import ReportMarkup
import ScenarioModel

/// The page's tables: coverage, states, zoo, runs and comparison. Each escapes what it is given.
enum CampaignTables {
  static let maxFiles = 60
  static let maxFunctions = 40
  static let maxTransitions = 60

  static func text(_ text: String, to limit: Int = 300) -> Markup { "\(text, clipped: limit)" }

  static func badge(_ tone: String, _ label: String) -> Markup { "<b class=\"badge \(tone)\">\(text(label))</b>" }

  /// A bar of what was covered.
  static func meter(_ covered: Int, _ total: Int) -> Markup {
    let share = total > 0 ? Double(covered) / Double(total) : 0
    let width = QuantityText.fraction(min(max(share, 0), 1) * 100, digits: 1)
    return "<span class=\"meter\"><i style=\"width:\(width)%\"></i></span>"
      + "<span class=\"share\">\(total > 0 ? CampaignWords.percent(share) : "–")</span>"
  }

  /// Files with most missed first, and what was never entered.
  static func coverage(_ table: CoverageTable) -> Markup {
    let files = table.files.sorted { ($1.missed, $0.path) < ($0.missed, $1.path) }
    let unit = table.unit.rawValue
    var html: Markup = "<div class=\"scroll\"><table class=\"cover\"><thead><tr><th>File</th><th>Covered</th>"
    html += "<th class=\"n\">missed \(unit)</th><th class=\"n\">functions never entered</th></tr></thead><tbody>"
    for file in files.prefix(maxFiles) {
      html += "<tr><th scope=\"row\"><code>\(text(file.path))</code></th>"
      html += "<td>\(meter(file.covered, file.total))</td><td class=\"n\">\(file.missed) of \(file.total)</td>"
      html += "<td class=\"n\">\(file.neverEntered.count) of \(file.functions.count)</td></tr>"
    }
    html += "</tbody></table></div>" + more(files.count - maxFiles, "files")
    return html
  }

  /// The laboratory's own files, folded away.
  static func own(_ table: CoverageTable) -> Markup {
    guard !table.files.isEmpty else { return "" }
    return "<details class=\"fold\"><summary>The laboratory's own code <span class=\"pill\">\(table.files.count)</span>"
      + "</summary>\(coverage(table))</details>"
  }

  static func neverEntered(_ table: CoverageTable) -> Markup {
    let files = table.files.filter { !$0.neverEntered.isEmpty }
      .sorted { ($1.neverEntered.count, $0.path) < ($0.neverEntered.count, $1.path) }
    let count = files.map(\.neverEntered.count).reduce(0, +)
    guard count > 0 else { return "<p class=\"quiet\">Every function was entered.</p>" }
    var html: Markup = "<details class=\"fold\"><summary>Never entered <span class=\"pill\">\(count)</span></summary>"
    if table.unit == .edges {
      html += "<p class=\"quiet\">Of the optimised program: a function that is inlined everywhere shows up, too.</p>"
    }
    html += "<dl class=\"never\">"
    var left = maxFunctions
    for file in files where left > 0 {
      html += "<dt><code>\(text(file.path))</code></dt>"
      for function in file.neverEntered.prefix(left) {
        html += "<dd><span>\(function.line)</span> <code>\(text(function.name))</code></dd>"
      }
      left -= file.neverEntered.count
    }
    return html + "</dl>" + more(count - maxFunctions, "functions") + "</details>"
  }

  /// States as rows and columns; a cell is darker the more often its transitions were taken.
  static func states(_ coverage: StateCoverage) -> Markup {
    let states = coverage.states
    let peak = Double(coverage.taken.map(\.count).max() ?? 1)
    var html: Markup = "<p class=\"quiet\">\(coverage.reached.count) of \(states.count) states reached, "
    html += "\(coverage.taken.count) of \(coverage.transitions.count) transitions taken."
    if !coverage.neverLeft.isEmpty {
      html += " Reached and never left: \(text(coverage.neverLeft.joined(separator: ", ")))."
    }
    html += "</p><div class=\"scroll\"><table class=\"states\"><thead><tr><th>from \\ to</th>"
    let shown = states.prefix(maxTransitions)
    for state in shown { html += "<th>\(text(state, to: 40))</th>" }
    html += "</tr></thead><tbody>"
    let cells = Dictionary(grouping: coverage.transitions) { [$0.from, $0.to] }
    for from in shown {
      let isReached = coverage.reached.contains(from)
      html += "<tr><th scope=\"row\"\(" class=\"unreached\"", if: !isReached)>\(text(from, to: 40))</th>"
      for to in shown { html += cell(cells[[from, to]] ?? [], peak) }
      html += "</tr>"
    }
    html += "</tbody></table></div>" + more(states.count - maxTransitions, "states")
    return html + untaken(coverage)
  }

  private static func cell(_ transitions: [StateCoverage.Transition], _ peak: Double) -> Markup {
    guard !transitions.isEmpty else { return "<td></td>" }
    let words = transitions.map { "\($0.event): \(QuantityText.count($0.count))" }.joined(separator: ", ")
    let hits = transitions.map { Double($0.count) }.reduce(0, +)
    guard hits > 0 else { return "<td class=\"open\" title=\"\(text(words))\">·</td>" }
    // By its digits: a transition taken a thousand times is not a thousand times as dark.
    let depth = Double(String(Int(min(hits, 1e15))).count) / Double(String(Int(min(max(peak, 1), 1e15))).count)
    let heat = Int(12 + 43 * min(depth, 1))
    return "<td class=\"hit\" style=\"--h:\(heat)%\" title=\"\(text(words))\">\(CampaignWords.short(hits))</td>"
  }

  private static func untaken(_ coverage: StateCoverage) -> Markup {
    let untaken = coverage.untaken
    guard !untaken.isEmpty else { return "" }
    var html: Markup = "<details class=\"fold\"><summary>Never taken <span class=\"pill\">\(untaken.count)</span>"
    html += "</summary><ul>"
    for transition in untaken.prefix(maxTransitions) {
      let words = "\(transition.from) –\(transition.event)→ \(transition.to)"
      html += "<li><code>\(text(words))</code></li>"
    }
    return html + "</ul>" + more(untaken.count - maxTransitions, "transitions") + "</details>"
  }

  /// What survives stands first, then what only scenarios find.
  static func zoo(_ zoo: BugZoo) -> Markup {
    let order = { (mutant: Mutant) in
      mutant.equivalence != nil ? 3 : !mutant.isFound ? 0 : mutant.isFoundByFuzzing ? 2 : 1
    }
    let mutants = zoo.mutants.sorted { (order($0), $0.name) < (order($1), $1.name) }
    var html: Markup = "<p class=\"quiet\">\(zoo.found.count) of \(zoo.counted.count) planted bugs found"
    if let rate = zoo.killRate { html += " (\(CampaignWords.percent(rate)))" }
    html += ", \(zoo.counted.count { $0.isFoundByFuzzing }) by fuzzing"
    let equivalent = zoo.mutants.count - zoo.counted.count
    if equivalent > 0 { html += "; \(equivalent) that nobody could see are argued below" }
    html += ".</p><div class=\"scroll\"><table class=\"zoo\"><thead><tr><th>Mutant</th><th></th><th>Fuzzing</th>"
    html += "<th class=\"n\">executions</th><th class=\"n\">time</th><th>Scenarios</th></tr></thead><tbody>"
    for mutant in mutants { html += row(mutant) }
    return html + "</tbody></table></div>"
  }

  private static func row(_ mutant: Mutant) -> Markup {
    let tone = mutant.equivalence != nil ? "skipped" : mutant.isFound ? "passed" : "failed"
    let label = mutant.equivalence != nil ? "equivalent" : mutant.isFound ? "✓ found" : "✕ survives"
    var html: Markup = "<tr><th scope=\"row\"><code>\(text(mutant.name))</code><br>"
    html += "<span class=\"quiet\">\(text(mutant.what))"
    if let origin = mutant.origin { html += " · \(text(origin))" }
    if let argument = mutant.equivalence { html += "<br>\(text(argument, to: 1000))" }
    html += "</span></th><td>\(badge(tone, label))</td><td>"
    for hunt in mutant.hunts {
      let found = hunt.trials.count(where: \.isFound)
      let mark = hunt.isFound ? "passed" : "skipped"
      html += badge(mark, "\(hunt.target), \(hunt.lane.rawValue): \(found)/\(hunt.trials.count)") + " "
    }
    let best = mutant.hunts.filter { $0.isFound && $0.medianExecutions != nil }
      .min { ($0.medianExecutions ?? .infinity) < ($1.medianExecutions ?? .infinity) }
    html += "</td><td class=\"n\">\(best?.medianExecutions.map(CampaignWords.short) ?? "–")</td>"
    html += "<td class=\"n\">\(best?.medianSeconds.map(CampaignWords.seconds) ?? "–")</td><td>"
    switch mutant.isFoundByScenarios {
    case true: html += badge("passed", "✓") + " \(text(mutant.scenarios.prefix(2).joined(separator: ", ")))"
    case false: html += badge("skipped", "not found")
    case nil: html += "<span class=\"quiet\">not run</span>"
    }
    return html + "</td></tr>"
  }

  static func comparison(_ comparison: CampaignComparison) -> Markup {
    var html: Markup = ""
    for caveat in comparison.caveats { html += "<p class=\"reason inconclusive\">\(text(caveat))</p>" }
    for (title, keys, tone) in [
      ("new", comparison.findings.new, "failed"), ("gone", comparison.findings.gone, "passed"),
      ("still there", comparison.findings.still, "canary"),
    ] where !keys.isEmpty {
      html += "<ul class=\"plain\">"
      for key in keys.prefix(50) { html += "<li>\(badge(tone, title)) <code>\(text(key))</code></li>" }
      html += "</ul>"
    }
    html += "<div class=\"scroll\"><table class=\"compare\"><thead><tr><th>Target</th><th>Measure</th>"
    html += "<th class=\"n\">before</th><th class=\"n\">now</th><th></th></tr></thead><tbody>"
    for measure in comparison.measures {
      let place = measure.lane.map { "\(measure.target), \($0.rawValue)" } ?? measure.target
      html += "<tr><th scope=\"row\">\(text(place))</th><td>\(text(measure.measure.rawValue))</td>"
      html += "<td class=\"n\">\(CampaignWords.spread(measure.before))</td>"
      html += "<td class=\"n\">\(CampaignWords.spread(measure.after))</td><td>\(change(measure))</td></tr>"
    }
    html += "</tbody></table></div>"
    for function in comparison.functions.prefix(maxFunctions) {
      let (tone, word) = function.isEnteredNow ? ("passed", "entered now") : ("failed", "no longer entered")
      html += "<p>\(badge(tone, word)) <code>\(text(function.path)) \(text(function.name))</code></p>"
    }
    return html + more(comparison.functions.count - maxFunctions, "functions")
  }

  private static func change(_ measure: MeasureComparison) -> Markup {
    let note: Markup = measure.note.map { " <span class=\"quiet\">\(text($0))</span>" } ?? ""
    switch measure.change {
    case .same: return "<span class=\"quiet\">same</span>" + note
    case .higher: return badge("passed", "▲ higher") + note
    case .lower: return badge("failed", "▼ lower") + note
    case .unclear: return badge("inconclusive", "unclear") + note
    case .incomparable: return badge("skipped", "not comparable") + note
    }
  }

  static func more(_ count: Int, _ what: String) -> Markup {
    count > 0 ? HTMLPage.note("and \(count) more \(what), see campaign.json") : ""
  }
}
