import CaseWorkers
import ScenarioModel
import Synchronization

/// Of which programs it has been seen whether they leave descriptors open.
///
/// What a program's process holds is compared with what it held after its first cases (`ResourceBounds`), and a little
/// more raises no suspicion: so a process has to play many. Where the cases of a run are divided over so many processes
/// that none does, a few of them are played again in one.
///
/// Laws
/// - A program is looked at once in a run at most, and not at all when one of its processes has played enough.
/// - Only cases that went well and were over soon are played again.
final class LeakLook: Sendable {
  /// Cases for each process of a worker: the one that played most has played more.
  static let enough = 16
  /// Cases that are played again.
  static let sample = 8
  /// A case that takes longer is not played again for this.
  static let longest = Duration.seconds(1)

  private struct State {
    /// Cases for each process, in the worker where they were most.
    var played: [String: Int] = [:]
    /// Cases to choose from, by program: of each scenario the first.
    var quick: [String: [String: Int]] = [:]
    var judged: Set<String> = []
    var notJudged: Set<String> = []
  }

  private let state = Mutex(State())

  /// Programs of which no process had played enough, and no case could be played again, or not to its end.
  var notJudged: [String] { state.withLock { $0.notJudged.sorted() } }

  /// Takes what a worker holds after its cases, given the programs of these.
  func note(_ programs: [String], _ reading: ResourceReading) {
    let cases = Dictionary(grouping: programs) { $0 }.mapValues(\.count)
    let processes = Dictionary(grouping: reading.programs, by: \.name).mapValues(\.count)
    state.withLock { state in
      for (name, count) in cases {
        guard let processes = processes[name], processes > 0 else { continue }
        state.played[name] = max(state.played[name] ?? 0, count / processes)
      }
    }
  }

  /// Takes a result of the case of that number.
  func note(_ result: CaseResult, _ number: Int) {
    guard let program = result.variant.program, result.isAsExpected, result.duration < Self.longest else { return }
    guard result.verdict != .unsupported, result.verdict != .skipped else { return }
    state.withLock { state in
      if state.quick[program, default: [:]][result.scenario] == nil {
        state.quick[program, default: [:]][result.scenario] = number
      }
    }
  }

  /// The look at the program was not finished.
  func giveUp(_ program: String) { state.withLock { _ = $0.notJudged.insert(program) } }

  /// The numbers of the cases that are to be played again with the program; none: it needs no look.
  func cases(of program: String) -> [Int] {
    state.withLock { state in
      guard state.judged.insert(program).inserted, state.played[program, default: 0] < Self.enough else { return [] }
      let quick = (state.quick[program] ?? [:]).values.sorted().prefix(Self.sample)
      if quick.isEmpty, state.played[program] != nil { state.notJudged.insert(program) }
      return Array(quick)
    }
  }
}
