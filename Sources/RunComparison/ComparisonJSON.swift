import ReportMarkup
import RunReports
import ScenarioModel

/// `comparison.json`: a comparison for machines, under the schema published as `comparison.schema.json`.
enum ComparisonJSON {
  /// Grows when a key changes its meaning or goes away.
  static let schemaVersion = 1

  static func make(_ comparison: RunComparison) -> [UInt8] {
    let kinds = CaseChange.Kind.allCases.map { ($0.word, JSONNode.integer(comparison.count($0))) }
    let root: JSONNode = [
      "schema": .integer(schemaVersion),
      "regression": .flag(comparison.isRegression),
      "headline": .text(comparison.headline),
      "notes": .texts(comparison.notes),
      "old": run(comparison.old),
      "new": run(comparison.new),
      "summary": JSONNode(
        members: kinds + [
          ("unchanged", .integer(comparison.unchanged)), ("still-failing", .integer(comparison.stillFailing)),
        ]),
      "changes": .list(comparison.changes.map(change)),
      "renamed": comparison.renamed.isEmpty
        ? nil : .list(comparison.renamed.map { ["old": .text($0.old), "new": .text($0.new)] }),
      "drifts": .list(
        comparison.drifts.map {
          [
            "scenario": .text($0.scenario), "old_ms": .number($0.oldMilliseconds),
            "new_ms": .number($0.newMilliseconds),
          ]
        }),
      "divergences": .list(
        comparison.divergences.map {
          [
            "scenario": .text($0.scenario), "variant": .text($0.variant), "loopback": .text($0.loopback.rawValue),
            "simulated": .text($0.simulated.rawValue),
          ]
        }),
    ]
    return root.encoded(spread: 2)
  }

  private static func run(_ run: ComparedRun) -> JSONNode {
    [
      "started_at": .text(run.startedAt), "version": .text(run.version), "subject": .text(run.subject),
      "profile": .text(run.profile), "cases": .integer(run.cases.count),
      "cases_not_judged": .integer(run.casesNotJudged),
      "host": run.host.isEmpty ? nil : .text(run.host),
      "lab_commit": run.labCommit.map(JSONNode.text), "subject_commit": run.subjectCommit.map(JSONNode.text),
    ]
  }

  private static func change(_ change: CaseChange) -> JSONNode {
    [
      "kind": .text(change.kind.word),
      "regression": .flag(change.kind.isRegression),
      "scenario": .text(change.key.scenario),
      "former_scenario": change.formerScenario.map(JSONNode.text),
      "variant": .text(change.key.variant),
      "world": .text(change.key.world.rawValue),
      "title": .text(change.present.title),
      "test_changed": .flag(change.isTestChanged),
      "old": change.old.map { side($0, change.oldRate) },
      "new": change.new.map { side($0, change.newRate) },
      "finding": change.finding.map(JSONNode.text),
      "cause": change.cause.map(JSONNode.text),
      "headline": change.kind.isAbsence || change.present.headline.isEmpty ? nil : .text(change.present.headline),
      "place": change.place.map {
        [
          "path": .text($0.path), "line": .integer($0.position.line), "column": .integer($0.position.column),
        ]
      },
      "command": .text(change.command),
    ]
  }

  private static func side(_ found: ComparedCase, _ rate: FailureRate?) -> JSONNode {
    [
      "verdict": .text(found.verdict.rawValue), "seed": .unsigned(found.seed),
      "duration_ms": .number(found.milliseconds), "trace_hash": .text(found.traceHash),
      "failures": rate.map { .integer($0.failures) }, "runs": rate.map { .integer($0.runs) },
    ]
  }
}
