import ReportMarkup
import ScenarioModel

/// The matrix of a run with several subjects as `matrix.json`, `matrix.md` and `matrix.html`.
package enum MatrixReport {
  /// More deviations of a subject than these are left to the page.
  private static let maxListed = 60

  /// All of them; nothing for a run that was asked for no program.
  package static func files(_ report: RunReport) -> [(name: String, bytes: [UInt8])] {
    guard report.hasMatrix else { return [] }
    let matrix = SubjectMatrix(report)
    return [
      ("matrix.json", json(matrix, report)), ("matrix.md", Array(markdown(matrix, report).utf8)),
      ("matrix.html", Array(MatrixPage(matrix, report).markup.html.utf8)),
    ]
  }

  /// Every subject in two lines, for the terminal.
  package static func lines(_ report: RunReport) -> [String] {
    guard report.hasMatrix else { return [] }
    let matrix = SubjectMatrix(report)
    let subjects = matrix.subjects.map { subject in
      let deviating = matrix.deviating(subject, report.cases).count
      let known = matrix.known(subject, report.cases).map(\.cases.count).reduce(0, +)
      let judged = deviating == 0 ? "all as expected" : "\(deviating) with deviations"
      let state =
        (matrix.asked(subject) == 0 ? "none of them" : judged) + (known == 0 ? "" : ", \(known) with known ones")
      return
        "  \(report.title(of: subject)): asked \(matrix.asked(subject)) of \(matrix.rows.count) scenarios, \(state)"
    }
    let leftOut = report.leftOut.map {
      "  \($0.name): left out: \(VisibleText.clipped($0.leftOut ?? "", to: 300))"
    }
    guard matrix.isComparison else { return subjects + leftOut + ["  scenario by scenario: matrix.html"] }
    let different = QuantityText.count(matrix.rows.count(where: \.hasDifference), "scenario")
    return subjects + leftOut + ["  \(different) in which subjects differ: matrix.html"]
  }

  // MARK: - JSON

  private static func json(_ matrix: SubjectMatrix, _ report: RunReport) -> [UInt8] {
    let subjects = matrix.subjects.map { subject -> JSONNode in
      [
        "name": .text(subject.name), "title": .text(report.title(of: subject)),
        "asked": .integer(matrix.asked(subject)),
        "cases": counts(matrix.counts(subject)), "known": .list(known(subject, matrix, report)),
      ]
    }
    let rows = matrix.rows.map { row -> JSONNode in
      let cells = matrix.subjects.compactMap { subject in
        row.cells[subject].map { (subject.name, Optional(cell($0, report.cases))) }
      }
      return [
        "scenario": .text(row.scenario), "title": .text(row.title), "requirement": .text(row.requirement),
        "subjects": JSONNode(members: cells),
        "difference": row.difference.map { .texts([$0.left, $0.right].map { report.cases[$0].name }) },
      ]
    }
    let whole: JSONNode = [
      "run": .text(report.startedAt), "version": .text(report.version), "subjects": .list(subjects),
      "left_out": report.leftOut.isEmpty ? nil : .list(report.leftOut.map(ReportJSON.program)),
      "scenarios": .list(rows),
    ]
    return whole.encoded(spread: 2)
  }

  private static func known(_ subject: SubjectLabel, _ matrix: SubjectMatrix, _ report: RunReport) -> [JSONNode] {
    matrix.known(subject, report.cases).map { known in
      [
        "reason": .text(known.reason), "scenarios": .texts(known.cases.map { report.cases[$0].scenario }),
        "command": .text(ReproCommand.text(report.cases[known.cases[0]])),
      ]
    }
  }

  private static func cell(_ cell: SubjectMatrix.Cell, _ cases: [CaseResult]) -> JSONNode {
    let first = cell.cases.first.map { cases[$0] }
    return [
      "verdict": cell.worst.map { .text($0.rawValue) }, "cases": counts(cell.counts),
      "known": cell.known > 0 ? .integer(cell.known) : nil,
      "reason": first.flatMap { $0.isAsExpected && $0.verdict != .unsupported ? nil : why($0).map(JSONNode.text) },
      "command": first.flatMap { $0.isAsExpected ? nil : .text(ReproCommand.text($0)) },
    ]
  }

  private static func counts(_ counts: [Verdict: Int]) -> JSONNode {
    JSONNode(
      members: Verdict.allCases.compactMap { verdict in
        counts[verdict].map { (verdict.rawValue, Optional(JSONNode.integer($0))) }
      })
  }

  /// What is to be said of a case that is not as expected, or was not asked.
  static func why(_ result: CaseResult) -> String? {
    guard let deviation = result.deviations.first else { return result.reason }
    return "expected \(deviation.expected); \(deviation.actual)"
  }

  // MARK: - Markdown

  private static func markdown(_ matrix: SubjectMatrix, _ report: RunReport) -> String {
    var text = "# Subjects beside each other\n\n"
    text += "\(MarkdownText.escape(report.subjectTitle)), profile \(report.profile.rawValue), seed \(report.seed), "
    text += "\(MarkdownText.escape(report.startedAt)), SocketLab \(MarkdownText.escape(report.version))\n\n"
    text += "| | " + matrix.subjects.map { MarkdownText.escape($0.name) }.joined(separator: " | ") + " |\n"
    text += "|:--|" + String(repeating: "--:|", count: matrix.subjects.count) + "\n"
    text += "| scenarios asked | " + matrix.subjects.map { "\(matrix.asked($0))" }.joined(separator: " | ") + " |\n"
    for verdict in Verdict.allCases {
      let counts = matrix.subjects.map { matrix.counts($0)[verdict] ?? 0 }
      guard counts.contains(where: { $0 > 0 }) else { continue }
      text += "| cases \(verdict.label) | " + counts.map(String.init).joined(separator: " | ") + " |\n"
    }
    for program in report.leftOut {
      text += "\n**\(MarkdownText.escape(program.name)) was left out**: "
      text += "\(MarkdownText.escape(VisibleText.clipped(program.leftOut ?? "", to: 400)))\n"
    }
    for subject in matrix.subjects { text += summary(subject, matrix, report) }
    return text
  }

  /// What a maintainer could send to a mailing list: what the subject does worse, and the command that shows it.
  private static func summary(_ subject: SubjectLabel, _ matrix: SubjectMatrix, _ report: RunReport) -> String {
    var text = "\n## \(MarkdownText.escape(report.title(of: subject)))\n\n"
    let deviating = matrix.deviating(subject, report.cases)
    let unsupported = matrix.rows.count { $0.cells[subject].map { $0.judged == 0 } ?? false }
    text += "Asked \(matrix.asked(subject)) of \(matrix.rows.count) scenarios"
    text += unsupported > 0 ? "; \(unsupported) ask for what it does not offer.\n" : ".\n"
    let known = matrix.known(subject, report.cases)
    for (owner, control, count) in report.withoutControl where owner == subject {
      text += "\(QuantityText.count(count, "case")) judged without a control: it does not offer "
      text += "\(MarkdownText.code(control)).\n"
    }
    let hasNothing = deviating.isEmpty && known.isEmpty && matrix.asked(subject) > 0
    if hasNothing { text += "Everything was as expected.\n" }
    for known in known {
      let example = report.cases[known.cases[0]]
      text += "\n- **\(MarkdownText.escape(known.reason))** \(QuantityText.count(known.cases.count, "scenario"))\n"
      if let why = why(example) { text += "  \(MarkdownText.escape(VisibleText.clipped(why, to: 300)))\n" }
      text += "  \(MarkdownText.code(ReproCommand.text(example)))\n"
    }
    for index in deviating.prefix(maxListed) {
      let result = report.cases[index]
      text += "\n- **\(MarkdownText.escape(result.title))**"
      text += result.requirements.isEmpty ? "\n" : " (\(result.requirements.joined(separator: ", ")))\n"
      if let why = why(result) { text += "  \(MarkdownText.escape(VisibleText.clipped(why, to: 300)))\n" }
      text += "  \(MarkdownText.code(ReproCommand.text(result)))\n"
    }
    if deviating.count > maxListed { text += "\n\(deviating.count - maxListed) more are on the page.\n" }
    return text
  }
}
