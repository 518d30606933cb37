import Foundation
import HostTools
import RunReports
import ScenarioModel
import ScenarioRunner
import SuiteRunner
import Synchronization

/// What a person sees while cases run: on a terminal one line that is rewritten, elsewhere a line now and then; and
/// deviations as soon as it is known in which variants they are there: the first few of them, or all if that is wanted.
package final class ProgressDisplay: Sendable {
  private struct State {
    var done = 0
    var unexpected = 0
    var shownAt = 0
    var hasLine = false
    var told = 0
    var isCut = false
    var stream: ResultStream
  }

  /// Deviations that are told before only their causes are, at the end.
  private static let few = 6

  /// Cases of all repetitions; nil: it is unknown how many there will be.
  private let total: Int?
  private let isQuiet: Bool
  private let maxReported: Int
  private let paths: [String: String]
  private let controls: Set<String>
  private let start = ContinuousClock.now
  private let state: Mutex<State>

  /// - Parameters:
  ///   - plan: the cases of one round.
  ///   - tellsAll: every deviation, however many there are.
  package init(
    total: Int?, isQuiet: Bool, tellsAll: Bool = false, plan: [PlannedCase], scenarios: [Scenario],
    paths: [String: String]
  ) {
    self.total = total
    self.isQuiet = isQuiet
    maxReported = tellsAll ? .max : Self.few
    self.paths = paths
    controls = Set(scenarios.compactMap(\.control))
    state = Mutex(State(stream: ResultStream(plan, scenarios: scenarios)))
  }

  /// Counts a result, and tells what went otherwise than expected; from any thread.
  package func show(_ result: CaseResult) {
    state.withLock { state in
      state.done += 1
      if !result.isAsExpected {
        state.unexpected += 1
      }
      tell(state.stream.take(result, at: ContinuousClock.now - start), &state)
      guard !isQuiet else { return }
      if Console.isTerminal {
        let step = total.map { $0 / 200 } ?? 50
        guard state.done - state.shownAt >= max(1, step) || state.done == total else { return }
        line(&state)
      } else if total ?? .max >= 1000, state.done % max(1000, (total ?? 0) / 10) == 0 {
        Console.print("\(progress(state)), \(state.unexpected) not as expected")
      }
    }
  }

  /// Tells at once what has been held, and holds nothing from now on: who interrupts wants to see what there is.
  package func hurry() { state.withLock { tell($0.stream.finish(), &$0) } }

  /// Tells what is still held back and takes the progress line away.
  package func end() {
    state.withLock { state in
      tell(state.stream.finish(), &state)
      let repeats = state.stream.takeRepeats()
      for (first, again) in repeats where !state.isCut {
        clear(&state)
        Console.print(CaseText.describe(again, after: first))
      }
      clear(&state)
    }
  }

  /// Whether there were more deviations than are told one by one; then the summary tells their causes.
  package var isCut: Bool { state.withLock { $0.isCut } }

  private func tell(_ groups: [AlikeCases], _ state: inout State) {
    for group in groups {
      guard !state.isCut else { return }
      clear(&state)
      guard state.told < maxReported else {
        state.isCut = true
        let text = "More deviations: their causes are told at the end. With --cases each is told at once."
        return Console.print(Console.styled(text, .caution))
      }
      state.told += 1
      Console.print(
        CaseText.describe(
          group, path: paths[group.first.scenario], isControl: controls.contains(group.first.scenario)))
    }
  }

  private func progress(_ state: State) -> String {
    let all = total.map { " of \(QuantityText.count($0))" } ?? ""
    return "\(QuantityText.count(state.done))\(all) cases"
  }

  private func line(_ state: inout State) {
    let failures = state.unexpected > 0 ? Console.styled(", \(state.unexpected) not as expected", .bad) : ""
    Console.write("\r\u{1B}[K\(progress(state))\(failures)")
    state.shownAt = state.done
    state.hasLine = true
  }

  private func clear(_ state: inout State) {
    if state.hasLine { Console.write("\r\u{1B}[K") }
    state.hasLine = false
  }
}
