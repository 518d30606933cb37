import CaseWorkers
import Foundation
import ScenarioModel

/// Measures what a worker holds after its cases, and if that is too much, finds the cases that cause it.
///
/// A healthy worker costs one reading. A suspicion costs the batch twice more, in a fresh worker, and what is confirmed
/// about as much again, by halves.
struct ResourceInspector {
  typealias Kind = ResourceBounds.Kind

  /// Of one worker and kind: each costs runs.
  private static let maxCulprits = 3
  /// Closing takes its time: a lingering close and threads that wait for more work take five seconds. Only a worker
  /// that holds too much is waited for.
  private static let settleTimeout = Duration.seconds(7)

  /// Starts a worker.
  var start: () throws -> any WorkerConnection
  /// What came of cases that ran again.
  enum Replay {
    case over
    /// Stopped, or no answer came.
    case unfinished
    /// The worker ended; the first case that was under way.
    case ended(Int)
  }

  /// Runs cases side by side.
  var runAll: ([Int], any WorkerConnection) throws -> Replay
  /// Runs one case with nothing beside it and returns what came of it, with its trace.
  var runAlone: (Int, any WorkerConnection) throws -> CaseResult
  /// What came of a case whose worker ended behind it.
  var ended: (Int, WorkerEnd) -> CaseResult
  /// Takes the batch and what its worker holds after it.
  var onReading: ([Int], ResourceReading) -> Void
  /// Called for each suspicion that the closer look did not confirm.
  var onFalseAlarm: (Kind) -> Void

  /// Results that replace those of the batch's cases.
  func inspect(_ batch: [Int], _ process: any WorkerConnection, since baseline: ResourceReading) throws -> [CaseResult]
  {
    var hasEnded = false
    guard let reading = measure(process, since: baseline, hasEnded: &hasEnded) else {
      // It had played all of them: which one it was that ended it later, nobody knows. The last one tells of it.
      return hasEnded ? batch.suffix(1).map { ended($0, process.end(asksWhere: true)) } : []
    }
    onReading(batch, reading)
    let suspicions = ResourceBounds.suspicions(before: baseline, after: reading, cases: batch.count)
    if ProcessInfo.processInfo.environment["SOCKETLAB_SHOW_RESOURCES"] != nil {
      let text = "\(batch.count) cases: \(suspicions)\n  before \(baseline)\n  after  \(reading)\n"
      FileHandle.standardError.write(Data(text.utf8))
    }
    var results: [CaseResult] = []
    for kind in Kind.allCases where suspicions.contains(kind) { results += try convict(kind, batch) }
    return results
  }

  private func measure(
    _ process: any WorkerConnection, since baseline: ResourceReading?, keepsPrograms: Bool = false
  ) -> ResourceReading? {
    var hasEnded = false
    return measure(process, since: baseline, keepsPrograms: keepsPrograms, hasEnded: &hasEnded)
  }

  private func measure(
    _ process: any WorkerConnection, since baseline: ResourceReading?, keepsPrograms: Bool = false,
    hasEnded: inout Bool
  ) -> ResourceReading? {
    let timeout = baseline == nil ? .zero : Self.settleTimeout
    process.send(.measure(baseline: baseline, settleTimeout: timeout, keepsPrograms: keepsPrograms))
    while true {
      // Programs are waited for first, and then the worker.
      switch process.next(before: .now + Self.settleTimeout * 2 + .seconds(5)) {
      case .reply(.measured(let reading)): return reading
      case .reply: continue
      case .ended:
        hasEnded = true
        return nil
      case .silence: return nil
      }
    }
  }

  /// A trial of some cases: the readings before and after.
  private struct Trial {
    var before: ResourceReading
    var after: ResourceReading
    var cases: Int
  }

