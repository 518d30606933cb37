import BenchmarkModel
import Mustache

/// A report as one page that needs nothing else: no script, no font, no picture from elsewhere.
package enum BenchmarkPage {
  /// The page's text.
  package static func html(_ report: BenchmarkReport) throws -> String {
    let template = try MustacheTemplate(string: PageTemplate.text)
    return template.render(view(report))
  }

  private static func view(_ report: BenchmarkReport) -> [String: Any] {
    let judged = report.workloads.flatMap(\.comparisons).filter { $0.verdict != .unjudged }
    let reached = judged.filter { !$0.verdict.isBad }.count
    let complaints = report.complaints(onlyHalf: false)
    return [
      "style": PageTemplate.style,
      "reached": reached, "judged": judged.count, "isGood": complaints.isEmpty,
      "state": state(report, judged: judged.count, reached: reached),
      "facts": facts(report.provenance),
      "notes": report.provenance.notes,
      "hasWorkloads": !report.workloads.isEmpty, "hasBars": !judged.isEmpty,
      "workloads": report.workloads.map(card),
      "hasGrowth": !report.growth.isEmpty,
      "growth": report.growth.map(card),
      "hasIdle": !report.idle.isEmpty,
      "idle": report.idle.map(row),
      "complaints": complaints,
      "hasComplaints": !complaints.isEmpty,
    ]
  }

  private static func state(_ report: BenchmarkReport, judged: Int, reached: Int) -> String {
    let defects = report.growth.flatMap(\.defects).count
    let failed =
      report.workloads.filter { $0.failure != nil }.count + report.growth.filter { $0.failure != nil }.count
    let missed = judged - reached
    var parts = [missed == 0 ? "Every bar is reached" : missed == 1 ? "1 bar is missed" : "\(missed) bars are missed"]
    if judged == 0 { parts = ["No bar was measured"] }
    parts.append(
      "\(defects == 0 ? "no" : "\(defects)") \(defects > 1 ? "costs grow" : "cost grows") worse than linearly")
    if failed > 0 { parts.append("\(failed) could not be measured") }
    let quick = report.provenance.isQuick ? " A quick run: it shows that everything runs, not how fast it is." : ""
    return parts.joined(separator: ", ") + "." + quick
  }

  private static func facts(_ facts: Provenance) -> [[String: String]] {
    let list = [
      ("Measured", facts.date), ("Commit", facts.commit), ("Processor", "\(facts.processor), \(facts.cores) cores"),
      ("Kernel", facts.kernel), ("Swift", facts.swift),
      ("Rounds", "\(facts.rounds) of \(Quantity.digits(facts.seconds)) s, drawn from seed \(facts.seed)"),
      ("Load", "\(Quantity.digits(facts.loadAtStart)) to \(Quantity.digits(facts.loadAtEnd))"),
    ]
    return list.map { ["name": $0, "value": $1] }
  }

  private static func card(_ workload: WorkloadResult) -> [String: Any] {
    let rows = workload.comparisons.map { ($0, ComparisonRow(workload, $0)) }
    let ratios = BarChart(
      label: "\(workload.title): ratios",
      bars: rows.map { result, row in
        var value = result.comparison.rival == nil ? "\(row.ratio) \(workload.unit)" : row.ratio
        if result.comparison.bar != nil { value += " · asked \(row.bar) · aim \(row.aim) · \(row.verdict.word)" }
        return BarChart.Bar(
          name: result.comparison.rival == nil ? row.subject : "\(row.subject) : \(row.rival)", value: value,
          tone: row.verdict.tone, spread: result.spread, bar: result.comparison.bar, aim: result.comparison.aim)
      })
    let subjects = Set(workload.comparisons.map(\.comparison.subject))
    let rates = BarChart(
      label: "\(workload.title): medians",
      bars: workload.entries.map { entry in
        var value = Quantity.text(entry.spread.median, workload.unit)
        if let processor = entry.processor {
          let perByte = workload.unit.hasPrefix("B")
          let cost = Quantity.seconds(perByte ? processor * 65536 : processor)
          value += " · \(cost) of processor time \(perByte ? "for 64 KiB" : "each")"
        }
        return BarChart.Bar(
          name: entry.title, value: value, tone: subjects.contains(entry.id) ? "own" : "other", spread: entry.spread)
      })
    return [
      "id": workload.id, "title": workload.title, "reason": workload.reason,
      "ratios": ratios.svg(), "rates": rates.svg(), "failure": workload.failure ?? "",
      "hasFailure": workload.failure != nil, "isLower": workload.direction == .lower,
    ]
  }

  private static func card(_ series: GrowthResult) -> [String: Any] {
    [
      "id": series.id, "title": series.title, "reason": series.reason, "cost": series.cost, "size": series.size,
      "rows": tableRows(series),
      "plot": GrowthPlot(series: series).svg(), "failure": series.failure ?? "", "hasFailure": series.failure != nil,
      "lines": series.lines.enumerated().map { index, line -> [String: Any] in
        let isDefect = series.defects.contains(line)
        return [
          "tone": "\(series.tone(of: index))", "title": line.title, "slope": line.slope.map(Quantity.digits) ?? "—",
          "isDefect": isDefect,
        ]
      },
    ]
  }

  /// A row for each size, a column for each line.
  private static func tableRows(_ series: GrowthResult) -> [[String: Any]] {
    Set(series.lines.flatMap { $0.points.map(\.size) }).sorted().map { size in
      let cells = series.lines.map { line in
        line.points.first { $0.size == size }.map { Quantity.seconds($0.cost.median) } ?? "—"
      }
      return ["size": "\(size)", "cells": cells]
    }
  }

  private static func row(_ result: IdleResult) -> [String: String] {
    [
      "title": result.title, "connections": "\(result.connections)",
      "memory": Quantity.text(result.bytesPerConnection, "B"), "wakeUps": Quantity.digits(result.wakeUps),
      "threads": "\(result.threads)", "tone": result.isDefect ? "failed" : "",
    ]
  }
}
