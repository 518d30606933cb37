import ReportMarkup
import ScenarioModel

/// What the cases of a suite are expected to come to: a run without anything that differs from run to run or from
/// machine to machine, small enough for a repository.
///
/// ```json
/// {
///   "baseline": 1,
///   "subject": "CocoaAsyncSocket (reference)",
///   "profile": "documented",
///   "scenarios": {
///     "read/line": {"hash": "0f1e2d3c4b5a6978", "passed": {"both": "ipv4 ipv6"}, "failed 1a2b3c4d": {"both": "unix"}}
///   }
/// }
/// ```
///
/// Laws
/// - A line is a scenario, and lines are sorted: two branches meet in a line only if both changed what the scenario
///   comes to. The same cases give the same bytes.
/// - What the host lacks says nothing of the subject: a skipped case leaves what is on record of it as it was.
/// - What one seed or round shows is on record for all: of a case that ran more than once, the first failure.
package struct Baseline: Hashable, Sendable {
  /// The version of the format.
  package static let schemaVersion = 1
  /// The file's name in the folder of the reports, and how a comparison calls it without `.json`.
  package static let fileName = "baseline.json"

  /// What a case comes to.
  package struct Standing: Hashable, Sendable {
    /// As in the report.
    package var verdict: Verdict
    /// Of what went wrong; nil: nothing.
    package var finding: String?
    /// Whether the deviation is a known one.
    package var isKnown = false

    package init(verdict: Verdict, finding: String? = nil, isKnown: Bool = false) {
      self.verdict = verdict
      self.finding = finding
      self.isKnown = isKnown
    }

    /// `failed 1a2b3c4d`, `known failed`, `passed`: the key of its group in the file, and its words.
    package var text: String {
      (isKnown ? "known " : "") + verdict.rawValue + (finding.map { " \($0)" } ?? "")
    }

    /// nil: no such standing.
    init?(_ text: String) {
      var words = text.split(separator: " ", omittingEmptySubsequences: false)
      if words.first == "known" {
        isKnown = true
        words.removeFirst()
      }
      guard let name = words.first, words.count <= 2, let verdict = Verdict(rawValue: String(name)),
        words.count == 1 || !words[1].isEmpty
      else { return nil }
      self.verdict = verdict
      finding = words.count == 2 ? String(words[1]) : nil
    }
  }

  /// One scenario.
  package struct Entry: Hashable, Sendable {
    /// Of the scenario's file; empty: not known.
    package var hash = ""
    /// A canary's cases fail when all is well.
    package var isCanary = false
    /// Never empty.
    package var cases: [ComparedCase.Key: Standing] = [:]

    package init() {}
  }

  /// What was judged.
  package var subject: String
  /// Which profile's alternatives applied.
  package var profile: String
  /// By scenario id.
  package internal(set) var scenarios: [String: Entry] = [:]

  package init(subject: String, profile: String) {
    self.subject = subject
    self.profile = profile
  }

  /// What the run came to.
  package init(_ run: ComparedRun) {
    self.init(subject: run.subject, profile: run.profile)
    _ = accept(run) { _ in true }
  }

  /// How many cases are on record.
  package var count: Int { scenarios.values.reduce(0) { $0 + $1.cases.count } }

  // MARK: - As a run

  /// The baseline as the earlier run of a comparison.
  package var run: ComparedRun {
    var run = ComparedRun()
    (run.startedAt, run.subject, run.profile) = ("baseline", subject, profile)
    for (id, entry) in scenarios.sorted(by: { $0.key < $1.key }) {
      for (key, standing) in entry.cases.sorted(by: { $0.key < $1.key }) {
        var found = ComparedCase(key)
        (found.verdict, found.finding, found.isKnown) = (standing.verdict, standing.finding, standing.isKnown)
        (found.scenarioHash, found.canary, found.title) = (entry.hash, entry.isCanary, id)
        run.cases.append(found)
      }
    }
    return run
  }

  // MARK: - Changing it

  /// One line of what was changed.
  package struct Change: Hashable, Sendable {
    /// Which case.
    package let key: ComparedCase.Key
    /// What was on record; nil: nothing.
    package let old: Standing?
    /// What is on record now; nil: nothing.
    package let new: Standing?

    /// `read/line [ipv4, simulated]  passed → failed 1a2b3c4d`
    package var text: String { "\(key.name)  \(old?.text ?? "–") → \(new?.text ?? "–")" }
  }

  /// Takes what the run shows of some cases, and leaves all others as they are; returns what that changed, sorted.
  ///
  /// Of a scenario of which cases are taken, the content hash is taken as well: it says which test they are of.
  package mutating func accept(_ run: ComparedRun, _ isTaken: (ComparedCase.Key) -> Bool) -> [Change] {
    var changes: [Change] = []
    for (key, course) in Course.all(run) where isTaken(key) {
      let found = course.example
      let old = scenarios[key.scenario]?.cases[key]
      if found.verdict == .skipped, old != nil { continue }
      let new = Standing(
        verdict: found.verdict, finding: course.isAsExpected ? nil : found.finding, isKnown: found.isKnown)
      var entry = scenarios[key.scenario] ?? Entry()
      (entry.hash, entry.isCanary) = (found.scenarioHash, found.canary)
      entry.cases[key] = new
      scenarios[key.scenario] = entry
      if old != new { changes.append(Change(key: key, old: old, new: new)) }
    }
    return changes.sorted { $0.key < $1.key }
  }

  /// Removes the cases that there are no more; returns them, sorted.
  package mutating func prune(_ exists: (ComparedCase.Key) -> Bool) -> [Change] {
    var changes: [Change] = []
    for (id, entry) in scenarios {
      let gone = entry.cases.filter { !exists($0.key) }
      guard !gone.isEmpty else { continue }
      changes += gone.map { Change(key: $0.key, old: $0.value, new: nil) }
      scenarios[id]?.cases = entry.cases.filter { gone[$0.key] == nil }
      if gone.count == entry.cases.count { scenarios[id] = nil }
    }
    return changes.sorted { $0.key < $1.key }
  }
}

extension CasePattern {
  /// Whether the case is meant.
  package func covers(_ key: ComparedCase.Key) -> Bool {
    covers(scenario: key.scenario, variant: key.variant, world: key.world)
  }
}
