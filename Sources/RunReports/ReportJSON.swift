import ReportMarkup
import ScenarioModel

/// `report.json`: the run for machines, under the schema published as `report.schema.json`.
///
/// Every object is keyed and keeps its key order; a case is one line. Traces are written only for cases that are not as
/// expected and for canaries, so that a run of many thousand cases stays small.
package enum ReportJSON {
  /// The version of the schema; it grows when a key changes its meaning or goes away, not when one is added.
  package static let schemaVersion = 1

  /// A longer trace loses its middle.
  static let mostEventsOfCase = 400
  /// When so many events are written, the traces of further cases are left out: the first case of every scenario and
  /// world comes before its further ones.
  static let mostEventsOfRun = 20_000

  /// The file's bytes, UTF-8, ending with a line feed.
  package static func encode(_ report: RunReport) -> [UInt8] {
    let divergences = WorldDivergence.all(in: report.cases)
    let controls = FailedControl.all(in: report.cases)
    let traced = casesWithTrace(report.cases)
    let cases = report.cases.enumerated().map { index, result in
      node(for: result, path: report.sources[result.scenario]?.path, hasTrace: traced.contains(index))
    }
    let root = JSONNode.object([
      .init("schema", .integer(schemaVersion)),
      .init("run", run(report)),
      .init("summary", summary(RunTotals(report.cases), divergences: divergences.count)),
      .init("failed_controls", .list(controls.map(failedControl))),
      .init("divergences", .list(divergences.map(divergence))),
      .init("cases", .list(cases)),
    ])
    return root.encoded(spread: 2)
  }

  /// Indices of the cases whose traces are written.
  private static func casesWithTrace(_ cases: [CaseResult]) -> Set<Int> {
    var firsts: [Int] = []
    var others: [Int] = []
    var seen: Set<String> = []
    for (index, result) in cases.enumerated() where !result.isAsExpected || result.canary {
      if seen.insert("\(result.world) \(result.scenario)").inserted {
        firsts.append(index)
      } else {
        others.append(index)
      }
    }
    var left = mostEventsOfRun
    return Set(
      (firsts + others).prefix { index in
        left -= min(cases[index].trace.events.count, mostEventsOfCase)
        return left >= 0
      })
  }

  private static func run(_ report: RunReport) -> JSONNode {
    .object([
      .init("started_at", .text(report.startedAt)),
      .init("version", .text(report.version)),
      .init("subject", .text(report.subject)),
      .init("profile", .text(report.profile.rawValue)),
      .init("seed", .unsigned(report.seed)),
      .init("seeds", .integer(report.seeds)),
      .init("unlisted_cases", .integer(report.unlistedCases.values.reduce(0, +))),
      .init("cases_not_judged", .integer(report.casesNotJudged)),
      .init("duration_ms", milliseconds(report.duration)),
      .init(
        "host",
        .object([
          .init("system", .text(report.host.system)),
          .init("processors", .integer(report.host.processors)),
          .init("jitter_ms", milliseconds(report.host.jitter)),
        ])),
    ])
  }

  private static func summary(_ totals: RunTotals, divergences: Int) -> JSONNode {
    .object(
      Verdict.allCases.map { .init($0.rawValue, .integer(totals.count($0))) } + [
        .init("cases", .integer(totals.cases)),
        .init("scenarios", .integer(totals.scenarios)),
        .init("asExpected", .integer(totals.asExpected)),
        .init("canaries", .integer(totals.canaries)),
        .init("divergences", .integer(divergences)),
      ])
  }

  private static func failedControl(_ control: FailedControl) -> JSONNode {
    .object([
      .init("scenario", .text(control.scenario)),
      .init("cases", .list(control.cases.map(JSONNode.integer))),
      .init("scenarios", .integer(control.scenarios)),
      .init("dependants", .list(control.dependants.map(JSONNode.integer))),
      .init("deviating", .list(control.deviating.map(JSONNode.integer))),
    ])
  }

  private static func node(for voided: VoidedCase) -> JSONNode {
    var members: [JSONNode.Member] = [
      .init("control", .text(voided.control)), .init("verdict", .text(voided.verdict.rawValue)),
    ]
    if let verdict = voided.controlVerdict { members.append(.init("control_verdict", .text(verdict.rawValue))) }
    return .object(members)
  }

  private static func divergence(_ divergence: WorldDivergence) -> JSONNode {
    .object([
      .init("scenario", .text(divergence.scenario)),
      .init("variant", .text(divergence.variant)),
      .init("seed", .unsigned(divergence.seed)),
      .init("loopback", .text(divergence.loopback.rawValue)),
      .init("simulated", .text(divergence.simulated.rawValue)),
    ])
  }

  private static func node(for result: CaseResult, path: String?, hasTrace: Bool) -> JSONNode {
    var members: [JSONNode.Member] = [
      .init("scenario", .text(result.scenario)),
      .init("variant", .text(result.variant.name)),
      .init("world", .text(result.world.rawValue)),
      .init("seed", .unsigned(result.seed)),
      .init("verdict", .text(result.verdict.rawValue)),
      .init("as_expected", .flag(result.isAsExpected)),
      .init("canary", .flag(result.canary)),
      .init("title", .text(result.title)),
      .init("requirements", .list(result.requirements.map(JSONNode.text))),
      .init("tags", .list(result.tags.map(JSONNode.text))),
      .init("duration_ms", milliseconds(result.duration)),
      .init("trace_hash", .text(result.traceHash)),
      .init("deviations", .list(result.deviations.map { node(for: $0, path: path) })),
      .init("command", .text(ReproCommand.text(result))),
    ]
    if let reason = result.reason { members.append(.init("reason", .text(reason))) }
    if !result.backtrace.isEmpty { members.append(.init("backtrace", .list(result.backtrace.map(JSONNode.text)))) }
    if let voided = result.voided { members.append(.init("voided", node(for: voided))) }
    if let path { members.append(.init("path", .text(path))) }
    if let story = TLSStory(result.trace) { members.append(.init("tls", story.node)) }
    if let capture = result.capture { members.append(.init("capture", .text(capture))) }
    guard !result.isAsExpected || result.canary else { return .object(members) }
    let most = hasTrace ? mostEventsOfCase / 2 : 0
    let kept = Excerpt.indices(of: result.trace.events.count, head: most, tail: most)
    members.append(.init("trace", .list(kept.map { event(at: $0, of: result) })))
    let omitted = result.trace.events.count - kept.count
    if omitted > 0 { members.append(.init("trace_omitted", .integer(omitted))) }
    return .object(members)
  }

  private static func node(for deviation: Deviation, path: String?) -> JSONNode {
    var members: [JSONNode.Member] = [
      .init("kind", .text(deviation.kind.rawValue)),
      .init("expected", .text(deviation.expected)),
      .init("actual", .text(deviation.actual)),
    ]
    if let position = deviation.position { members.append(.init("position", node(for: position, path: path))) }
    if let requirement = deviation.requirement { members.append(.init("requirement", .text(requirement))) }
    if let index = deviation.traceIndex { members.append(.init("trace_index", .integer(index))) }
    return .object(members)
  }

  private static func node(for position: SourcePosition, path: String? = nil) -> JSONNode {
    let place: [JSONNode.Member] = [
      .init("line", .integer(position.line)), .init("column", .integer(position.column)),
    ]
    return .object((path.map { [.init("path", .text($0))] } ?? []) + place)
  }

  private static func event(at index: Int, of result: CaseResult) -> JSONNode {
    let event = result.trace.events[index]
    let words = EventWords(event.kind)
    var members: [JSONNode.Member] = [
      .init("index", .integer(index)),
      .init("at_ms", milliseconds(event.at)),
      .init("kind", .text(words.kind.rawValue)),
    ]
    switch words.lane {
    case .peer(let name), .socket(let name): members.append(.init("lane", .text(name)))
    case .all: break
    }
    members.append(.init("what", .text(words.text)))
    if words.isNested { members.append(.init("in_callback", .flag(true))) }
    if let payload = words.payload {
      members.append(.init("count", .integer(payload.total)))
      members.append(.init("hex", .text(VisibleText.hex(payload.bytes))))
    }
    if let position = event.position { members.append(.init("position", node(for: position))) }
    if let met = result.matches[index] { members.append(.init("met", node(for: met))) }
    return .object(members)
  }

  private static func milliseconds(_ duration: Duration) -> JSONNode {
    .number(QuantityText.milliseconds(duration))
  }
}

/// Which elements of a long row are shown: its beginning and its end.
enum Excerpt {
  /// Indices in order; all of them when `count` is at most `head` + `tail`.
  static func indices(of count: Int, head: Int, tail: Int) -> [Int] {
    guard count > head + tail else { return Array(0..<count) }
    return Array(0..<head) + Array((count - tail)..<count)
  }
}
