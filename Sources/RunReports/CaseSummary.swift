import ReportMarkup
import ScenarioModel

/// A case that needs a look, told in plain text: one line, or some more.
package enum CaseSummary {
  /// In one line: `wrong content: expected didRead "A", saw didRead "B"`, or the reason, or what the verdict means. The
  /// judge's words lead, unless the process ended.
  package static func headline(_ result: CaseResult) -> String {
    if result.canary, !result.isAsExpected {
      return "This canary must fail, but its verdict is \(result.verdict.label): the judge did not see the defect."
    }
    if let voided = result.voided {
      let own = result.deviations.first.map { "; by itself \(headline($0))" }
      return (result.reason ?? "its control \(voided.control) did not pass") + (own ?? "")
    }
    // Of a case that ran out of time it is what did not come that says what is wrong; its threads mostly wait.
    if result.verdict == .timeout, let deviation = result.deviations.first {
      let words = BacktraceExcerpt(result.backtrace).messages.first.map { "; it said: \($0)" }
      return headline(deviation) + (result.reason.map { " (\($0))" } ?? "") + (words ?? "")
    }
    // A process that ended says itself what of.
    if result.verdict == .crash || !result.backtrace.isEmpty, let reason = result.reason {
      return ([reason] + BacktraceExcerpt(result.backtrace).messages.prefix(1)).joined(separator: ": ")
    }
    if let deviation = result.deviations.first { return headline(deviation) }
    return result.reason ?? result.verdict.meaning
  }

  /// In one line: `KIND: expected EXPECTED, saw ACTUAL`.
  package static func headline(_ deviation: Deviation) -> String {
    "\(deviation.kind.label): expected \(deviation.expected), saw \(deviation.actual)"
  }

  /// What the process said as it ended, and its first frames in the subject.
  static func excerpt(_ backtrace: [String]) -> [String] {
    let excerpt = BacktraceExcerpt(backtrace)
    return excerpt.messages + excerpt.frames.map { "  \($0)" }
  }

  /// Why nothing vouches for the case.
  static func missing(_ control: String) -> String {
    "judged without a control: the subject does not offer \(control)"
  }

  private static let maxDeviations = 20

  /// The deviations, expected over actual, with its source line, then the command that runs the case again.
  static func body(_ result: CaseResult, source: ScenarioSource?) -> String {
    var lines = [result.name + ", seed \(result.seed): \(result.verdict.label)"]
    if let reason = result.reason { lines.append(reason) }
    if let missing = result.missingControl { lines.append(self.missing(missing)) }
    if let voided = result.voided { lines.append("by itself: \(voided.verdict.label)") }
    if !result.backtrace.isEmpty { lines += excerpt(result.backtrace) }
    let text = source.map { SourceLines($0.text) }
    for deviation in result.deviations.prefix(maxDeviations) {
      lines.append("")
      lines.append(deviation.requirement.map { "\(deviation.kind.label) (\($0))" } ?? deviation.kind.label)
      lines.append("  expected: \(deviation.expected)")
      lines.append("  actual:   \(deviation.actual)")
      guard let position = deviation.position else { continue }
      let place = "\(position.line):\(position.column)"
      lines.append("  at:       \(source.map { "\($0.path):\(place)" } ?? place)")
      if let line = text?[position.line] { lines.append("  \(position.line) | \(line)") }
    }
    let left = result.deviations.count - maxDeviations
    if left > 0 { lines += ["", "and \(left) more deviations"] }
    if let tls = TLSSummary(result.trace) { lines += ["", VisibleText.clipped(tls.headline, to: 1_000)] }
    lines.append("")
    lines.append(ReproCommand.text(result))
    return lines.joined(separator: "\n")
  }
}

/// A scenario's text by line numbers, which count from 1.
struct SourceLines {
  let lines: [Substring]

  init(_ text: String) {
    var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    if lines.last?.isEmpty == true { lines.removeLast() }
    self.lines = lines
  }

  subscript(number: Int) -> Substring? {
    lines.indices.contains(number &- 1) ? lines[number &- 1] : nil
  }
}
