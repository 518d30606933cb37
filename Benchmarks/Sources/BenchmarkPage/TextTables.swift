import BenchmarkModel

/// A report as plain text, for terminals.
package enum TerminalTable {
  /// All of it.
  package static func text(_ report: BenchmarkReport) -> String {
    var parts: [String] = []
    if !report.workloads.isEmpty { parts.append(comparisons(report)) }
    if !report.growth.isEmpty { parts.append(growth(report)) }
    if !report.idle.isEmpty { parts.append(idle(report)) }
    if !report.provenance.notes.isEmpty { parts.append(report.provenance.notes.joined(separator: "\n")) }
    return parts.joined(separator: "\n\n") + "\n"
  }

  private static func comparisons(_ report: BenchmarkReport) -> String {
    var rows = [["workload", "subject", "", "rival", "", "ratio", "quartiles", "cpu", "bar", "aim", ""]]
    var previous = ""
    for row in ComparisonRow.rows(of: report) {
      let workload = row.workload == previous ? "" : row.workload
      previous = row.workload
      rows.append([
        workload, row.subject, row.subjectValue, row.rival, row.rivalValue, row.ratio, row.quartiles, row.processor,
        row.bar, row.aim, row.verdict.word,
      ])
    }
    let failures = report.workloads.compactMap { result in result.failure.map { "\(result.id): \($0)" } }
    return ([aligned(rows, right: [2, 4, 5, 6, 7])] + failures).joined(separator: "\n")
  }

  private static func growth(_ report: BenchmarkReport) -> String {
    var rows = [["growth", "of", "smallest", "", "largest", "", "exponent", ""]]
    for series in report.growth {
      for line in series.lines {
        guard let first = line.points.first, let last = line.points.last else { continue }
        let isDefect = series.defects.contains(line)
        rows.append([
          series.id, line.title, Quantity.size(first.size), Quantity.seconds(first.cost.median),
          Quantity.size(last.size), Quantity.seconds(last.cost.median), line.slope.map(Quantity.digits) ?? "—",
          !line.isSubject ? "—" : isDefect ? "worse than linear" : "good",
        ])
      }
    }
    let failures = report.growth.compactMap { result in result.failure.map { "\(result.id): \($0)" } }
    return ([aligned(rows, right: [2, 3, 4, 5, 6])] + failures).joined(separator: "\n")
  }

  private static func idle(_ report: BenchmarkReport) -> String {
    var rows = [["idle", "connections", "memory for each", "wake-ups/s", "threads", ""]]
    for result in report.idle {
      rows.append([
        result.title, "\(result.connections)", Quantity.text(result.bytesPerConnection, "B"),
        Quantity.digits(result.wakeUps), "\(result.threads)",
        !result.isSubject ? "—" : result.isDefect ? "wakes up" : "good",
      ])
    }
    return aligned(rows, right: [1, 2, 3, 4])
  }

  /// Columns of equal width, two spaces apart.
  static func aligned(_ rows: [[String]], right: Set<Int>) -> String {
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    return rows.map { row in
      var line = ""
      for (column, text) in row.enumerated() {
        let gap = String(repeating: " ", count: widths[column] - text.count)
        line += (column > 0 ? "  " : "") + (right.contains(column) ? gap + text : text + gap)
      }
      while line.last == " " { line.removeLast() }
      return line
    }.joined(separator: "\n")
  }
}

/// A report as Markdown, for a README.
package enum MarkdownTable {
  /// All of it.
  package static func text(_ report: BenchmarkReport) -> String {
    let facts = report.provenance
    var text = "| Workload | Subject | | Rival | | Ratio | Quartiles | Bar | Aim | |\n"
    text += "|---|---|---:|---|---:|---:|---:|---:|---:|---|\n"
    for row in ComparisonRow.rows(of: report) {
      let cells = [
        row.title, row.subject, row.subjectValue, row.rival, row.rivalValue, "**\(row.ratio)**", row.quartiles, row.bar,
        row.aim, row.verdict.word,
      ]
      text += line(cells)
    }
    text += "\n| Growth | Of | Sizes | Exponent | |\n|---|---|---|---:|---|\n"
    for series in report.growth {
      for line in series.lines {
        let sizes = [line.points.first, line.points.last].compactMap { $0 }.map { Quantity.size($0.size) }
        let verdict = !line.isSubject ? "—" : series.defects.contains(line) ? "**worse than linear**" : "good"
        text += Self.line([
          series.title, line.title, sizes.joined(separator: " to "), line.slope.map(Quantity.digits) ?? "—", verdict,
        ])
      }
    }
    text += "\n| Idle | Connections | Memory for each | Wake-ups a second | Threads |\n|---|---:|---:|---:|---:|\n"
    for result in report.idle {
      text += line([
        result.title, "\(result.connections)", Quantity.text(result.bytesPerConnection, "B"),
        Quantity.digits(result.wakeUps), "\(result.threads)",
      ])
    }
    text += "\n\(facts.processor), \(facts.cores) cores, Linux \(facts.kernel), Swift \(facts.swift); commit "
    text += "\(facts.commit); \(facts.rounds) rounds of \(Quantity.digits(facts.seconds)) s; load "
    text += "\(Quantity.digits(facts.loadAtStart)) to \(Quantity.digits(facts.loadAtEnd))."
    text += facts.isQuick ? " A quick run: it only shows that everything runs.\n" : "\n"
    for note in facts.notes { text += "\n\(escaped(note))\n" }
    return text
  }

  private static func line(_ cells: [String]) -> String {
    "| " + cells.map(escaped).joined(separator: " | ") + " |\n"
  }

  static func escaped(_ text: String) -> String {
    text.replacing("|", with: "\\|").replacing("\n", with: " ")
  }
}
