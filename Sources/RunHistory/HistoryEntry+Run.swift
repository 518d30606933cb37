import RunComparison
import ScenarioModel

extension HistoryEntry {
  private static let maxSlow = 10
  private static let maxFailing = 20

  /// What is kept of a run of the suite.
  ///
  /// - Parameter name: of its folder.
  package init(_ run: ComparedRun, name: String) {
    // Canaries are as expected whatever the subject does. What is not listed went as expected.
    let listed = run.cases.filter { !$0.canary }
    let played = listed.count + run.unlistedCases
    self.init(
      kind: .suite, name: name, startedAt: run.startedAt, commit: run.subjectCommit ?? run.labCommit, host: run.host,
      size: played)
    let courses = Course.all(run)
    let good = listed.count(where: \.isAsExpected) + run.unlistedCases
    measures.append(.share("pass rate", of: good, all: played, isHigherBetter: true, noise: .unjudged))
    let repeated = courses.keys.count { run.rounds * ($0.world == .simulated ? run.seeds : 1) > 1 }
    if repeated > 0 {
      let mixed = courses.values.count { course in course.rate.map { $0.failures < $0.runs } ?? false }
      measures.append(.share("flake rate", of: mixed, all: repeated, isHigherBetter: false, noise: .counted))
    }
    let known = run.cases.count(where: \.isKnown) + run.unlistedKnown
    if known > 0 {
      measures.append(
        HistoryMeasure("known deviations", Double(known), .count, isHigherBetter: false, noise: .unjudged))
    }
    measures.append(
      HistoryMeasure("duration", run.milliseconds, .milliseconds, isHigherBetter: false, noise: .measured))
    if let resources = run.resources {
      measures.append(
        HistoryMeasure(
          "processor time", QuantityText.milliseconds(resources.processor), .milliseconds, isHigherBetter: false,
          noise: .measured))
      measures.append(
        HistoryMeasure(
          "peak memory", Double(resources.peakMemory), .bytes, isHigherBetter: false, noise: .measured))
    }
    let basis = "\(host), \(run.seeds) seeds, \(run.rounds) rounds\(run.casesNotJudged > 0 ? ", interrupted" : "")"
    for index in measures.indices { measures[index].basis = basis }
    slowest = Self.slowest(run.cases).map { SlowCase(name: $0.key.name, milliseconds: $0.milliseconds) }
    failing = courses.filter { !$0.value.isAsExpected }.keys.sorted().prefix(Self.maxFailing).map(\.name)
  }

  /// Each case once, by its longest run.
  private static func slowest(_ cases: [ComparedCase]) -> [ComparedCase] {
    var slowest: [ComparedCase] = []
    for found in cases {
      if slowest.count == maxSlow, let last = slowest.last, !isSlower(found, last) { continue }
      if let known = slowest.firstIndex(where: { $0.key == found.key }) {
        guard isSlower(found, slowest[known]) else { continue }
        slowest.remove(at: known)
      }
      slowest.insert(found, at: slowest.firstIndex { isSlower(found, $0) } ?? slowest.endIndex)
      if slowest.count > maxSlow { slowest.removeLast() }
    }
    return slowest
  }

  private static func isSlower(_ one: ComparedCase, _ other: ComparedCase) -> Bool {
    one.milliseconds == other.milliseconds ? one.key < other.key : one.milliseconds > other.milliseconds
  }
}

extension HistoryMeasure {
  static func share(_ name: String, of part: Int, all: Int, isHigherBetter: Bool, noise: Noise) -> HistoryMeasure {
    var measure = HistoryMeasure(
      name, Double(part) / Double(max(1, all)), .share, isHigherBetter: isHigherBetter, noise: noise)
    measure.counted = (part, all)
    return measure
  }
}
