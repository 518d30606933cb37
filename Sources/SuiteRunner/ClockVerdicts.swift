import ScenarioModel
import ScenarioRunner
import Synchronization

/// When the lab itself was late, over all workers of a run, and what rests on the clock of cases that were under way
/// then.
///
/// A case of the library's sees by its own events how late the lab was. While the lab waits for a program's answer, it
/// sees none: the program may have had no processor for as long as the whole lab, and only other cases tell of that. So
/// the verdict waits until they have come to their ends.
///
/// Laws
/// - A hang, a timeout and what was merely late or missing of a program's are doubted if the lab was late in any case
///   that was under way at the same time: later than an event may be.
/// - Whatever the lab was: a crash, a breach of the protocol and an event that is wrong at any time stand.
final class ClockVerdicts: Sendable {
  typealias Span = ClosedRange<ContinuousClock.Instant>

  /// Cases beyond these are not kept back: each may take as long as a call that never returns.
  static let capacity = 16
  /// More spans than these are not kept.
  private static let maxSpans = 10_000

  private struct State {
    var late: [(span: Span, by: Duration)] = []
    /// Of a program's cases, by their numbers: the last time that each was under way.
    var spans: [Int: Span] = [:]
  }

  private let bound: Duration
  private let state = Mutex(State())

  /// - Parameter jitter: the largest oversleep measured on this host.
  init(jitter: Duration) { bound = Tolerance.loopback(jitter: jitter).late }

  /// Whether the verdict rests on the clock alone.
  @Sendable static func isDoubtful(_ result: CaseResult) -> Bool {
    guard result.variant.program != nil, [.hang, .timeout, .failed].contains(result.verdict) else { return false }
    return !result.deviations.isEmpty && result.deviations.allSatisfy { [.hang, .late, .missing].contains($0.kind) }
  }

  /// A round begins: its cases have the numbers of the former one's.
  func begin() { state.withLock { $0 = State() } }

  /// A case is over, or has been given up.
  ///
  /// - Parameters:
  ///   - isOfProgram: it may be asked about.
  ///   - lateness: the most that the lab was late in it.
  func note(_ number: Int, isOfProgram: Bool, _ span: Span, lateness: Duration) {
    guard isOfProgram || lateness > bound else { return }
    state.withLock { state in
      if isOfProgram { state.spans[number] = span }
      if lateness > bound, state.late.count < Self.maxSpans { state.late.append((span, lateness)) }
    }
  }

  /// How late the lab was at most while the case was under way, beyond what an event may be; nil: it was not.
  func lateness(during number: Int) -> Duration? {
    state.withLock { state in
      guard let span = state.spans[number] else { return nil }
      return state.late.lazy.filter { $0.span.overlaps(span) }.map(\.by).max()
    }
  }
}
