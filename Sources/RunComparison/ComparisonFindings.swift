import ReportMarkup
import RunReports
import ScenarioModel

/// `junit.xml`: a test case for each change. A regression is a failure; what is merely told passed; a comparison
/// without any change has one test case that says so.
///
/// Law: a comparison whose exit code is not 0 has a `failure` or an `error`. A new run that was interrupted has an
/// `error`, and its cases that were not judged are `skipped`.
enum ComparisonJUnit {
  static func make(_ comparison: RunComparison) -> [UInt8] {
    let kinds = CaseChange.Kind.allCases.filter { comparison.count($0) > 0 }
    var suites = comparison.isCut ? interruption(comparison) : ""
    for kind in kinds {
      let changes = comparison.changes.filter { $0.kind == kind }
      let (failures, skipped) = (kind.isRegression ? changes.count : 0, kind == .notJudged ? changes.count : 0)
      suites += "  <testsuite\(attributes(kind.rawValue, changes.count, failures: failures, skipped: skipped))>\n"
      for change in changes { suites += testcase(change) }
      suites += "  </testsuite>\n"
    }
    if suites.isEmpty {
      suites = "  <testsuite\(attributes("comparison", 1))>\n"
      suites += "    <testcase name=\"nothing changed\" classname=\"comparison\"/>\n  </testsuite>\n"
    }
    let errors = comparison.isCut ? 1 : 0
    let all = attributes(
      "SocketLab comparison", max(1, comparison.changes.count + errors),
      failures: comparison.changes.count { $0.kind.isRegression }, errors: errors,
      skipped: comparison.count(.notJudged))
    let xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites\(all)>\n\(suites)</testsuites>\n"
    return Array(xml.utf8)
  }

  /// A suite of what the new run does not say.
  private static func interruption(_ comparison: RunComparison) -> String {
    let cases = QuantityText.count(comparison.new.casesNotJudged, "planned case")
    let message = XMLText.attribute("The new run was interrupted: \(cases) not judged.")
    return """
        <testsuite\(attributes("run", 1, errors: 1))>
          <testcase name="the new run was judged to its end" classname="comparison">
            <error message="\(message)" type="interrupted">\(XMLText.content(comparison.new.name))</error>
          </testcase>
        </testsuite>

      """
  }

  private static func attributes(
    _ name: String, _ tests: Int, failures: Int = 0, errors: Int = 0, skipped: Int = 0
  ) -> String {
    " name=\"\(XMLText.attribute(name))\" tests=\"\(tests)\" failures=\"\(failures)\" errors=\"\(errors)\""
      + " skipped=\"\(skipped)\""
  }

  private static func testcase(_ change: CaseChange) -> String {
    let id = change.key.scenario.split(separator: "/").joined(separator: ".")
    var fields = " name=\"\(XMLText.attribute("\(change.present.title) [\(change.key.variant)]"))\""
    fields += " classname=\"\(XMLText.attribute("\(change.key.world.rawValue).\(id)"))\""
    if let place = change.place {
      fields += " file=\"\(XMLText.attribute(place.path))\" line=\"\(place.position.line)\""
    }
    if change.kind == .notJudged {
      return "    <testcase\(fields)>\n      <skipped message=\"not judged: the new run was interrupted\"/>\n"
        + "    </testcase>\n"
    }
    guard change.kind.isRegression else { return "    <testcase\(fields)/>\n" }
    let headline = change.words
    var lines = ["\(change.key.name), seed \(change.present.seed): \(change.course)", headline]
    if let cause = change.cause { lines.append("cause: \(cause)") }
    if let remark = change.remark { lines.append(remark) }
    if let again = change.again { lines.append(again) }
    let message = XMLText.attribute("\(change.kind.rawValue): \(headline)")
    return "    <testcase\(fields)>\n      <failure message=\"\(message)\" type=\"\(change.kind.word)\">"
      + "\(XMLText.content(lines.joined(separator: "\n")))</failure>\n    </testcase>\n"
  }
}

/// `results.sarif`: regressions for code scanning; a result a finding, on the line of its scenario.
enum ComparisonSARIF {
  static func make(_ comparison: RunComparison) -> [UInt8] {
    let kinds = CaseChange.Kind.allCases.filter { $0.isRegression && comparison.count($0) > 0 }
    let results = kinds.flatMap { kind in
      comparison.causes(kind).flatMap { cause in cause.findings.map { result($0, of: cause, kind) } }
    }
    return SARIFLog(
      version: comparison.new.version, id: "compare",
      rules: kinds.map { SARIFLog.Rule(id: $0.word, description: $0.rawValue) }, results: results
    ).bytes
  }

  private static func result(_ finding: ChangeFinding, of cause: ChangeCause, _ kind: CaseChange.Kind)
    -> SARIFLog.Result
  {
    let first = finding.first
    let title = cause.title == first.words ? nil : cause.title
    let words = [title, first.words, "\(finding.extent), such as \(first.key.name)", first.again]
    return SARIFLog.Result(
      rule: kind.word, level: .error, message: words.compactMap { $0 }.joined(separator: "\n"),
      fingerprint: ("finding/v1", first.finding ?? first.key.name),
      place: first.place.map {
        SARIFLog.Place(path: $0.path, line: $0.position.line, column: $0.position.column)
      }, isNew: true)
  }
}

/// Lines that GitHub shows beside the scenario's line; an annotation a finding.
package enum ComparisonAnnotations {
  /// More than these are not shown by GitHub.
  private static let most = 50

  /// Each without its line end.
  package static func lines(_ comparison: RunComparison) -> [String] {
    let findings = CaseChange.Kind.allCases.filter(\.isRegression).flatMap { kind in
      comparison.causes(kind).flatMap { cause in cause.findings.map { (kind, $0) } }
    }
    return findings.prefix(most).map { kind, finding in
      var fields: [String] = []
      if let place = finding.first.place {
        fields = ["file=\(field(place.path))", "line=\(place.position.line)", "col=\(place.position.column)"]
      }
      fields.append("title=\(field("\(kind.rawValue): \(finding.first.present.title)"))")
      let text = [
        finding.first.words, "\(finding.extent): \(finding.first.course)", finding.first.remark, finding.first.again,
      ]
      return "::error \(fields.joined(separator: ","))::\(data(text.compactMap { $0 }.joined(separator: "\n")))"
    }
  }

  private static func data(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
  }

  private static func field(_ text: String) -> String {
    data(text).replacing(":", with: "%3A").replacing(",", with: "%2C")
  }
}
