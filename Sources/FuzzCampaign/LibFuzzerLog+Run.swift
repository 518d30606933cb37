import FuzzHarness

/// How a process ended, as its parent saw it.
package struct ProcessEnd: Hashable, Sendable {
  /// The exit code; nil: ended by a signal, or never started.
  package var code: Int?
  /// The signal that ended it; nil: none.
  package var signal: Int?
  /// The campaign itself stopped it: its user interrupted, or its time was over.
  package var wasStopped: Bool

  /// A code of 129 to 192 without a signal is read as a shell's: 128 and the number of the signal.
  package init(code: Int? = nil, signal: Int? = nil, wasStopped: Bool = false) {
    // A shell tells a signal as 128 and its number.
    let told = code.flatMap { (129...192).contains($0) ? $0 - 128 : nil }
    self.code = told == nil ? code : nil
    self.signal = signal ?? told
    self.wasStopped = wasStopped
  }

  /// It could not be started.
  package static let neverStarted = ProcessEnd()

  var words: String {
    if let signal { return "signal \(signal)" }
    return code.map { "exit code \($0)" } ?? "no start"
  }
}

extension LibFuzzerLog {
  /// Points of a series that are kept.
  package static let maxPoints = 240

  /// The run, now that it is over.
  package func run(
    lane: FuzzTarget.Lane, trial: Int, command: String, end: ProcessEnd, wallSeconds: Double
  ) -> FuzzRun {
    var run = FuzzRun(lane: lane, trial: trial, command: command, exit: exit(end))
    run.seed = seed
    run.wallSeconds = wallSeconds
    run.executions = executions
    if let executions, wallSeconds > 0 { run.rate = Double(executions) / wallSeconds }
    run.peakRssBytes = peakRssBytes
    run.slowestUnitSeconds = slowestUnitSeconds
    run.counters = counters
    var points = series
    if let executions, var last = points.last, executions > last.executions || wallSeconds > last.seconds {
      (last.seconds, last.executions) = (max(wallSeconds, last.seconds), executions)
      points.append(last)
    }
    run.rateP10 = Series.slowTenth(points)
    run.series = Series.thinned(points, to: Self.maxPoints)
    run.missing = missing(run.exit)
    return run
  }

  /// What kind of end it was. A code is believed only as far as the log bears it out.
  package func exit(_ end: ProcessEnd) -> RunExit {
    func result(_ kind: ExitClass, _ reason: String? = nil) -> RunExit {
      RunExit(kind, code: end.code, signal: end.signal, reason: reason)
    }
    if let signal = end.signal { return signalled(signal, end) }
    guard let code = end.code else { return result(.harnessError, "it could not be started") }
    if code == 75 { return result(.killed, "its campaign was gone") }
    if code == 124 { return result(.killed, "the clock around it ended it") }
    if let complaint = complaints.first, crashes.isEmpty { return result(.harnessError, complaint) }
    guard let expected = Self.classes[code] else {
      return result(.harnessError, "exit code \(code) is none of libFuzzer's")
    }
    if let lie = lie(isOver: expected == .clean || expected == .interrupted) { return result(.harnessError, lie) }
    if expected == .clean || expected == .interrupted { return result(worst ?? expected) }
    // Fork mode ends with its last job's code and prints no report of it unless asked to go on.
    if isForkMode { return result(worst ?? expected) }
    guard let worst else { return result(.harnessError, "exit code \(code) without a report of what went wrong") }
    let fits = expected == worst || code == 77 && worst == .leak || code == 1 && worst == .leak
    return fits ? result(worst) : result(.harnessError, "exit code \(code) where the log tells of \(worst.rawValue)")
  }

  private static let classes: [Int: ExitClass] = [
    0: .clean, 72: .interrupted, 77: .crash, 1: .crash, 70: .timeout, 71: .oom, 66: .race,
  ]

  private func signalled(_ signal: Int, _ end: ProcessEnd) -> RunExit {
    // ILL, TRAP, ABRT, BUS, FPE, SEGV: the code under test, and libFuzzer did not get to see it.
    if [4, 5, 6, 7, 8, 11].contains(signal) {
      let kind = worst ?? .harnessError
      let reason = worst == nil ? "signal \(signal): a crash that libFuzzer did not see, so its input is lost" : nil
      return RunExit(kind, code: nil, signal: signal, reason: reason)
    }
    let who = end.wasStopped ? "its campaign ended it" : "something else ended it"
    return RunExit(.killed, code: nil, signal: signal, reason: "\(who) with signal \(signal)")
  }

