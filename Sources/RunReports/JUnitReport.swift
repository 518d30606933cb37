import ReportMarkup
import ScenarioModel

/// `junit.xml`: the run for continuous integration.
///
/// Laws
/// - A suite per world, a testcase per case that is listed; every count is the number of elements it counts. How many
///   cases were played, and how many of them are not listed because they went as expected, is said by properties.
/// - A run whose exit code is not 0 has at least one `failure` or `error`: who only counts must not take it for green.
/// - `failure` is the subject's: failed, timeout, hang, crash, and a canary that did not fail. `error` is the lab's
///   own: its faults, and what it could not judge although it was played (inconclusive). What was not played (skipped,
///   unsupported) is `skipped`, with the reason.
/// - A canary that failed as it must is a testcase that passed; one that was not played is an `error`.
/// - Programs that were asked for and not judged, because they could not be or because they offer nothing of what was
///   chosen, have a suite of their own, in which each is an `error`.
/// - A deviation that is on record is `skipped`, with the reason. Entries that are not as on record have a suite of
///   their own, in which each is a `failure`.
/// - A run that ended before all its cases were judged has a suite with an `error` that says how many were not; so has
///   a run in which nothing was played, and one of which more was asked as a whole than it shows.
/// - Failed controls come first in their suite, then what deviates though its control passed, then what passed, then
///   what proves nothing because its control failed.
package enum JUnitReport {
  /// UTF-8, ending with a line feed.
  package static func make(_ report: RunReport) -> [UInt8] {
    var outcomes: [Outcome] = []
    var suites = ""
    let ranks = FailedControl.ranks(of: report.cases, FailedControl.all(in: report.cases))
    for world in WorldName.allCases {
      let cases = (0...4).flatMap { rank in
        zip(report.cases, ranks).lazy.filter { $0.world == world && $1 == order[rank] }.map(\.0)
      }
      guard !cases.isEmpty || played(in: world, report).unlisted > 0 else { continue }
      suites += suite(world, cases, report)
      outcomes += cases.map { Outcome($0) }
    }
    let unjudged = unjudged(in: report)
    let shortcomings = shortcomings(of: report)
    suites += faults(report) + suite("subjects", unjudged, report) + suite("run", shortcomings, report)
    outcomes += report.deviationFaults.map { _ in .failure }
    outcomes += repeatElement(.error, count: unjudged.count + shortcomings.count)
    var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites"
    xml += attributes([("name", "SocketLab")] + counts(outcomes, seconds(report.cases)))
    xml += attributes([("timestamp", timestamp(report))])
    xml += ">\n" + suites + "</testsuites>\n"
    return Array(xml.utf8)
  }

  /// Ranks of `FailedControl` in the order of the file.
  private static let order = [0, 1, 4, 2, 3]

  /// What JUnit makes of a case.
  private enum Outcome {
    case passed, failure, error, skipped

    init(_ result: CaseResult) {
      switch result.verdict {
      case _ where result.known != nil: self = .skipped
      case .error, .inconclusive: self = .error
      case .skipped, .unsupported: self = result.canary ? .error : .skipped
      case .failed where result.canary: self = .passed
      case .passed, .passedNonStrict: self = result.canary ? .failure : .passed
      case .failed, .timeout, .hang, .crash, .violation: self = .failure
      }
    }
  }

  private static func counts(_ outcomes: [Outcome], _ seconds: String) -> [(String, String)] {
    [
      ("tests", "\(outcomes.count)"),
      ("failures", "\(outcomes.count { $0 == .failure })"),
      ("errors", "\(outcomes.count { $0 == .error })"),
      ("skipped", "\(outcomes.count { $0 == .skipped })"),
      ("time", seconds),
    ]
  }

  private static func suite(_ world: WorldName, _ cases: [CaseResult], _ report: RunReport) -> String {
    var xml = "  <testsuite"
    xml += attributes([("name", world.rawValue)] + counts(cases.map { Outcome($0) }, seconds(cases)))
    xml += attributes([("timestamp", timestamp(report))])
    xml += ">\n    <properties>\n"
    let played = played(in: world, report)
    let properties = [
      ("subject", report.subjectTitle), ("profile", report.profile.rawValue), ("version", report.version),
      ("seed", "\(report.seed)"), ("seeds", "\(report.seeds)"), ("host", report.host.system),
      ("cases_not_judged", "\(report.casesNotJudged)"), ("cases_played", "\(played.cases)"),
      ("cases_not_listed", "\(played.unlisted)"),
    ]
    for (name, value) in properties { xml += property(name, value, indent: "      ") }
    xml += "    </properties>\n"
    let ambiguous = Dictionary(grouping: cases) { "\($0.scenario) \($0.variant.name)" }.filter { $1.count > 1 }
    for result in cases {
      let needsSeed = ambiguous["\(result.scenario) \(result.variant.name)"] != nil
      xml += testcase(result, needsSeed: needsSeed, source: report.sources[result.scenario])
    }
    return xml + "  </testsuite>\n"
  }

  /// How many cases besides canaries were played in the world, and how many of them are not listed.
  private static func played(in world: WorldName, _ report: RunReport) -> (cases: Int, unlisted: Int) {
    let unlisted = report.unlistedCases.reduce(0) { $0 + ($1.key.world == world ? $1.value.total : 0) }
    return (report.cases.count { !$0.canary && $0.world == world } + unlisted, unlisted)
  }

  /// A suite of what is wrong with the known deviations; nothing if nothing is.
  private static func faults(_ report: RunReport) -> String {
    guard !report.deviationFaults.isEmpty else { return "" }
    let outcomes = report.deviationFaults.map { _ in Outcome.failure }
    var xml = "  <testsuite"
    xml += attributes([("name", "known deviations")] + counts(outcomes, seconds([])))
    xml += attributes([("timestamp", timestamp(report))]) + ">\n"
    for fault in report.deviationFaults {
      let fields = [
        ("name", "\(fault.kind.label) \(fault.place)"), ("classname", "deviations"), ("file", fault.path),
        ("line", "\(fault.position.line)"), ("time", seconds([])),
      ]
      let text = "\(fault.place): \(fault.message)\n\(fault.help)"
      xml += "    <testcase\(attributes(fields))>\n      <failure"
      xml += attributes([("message", fault.message), ("type", fault.kind.rawValue)])
      xml += ">\(XMLText.content(text))</failure>\n    </testcase>\n"
    }
    return xml + "  </testsuite>\n"
  }

  /// What there is an `error` for that is no case.
  private struct Complaint {
    var name: String
    var message: String
    var type: String
  }

  /// The programs that were asked for and not judged.
  private static func unjudged(in report: RunReport) -> [Complaint] {
    report.leftOut.map { program in
      let message = "left out: \(VisibleText.clipped(program.leftOut ?? "", to: 400))"
      return Complaint(name: program.name, message: message, type: "left-out")
    }
      + report.askedNothing.map { subject, reason in
        let message = "asked nothing: \(VisibleText.clipped(reason, to: 400))"
        return Complaint(name: subject.name, message: message, type: "asked-nothing")
      }
  }

  /// Why the run as a whole proves less than it was to.
  private static func shortcomings(of report: RunReport) -> [Complaint] {
    var found: [Complaint] = []
    let end = "the run came to its end"
    if report.casesNotJudged > 0 {
      let verb = report.casesNotJudged == 1 ? "was" : "were"
      let cases = QuantityText.count(report.casesNotJudged, "case")
      found.append(Complaint(name: end, message: "interrupted: \(cases) \(verb) not judged", type: "interrupted"))
    } else if !report.hasPlayed {
      found.append(Complaint(name: end, message: "nothing was played", type: "nothing-played"))
    }
    found += report.programs.compactMap { program in
      program.exitFaults.map { faults in
        let lines = faults.flatMap { [$0.text] + $0.lastWords }
        return Complaint(
          name: "\(program.name) ended well", message: lines.joined(separator: "\n"), type: "subject-exit")
      }
    }
    return found
      + report.shortfalls.map { shortfall in
        let name =
          switch shortfall.kind {
          case .tooFewCases: "enough cases were judged"
          case .disagreement: "the subjects agree"
          case .askedNothing: "every subject was asked something"
          }
        return Complaint(name: name, message: shortfall.message, type: shortfall.kind.rawValue)
      }
  }

  /// A suite with an `error` for each; nothing if there is none.
  private static func suite(_ name: String, _ complaints: [Complaint], _ report: RunReport) -> String {
    guard !complaints.isEmpty else { return "" }
    var xml = "  <testsuite"
    xml += attributes([("name", name)] + counts(complaints.map { _ in .error }, seconds([])))
    xml += attributes([("timestamp", timestamp(report))]) + ">\n"
    for complaint in complaints {
      let fields = [("name", complaint.name), ("classname", name), ("time", seconds([]))]
      let error = [("message", complaint.message), ("type", complaint.type)]
      xml += "    <testcase\(attributes(fields))>\n      <error\(attributes(error))/>\n    </testcase>\n"
    }
    return xml + "  </testsuite>\n"
  }

  private static func testcase(_ result: CaseResult, needsSeed: Bool, source: ScenarioSource?) -> String {
    let choice = needsSeed ? "\(result.variant.name), seed \(result.seed)" : result.variant.name
    var fields = [
      ("name", "\(result.title) [\(choice)]"),
      ("classname", "\(result.world.rawValue).\(result.scenario.split(separator: "/").joined(separator: "."))"),
    ]
    if let source { fields.append(("file", source.path)) }
    fields.append(("line", "\(result.deviations.lazy.compactMap(\.position?.line).first ?? 1)"))
    fields.append(("time", seconds([result])))
    var xml = "    <testcase" + attributes(fields) + ">\n      <properties>\n"
    for requirement in result.requirements { xml += property("requirement", requirement, indent: "        ") }
    xml += property("subject", result.variant.label.name, indent: "        ")
    xml += property("seed", "\(result.seed)", indent: "        ")
    if result.canary { xml += property("canary", "true", indent: "        ") }
    if let missing = result.missingControl { xml += property("missing_control", missing, indent: "        ") }
    if let voided = result.voided { xml += property("control", voided.control, indent: "        ") }
    xml += "      </properties>\n"
    xml += outcome(result, source)
    if !result.backtrace.isEmpty {
      xml += "      <system-err>\(XMLText.content(result.backtrace.joined(separator: "\n")))</system-err>\n"
    }
    return xml + "    </testcase>\n"
  }

  private static func outcome(_ result: CaseResult, _ source: ScenarioSource?) -> String {
    switch Outcome(result) {
    case .passed: return ""
    case .skipped:
      if let known = result.known {
        let message = "known deviation until \(known.expires): \(known.reason)"
        let body = "\(known.place)\n\(CaseSummary.body(result, source: source))"
        return "      <skipped\(attributes([("message", message)]))>\(XMLText.content(body))</skipped>\n"
      }
      let message = result.reason.map { "\(result.verdict.label): \($0)" } ?? result.verdict.label
      return "      <skipped" + attributes([("message", message)]) + "/>\n"
    case .failure: return element("failure", result, source)
    case .error: return element("error", result, source)
    }
  }

  private static func element(_ name: String, _ result: CaseResult, _ source: ScenarioSource?) -> String {
    let fields = [("message", CaseSummary.headline(result)), ("type", type(of: result))]
    let body = CaseSummary.body(result, source: source)
    return "      <\(name)\(attributes(fields))>\(XMLText.content(body))</\(name)>\n"
  }

  private static func type(of result: CaseResult) -> String {
    if result.canary { return "canary-\(result.verdict.rawValue)" }
    if result.voided != nil { return "error.control" }
    return result.deviations.first.map { "\(result.verdict.rawValue).\($0.kind.rawValue)" } ?? result.verdict.rawValue
  }

  private static func attributes(_ pairs: [(String, String)]) -> String {
    pairs.map { " \($0.0)=\"\(XMLText.attribute($0.1))\"" }.joined()
  }

  private static func property(_ name: String, _ value: String, indent: String) -> String {
    "\(indent)<property\(attributes([("name", name), ("value", value)]))/>\n"
  }

  private static func seconds(_ cases: [CaseResult]) -> String {
    let total = cases.reduce(Duration.zero) { $0 + $1.duration }
    return QuantityText.fraction(total.inSeconds, digits: 6)
  }

  /// JUnit's timestamps carry no zone: UTC is meant.
  private static func timestamp(_ report: RunReport) -> String {
    report.startedAt.hasSuffix("Z") ? String(report.startedAt.dropLast()) : report.startedAt
  }
}
