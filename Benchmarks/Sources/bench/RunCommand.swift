import ArgumentParser
import BenchmarkHarness
import BenchmarkModel
import BenchmarkPage
import Foundation

/// Measures and reports.
struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Measures workloads, growth and idle servers, prints ratios and writes the reports.",
    discussion: """
      Exit codes: 0 everything asked for is reached; 1 a bar is missed, a cost grows worse than linearly, or an idle \
      server wakes up; 64 wrong usage; 70 something could not be measured or written. With --check-half-bars a bar \
      counts at half of its height, and a slope halfway to quadratic: what a short run can tell for sure. What falls \
      short of that is measured once more, for longer, and the second time counts.
      """)

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Only these workloads and series; 'idle' for the idle servers.", valueName: "id"))
  var only: [String] = []
  @Option(help: ArgumentHelp("How often each contestant is measured: at least 7 for figures to show.", valueName: "n"))
  var rounds: Int?
  @Option(help: ArgumentHelp("Seconds for each contestant in each round.", valueName: "seconds"))
  var time: Double?
  @Flag(help: "Everything briefly: shows that it runs, not how fast it is.")
  var quick = false
  @Flag(name: .customLong("check-half-bars"), help: "Fail only under half of a bar, as CI does.")
  var checkHalfBars = false
  @Option(help: ArgumentHelp("The folder for the reports.", valueName: "folder"))
  var output = "reports/benchmarks"
  @Option(help: ArgumentHelp("The folder of the scenarios.", valueName: "folder"))
  var scenarios = "Scenarios"
  @Option(help: ArgumentHelp("The order of the rounds is drawn from it.", valueName: "n"))
  var seed: UInt64 = 1

  func validate() throws {
    if let rounds, rounds < 1 { throw ValidationError("--rounds must be at least 1, not \(rounds).") }
    if let time, !(time > 0 && time <= 3600) {
      throw ValidationError("--time must be more than 0 and at most 3600 seconds, not \(time).")
    }
    let known = Self.ids
    for id in only where !known.contains(id) {
      let guess = known.min { Self.distance(id, $0) < Self.distance(id, $1) }
        .flatMap { Self.distance(id, $0) <= max(2, id.count / 2) ? " Did you mean \($0)?" : nil }
      throw ValidationError("There is no workload or series \(id).\(guess ?? "") `bench list` shows all.")
    }
  }

  static var ids: [String] { WorkloadTable.all.map(\.id) + GrowthTable.all.map(\.id) + ["idle"] }

  /// Edits between two words.
  static func distance(_ left: String, _ right: String) -> Int {
    let right = Array(right)
    var last = Array(0...right.count)
    for (row, letter) in left.enumerated() {
      var current = [row + 1]
      for column in right.indices {
        let change = last[column] + (letter == right[column] ? 0 : 1)
        current.append(min(change, last[column + 1] + 1, current[column] + 1))
      }
      last = current
    }
    return last[right.count]
  }

  func run() throws {
    let folder = try ReportFolder(output)
    let options = BenchmarkRun.Options(
      rounds: rounds ?? (quick ? 3 : 9), growthRounds: quick ? 1 : 3, seconds: time ?? (quick ? 0.1 : 0.5),
      isQuick: quick, seed: seed, scenarioFolder: scenarios)
    let loadAtStart = MachineFacts.load
    let date = Date().formatted(.iso8601)
    var run = BenchmarkRun(options)
    let progress = ProgressLine()
    var report = BenchmarkReport(
      provenance: MachineFacts.provenance(options, date: date, loadAtStart: loadAtStart))
    var longer = BenchmarkRun(options.forASecondLook)
    for workload in WorkloadTable.all where isWanted(workload.id) {
      var result = run.run(workload, progress: progress.show)
      if checkHalfBars, result.isFarOff { result = longer.again(workload, progress: progress.show) }
      report.workloads.append(result)
    }
    for series in GrowthTable.all where isWanted(series.id) {
      var result = run.run(series, progress: progress.show)
      if checkHalfBars, result.isFarOff { result = longer.again(series, progress: progress.show) }
      report.growth.append(result)
    }
    var idleFailure: String?
    if isWanted("idle") {
      do { report.idle = try run.idle(progress: progress.show) } catch { idleFailure = "idle: \(error)" }
    }
    progress.clear()
    report.provenance.notes = run.notes + longer.notes
    report.provenance.loadAtEnd = MachineFacts.load
    print(TerminalTable.text(report))
    try folder.write(report)
    print("\(output)/index.html")
    try conclude(report, idleFailure)
  }

  private func isWanted(_ id: String) -> Bool { only.isEmpty || only.contains(id) }

  private func conclude(_ report: BenchmarkReport, _ idleFailure: String?) throws {
    let complaints = report.complaints(onlyHalf: checkHalfBars) + (idleFailure.map { [$0] } ?? [])
    for complaint in complaints { Console.error(complaint) }
    let isBroken =
      idleFailure != nil || report.workloads.contains { $0.failure != nil }
      || report.growth.contains { $0.failure != nil }
    if isBroken { throw ExitCode(70) }
    if !complaints.isEmpty { throw ExitCode(1) }
  }
}

/// Shows what there is to run.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the workloads, their reasons and what is asked.")

  func run() throws {
    for workload in WorkloadTable.all {
      print("\(workload.id)  \(workload.title)\n    \(workload.reason)")
      for comparison in workload.comparisons {
        let sign = workload.direction == .higher ? "at least" : "at most"
        let asked = comparison.bar.map { ": \(sign) \($0), aim \(comparison.aim ?? $0)" } ?? ": not judged"
        print("    \(comparison.subject)\(comparison.against)\(asked)")
      }
    }
    for series in GrowthTable.all { print("\(series.id)  \(series.title)\n    \(series.reason)") }
    print("idle  Idle servers\n    Memory, threads, and wake-ups of a server that has nothing to do: none.")
  }
}
