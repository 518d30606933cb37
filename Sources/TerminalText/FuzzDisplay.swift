import CampaignRunner
import Foundation
import FuzzCampaign
import FuzzHarness
import HostTools
import ScenarioModel
import Synchronization

/// What a person sees while targets are fuzzed: on a terminal a block of lines that is rewritten, one for each process
/// that runs; elsewhere a line now and then. Findings are printed at once, above the block.
package final class FuzzDisplay: Sendable {
  private struct Lane {
    var unit: FuzzUnit
    var startedAt: ContinuousClock.Instant
    var point: SeriesPoint?
    /// When the point came.
    var heardAt: ContinuousClock.Instant
    var findings = 0
  }

  private struct State {
    var total = 0
    /// By the number of the worker.
    var lanes: [Int: Lane] = [:]
    var done = 0
    /// Lines of the block that stand on the terminal.
    var height = 0
    var shownAt: ContinuousClock.Instant?
  }

  private let isQuiet: Bool
  private let clock = ContinuousClock()
  private let state = Mutex(State())

  package init(isQuiet: Bool) { self.isQuiet = isQuiet }

  /// Shows an event of the campaign; from any thread.
  package func show(_ event: CampaignEvent) {
    switch event {
    case .step(let text): if !isQuiet { Console.print(Console.styled(text, .quiet)) }
    case .problem(let text): Console.error(text)
    case .searching(let units): state.withLock { $0.total = units }
    case .began(let worker, let unit): begin(worker, unit)
    case .reached(let worker, let point): show(worker, point)
    case .crashed(let worker, let inputs): state.withLock { $0.lanes[worker]?.findings += inputs }
    case .found(let finding): tell(FuzzText.describe(finding))
    case .remark(let text): tell("\(Console.styled("!", .caution)) \(text)")
    case .ended(let worker): end(worker)
    // The clock advances without news, too.
    case .tick: state.withLock { redraw(&$0, isForced: false) }
    case .searched: state.withLock { clear(&$0) }
    }
  }

  private func begin(_ worker: Int, _ unit: FuzzUnit) {
    state.withLock { state in
      let now = clock.now
      state.lanes[worker] = Lane(unit: unit, startedAt: now, heardAt: now)
      redraw(&state, isForced: true)
    }
  }

  private func show(_ worker: Int, _ point: SeriesPoint) {
    state.withLock { state in
      state.lanes[worker]?.point = point
      state.lanes[worker]?.heardAt = clock.now
      redraw(&state, isForced: false)
    }
  }

  /// Prints a line that stays.
  private func tell(_ line: String) {
    state.withLock { state in
      clear(&state)
      Console.print(line)
      redraw(&state, isForced: true)
    }
  }

  private func end(_ worker: Int) {
    state.withLock { state in
      guard let lane = state.lanes.removeValue(forKey: worker) else { return }
      state.done += 1
      clear(&state)
      let mark = lane.findings == 0 ? Console.styled("✓", .good) : Console.styled("✗", .bad)
      if !isQuiet || lane.findings > 0 { Console.print("\(mark) \(text(lane, isOver: true))") }
      redraw(&state, isForced: true)
    }
  }

  private func clear(_ state: inout State) {
    guard state.height > 0 else { return }
    Console.write("\r" + String(repeating: "\u{1B}[1A\u{1B}[2K", count: state.height))
    state.height = 0
  }

  private func redraw(_ state: inout State, isForced: Bool) {
    guard !isQuiet, Console.isTerminal else { return }
    let now = clock.now
    if !isForced, let shownAt = state.shownAt, now < shownAt + .milliseconds(250) { return }
    state.shownAt = now
    let width = Self.width
    var lines = state.lanes.sorted { $0.key < $1.key }.map { text($0.value, isOver: false) }
    lines.append("\(state.done) of \(QuantityText.count(state.total, "unit")) done")
    let block = lines.map { String($0.prefix(width - 1)) + "\n" }.joined()
    let up = state.height > 0 ? "\r" + String(repeating: "\u{1B}[1A\u{1B}[2K", count: state.height) : ""
    Console.write(up + block)
    state.height = lines.count
  }

  /// Columns of the terminal.
  private static var width: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 20 else { return 80 }
    return Int(size.ws_col)
  }

  private func text(_ lane: Lane, isOver: Bool) -> String {
    let now = clock.now
    let name = "\(lane.unit.target.name) \(lane.unit.lane.rawValue)".padding(toLength: 16, withPad: " ", startingAt: 0)
    let findings = lane.findings == 0 ? "" : "  inputs with findings: \(QuantityText.count(lane.findings))"
    guard let point = lane.point else { return "\(name)  \(isOver ? "nothing executed" : "starting")\(findings)" }
    let rate = point.seconds > 0 ? Double(point.executions) / point.seconds : 0
    // libFuzzer counts aloud at powers of two only; between them the count is carried on at its rate.
    let since = isOver ? 0 : Int(rate * (now - lane.heardAt).inSeconds)
    let count = (since > point.executions / 100 ? "~" : "") + QuantityText.count(point.executions + since)
    let facts =
      "\(count) executions  \(QuantityText.count(Int(rate)))/s  cov \(QuantityText.count(point.coverage))  "
      + "corpus \(QuantityText.count(point.corpusFiles))"
    guard !isOver else { return "\(name)  \(facts)\(findings)" }
    return "\(name)  \(facts)\(findings)  \(left(lane, point, now))"
  }

  private func left(_ lane: Lane, _ point: SeriesPoint, _ now: ContinuousClock.Instant) -> String {
    switch lane.unit.budget {
    case .time(let time):
      let seconds = max(0, Int((time - (now - lane.startedAt)).inSeconds.rounded(.up)))
      return seconds >= 120 ? "\(seconds / 60) min left" : "\(seconds) s left"
    case .executions(let count): return "\(QuantityText.count(max(0, count - point.executions))) to go"
    }
  }
}
