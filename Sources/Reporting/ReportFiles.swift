import ScenarioModel

/// All reports of one run, as files for a folder of the caller's choice.
///
/// Laws
/// - Pure: no clock, no file, no random; the same report gives the same bytes.
/// - Whatever came from a scenario, a peer or a subject is data. It is escaped for the format it lands in and can break
///   none of them.
/// - No report decides anything: verdicts come in with the cases and go out unchanged.
package enum ReportFiles {
  /// `report.json`, `junit.xml`, `summary.md` and `index.html`, in this order.
  package static func make(_ report: RunReport) throws -> [(name: String, bytes: [UInt8])] {
    [
      ("report.json", ReportJSON.encode(report)),
      ("junit.xml", JUnitReport.make(report)),
      ("summary.md", MarkdownSummary.make(report)),
      ("index.html", try HTMLReport.make(report)),
    ]
  }
}
