import ReportMarkup
import RunReports
import ScenarioModel

/// In which way a case is different in the new run. A class, because there may be many, which are sorted and grouped.
package final class CaseChange: Sendable {
  /// What changed; those that come first are told first.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case newFailure = "new failure"
    case changedFailure = "changed failure"
    case resourcesGrew = "resources grew"
    case addedFailing = "new case, fails"
    case nowUnsupported = "now unsupported"
    case failsMoreOften = "fails more often"
    case notVouchedFor = "control no longer vouches"
    /// Where every case of the old run is asked for.
    case lost = "missing case"
    case nowKnown = "now a known deviation"
    case nowSkipped = "now skipped"
    case fixed
    case failsLessOften = "fails less often"
    case added = "new case"
    case removed = "removed case"
    /// The new run was interrupted, and says nothing of it.
    case notJudged = "not judged"

    /// Whether it makes the new run worse than the old one.
    package var isRegression: Bool {
      switch self {
      case .newFailure, .changedFailure, .resourcesGrew, .addedFailing, .nowUnsupported, .failsMoreOften,
        .notVouchedFor, .lost:
        true
      case .nowKnown, .nowSkipped, .fixed, .failsLessOften, .added, .removed, .notJudged: false
      }
    }

    /// Whether the new run does not have the case.
    var isAbsence: Bool { self == .lost || self == .removed || self == .notJudged }

    /// For JSON, rules of SARIF and classes of style: `new-failure`.
    package var word: String {
      rawValue.replacing(",", with: "").split(separator: " ").joined(separator: "-")
    }
  }

  /// What changed.
  package let kind: Kind
  /// Which case.
  package let key: ComparedCase.Key
  /// In the old run; nil: it was not there.
  package let old: ComparedCase?
  /// In the new run; nil: it is not there.
  package let new: ComparedCase?
  /// The scenario's file is another one: the test changed, and perhaps not the subject.
  package let isTestChanged: Bool
  /// The title of the cause of the new failure; nil: there is none.
  package let cause: String?
  /// What the scenario was called in the old run, if that is the only difference; nil: it was called so, or was not
  /// there.
  package var formerScenario: String? {
    old.flatMap { $0.key.scenario == key.scenario ? nil : $0.key.scenario }
  }
  /// Whether no case of its scenario is in the new run: perhaps its file is gone.
  package let isScenarioGone: Bool
  /// In the old and in the new run, where it ran more than once.
  package let oldRate: FailureRate?
  /// In the new run.
  package let newRate: FailureRate?
  /// What commands call the case's program by; nil: the case is the library's.
  private let subject: String?
  private let rank: Int

  /// - Parameters:
  ///   - run: the new one.
  ///   - programs: those of both runs.
  ///   - isScenarioGone: no case of the scenario is in the new run.
  init(
    _ kind: Kind, _ key: ComparedCase.Key, _ old: Course?, _ new: Course?, _ run: ComparedRun,
    programs: [ProgramFacts] = [], isScenarioGone: Bool = false
  ) {
    self.isScenarioGone = isScenarioGone
    subject = programs.owner(ofVariant: key.variant)?.word
    self.kind = kind
    self.key = key
    self.old = old?.example
    self.new = new?.example
    let hashes = [old?.example.scenarioHash ?? "", new?.example.scenarioHash ?? ""]
    isTestChanged = !hashes.contains("") && hashes[0] != hashes[1]
    let known = new?.example.finding.flatMap { run.causes[$0] }
    cause = known?.title
    rank = known?.rank ?? .max
    (oldRate, newRate) = (old?.rate, new?.rate)
  }

  /// The finding of the new failure.
  package var finding: String? { kind == .fixed || kind.isAbsence ? nil : new?.finding }

  /// The case as it is now; of a removed one as it was.
  package var present: ComparedCase { new ?? old ?? ComparedCase(key) }

  /// `passed → failed`
  package var course: String {
    "\(old?.verdictText ?? "–") → \(new?.verdictText ?? (kind == .notJudged ? "not judged" : "–"))"
  }

  /// What is wrong now, in one line. How a case deviated that is no more is nothing that is wrong now.
  package var words: String {
    if kind.isAbsence { return kind == .notJudged ? "not judged" : "not in the new run" }
    return present.headline.isEmpty ? course : present.headline
  }

  /// Why it may be no fault of the subject's; nil: only the subject or the lab can have changed.
  package var remark: String? {
    let remarks = [
      isTestChanged ? "the scenario changed, too" : nil, formerScenario.map { "the scenario was called \($0)" },
    ].compactMap { $0 }
    return remarks.isEmpty ? nil : remarks.joined(separator: "; ")
  }

  /// `fails in 40 of 100, 31–50 %; before in 2 of 100, 1–7 %`; nil: it ran once.
  package var rates: String? {
    newRate.map { rate in "fails in \(rate.text)\(oldRate.map { "; before in \($0.text)" } ?? "")" }
  }

  /// Runs the case again, if its scenario is still there.
  package var command: String { command("run") }

  /// The command for who reads of the change; nil: there is nothing to run again.
  package var again: String? { isScenarioGone ? nil : command }

  /// Makes the case smaller; nil: it shows nothing that a smaller one could show.
  package var shrinking: String? {
    guard let new, !new.isAsExpected, !new.canary, !new.isVoided, new.kind != nil else { return nil }
    return command("shrink")
  }

  private func command(_ verb: String) -> String {
    ReproCommand.text(
      scenario: key.scenario, variant: key.variant, world: key.world, seed: present.seed, verb: verb, subject: subject)
  }

  /// The scenario's file and the line that says what is expected; nil: not known, or perhaps no longer there.
  package var place: FindingPlace? {
    let found = present
    guard !found.path.isEmpty, !isScenarioGone else { return nil }
    let position = kind.isAbsence ? nil : found.position
    return FindingPlace(path: found.path, position: position ?? SourcePosition(line: 1, column: 1))
  }

  /// Regressions first; of a kind, the likeliest cause first.
  struct Order: Comparable {
    var kind: Int
    var rank: Int
    var finding: String
    var key: ComparedCase.Key

    static func < (left: Self, right: Self) -> Bool {
      (left.kind, left.rank, left.finding, left.key) < (right.kind, right.rank, right.finding, right.key)
    }
  }

  var order: Order {
    Order(kind: Kind.allCases.firstIndex(of: kind) ?? 0, rank: rank, finding: finding ?? "", key: key)
  }
}