  /// Why a run that looks fine proves nothing.
  private func lie(isOver: Bool) -> String? {
    if counters ?? 0 == 0 { return "no counters loaded: the program is not instrumented, or has an empty main" }
    if isOver, !hasStatistics { return "no statistics at the end" }
    if isOver, executions ?? 0 == 0 { return "nothing was executed" }
    return foundNothingInteresting ? "no interesting inputs: what is fuzzed is not instrumented" : nil
  }

  /// The worst of what went wrong; nil: nothing did.
  private var worst: ExitClass? {
    let seen = Set(crashes.map(\.kind))
    if !seen.isDisjoint(with: [.memory, .violation, .crash]) || forkCounts.crashes > 0 { return .crash }
    if seen.contains(.race) { return .race }
    if seen.contains(.oom) || forkCounts.ooms > 0 { return .oom }
    if seen.contains(.leak) { return .leak }
    return seen.contains(.timeout) || forkCounts.timeouts > 0 ? .timeout : nil
  }

  private func missing(_ exit: RunExit) -> [String] {
    var missing: [String] = []
    if exit.kind == .harnessError { return missing }
    if !hasStatistics { missing.append("statistics") }
    if counters == nil { missing.append("the number of counters") }
    if series.isEmpty, !isReplay { missing.append("growth") }
    // Fork mode writes its inputs without saying so, and a replay was given them.
    let lost = isReplay || isForkMode ? 0 : crashes.count { $0.artifact == nil && $0.base64 == nil }
    if lost > 0 { missing.append(lost == 1 ? "the input of a crash" : "the inputs of \(lost) crashes") }
    return missing
  }
}

/// What series of several runs have in common.
package enum Series {
  /// At most `most` points, the first and the last among them: half of them even in time, half of them dense at the
  /// beginning, where things grow.
  package static func thinned(_ points: [SeriesPoint], to most: Int) -> [SeriesPoint] {
    guard points.count > max(most, 2) else { return points }
    var kept: Set<Int> = [0, points.count - 1]
    let half = max(1, most / 2 - 1)
    let span = points[points.count - 1].seconds - points[0].seconds
    var next = 0
    for step in 1...half {
      let share = Double(step) / Double(half)
      // Squares: a quarter of the time has half of the points.
      let index = Int(nearest: share * share * Double(points.count - 1))
      kept.insert(index)
      let moment = points[0].seconds + share * span
      while next < points.count - 1, points[next + 1].seconds <= moment { next += 1 }
      kept.insert(next)
    }
    return kept.sorted().map { points[$0] }
  }

  /// The rate that a tenth of the steps stayed below. Steps of less than half a second say nothing; nil: fewer than
  /// five others.
  package static func slowTenth(_ points: [SeriesPoint]) -> Double? {
    var rates: [Double] = []
    guard var start = points.first else { return nil }
    for point in points.dropFirst() where point.seconds - start.seconds >= 0.5 {
      rates.append((Double(point.executions) - Double(start.executions)) / (point.seconds - start.seconds))
      start = point
    }
    guard rates.count >= 5 else { return nil }
    return rates.sorted()[rates.count / 10]
  }

  /// Runs one after the other as one: seconds and executions go on, coverage never falls.
  package static func joined(_ parts: [[SeriesPoint]]) -> [SeriesPoint] {
    var joined: [SeriesPoint] = []
    for part in parts {
      let (seconds, executions) = (joined.last?.seconds ?? 0, joined.last?.executions ?? 0)
      for var point in part {
        point.seconds += seconds
        point.executions = [point.executions, executions].total
        point.coverage = max(point.coverage, joined.last?.coverage ?? 0)
        point.features = max(point.features, joined.last?.features ?? 0)
        joined.append(point)
      }
    }
    return joined
  }

  /// The first point with that share of the final coverage: how soon a target is done with most of it.
  package static func reaching(_ share: Double, of points: [SeriesPoint]) -> SeriesPoint? {
    guard let final = points.last, final.coverage > 0 else { return nil }
    return points.first { Double($0.coverage) >= share * Double(final.coverage) }
  }
}
