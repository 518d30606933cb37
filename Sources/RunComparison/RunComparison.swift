import RunReports
import ScenarioModel

/// What is different in a run from an earlier one.
///
/// Laws
/// - Pure: two runs in, a value out. The same runs give the same comparison, and a run compared with itself gives none.
/// - Cases are the same when scenario, variant and world are; their seeds are counted together. A scenario that is only
///   called otherwise is the same one.
/// - A case has one change at most, the first that holds of: new, removed, newly failing, failing otherwise, no longer
///   supported, no longer judged, fixed, failing more or less often.
/// - What the subject or the lab's judgement lost is a regression; other changes (new cases that pass, removed cases,
///   fixes, drift) are reported only.
package struct RunComparison: Sendable {
  /// The earlier run.
  package let old: ComparedRun
  /// The later run.
  package let new: ComparedRun
  /// All that changed: regressions first, by cause and case.
  package let changes: [CaseChange]
  /// Cases that passed before and now, in both runs.
  package private(set) var unchanged = 0
  private let counts: [CaseChange.Kind: Int]
  /// Cases that fail as they did before, as the new run has them, sorted.
  package let failingAsBefore: [ComparedCase]
  /// Scenarios that are called otherwise now.
  package let renamed: [RenamedScenario]
  /// Scenarios that take longer or shorter than noise and machine explain.
  package let drifts: [TimingDrift]
  /// Cases that the two worlds judge differently now, and did not before.
  package let divergences: [WorldDivergence]

  /// Why two runs can't be compared.
  package enum Refusal: Error, Hashable, Sendable {
    /// They are of other subjects.
    case subjects(old: String, new: String)
    /// They are judged by other readings of the sources.
    case profiles(old: String, new: String)
    /// A run has no cases: the old one, or the new one.
    case empty(isOld: Bool)
    /// They have no case in common.
    case nothingInCommon
  }

  /// Compares two runs.
  ///
  /// - Parameter expectsAll: a case of the old run that the new one lacks is a regression.
  package init(old: ComparedRun, new: ComparedRun, expectsAll: Bool = false) throws(Refusal) {
    guard old.subject == new.subject else { throw .subjects(old: old.subject, new: new.subject) }
    guard old.profile == new.profile else { throw .profiles(old: old.profile, new: new.profile) }
    guard !old.cases.isEmpty, !new.cases.isEmpty else { throw .empty(isOld: old.cases.isEmpty) }
    (self.old, self.new) = (old, new)
    let after = Course.all(new)
    let former = Course.all(old)
    renamed = RenamedScenario.all(former, after)
    let before = former.renamed(renamed)
    // Canaries go with every run, whatever it is of.
    let common = after.filter { before[$0.key] != nil }
    guard common.contains(where: { !$1.example.canary }) || !common.isEmpty && after.allSatisfy(\.value.example.canary)
    else { throw .nothingInCommon }
    var changes: [CaseChange] = []
    var failing: [ComparedCase] = []
    let programs = new.programs + old.programs
    for (key, course) in after {
      guard let earlier = before[key] else {
        changes.append(
          CaseChange(course.isAsExpected ? .added : .addedFailing, key, nil, course, new, programs: programs))
        continue
      }
      guard let kind = Self.change(earlier, course) else {
        if course.isAsExpected { unchanged += 1 } else { failing.append(course.example) }
        continue
      }
      changes.append(CaseChange(kind, key, earlier, course, new, programs: programs))
    }
    let scenarios = Set(after.keys.lazy.map(\.scenario))
    // An interrupted run does not say that a case is gone.
    let absence: CaseChange.Kind = new.casesNotJudged > 0 ? .notJudged : expectsAll ? .lost : .removed
    for (key, course) in before where after[key] == nil {
      changes.append(
        CaseChange(
          absence, key, course, nil, new, programs: programs,
          isScenarioGone: absence != .notJudged && !scenarios.contains(key.scenario)))
    }
    failingAsBefore = failing.sorted { $0.key < $1.key }
    self.changes = changes.map { ($0.order, $0) }.sorted { $0.0 < $1.0 }.map(\.1)
    counts = Dictionary(changes.map { ($0.kind, 1) }, uniquingKeysWith: +)
    drifts = TimingDrift.all(before, after)
    let known = Set(Self.divergences(before))
    divergences = Self.divergences(after).filter { !known.contains($0) }.sorted {
      ($0.scenario, $0.variant, $0.seed) < ($1.scenario, $1.variant, $1.seed)
    }
  }

  /// How a case that both runs have has changed; nil: it has not.
  private static func change(_ old: Course, _ new: Course) -> CaseChange.Kind? {
    // A deviation that is on record is not fixed by not being looked at.
    if old.example.isKnown != new.example.isKnown, new.isAsExpected, new.isJudged {
      return new.example.isKnown ? .nowKnown : .fixed
    }
    if old.isAsExpected, !new.isAsExpected {
      if new.example.isVoided { return .notVouchedFor }
      return new.example.kind == .resource ? .resourcesGrew : .newFailure
    }
    if !old.isAsExpected, new.isJudged, new.isAsExpected { return .fixed }
    if old.isAsExpected || new.isAsExpected {
      // The case was not played: a failure is not fixed by that.
      if old.isJudged, new.example.verdict == .unsupported { return .nowUnsupported }
      return old.isJudged && new.example.verdict == .skipped ? .nowSkipped : nil
    }
    if new.example.isVoided { return old.example.isVoided ? nil : .notVouchedFor }
    if old.example.verdict != new.example.verdict || !shows(new, only: old) { return .changedFailure }
    guard let rate = new.rate, let former = old.rate, rate.isApart(from: former) else { return nil }
    return rate.share > former.share ? .failsMoreOften : .failsLessOften
  }

  /// Whether all that a case shows was there before. The name of its file is in a finding's id: what was called
  /// otherwise is known by its line and its words.
  private static func shows(_ new: Course, only old: Course) -> Bool {
    guard old.example.key.scenario != new.example.key.scenario else { return new.findings.isSubset(of: old.findings) }
    return old.example.position == new.example.position
      && RunFindings.words(old.example.headline) == RunFindings.words(new.example.headline)
  }

  /// As in the reports: a world that could not judge diverges from nothing.
  private static func divergences(_ courses: [ComparedCase.Key: Course]) -> [WorldDivergence] {
    courses.compactMap { key, course in
      guard key.world == .loopback, course.isJudged else { return nil }
      var twin = key
      twin.world = .simulated
      guard let other = courses[twin], other.isJudged, other.example.verdict != course.example.verdict else {
        return nil
      }
      return WorldDivergence(
        scenario: key.scenario, variant: key.variant, seed: course.example.seed, loopback: course.example.verdict,
        simulated: other.example.verdict)
    }
  }

  /// Whether the new run is worse than the old one.
  package var isRegression: Bool { changes.contains { $0.kind.isRegression } }

  /// Whether the new run was interrupted: then it says nothing of the cases that were not judged.
  package var isCut: Bool { new.casesNotJudged > 0 }

  /// How many cases fail as they did before.
  package var stillFailing: Int { failingAsBefore.count }

  /// How many changes there are of the kind.
  package func count(_ kind: CaseChange.Kind) -> Int { counts[kind] ?? 0 }

  /// The changes of a kind by cause, the likeliest of the new run first, and by finding; those without a finding by
  /// what is said of them.
  package func causes(_ kind: CaseChange.Kind) -> [ChangeCause] {
    guard kind != .lost else { return absences }
    var causes: [ChangeCause] = []
    var places: [String: Int] = [:]
    var findings: [String: Int] = [:]
    for change in changes where change.kind == kind {
      let title = change.cause ?? (kind.isRegression ? change.words : "")
      let place = places[title] ?? causes.count
      if place == causes.count {
        places[title] = place
        causes.append(ChangeCause(title: title, findings: []))
      }
      let id = "\(title) \(change.finding ?? "")"
      if let index = findings[id] {
        causes[place].findings[index].changes.append(change)
      } else {
        findings[id] = causes[place].findings.count
        causes[place].findings.append(ChangeFinding(changes: [change]))
      }
    }
    for index in causes.indices {
      causes[index].findings.sort { ($1.changes.count, $0.first.key) < ($0.changes.count, $1.first.key) }
    }
    return causes
  }
}

