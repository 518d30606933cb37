import ReportMarkup
import RunReports
import ScenarioModel

extension RunComparison {
  /// `3 regressions: 2 new failures, 1 now unsupported`, or that there are none.
  package var headline: String {
    let regressions = changes.count { $0.kind.isRegression }
    guard regressions > 0 else { return isCut ? "No regressions in what was judged" : "No regressions" }
    let kinds = CaseChange.Kind.allCases.filter { $0.isRegression && count($0) > 0 }.map(countText)
    return "\(QuantityText.count(regressions, "regression")): \(kinds.joined(separator: ", "))"
  }

  /// The rest in one line: `12 fixed, 3 new cases, 5,800 unchanged`.
  package var remainder: String {
    var parts = CaseChange.Kind.allCases.filter { !$0.isRegression && count($0) > 0 }.map(countText)
    if stillFailing > 0 { parts.append("\(QuantityText.count(stillFailing)) failing as before") }
    parts.append("\(QuantityText.count(unchanged)) unchanged")
    return parts.joined(separator: ", ")
  }

  /// `1,204 new failures`
  package func countText(_ kind: CaseChange.Kind) -> String {
    let number = count(kind)
    let words =
      switch kind {
      case .newFailure, .changedFailure, .added, .removed, .lost: number == 1 ? kind.rawValue : kind.rawValue + "s"
      case .addedFailing: number == 1 ? "new case that fails" : "new cases that fail"
      case .resourcesGrew: "with grown resources"
      case .nowUnsupported, .nowSkipped, .fixed, .notJudged: kind.rawValue
      case .nowKnown: number == 1 ? kind.rawValue : "now known deviations"
      case .failsMoreOften: "failing more often"
      case .failsLessOften: "failing less often"
      case .notVouchedFor: "no longer vouched for"
      }
    return "\(QuantityText.count(number)) \(words)"
  }

  /// Renamed scenarios that are named.
  private static let maxNames = 5

  /// What a reader should know before the changes: each a sentence or two.
  package var notes: [String] {
    var notes: [String] = []
    for (run, name) in [(old, "old"), (new, "new")] where run.casesNotJudged > 0 {
      let cases = QuantityText.count(run.casesNotJudged, "planned case")
      notes.append("The \(name) run was interrupted: \(cases) not judged.")
    }
    if !old.host.isEmpty, !new.host.isEmpty, old.host != new.host {
      notes.append("The machines are different: \(old.host) before, \(new.host) now. Times may differ for that alone.")
    }
    if new.isOlder(than: old) {
      notes.append("The new run is older than the old one: it began at \(new.startedAt).")
    }
    if !renamed.isEmpty {
      let names = renamed.prefix(Self.maxNames).map { "\($0.old) is \($0.new) now" }.joined(separator: ", ")
      let left = renamed.count - Self.maxNames
      let count = QuantityText.count(renamed.count, "scenario")
      notes.append("Renamed, otherwise unchanged: \(count). \(names)\(left > 0 ? " and \(left) more" : "").")
    }
    // A baseline holds what any version does.
    if old.version != new.version, !old.version.isEmpty {
      notes.append("The lab was \(old.version), and is \(new.version) now.")
    }
    for facts in new.programs {
      guard let before = old.programs.first(where: { $0.name == facts.name }), before.title != facts.title else {
        continue
      }
      notes.append("\(facts.name) was \(before.title), and is \(facts.title) now.")
    }
    let changed = changes.count(where: \.isTestChanged)
    if changed > 0 {
      notes.append("Of the changes, \(QuantityText.count(changed)) are of scenarios that changed, too.")
    }
    return notes
  }
}

extension ComparedRun {
  /// The subjects, with the versions of programs.
  package var subjectTitle: String { ProgramFacts.title(subject, programs) }

  /// Whether both say when they began, and this one did before the other.
  func isOlder(than other: ComparedRun) -> Bool {
    // Of ISO 8601 in UTC the order of the texts is that of time; a baseline says no time.
    let isTime = [startedAt, other.startedAt].allSatisfy { $0.utf8.count == 20 && $0.hasSuffix("Z") }
    return isTime && startedAt < other.startedAt
  }

  /// `2026-01-31T12:00:00Z, commit 0123456789ab`
  package var name: String {
    startedAt + (shortCommit.map { ", commit \($0)" } ?? "")
  }

  /// The subject's commit, as short as people write it; nil: not known.
  var shortCommit: String? {
    (subjectCommit ?? labCommit).map { $0.prefix(12) + ($0.hasSuffix("+changes") ? "+changes" : "") }
  }
}

extension ChangeCause {
  /// How many cases, scenarios and findings: `12 cases of 3 scenarios, 4 findings`.
  package var extent: String {
    let hasFindings = findings.count > 1 && findings.contains { $0.first.finding != nil }
    let number = hasFindings ? ", \(QuantityText.count(findings.count, "finding"))" : ""
    return RunComparison.extent(findings.flatMap(\.changes)) + number
  }
}

extension ChangeFinding {
  /// How many cases and scenarios: `12 cases of 3 scenarios`.
  package var extent: String { RunComparison.extent(changes) }
}

extension RunComparison {
  fileprivate static func extent(_ changes: [CaseChange]) -> String {
    let scenarios = Set(changes.map(\.key.scenario)).count
    return "\(QuantityText.count(changes.count, "case")) of \(QuantityText.count(scenarios, "scenario"))"
  }
}

extension TimingDrift {
  /// `1.2 s → 3.4 s (2.83×)`
  package var text: String {
    func words(_ milliseconds: Double) -> String {
      QuantityText.duration(.microseconds(Int64(min(milliseconds, 1e12) * 1_000)))
    }
    let ratio = QuantityText.fixed(ratio, decimals: 2)
    return "\(words(oldMilliseconds)) → \(words(newMilliseconds)) (\(ratio)×)"
  }
}
