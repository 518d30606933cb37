import ScenarioModel

/// `index.html`: the run as one page that needs nothing else, for people who look rather than read.
///
/// The page has a budget. What needs a look gets it first: a full panel for cases that are not as expected (the first
/// of every scenario and world before further ones), then canaries, then one example per scenario of what went well.
/// When the budget is used up, panels become shorter and then lines, so that the page stays a page with many thousand
/// cases. It opens with causes and folders, a few thousand elements however long the run was; what is folded becomes
/// elements when it is unfolded.
package enum HTMLReport {
  /// Bytes for full panels, short panels and lines.
  static let fullBudget = 1_500_000
  static let shortBudget = 400_000
  static let lineBudget = 400_000
  /// Rows in the table of cases on which the worlds disagree.
  static let maxConcerns = 100
  /// Disagreements of the worlds that are there before anything is unfolded.
  static let maxOpenDivergences = 20

  /// UTF-8, ending with a line feed.
  ///
  /// - Parameter requirementsPage: a file beside the page with all requirements and what proves each; nil: there is
  ///   none.
  package static func make(_ report: RunReport, requirementsPage: String? = nil) -> [UInt8] {
    let groups = ScenarioGroup.all(report.cases)
    var panels = CasePanels(sources: report.sources, sentences: RequirementSentences(report.sentences))
    panels.fill(groups)
    return Array(RunPage(report, groups, panels, requirementsPage: requirementsPage).markup.html.utf8)
  }
}
