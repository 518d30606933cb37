import ScenarioModel

/// All reports of one run, as files for a folder of the caller's choice.
///
/// Laws
/// - Pure: no clock, no file, no random; the same report gives the same bytes.
/// - Whatever came from a scenario, a peer or a subject is data. It is escaped for the format it lands in and can break
///   none of them.
/// - No report decides anything: verdicts come in with the cases and go out unchanged.
package enum ReportFiles {
  /// How each of the files is made: `report.json`, `junit.xml`, `summary.md` and `index.html`, in this order. They know
  /// nothing of each other, so they may be made at the same time.
  package static let makers = allMakers(requirementsPage: nil)

  /// - Parameter requirementsPage: a file beside `index.html` with all requirements and what proves each, to which that
  ///   page leads; nil: there is none.
  package static func allMakers(
    requirementsPage: String?
  ) -> [(name: String, make: @Sendable (RunReport) -> [UInt8])] {
    [
      ("report.json", { ReportJSON.encode($0) }),
      ("junit.xml", { JUnitReport.make($0) }),
      ("summary.md", { MarkdownSummary.make($0) }),
      ("index.html", { HTMLReport.make($0, requirementsPage: requirementsPage) }),
    ]
  }

  /// All of them, one after another.
  package static func make(_ report: RunReport) -> [(name: String, bytes: [UInt8])] {
    makers.map { ($0.name, $0.make(report)) }
  }
}
