import ReportMarkup
import ScenarioModel

/// The panels and lines of the cases, rendered at the largest size that the page's budget allows.
struct CasePanels {
  private let sources: [String: ScenarioSource]
  private let sentences: RequirementSentences
  private var panels: [String: Markup] = [:]
  private var lines: [String: Markup] = [:]
  private var used: [CasePanel.Size: Int] = [:]

  init(sources: [String: ScenarioSource], sentences: RequirementSentences) {
    self.sources = sources
    self.sentences = sentences
  }

  /// The full or short panel of the case; nil when it has none.
  func panel(_ entry: ScenarioGroup.Case) -> Markup? { panels[entry.anchor] }
  /// The line of the case; nil when it has a panel or the budget is used up.
  func line(_ entry: ScenarioGroup.Case) -> Markup? { lines[entry.anchor] }

  /// Whether the page has a place for this very case.
  func shows(_ entry: ScenarioGroup.Case) -> Bool { panels[entry.anchor] != nil || lines[entry.anchor] != nil }

  /// Fragment of the case's place on the page, or of its scenario's.
  func anchor(_ entry: ScenarioGroup.Case, in group: ScenarioGroup) -> String {
    shows(entry) ? entry.anchor : group.anchor
  }

  mutating func fill(_ groups: [ScenarioGroup]) {
    var first: [ScenarioGroup.Case] = []
    var further: [ScenarioGroup.Case] = []
    var canaries: [ScenarioGroup.Case] = []
    var examples: [ScenarioGroup.Case] = []
    var voided: [ScenarioGroup.Case] = []
    for group in groups {
      var worlds: Set<WorldName> = []
      // Cases that another one represents, and voided ones without deviations, are lines.
      for entry in group.cases where entry.tone.needsLook && entry.representative == nil && entry.rank < 3 {
        if entry.rank == 2 {
          voided.append(entry)
        } else if worlds.insert(entry.result.world).inserted {
          first.append(entry)
        } else {
          further.append(entry)
        }
      }
      canaries += group.cases.filter { $0.tone == .canary }
      let passed = group.cases.filter { $0.result.verdict == .passed && !$0.result.canary }
      examples += passed.filter(\.result.hasWholeTrace).prefix(1)
    }
    let controls = first.filter { $0.rank == 0 }
    for entry in controls + first.filter({ $0.rank != 0 }) + further { place(entry, atLeast: .short) }
    for entry in canaries + examples { place(entry, atLeast: .line) }
    for entry in voided { place(entry, atLeast: .short) }
    for needsLook in [true, false] {
      for group in groups {
        for entry in group.cases where entry.tone.needsLook == needsLook && panels[entry.anchor] == nil {
          place(entry, as: .line)
        }
      }
    }
  }

  private mutating func place(_ entry: ScenarioGroup.Case, atLeast least: CasePanel.Size) {
    if place(entry, as: .full) || least == .line { return }
    place(entry, as: .short)
  }

  /// Whether there was budget left for a panel of this size. The last one may exceed it: to measure a panel takes as
  /// long as to render it.
  @discardableResult
  private mutating func place(_ entry: ScenarioGroup.Case, as size: CasePanel.Size) -> Bool {
    let budget =
      switch size {
      case .full: HTMLReport.fullBudget
      case .short: HTMLReport.shortBudget
      case .line: HTMLReport.lineBudget
      }
    guard used[size, default: 0] < budget else { return false }
    let panel = CasePanel(entry, source: sources[entry.result.scenario], sentences: sentences)
    let markup = panel.markup(size)
    used[size, default: 0] += markup.size
    if size == .line { lines[entry.anchor] = markup } else { panels[entry.anchor] = markup }
    return true
  }
}
