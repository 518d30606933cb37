import ScenarioModel

/// What the subjects of a run came to over loopback, beside each other.
///
/// Laws
/// - A cell has all that a subject was asked of a scenario, and the worst of it in front.
/// - What a subject was not asked is counted, and never as passed.
/// - Two cases are compared only if they differ in the subject alone.
package struct SubjectMatrix: Sendable {
  /// One subject's cases of one scenario.
  package struct Cell: Hashable, Sendable {
    /// How many cases have which verdict; those that are known deviations count among them.
    package var counts: [Verdict: Int] = [:]
    /// How many of them are on record.
    package var known = 0
    /// Indices into the run's cases, those that need a look first.
    package var cases: [Int] = []

    /// The verdict that needs a look most; nil: nothing was asked.
    package var worst: Verdict? { counts.keys.min { $0.urgency < $1.urgency } }
    /// How many cases there are.
    package var total: Int { cases.count }
    /// How many were played and judged.
    package var judged: Int { total - (counts[.unsupported] ?? 0) - (counts[.skipped] ?? 0) }
  }

  /// One scenario.
  package struct Row: Hashable, Sendable {
    /// Its id.
    package var scenario: String
    /// What it is about.
    package var title: String
    /// The first of its requirements; empty: it names none.
    package var requirement: String
    /// By subject; one that has no case has no cell.
    package var cells: [SubjectLabel: Cell]
    /// Two cases that differ in the subject alone, and in the verdict: the first such pair.
    package var difference: Difference?

    /// Whether subjects that were judged came to different things.
    package var hasDifference: Bool { difference != nil }
  }

  /// Two cases, indices into the run's, which differ in verdict.
  package struct Difference: Hashable, Sendable {
    /// That of the subject that stands first.
    package var left: Int
    /// That of the other one.
    package var right: Int
  }

  /// In the order in which the subjects stand: the library's classes, then programs by name.
  package private(set) var subjects: [SubjectLabel] = []
  /// By requirement, then by scenario.
  package private(set) var rows: [Row] = []
  /// Cases that went as expected and are not listed.
  private var unlisted: [SubjectLabel: UnlistedCases] = [:]

  /// Of a run: a program that was to be judged is among the subjects, though it may have no case.
  package init(_ report: RunReport) {
    self.init(report.cases)
    let programs = report.programs.filter { $0.leftOut == nil }.map { SubjectLabel(.gcd, program: $0.name) }
    subjects = Set(subjects + programs).sorted()
    for subject in subjects { unlisted[subject] = report.unlistedCases[CaseColumn(subject, .loopback)] }
  }

  /// Of a run's cases; canaries and cases of the simulated world, which programs have none in, are left out.
  package init(_ cases: [CaseResult]) {
    var rows: [String: Row] = [:]
    var forms: [Form: [Int]] = [:]
    for (index, result) in cases.enumerated() where result.world == .loopback && !result.canary {
      let label = result.variant.label
      var row =
        rows[result.scenario]
        ?? Row(
          scenario: result.scenario, title: result.title, requirement: result.requirements.first ?? "", cells: [:])
      row.cells[label, default: Cell()].add(result, index)
      rows[result.scenario] = row
      if result.verdict.isComparable { forms[Form(result), default: []].append(index) }
    }
    for indices in forms.values.sorted(by: { ($0.first ?? 0) < ($1.first ?? 0) }) {
      guard let first = indices.first, let other = indices.first(where: { cases[$0].isOther(cases[first]) }) else {
        continue
      }
      // A pair that can be shown is better than the first one.
      let canBeShown = cases[first].hasWholeTrace && cases[other].hasWholeTrace
      let known = rows[cases[first].scenario]?.difference
      if known == nil
        || canBeShown && !(known.map { cases[$0.left].hasWholeTrace && cases[$0.right].hasWholeTrace } ?? false)
      {
        rows[cases[first].scenario]?.difference = Difference(left: first, right: other)
      }
    }
    self.rows = rows.values.sorted { ($0.requirement, $0.scenario) < ($1.requirement, $1.scenario) }
    subjects = Set(self.rows.flatMap(\.cells.keys)).sorted()
    for place in self.rows.indices {
      for label in self.rows[place].cells.keys {
        self.rows[place].cells[label]?.cases.sort { (cases[$0].verdict.urgency, $0) < (cases[$1].verdict.urgency, $1) }
      }
    }
  }

  /// Cases of the subject by verdict, over all scenarios, those that are not listed among them.
  package func counts(_ subject: SubjectLabel) -> [Verdict: Int] {
    var counts: [Verdict: Int] = rows.reduce(into: [:]) { sum, row in
      sum.merge(row.cells[subject]?.counts ?? [:]) { $0 + $1 }
    }
    counts.merge(unlisted[subject]?.byVerdict ?? [:], uniquingKeysWith: +)
    return counts
  }

  /// Whether there are two subjects or more that were asked something, so that they may differ.
  package var isComparison: Bool { subjects.count { asked($0) > 0 } > 1 }

  /// How many scenarios the subject was asked, that is, has a case of that was judged.
  package func asked(_ subject: SubjectLabel) -> Int { rows.count { ($0.cells[subject]?.judged ?? 0) > 0 } }

  /// The subject's cases that are not as expected, one of each scenario, by requirement.
  package func deviating(_ subject: SubjectLabel, _ cases: [CaseResult]) -> [Int] {
    rows.compactMap { row in row.cells[subject]?.cases.first { !cases[$0].isAsExpected } }
  }

  /// How many of the subject's cases deviate as is on record.
  func known(_ subject: SubjectLabel) -> Int {
    rows.reduce(unlisted[subject]?.knownTotal ?? 0) { $0 + ($1.cells[subject]?.known ?? 0) }
  }

  /// What is on record of a subject: scenarios that deviate for the same reason.
  package struct Known: Hashable, Sendable {
    /// Why it is tolerated.
    package var reason: String
    /// Cases that show it, one of each scenario, by requirement.
    package var cases: [Int]
  }

  /// What is on record of the subject and was seen, what most scenarios show first.
  package func known(_ subject: SubjectLabel, _ cases: [CaseResult]) -> [Known] {
    var known: [Known] = []
    for row in rows {
      guard let index = row.cells[subject]?.cases.first(where: { cases[$0].known != nil }),
        let reason = cases[index].known?.reason
      else { continue }
      if let place = known.firstIndex(where: { $0.reason == reason }) {
        known[place].cases.append(index)
      } else {
        known.append(Known(reason: reason, cases: [index]))
      }
    }
    return known.sorted { $0.cases.count > $1.cases.count }
  }

  /// Pairs of cases of two subjects, equal but for the subject, that were judged unlike: the first of each pair is of
  /// `one`.
  package static func disagreements(
    _ cases: [CaseResult], between one: SubjectLabel, and other: SubjectLabel
  ) -> (pairs: [Difference], compared: Int) {
    var known: [Form: Int] = [:]
    for (index, result) in cases.enumerated() where result.variant.label == one && result.isPlain {
      known[Form(result)] = index
    }
    var pairs: [Difference] = []
    var compared = 0
    for (index, result) in cases.enumerated() where result.variant.label == other && result.isPlain {
      guard result.verdict != .unsupported, let match = known[Form(result)] else { continue }
      compared += 1
      if cases[match].verdict != result.verdict { pairs.append(Difference(left: match, right: index)) }
    }
    return (pairs, compared)
  }

  /// A case without its subject.
  fileprivate struct Form: Hashable {
    var scenario: String
    var family: AddressFamily
    var cut: Variant.Cut
    var security: Security
    var seed: UInt64

    init(_ result: CaseResult) {
      scenario = result.scenario
      (family, cut, security) = (result.variant.family, result.variant.cut, result.variant.security)
      seed = result.seed
    }
  }
}

extension SubjectMatrix.Cell {
  fileprivate mutating func add(_ result: CaseResult, _ index: Int) {
    counts[result.verdict, default: 0] += 1
    if result.known != nil { known += 1 }
    cases.append(index)
  }
}

extension CaseResult {
  /// Whether a program could have been asked for it in this form: it has neither queues nor shortcuts.
  fileprivate var isPlain: Bool {
    world == .loopback && !canary && variant.queues == .separate && variant.speed == .all
  }

  /// Of another subject, in the form that both have, and judged unlike.
  fileprivate func isOther(_ result: CaseResult) -> Bool {
    isPlain && result.isPlain && variant.label != result.variant.label && verdict != result.verdict
  }
}

extension Verdict {
  /// Whether it says something of the subject.
  fileprivate var isComparable: Bool {
    switch self {
    case .passed, .passedNonStrict, .failed, .timeout, .hang, .crash, .violation: true
    case .unsupported, .skipped, .inconclusive, .error: false
    }
  }
}
