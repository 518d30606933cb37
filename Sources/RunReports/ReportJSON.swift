import ReportMarkup
import ScenarioModel

/// `report.json`: the run for machines, under the schema published as `report.schema.json`.
///
/// Every object is keyed and keeps its key order; a case is one line. Traces are written only for cases that are not as
/// expected, for canaries, and for one example of each scenario in each world, which a later run is compared with; so
/// a run of many thousand cases stays small.
package enum ReportJSON {
  /// The version of the schema; it grows when a key changes its meaning or goes away, not when one is added.
  package static let schemaVersion = 2

  /// A longer trace loses its middle.
  static let maxEventsPerCase = 400
  /// The number of events after which the traces of further cases are left out: the first case of every scenario and
  /// world comes before its further ones.
  static let maxEventsPerRun = 20_000

  /// The file's bytes, UTF-8, ending with a line feed.
  package static func encode(_ report: RunReport) -> [UInt8] {
    let totals = RunTotals(report)
    let divergences = WorldDivergence.all(in: report.cases)
    let controls = FailedControl.all(in: report.cases)
    let findings = RunFindings(report.cases, sources: report.sources)
    let traced = casesWithTrace(report.cases)
    let hashes = report.sources.mapValues(\.hash)
    let cases = report.cases.enumerated().map { index, result in
      node(
        for: result, path: report.sources[result.scenario]?.path, hash: hashes[result.scenario],
        finding: findings.idOfCase[index], hasTrace: traced.contains(index))
    }
    let root: JSONNode = [
      "schema": .integer(schemaVersion),
      "run": run(report, totals),
      "summary": summary(totals, divergences: divergences.count),
      "failed_controls": .list(controls.map(failedControl)),
      "divergences": .list(divergences.map(divergence)),
      "deviation_faults": report.deviationFaults.isEmpty ? nil : .list(report.deviationFaults.map(fault)),
      "shortfalls": report.shortfalls.isEmpty
        ? nil
        : .list(report.shortfalls.map { ["kind": .text($0.kind.rawValue), "message": .text($0.message)] }),
      "causes": .list(findings.causes.map(cause)),
      "cases": .list(cases),
    ]
    return root.encoded(spread: 2)
  }

  /// Indices of the cases whose traces are written.
  private static func casesWithTrace(_ cases: [CaseResult]) -> Set<Int> {
    var firsts: [Int] = []
    var others: [Int] = []
    var examples: [Int] = []
    var seen: Set<String> = []
    var shown: Set<String> = []
    for (index, result) in cases.enumerated() {
      let name = "\(result.world) \(result.scenario)"
      guard !result.isAsExpected || result.canary else {
        if result.hasWholeTrace, shown.insert(name).inserted { examples.append(index) }
        continue
      }
      if seen.insert(name).inserted { firsts.append(index) } else { others.append(index) }
    }
    return fitting(firsts + others, of: cases).union(fitting(examples, of: cases))
  }

  /// As many of the places as have no more than `maxEventsPerRun` events together.
  private static func fitting(_ places: [Int], of cases: [CaseResult]) -> Set<Int> {
    var left = maxEventsPerRun
    return Set(
      places.prefix { place in
        left -= min(cases[place].trace.events.count, maxEventsPerCase)
        return left >= 0
      })
  }

  private static func run(_ report: RunReport, _ totals: RunTotals) -> JSONNode {
    let unlisted = report.unlistedCases.values.reduce(UnlistedCases(), +)
    let verdicts = unlisted.byVerdict
    return [
      "started_at": .text(report.startedAt),
      "version": .text(report.version),
      "subject": .text(report.subject),
      "subjects": .texts(totals.subjects.map(\.name)),
      "programs": report.programs.isEmpty ? nil : .list(report.programs.map(program)),
      "lab_commit": report.labCommit.map(JSONNode.text),
      "subject_commit": report.subjectCommit.map(JSONNode.text),
      "profile": .text(report.profile.rawValue),
      "seed": .unsigned(report.seed),
      "seeds": .integer(report.seeds),
      "rounds": .integer(report.rounds),
      "shard": report.shard.map(JSONNode.text),
      "unlisted_cases": .integer(unlisted.total),
      "unlisted_verdicts": verdicts.isEmpty
        ? nil : JSONNode(members: Verdict.allCases.map { ($0.rawValue, verdicts[$0].map(JSONNode.integer)) }),
      "unlisted_known": unlisted.knownTotal > 0 ? .integer(unlisted.knownTotal) : nil,
      "cases_not_judged": .integer(report.casesNotJudged),
      "duration_ms": milliseconds(report.duration),
      "resources": report.resources.map {
        ["peak_memory": .integer($0.peakMemory), "processor_ms": milliseconds($0.processor)]
      },
      "host": [
        "system": .text(report.host.system),
        "processors": .integer(report.host.processors),
        "jitter_ms": milliseconds(report.host.jitter),
      ],
    ]
  }

  static func program(_ facts: ProgramFacts) -> JSONNode {
    [
      "name": .text(facts.name), "library": facts.library.map(JSONNode.text),
      "library_version": facts.version.map(JSONNode.text), "left_out": facts.leftOut.map(JSONNode.text),
      "called": facts.called.map(JSONNode.text), "left_running": facts.leftRunning.map(JSONNode.texts),
      "exit_faults": facts.exitFaults.map { faults in
        .list(faults.map { ["text": .text($0.text), "last_words": .texts($0.lastWords)] })
      },
    ]
  }

  private static func summary(_ totals: RunTotals, divergences: Int) -> JSONNode {
    let verdicts = Verdict.allCases.map { ($0.rawValue, totals.count($0)) }
    let sums = [
      ("cases", totals.cases), ("scenarios", totals.scenarios), ("asExpected", totals.asExpected),
      ("canaries", totals.canaries), ("canariesAsExpected", totals.canariesAsExpected), ("known", totals.known),
      ("divergences", divergences),
    ]
    let counts = (verdicts + sums).map { ($0, JSONNode.integer($1)) }
    return JSONNode(members: counts + [("subjects", .list(totals.columns.map { part(of: totals, $0) }))])
  }

  /// What one subject came to in one world.
  private static func part(of totals: RunTotals, _ column: CaseColumn) -> JSONNode {
    let part = totals.byColumn[column]
    let verdicts = Verdict.allCases.map { ($0.rawValue, totals.count($0, in: column)) }
    let sums = [
      ("cases", part?.cases ?? 0), ("scenarios", part?.scenarios ?? 0), ("asExpected", part?.asExpected ?? 0),
    ]
    return JSONNode(
      members: [("subject", .text(column.subject.name)), ("world", .text(column.world.rawValue))]
        + (verdicts + sums).map { ($0, .integer($1)) })
  }

  private static func failedControl(_ control: FailedControl) -> JSONNode {
    [
      "scenario": .text(control.scenario),
      "cases": .list(control.cases.map(JSONNode.integer)),
      "scenarios": .integer(control.scenarios),
      "dependants": .list(control.dependants.map(JSONNode.integer)),
      "deviating": .list(control.deviating.map(JSONNode.integer)),
    ]
  }

  private static func fault(_ fault: DeviationFault) -> JSONNode {
    [
      "kind": .text(fault.kind.rawValue), "place": node(for: fault.position, path: fault.path),
      "message": .text(VisibleText.clipped(fault.message, to: 600)), "help": .text(fault.help),
    ]
  }

  private static func cause(_ cause: RunCause) -> JSONNode {
    [
      "title": .text(cause.title),
      "cases": .integer(cause.cases),
      "scenarios": .integer(cause.scenarios),
      "of_control": .flag(cause.isOfControl),
      "findings": .list(
        cause.findings.map { finding in
          [
            "id": .text(finding.id),
            "headline": .text(VisibleText.clipped(finding.headline, to: 600)),
            "place": finding.place.map { node(for: $0.position, path: $0.path) },
            "example": .integer(finding.example),
            "cases": .list(finding.cases.map(JSONNode.integer)),
          ]
        }),
    ]
  }

  private static func divergence(_ divergence: WorldDivergence) -> JSONNode {
    [
      "scenario": .text(divergence.scenario),
      "variant": .text(divergence.variant),
      "seed": .unsigned(divergence.seed),
      "loopback": .text(divergence.loopback.rawValue),
      "simulated": .text(divergence.simulated.rawValue),
    ]
  }

  private static func node(
    for result: CaseResult, path: String?, hash: String?, finding: String?, hasTrace: Bool
  ) -> JSONNode {
    let isTold = hasTrace || !result.isAsExpected || result.canary
    let most = hasTrace ? maxEventsPerCase / 2 : 0
    let kept = isTold ? Excerpt.indices(of: result.trace.events.count, head: most, tail: most) : []
    let omitted = isTold ? result.trace.events.count - kept.count : 0
    return [
      "scenario": .text(result.scenario),
      "subject": .text(result.variant.label.name),
      "variant": .text(result.variant.name),
      "world": .text(result.world.rawValue),
      "seed": .unsigned(result.seed),
      "verdict": .text(result.verdict.rawValue),
      "as_expected": .flag(result.isAsExpected),
      "canary": .flag(result.canary),
      "title": .text(result.title),
      "requirements": .texts(result.requirements),
      "tags": .texts(result.tags),
      "duration_ms": milliseconds(result.duration),
      "trace_hash": .text(result.traceHash),
      "deviations": .list(result.deviations.map { node(for: $0, path: path) }),
      "command": .text(ReproCommand.text(result)),
      "reason": result.reason.map(JSONNode.text),
      "backtrace": result.backtrace.isEmpty ? nil : .texts(result.backtrace),
      "voided": result.voided.map(node),
      "missing_control": result.missingControl.map(JSONNode.text),
      "known": result.known.map(node),
      "path": path.map(JSONNode.text),
      "scenario_hash": hash.map(JSONNode.text),
      "finding": finding.map(JSONNode.text),
      "tls": TLSSummary(result.trace)?.node,
      "capture": result.capture.map(JSONNode.text),
      "trace": isTold ? .list(kept.map { event(at: $0, of: result) }) : nil,
      "trace_omitted": omitted > 0 ? .integer(omitted) : nil,
    ]
  }

  private static func node(for voided: VoidedCase) -> JSONNode {
    [
      "control": .text(voided.control), "verdict": .text(voided.verdict.rawValue),
      "control_verdict": voided.controlVerdict.map { .text($0.rawValue) },
    ]
  }

  private static func node(for known: KnownDeviation) -> JSONNode {
    [
      "reason": .text(known.reason), "evidence": .text(known.evidence), "expires": .text(known.expires),
      "place": node(for: known.position, path: known.path),
    ]
  }

  private static func node(for deviation: Deviation, path: String?) -> JSONNode {
    [
      "kind": .text(deviation.kind.rawValue),
      "expected": .text(deviation.expected),
      "actual": .text(deviation.actual),
      "position": deviation.position.map { node(for: $0, path: path) },
      "requirement": deviation.requirement.map(JSONNode.text),
      "trace_index": deviation.traceIndex.map(JSONNode.integer),
    ]
  }

  private static func node(for position: SourcePosition, path: String? = nil) -> JSONNode {
    ["path": path.map(JSONNode.text), "line": .integer(position.line), "column": .integer(position.column)]
  }

  private static func event(at index: Int, of result: CaseResult) -> JSONNode {
    let event = result.trace.events[index]
    let words = EventWords(event.kind)
    let lane: String? =
      switch words.lane {
      case .peer(let name), .socket(let name): name
      case .wire, .all: nil
      }
    return [
      "index": .integer(index),
      "at_ms": milliseconds(event.at),
      "kind": .text(words.kind.rawValue),
      "lane": lane.map(JSONNode.text),
      "what": .text(words.text),
      "in_callback": words.isNested ? .flag(true) : nil,
      "count": words.payload.map { .integer($0.total) },
      "hex": words.payload.map { .text(VisibleText.hex($0.bytes)) },
      "position": event.position.map { node(for: $0) },
      "met": result.matches[index].map { node(for: $0) },
    ]
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