extension RunComparison {
  /// More scenarios than these are told by folder.
  private static let maxScenarios = 6

  /// Missing cases: nothing that they show could have a cause. They are one scenario's, or many of a folder's.
  private var absences: [ChangeCause] {
    let absent = Dictionary(grouping: changes.lazy.filter { $0.kind == .lost }, by: \.key.scenario)
    let isByFolder = absent.count > Self.maxScenarios
    var causes: [String: ChangeCause] = [:]
    for (scenario, changes) in absent.sorted(by: { $0.key < $1.key }) {
      let folder = scenario.lastIndex(of: "/").map { String(scenario[...$0]) } ?? scenario
      let title = isByFolder ? folder : scenario
      causes[title, default: ChangeCause(title: title, findings: [])].findings.append(ChangeFinding(changes: changes))
    }
    return causes.values.sorted { ($1.count, $0.title) < ($0.count, $1.title) }
  }
}

/// Changes whose failures look like consequences of one defect.
package struct ChangeCause: Sendable {
  /// As in the new run; of changes without a cause what is said of them, or nothing.
  package let title: String
  /// At least one; the one with most cases first.
  package fileprivate(set) var findings: [ChangeFinding]

  /// How many cases.
  package var count: Int { findings.reduce(0) { $0 + $1.changes.count } }
}

