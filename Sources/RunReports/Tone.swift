import ScenarioModel

/// How a case is coloured, filtered and marked: its verdict, except that canaries and known deviations have tones
/// of their own.
struct Tone: Hashable {
  /// Also a CSS class and the value the filter compares.
  let name: String
  let label: String
  let glyph: String
  let needsLook: Bool
  /// Place in bars and lists: what is fine comes first, what needs a look last.
  let order: Int

  init(_ result: CaseResult) {
    guard result.known == nil else {
      self = .known
      return
    }
    switch (result.canary, result.isAsExpected) {
    case (true, true): self = .canary
    case (true, false): self = .alarm
    case (false, _): self.init(result.verdict)
    }
  }

  init(_ verdict: Verdict) {
    self.init(
      name: verdict.rawValue, label: verdict.label, glyph: verdict.glyph, needsLook: !verdict.isAsExpected,
      order: 2 * (Verdict.byUrgency.count - verdict.urgency))
  }

  private init(name: String, label: String, glyph: String, needsLook: Bool, order: Int) {
    self.name = name
    self.label = label
    self.glyph = glyph
    self.needsLook = needsLook
    self.order = order
  }

  /// A canary that failed as it must.
  static let canary = Tone(name: "canary", label: "canary failed, as it must", glyph: "◉", needsLook: false, order: 3)

  /// Failed as is on record.
  static let known = Tone(name: "known", label: "known deviation", glyph: "≠", needsLook: false, order: 5)

  /// A canary that did anything else.
  static let alarm = Tone(
    name: "alarm", label: "canary did not fail", glyph: "◌", needsLook: true,
    order: 2 * Verdict.byUrgency.count + 1)
}