/// How often something failed, and between which bounds its true share lies with a probability of 95 %.
package struct FailureRate: Hashable, Sendable {
  /// At most `runs`.
  package let failures: Int
  /// At least 1.
  package let runs: Int

  /// `runs` below 1 count as 1.
  package init(failures: Int, runs: Int) { (self.failures, self.runs) = (failures, max(1, runs)) }

  /// From 0 to 1.
  package var share: Double { Double(failures) / Double(runs) }

  /// Wilson's interval, which holds for few runs and for shares near 0 and 1, too.
  package var interval: ClosedRange<Double> {
    let (z, count) = (1.96, Double(runs))
    let middle = share + z * z / (2 * count)
    let spread = z * (share * (1 - share) / count + z * z / (4 * count * count)).squareRoot()
    let scale = 1 + z * z / count
    return max(0, (middle - spread) / scale)...min(1, (middle + spread) / scale)
  }

  /// Whether the intervals have nothing in common.
  package func isApart(from other: FailureRate) -> Bool { !interval.overlaps(other.interval) }

  /// `3 of 100, 1–8 %`; a rare one as `8 of 5400, 0.08–0.29 %`.
  package var text: String {
    let decimals = interval.upperBound < 0.02 ? 2 : 0
    let bounds = [interval.lowerBound, interval.upperBound].map { QuantityText.fixed($0 * 100, decimals: decimals) }
    return "\(failures) of \(runs), \(bounds[0])–\(bounds[1]) %"
  }
}
