import Foundation
import FuzzCampaign
import FuzzHarness
import HostTools
import ScenarioModel
import Synchronization

/// One process of a fuzzer, as it was started and as it ended.
struct FuzzProcessRecord: Sendable {
  var unit: FuzzUnit
  /// Of the libFuzzer that was started; counts up within a unit.
  var seed: UInt32
  /// In one paste.
  var command: String
  var startedAt: Date
  /// nil: it could not be started.
  var result: ChildResult?
  /// What its lines say.
  var reading = LibFuzzerLog()
  /// Its lines but for those of the status, the first and the last of many.
  var excerpt = LineExcerpt()
  /// The file with all its lines.
  var log: String
  /// Inputs that the fuzzer wrote because something was wrong with them, slow ones included.
  var artifacts: [String] = []
  /// What is missing or was left out, in words.
  var remarks: [String] = []

  var end: ProcessEnd {
    guard let result else { return .neverStarted }
    let wasStopped = result.isStopped || result.isOverdue
    switch result.end {
    case .exited(let code): return ProcessEnd(code: Int(code), wasStopped: wasStopped)
    case .signalled(let signal): return ProcessEnd(signal: Int(signal), wasStopped: wasStopped)
    case .unknown: return ProcessEnd(code: Int(result.end.code), wasStopped: wasStopped)
    }
  }

  /// How it is to be taken.
  var exit: RunExit { reading.exit(end) }
  /// What a person wants to know and nothing is missing for.
  var notes: [String] = []

  /// The input of a crash: the file that the fuzzer wrote, or the bytes in its log if they differ, as on a full disk.
  /// nil: lost.
  func input(of crash: CrashReport) -> [UInt8]? {
    let told = crash.base64.flatMap { Data(base64Encoded: $0) }.map(Array.init)
    let paths = crash.artifact.map { [$0] } ?? artifacts.filter { LibFuzzer.Artifact(file: $0) != .slow }
    let written = paths.lazy.compactMap { try? HostFiles.read($0) }.first
    if let told, written != told { return told }
    return written
  }
}

/// The lines that are kept in memory of a log, however long it is.
package struct LineExcerpt: Sendable {
  private static let most = 2000

  private var head: [String] = []
  private var tail: [String] = []
  private var dropped = 0

  /// Keeps the line if it is among the first or the last.
  package mutating func add(_ line: String) {
    guard head.count == Self.most else { return head.append(line) }
    tail.append(line)
    guard tail.count == 2 * Self.most else { return }
    tail.removeFirst(Self.most)
    dropped += Self.most
  }

  /// In order; a line between the first and the last says how many are left out.
  package var lines: [String] {
    head + (dropped > 0 ? ["… \(QuantityText.count(dropped, "line")) left out"] : []) + tail
  }
}

/// Fuzzes one unit until its budget is used. A finding ends a process and not the unit: the next one begins where the
/// corpus stands, with the next seed.
///
/// Not libFuzzer's fork mode: its logs have neither coverage over time nor statistics, and they are what a campaign is
/// judged by.
final class FuzzUnitRun: Sendable {
  /// Processes of a unit: a defect that shows at once would else be met thousands of times.
  static let maxProcesses = 200
  /// Ends in a row that say nothing of the code under test.
  private static let maxFailures = 3
  /// Beyond its time, for a last input that hangs and for reading a large corpus.
  static let overtime = Duration.seconds(60)
  /// For a budget in executions.
  private static let longest = Duration.seconds(12 * 3600)

  let unit: FuzzUnit
  private let layout: FuzzLayout
  private let inputs: FuzzInputs
  private let campaign: String
  /// The folder for logs.
  private let logs: String
  /// The folder for new inputs.
  private let corpus: String
  private let deathPipe: ParentDeathPipe
  private let state = Mutex(State())

  private struct State {
    var child: ChildGroup?
    var isStopped = false
  }

  /// - Parameter corpus: the folder for new inputs; nil: the target's working corpus.
  init(
    _ unit: FuzzUnit, inputs: FuzzInputs, layout: FuzzLayout, campaign: String, logs: String, corpus: String? = nil,
    deathPipe: ParentDeathPipe
  ) {
    self.unit = unit
    self.inputs = inputs
    self.layout = layout
    self.campaign = campaign
    self.logs = logs
    self.corpus = corpus ?? layout.workingCorpus(unit.target)
    self.deathPipe = deathPipe
  }

  /// Ends the process that is under way and starts no other. From any thread.
  func stop() {
    state.withLock { state in
      state.isStopped = true
      state.child?.stop()
    }
  }

