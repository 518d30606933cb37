import ScenarioModel

/// Cases of which the first result proves nothing, because the lab itself was late: they run again, one at a time, when
/// all others are over, and only what is still `inconclusive` then is reported so.
///
/// A lab that ran late for many has too slow a machine. Its user has to know that, and to run them again one at a time
/// would take long: beyond `capacity` cases none is kept back any more.
struct LateCases {
  /// The most cases that run again in one run of cases.
  static let capacity = 64
  /// How often a case runs again at most.
  static let attempts = 2

  private let most: Int
  private let isDoubtful: @Sendable (CaseResult) -> Bool
  /// The results that were kept back.
  private var kept: [CaseResult] = []
  private var isFull = false

  /// - Parameters:
  ///   - most: that are kept back.
  ///   - isDoubtful: of which results the first may prove nothing.
  init(
    most: Int = LateCases.capacity,
    isDoubtful: @escaping @Sendable (CaseResult) -> Bool = { $0.verdict == .inconclusive }
  ) {
    (self.most, self.isDoubtful) = (most, isDoubtful)
  }

  /// What to report now that this result has come: it itself, nothing, or all that had been kept back.
  mutating func sift(_ result: CaseResult) -> [CaseResult] {
    guard isDoubtful(result), !isFull else { return [result] }
    guard kept.count < most else {
      isFull = true
      return takeAll() + [result]
    }
    kept.append(result)
    return []
  }

  /// What is kept back, which is none then.
  mutating func takeAll() -> [CaseResult] {
    defer { kept = [] }
    return kept
  }

  /// The result of a case that ran again, with a word about the first one.
  static func amended(_ again: CaseResult, first: CaseResult) -> CaseResult {
    var again = again
    let remark =
      switch (first.verdict, again.verdict) {
      case (.hang, .hang): "it ran again alone, and hung again"
      case (.hang, _): "it ran again alone, because it hung at first" + (first.reason.map { ": \($0)" } ?? "")
      default: "it ran again alone, because at first \(first.reason ?? "the lab itself was late")"
      }
    again.reason = again.reason.map { "\($0) (\(remark))" } ?? remark
    // Where its threads stood then: nothing else tells of a hang that comes seldom.
    if again.backtrace.isEmpty { again.backtrace = first.backtrace }
    return again
  }
}

/// What of the results of a run of cases is looked at again when all others are over.
///
/// A program that hangs may have got no processor for seconds, or its interpreter: the lateness of other cases need
/// not show that. What hangs alone, too, hangs. A program with which more cases than a few hang does so for good, and
/// to see each of them twice would take long: none of them is repeated then. The library that comes with the lab runs
/// in the process of the case, which is looked at while it hangs: its hangs stand as they are.
struct SecondLooks {
  /// The most cases of a program that run again because they hung: each may take as long as a hang is waited for.
  static let maxHangs = 8

  private var late = LateCases()
  private let repeatsHangs: Bool
  /// By the program that hung.
  private var hung: [String: LateCases] = [:]
  private var timed = LateCases(most: ClockVerdicts.capacity, isDoubtful: ClockVerdicts.isDoubtful)

  init(repeatsHangs: Bool) { self.repeatsHangs = repeatsHangs }

  /// What to report now that this result has come.
  mutating func sift(_ result: CaseResult) -> [CaseResult] {
    var results: [CaseResult] = []
    for result in late.sift(result) {
      for result in siftHang(result) { results += timed.sift(result) }
    }
    return results
  }

  private mutating func siftHang(_ result: CaseResult) -> [CaseResult] {
    guard repeatsHangs, let program = result.variant.program else { return [result] }
    return hung[program, default: LateCases(most: Self.maxHangs) { $0.verdict == .hang }].sift(result)
  }

  /// What is kept back, because the lab was late, because it hung, and because it rests on the clock; nothing is then.
  mutating func takeAll() -> (late: [CaseResult], hung: [CaseResult], timed: [CaseResult]) {
    (late.takeAll(), hung.keys.sorted().flatMap { hung[$0]?.takeAll() ?? [] }, timed.takeAll())
  }
}
