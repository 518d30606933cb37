import FuzzHarness
import RecordFuzzing
import ScenarioModel
import Testing

/// The body of kept files lets the lab's readers pass, and its laws can be broken.
@Suite struct RecordTests {
  private static let scenario = #""scenario": "a/b", "subject": "AsyncSocket", "variant": "ipv4", "world": "simulated""#
  private static let report = """
    {"schema": 2, "run": {"started_at": "2026-01-31T12:00:00Z", "version": "1", "subject": "x", "lab_commit": "a",
     "profile": "documented", "seeds": 1, "rounds": 1, "unlisted_cases": 0, "cases_not_judged": 0, "duration_ms": 1.5e3,
     "programs": [{"name": "x", "library": "y", "library_version": "1"}], "host": {"system": "Linux", "processors": 2},
     "resources": {"peak_memory": 1, "processor_ms": 2.5}}, "causes": [],
     "cases": [{\(scenario), "seed": 1, "verdict": "failed", "as_expected": false, "canary": false, "title": "T",
       "requirements": ["WR-01"], "duration_ms": 0.126, "trace_hash": "00", "path": "a/b.yaml", "scenario_hash": "00",
       "deviations": [{"kind": "unexpected", "expected": "A", "actual": "B", "position": {"line": 3, "column": 4}}],
       "command": "run a/b", "trace": [{"index": 0, "at_ms": 0, "kind": "call", "lane": "socket", "what": "listen"}]},
      {\(scenario), "seed": 2, "verdict": "passed", "as_expected": true, "duration_ms": 1, "deviations": []}]}
    """

  /// Sound files of every kind.
  static let sound: [(kind: RecordKind, text: String)] = [
    (.report, report), (.comparison, report),
    (
      .baseline,
      """
      {"baseline": 1, "subject": "x", "profile": "documented", "scenarios": {
        "a/b": {"hash": "d07466f6dd541a64", "passed": {"both": "ipv4 ipv6", "simulated": "unix"}},
        "a/c": {"canary": true, "failed": {"loopback": "ipv4"}}}}
      """
    ),
    (
      .history,
      """
      {"history":1,"kind":"suite","name":"a","started_at":"2026-01-31T12:00:00Z","commit":"a","host":"h","size":2,\
      "measures":[],"slowest":[{"case":"a/b","ms":1.5}],"failing":["a/c"]}

      """
    ),
    (
      .benchmarks,
      """
      {"formatVersion": 1, "provenance": {"date": "2026-01-31", "processor": "P", "cores": 2, "kernel": "6.1",
       "seconds": 1, "rounds": 2}, "workloads": [{"id": "echo", "direction": "higher", "comparisons": [
       {"comparison": {"subject": "lab", "rival": "c"}, "ratios": [0.5, 0.75]}]}],
       "idle": [{"id": "one", "bytesPerConnection": 100.5, "isSubject": true}]}
      """
    ),
    (
      .deviations,
      """
      library: x
      deviations:
        - { cases: "a/*", subject: gcd, reason: A bug., evidence: { kind: late, text: didRead }, expires: 2027-01-31 }

      """
    ),
    (.register, "WR-01: { must: A write is written., scope: any, sources: [S1] }\n"),
    (.kills, "WR-01 a/b: one, two\n"), (.idle, "WR-01 a/b  # why\n"), (.open, "WR-02  # A write ends.\n"),
    (.disputes, "a/b 1 simulated 1  # didRead\na/b 1 loopback either 1 2\n"),
    (.states, "STATE idle connect connecting 3\n"),
  ]

  /// Damaged ones, with what must be said of them.
  static let damaged: [(kind: RecordKind, text: String)] = [
    (.report, report.replacing("1.5e3", with: "nan")), (.report, report.replacing("0.126", with: "1e999")),
    (.report, report.replacing(#""T""#, with: #""\u+123""#)), (.report, report.replacing(#""T""#, with: #""\ud800""#)),
    (.report, report.replacing(#""seeds": 1"#, with: #""seeds": 01"#)), (.report, report + "]"),
    (.report, #"{"schema": 2, "unfinished": {"started_at": "\u001b[2J", "command": "x"}}"#),
    (.comparison, report.replacing(#""simulated""#, with: #""elsewhere""#)),
    (.baseline, #"{"baseline": 1, "subject": "x", "profile": "p", "scenarios": {"a": {"sunk": {}}}}"#),
    (.history, "{\"history\":1,\"kind\":\"suite\""), (.benchmarks, #"{"formatVersion": 1}"#),
    (.campaign, #"{"schema": 1}"#), (.deviations, "library: y\n"), (.register, "WR-1: {\n"),
    (.kills, "\u{1B}[2J a/b: one\n"), (.idle, "WR-01 a/b\n"), (.open, "WR-03\n"), (.disputes, "a/b 1 nowhere 1\n"),
    (.states, "STATE idle\n"), (.result, "x"),
  ]

  static let inputs = (sound + damaged).map { [$0.kind.rawValue] + Array($0.text.utf8) }

  @Test(arguments: inputs) func theReadersPass(_ input: [UInt8]) {
    #expect(input.withUnsafeBytes { RecordFuzzing.body($0) } == nil)
  }

  @Test(arguments: sound.map(\.kind)) func soundFilesAreRead(_ kind: RecordKind) throws {
    let text = try #require(Self.sound.first { $0.kind == kind }).text
    guard case .refused(let mistakes) = kind.read(Array(text.utf8)) else { return }
    Issue.record("\(mistakes)")
  }

  @Test(arguments: damaged.indices) func damagedFilesAreRefused(_ index: Int) {
    let (kind, text) = Self.damaged[index]
    guard case .read = kind.read(Array(text.utf8)) else { return }
    Issue.record("read: \(text)")
  }

  @Test func anythingIsAnInput() {
    for input in ManyInputs.short {
      #expect(input.withUnsafeBytes { RecordFuzzing.body($0) } == nil, "\(input)")
    }
  }

  private static func law(_ outcome: RecordOutcome, _ text: String = "{}") -> String? {
    var reading = RecordFuzzing.Reading()
    reading.file = { _, _ in outcome }
    return ([RecordKind.report.rawValue] + Array(text.utf8)).withUnsafeBytes {
      RecordFuzzing.check($0, reading)?.invariant
    }
  }

  @Test func lawsCanBeBroken() {
    #expect(Self.law(.refused([])) == "records/words")
    #expect(Self.law(.refused([RecordOutcome.Mistake("a\u{7}")])) == "records/words")
    #expect(Self.law(.refused([RecordOutcome.Mistake("a", at: SourcePosition(line: 2, column: 1))])) == "records/words")
    #expect(Self.law(.refused([RecordOutcome.Mistake("a", at: SourcePosition(line: 1, column: 3))])) == nil)
    #expect(Self.law(.read(again: false)) == "records/again")
    #expect(Self.law(.read(again: true)) == "records/cut")
    var reading = RecordFuzzing.Reading()
    reading.problem = { _ in nil }
    reading.file = { _, bytes in bytes.count == 2 ? .read(again: nil) : .refused([RecordOutcome.Mistake("cut")]) }
    let violation = ([RecordKind.report.rawValue] + Array("{,".utf8)).withUnsafeBytes {
      RecordFuzzing.check($0, reading)?.invariant
    }
    #expect(violation == "records/strict")
  }
}
