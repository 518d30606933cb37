import Foundation
import Reporting
import ScenarioModel
import Synchronization

/// What a person sees while cases run: on a terminal one line that is rewritten, elsewhere a line now and then; and
/// every deviation as soon as it is known.
final class ProgressDisplay: Sendable {
  private struct State {
    var done = 0
    var unexpected = 0
    var shownAt = 0
    var hasLine = false
  }

  /// Cases of all repetitions; nil: nobody knows how many there will be.
  private let total: Int?
  private let isQuiet: Bool
  private let paths: [String: String]
  private let state = Mutex(State())

  init(total: Int?, isQuiet: Bool, paths: [String: String]) {
    self.total = total
    self.isQuiet = isQuiet
    self.paths = paths
  }

  func show(_ result: CaseResult) {
    state.withLock { state in
      state.done += 1
      if !result.isAsExpected {
        state.unexpected += 1
        clear(&state)
        Console.print(CaseText.describe(result, path: paths[result.scenario]))
      }
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

  func end() { state.withLock { clear(&$0) } }

  private func progress(_ state: State) -> String {
    let all = total.map { " of \(Wording.count($0))" } ?? ""
    return "\(Wording.count(state.done))\(all) cases"
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

/// A case in words, for the terminal.
enum CaseText {
  private static let mostDeviations = 6

  static func describe(_ result: CaseResult, path: String?) -> String {
    let mark = result.verdict == .inconclusive ? Console.styled("?", .caution) : Console.styled("✗", .bad)
    let verdict = result.canary ? "\(result.verdict.rawValue), but a canary must fail" : result.verdict.rawValue
    var lines = ["\(mark) \(Console.styled(result.name, .strong))  \(verdict)"]
    if let reason = result.reason { lines.append("    \(reason)") }
    for deviation in result.deviations.prefix(mostDeviations) {
      let place = deviation.position.map { "  \(path ?? result.scenario):\($0.line):\($0.column)" } ?? ""
      lines.append("    \(deviation.kind.rawValue)\(Console.styled(place, .quiet))")
      lines.append("      expected  \(deviation.expected)")
      lines.append("      actual    \(deviation.actual)")
    }
    if result.deviations.count > mostDeviations {
      lines.append("    … and \(Wording.count(result.deviations.count - mostDeviations, "more deviation"))")
    }
    lines.append(Console.styled("    again: \(ReproCommand.text(result))", .quiet))
    return lines.joined(separator: "\n")
  }
}
