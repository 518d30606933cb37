import RunReports
import ScenarioModel

/// What makes two cases show the same finding, one of which is a reduction of the other.
///
/// Law: equal are kind, place, requirement and words of the first deviation, and for a process that ended where it
/// stood. The place is that in the original scenario: parts of a reduced scenario keep their places. Numbers, bytes and
/// the last calls make no difference, because a reduction changes them.
package struct FindingIdentity: Hashable, Sendable {
  /// For people: `missing: didRead { tag: 2 } within 1s from the previous`.
  package let text: String
  /// Where the scenario says what is not so; nil: no line of it does.
  package let position: SourcePosition?
  /// Whether it is wrong whatever a scenario expects: a broken invariant, a crash, a call that does not return.
  package let isUniversal: Bool
  private let words: [String]

  /// What people read is left out: there are bytes in it that may get fewer.
  package static func == (one: FindingIdentity, other: FindingIdentity) -> Bool {
    one.position == other.position && one.isUniversal == other.isUniversal && one.words == other.words
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(position)
    hasher.combine(words)
  }

  /// All that the case shows, one for each deviation.
  static func all(_ result: CaseResult) -> Set<FindingIdentity> {
    Set(result.deviations.compactMap { FindingIdentity(result.verdict, $0, []) })
  }

  /// nil: the case is as expected, or shows nothing of its own.
  package init?(_ result: CaseResult) {
    guard !result.isAsExpected, result.voided == nil else { return nil }
    self.init(result.verdict, result.deviations.first, result.backtrace)
  }

  /// The same of a case that a report tells of.
  package init?(_ digest: CaseDigest) {
    guard !digest.isAsExpected, digest.voided == nil else { return nil }
    self.init(digest.verdict, digest.deviations.first, digest.backtrace)
  }

  private init?(_ verdict: Verdict, _ deviation: Deviation?, _ backtrace: [String]) {
    guard verdict != .inconclusive, verdict != .error, deviation != nil || !backtrace.isEmpty else { return nil }
    position = deviation?.position
    if verdict == .crash || verdict == .hang && !backtrace.isEmpty {
      isUniversal = true
      let frame = RunFindings.innermostFrame(backtrace)
      text = "\(verdict.rawValue): \(frame ?? deviation?.actual ?? "the process ended")"
      words = [verdict.rawValue, frame.map(Self.words) ?? Self.words(deviation?.actual ?? "")]
      return
    }
    guard let deviation else { return nil }
    isUniversal = [.invariant, .hang, .crash, .violation, .resource].contains(deviation.kind)
    text = "\(deviation.kind.rawValue): \(deviation.expected)"
    words = [
      deviation.kind.rawValue, deviation.requirement ?? "", Self.words(deviation.expected),
      Self.words(deviation.actual),
    ]
  }

  /// Without what is quoted, without numbers, and without the remark on what went before.
  private static func words(_ text: String) -> String {
    let masked = RunFindings.words(text)
    let told = masked.firstRange(of: "; ").map { masked[..<$0.lowerBound] } ?? masked[...]
    // What a byte looks like, and how much of a text is not shown.
    return String(told).replacing(/0x[0-9a-f]+( \('.'\))?/, with: "0x").replacing("… (0 bytes)", with: "")
      .replacing("0 bytes", with: "0 byte")
  }
}