  /// The result of the case, or of the first one of several that show it together.
  private func convicted(_ result: CaseResult, of kind: Kind, by trial: Trial) -> CaseResult {
    var result = result
    let words = ResourceBounds.words(kind, before: trial.before, after: trial.after, cases: trial.cases)
    result.deviations.append(Deviation(kind: .resource, expected: words.expected, actual: words.actual))
    if result.verdict == .passed || result.verdict == .passedNonStrict { result.verdict = .failed }
    if trial.cases > 1 {
      result.reason = "not of this case alone: \(trial.cases) cases together show it, and no half of them does"
    }
    return result
  }

  /// Cases that a program's process plays before it is looked at without a suspicion: in the first ones it opens what
  /// it keeps.
  private static let casesBefore = 6

  /// Results of cases after which the process of a program holds more each time, found without a suspicion: the cases
  /// were too few to raise one. It must be more each time, and more in all than a process may open for good. nil: it
  /// could not be seen.
  func leaks(of batch: [Int]) throws -> [CaseResult]? {
    guard !batch.isEmpty else { return [] }
    var isSeen = true
    let results = try convict(
      .program, batch, warmUps: (Self.casesBefore + batch.count - 1) / batch.count, isSuspected: false,
      onFailure: { isSeen = false })
    return isSeen || !results.isEmpty ? results : nil
  }

  /// - Parameters:
  ///   - warmUps: how often the batch runs before it is measured, where caches matter.
  ///   - isSuspected: a first look has shown too much; otherwise one more is not enough.
  ///   - onFailure: the cases did not come to their end, or nothing could be measured.
  private func convict(
    _ kind: Kind, _ batch: [Int], warmUps: Int = 1, isSuspected: Bool = true, onFailure: () -> Void = {}
  ) throws -> [CaseResult] {
    // Memory and descriptors are measured in one worker, whose caches are full as are those of its programs. A thread
    // that spins or stays does so for good, so each trial of these kinds has a fresh worker.
    let isLasting = kind == .threads || kind == .processor
    var warm: (any WorkerConnection)?
    var trials: [[Int]: Trial] = [:]
    var crashes: [Int: CaseResult] = [:]
    // The first time these cases did not end their worker: now they have.
    func runs(_ numbers: [Int], _ worker: any WorkerConnection) throws -> Bool {
      switch try runAll(numbers, worker) {
      case .over: return true
      case .unfinished: return false
      case .ended(let number):
        crashes[number] = ended(number, worker.end(asksWhere: false))
        return false
      }
    }
    func happens(_ part: [Int]) throws -> Bool {
      let worker: any WorkerConnection
      if isLasting {
        worker = try start()
      } else if let warm {
        worker = warm
      } else {
        worker = try start()
        for _ in 0..<warmUps {
          guard try runs(batch, worker) else {
            onFailure()
            return false
          }
        }
        warm = worker
      }
      guard let before = measure(worker, since: nil, keepsPrograms: kind == .program), try runs(part, worker),
        let after = measure(worker, since: before, keepsPrograms: kind == .program)
      else {
        warm = nil
        onFailure()
        return false
      }
      trials[part] = Trial(before: before, after: after, cases: part.count)
      return ResourceBounds.certain(before: before, after: after, cases: part.count).contains(kind)
    }
    var growth = 0
    repeat {
      guard try happens(batch) else {
        if crashes.isEmpty, isSuspected { onFalseAlarm(kind) }
        return Array(crashes.values)
      }
      if let trial = trials[batch] { growth += ResourceBounds.programGrowth(before: trial.before, after: trial.after) }
    } while !isSuspected && growth <= ResourceBounds.programDescriptorsOfCaches
    let parts = try Narrowing.parts(of: batch, most: Self.maxCulprits) { try happens($0) }
    let culprits = try parts.compactMap { part -> CaseResult? in
      guard let number = part.first, let trial = trials[part] else { return nil }
      return convicted(try runAlone(number, try warm ?? start()), of: kind, by: trial)
    }
    return culprits + crashes.filter { number, _ in !parts.contains { $0.first == number } }.values
  }
}
