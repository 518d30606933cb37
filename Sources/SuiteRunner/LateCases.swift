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
    let remark = "it ran again alone, because at first \(first.reason ?? "the lab itself was late")"
    again.reason = again.reason.map { "\($0) (\(remark))" } ?? remark
    return again
  }
}