  private var isStopped: Bool { state.withLock { $0.isStopped } }

  /// Runs to the end; `onProgress` sees how each process stands, `onEnd` each that has ended.
  func run(onProgress: (SeriesPoint) -> Void, onEnd: (FuzzProcessRecord) -> Void) {
    let clock = ContinuousClock()
    let start = clock.now
    var executions = 0
    var failures = 0
    for number in 0..<Self.maxProcesses {
      guard !isStopped, let remaining = remaining(clock.now - start, executions) else { return }
      let before = executions
      let begin = (clock.now - start).inSeconds
      var record = process(number: number, remaining: remaining) { point in
        var point = point
        point.executions += before
        point.seconds += begin
        onProgress(point)
      }
      executions += record.reading.executions ?? 0
      setAside(&record)
      let exit = record.exit.kind
      failures = exit == .harnessError || exit == .killed ? failures + 1 : 0
      let isGivenUp = failures == Self.maxFailures
      if isGivenUp, !isStopped {
        record.remarks.append("\(unit.name): given up after \(failures) processes in a row that proved nothing.")
      }
      if number == Self.maxProcesses - 1, exit.isFinding {
        record.remarks.append("\(unit.name): over before its time: each of \(number + 1) processes found something.")
      }
      onEnd(record)
      if exit == .clean || isGivenUp { return }
    }
  }

  private func remaining(_ used: Duration, _ executions: Int) -> FuzzBudget? {
    switch unit.budget {
    case .time(let time): used + .milliseconds(500) < time ? .time(time - used) : nil
    case .executions(let count): executions < count ? .executions(count - executions) : nil
    }
  }

  private func process(number: Int, remaining: FuzzBudget, onProgress: (SeriesPoint) -> Void) -> FuzzProcessRecord {
    let seed = FuzzPlan.valid(unit.seed &+ UInt32(number))
    let name = "\(unit.name)-\(number + 1)"
    let artifacts = "\(layout.work(unit.target))/artifacts/\(campaign)/\(name)"
    let dictionary = layout.dictionary(unit.target)
    let arguments = LibFuzzer.search(
      unit, seed: seed, remaining: remaining, folders: [corpus, inputs.folder],
      dictionary: HostFiles.exists(dictionary) ? dictionary : nil, artifacts: artifacts)
    let binary = layout.binary(unit.target, unit.lane)
    var record = FuzzProcessRecord(
      unit: unit, seed: seed, command: ([binary] + arguments).joined(separator: " "), startedAt: Date(),
      log: "\(logs)/\(name).log")
    var limit = Self.longest
    if case .time(let time) = remaining { limit = time + Self.overtime }
    do {
      try HostFiles.makeFolder(artifacts)
      try HostFiles.makeFolder(corpus)
      let child = ChildGroup(
        ChildPlan(
          executable: binary, arguments: arguments, environment: LibFuzzer.environment(unit.lane, .search),
          limit: limit, log: record.log), deathPipe: deathPipe)
      state.withLock { state in
        state.child = child
        if state.isStopped { child.stop() }
      }
      defer { state.withLock { $0.child = nil } }
      // A crash is printed before its input is written.
      record.result = try child.run(isFinishing: { !record.reading.crashes.isEmpty }) { line in
        let points = record.reading.series.count
        record.reading.take(line.text, at: line.time.inSeconds)
        if record.reading.series.count > points, let point = record.reading.series.last { return onProgress(point) }
        record.excerpt.add(line.text)
      }
      record.artifacts = try HostFiles.files(below: artifacts).filter { LibFuzzer.Artifact(file: $0) != nil }
      if record.artifacts.isEmpty { HostFiles.remove(artifacts) }
    } catch { record.remarks.append((error as? LabFailure)?.message ?? "\(error)") }
    if let problem = record.result?.logProblem { record.remarks.append(problem) }
    return record
  }

  /// An input that was there before and ends the target now would end every process before it began.
  private func setAside(_ record: inout FuzzProcessRecord) {
    for crash in record.reading.crashes {
      guard let content = record.input(of: crash) else { continue }
      inputs.drop(content)
      do {
        let count = try WorkingCorpus.setAside(content: content, unit.target, layout: layout)
        if count > 0 {
          record.notes.append(
            "An input of the working corpus ends \(unit.target.name) now; it was moved to "
              + "\(layout.quarantine(unit.target)).")
        }
      } catch { record.remarks.append((error as? LabFailure)?.message ?? "\(error)") }
    }
  }
}
