import ReportMarkup
import ScenarioModel

/// The known deviations of a run: entries that are not as on record first, then those that excuse cases.
package struct KnownDeviationList {
  /// An entry, and the cases that it excuses.
  package struct Entry: Hashable, Sendable {
    /// What is on record.
    package let deviation: KnownDeviation
    /// Names of the cases, in the report's order.
    package fileprivate(set) var cases: [String]
  }

  private static let most = 100
  private static let maxCases = 12

  private let faults: [DeviationFault]
  /// In the order of their places.
  package let entries: [Entry]

  /// Gathers what the report has of them.
  package init(_ report: RunReport) {
    faults = report.deviationFaults
    var entries: [KnownDeviation: Entry] = [:]
    for result in report.cases {
      guard let known = result.known else { continue }
      entries[known, default: Entry(deviation: known, cases: [])].cases.append(result.name)
    }
    self.entries = entries.values.sorted {
      ($0.deviation.path, $0.deviation.position) < ($1.deviation.path, $1.deviation.position)
    }
  }

  // MARK: - The page

  /// A section of the page; nothing if nothing is on record.
  var markup: Markup {
    guard !faults.isEmpty || !entries.isEmpty else { return "" }
    return """
      <section class="concerns" id="known-deviations"><h2>Known deviations</h2>
      <ol class="ledger">\(faults.prefix(Self.most).map(row))\(entries.prefix(Self.most).map(row))</ol>
      \(more.map(HTMLPage.note))
      </section>

      """
  }

  private var more: String? {
    let left = max(0, faults.count - Self.most) + max(0, entries.count - Self.most)
    return left > 0 ? "and \(left) more, see report.json" : nil
  }

  private func row(_ fault: DeviationFault) -> Markup {
    """
    <li class="failed"><b class="badge failed">✕ \(fault.kind.label)</b> <code>\(fault.place, clipped: 240)</code>\
    <p>\(fault.message, clipped: 600): \(fault.help)</p></li>

    """
  }

  private func row(_ entry: Entry) -> Markup {
    """
    <li class="known"><b class="badge known">≠ until \(entry.deviation.expires)</b> \
    <code>\(entry.deviation.place, clipped: 240)</code>\
    <p>\(entry.deviation.reason, clipped: 600)</p><p class="quiet">\(entry.deviation.evidence, clipped: 240) in \
    \(QuantityText.count(entry.cases.count, "case")): \(Self.listed(entry.cases), clipped: 1200)</p></li>

    """
  }

  private static func listed(_ names: [String]) -> String {
    let left = names.count - maxCases
    return names.prefix(maxCases).joined(separator: ", ") + (left > 0 ? " and \(left) more" : "")
  }

  // MARK: - Markdown

  /// A chapter of the summary; nothing if nothing is on record.
  var markdown: String {
    guard !faults.isEmpty || !entries.isEmpty else { return "" }
    var text = "\n## Known deviations\n\n"
    for fault in faults.prefix(Self.most) {
      text += "- ✕ **\(fault.kind.label)** \(MarkdownText.code(fault.place)): "
      text += "\(MarkdownText.escape(VisibleText.clipped(fault.message, to: 400))): \(fault.help)\n"
    }
    for entry in entries.prefix(Self.most) {
      text += "- ≠ \(QuantityText.count(entry.cases.count, "case")), \(MarkdownText.code(entry.cases[0]))"
      text += entry.cases.count > 1 ? " and others" : ""
      text += ", until \(entry.deviation.expires): "
      text += MarkdownText.escape(VisibleText.clipped(entry.deviation.reason, to: 400))
      text += " (\(MarkdownText.code(entry.deviation.place)))\n"
    }
    if let more { text += "\n\(more)\n" }
    return text
  }
}