/// Changes of one finding.
package struct ChangeFinding: Sendable {
  /// At least one.
  package fileprivate(set) var changes: [CaseChange]

  /// The one that is shown.
  package var first: CaseChange { changes[0] }
}

/// What a case came to over all of its seeds and rounds.
package struct Course: Sendable {
  /// The first that is not as expected; without one the first of all.
  package var example: ComparedCase
  /// Whether it was so with every seed, in every round.
  package var isAsExpected: Bool
  var findings: Set<String> = []
  /// Failures and runs, where it ran more than once and failed; nil: it did not.
  package var rate: FailureRate?

  var isJudged: Bool {
    switch example.verdict {
    case .passed, .passedNonStrict, .failed, .timeout, .hang, .crash, .violation: true
    case .unsupported, .skipped, .inconclusive, .error: false
    }
  }

  /// Of each case of the run.
  package static func all(_ run: ComparedRun) -> [ComparedCase.Key: Course] {
    var courses: [ComparedCase.Key: Course] = [:]
    courses.reserveCapacity(run.cases.count)
    var failures: [ComparedCase.Key: Int] = [:]
    for found in run.cases {
      let isFirst = courses[found.key] == nil
      if isFirst { courses[found.key] = Course(example: found, isAsExpected: found.isAsExpected) }
      guard !found.isAsExpected else {
        if found.isKnown, courses[found.key]?.isAsExpected == true { courses[found.key]?.example = found }
        continue
      }
      failures[found.key, default: 0] += 1
      if let id = found.finding { courses[found.key]?.findings.insert(id) }
      guard !isFirst, courses[found.key]?.isAsExpected == true else { continue }
      courses[found.key]?.example = found
      courses[found.key]?.isAsExpected = false
    }
    for (key, count) in failures {
      let runs = run.rounds * (key.world == .simulated ? run.seeds : 1)
      if runs > 1 { courses[key]?.rate = FailureRate(failures: min(count, runs), runs: runs) }
    }
    return courses
  }
}
