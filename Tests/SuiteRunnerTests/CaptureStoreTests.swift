import RunReports
import ScenarioModel
import Testing

@testable import SuiteRunner

/// Which cases of a run get a capture.
@Suite struct CaptureStoreTests {
  /// Cases over which so many bytes went, each as expected or not.
  private func report(_ cases: [(bytes: Int, isAsExpected: Bool)]) -> RunReport {
    let results = cases.enumerated().map { number, item in
      var result = CaseResult(
        scenario: .named("a/\(number)"), variant: Variant(family: .ipv4, cut: .whole, queues: .separate),
        world: .loopback, seed: 1)
      result.verdict = item.isAsExpected ? .passed : .failed
      guard item.bytes > 0 else { return result }
      let kinds: [TraceKind] = [
        .peerAction(.accept, peer: "peer"), .peerSaw(.connected, peer: "peer"),
        .peerAction(.send([UInt8](repeating: 1, count: item.bytes)), peer: "peer"),
        .peerSaw(.sent(item.bytes), peer: "peer"),
      ]
      result.trace = Trace(events: kinds.map { TraceEvent(at: .zero, kind: $0, position: nil) })
      return result
    }
    return RunReport(
      startedAt: "2026-01-02T03:04:05Z", version: "1", subject: "s", profile: .documented,
      host: HostFacts(system: "Linux", processors: 1, jitter: .zero), seed: 1, seeds: 1, duration: .zero,
      cases: results, sources: [:])
  }

  @Test func aCaseSaysWhereItsCaptureLies() {
    var report = report([(100, true), (0, true), (100, false)])
    let store = CaptureStore(&report)
    #expect(report.cases.map { $0.capture != nil } == [true, false, true])
    let captures = [report.cases[2].capture, report.cases[0].capture]
    #expect(store.files.map(\.path) == captures, "what went wrong comes first")
    #expect(store.leftOut == 0)
    #expect(store.summary(folder: "reports/latest").hasPrefix("Captures: 2 files, "))
  }

  @Test func allTogetherStayBelowTheBound() {
    var report = report([(10_000, true), (10_000, false), (10_000, true)])
    let store = CaptureStore(&report, maxBytes: 15_000)
    #expect(store.files.reduce(0) { $0 + $1.bytes.count } <= 15_000)
    #expect(report.cases.map { $0.capture != nil } == [false, true, false])
    #expect(store.leftOut == 2)
    #expect(store.summary(folder: "x").contains("(2 cases left out: at most 64 MiB"))
  }

  @Test func ofALargeRunOnlyWhatWentWrongIsWritten() {
    var report = report(Array(repeating: (100, true), count: CaptureStore.fewCases) + [(100, false)])
    let store = CaptureStore(&report)
    #expect(store.files.count == 1 && report.cases.last?.capture != nil)
    #expect(store.leftOut == CaptureStore.fewCases)
  }

  @Test func nothingOnTheWireIsNoFile() {
    var report = report([(0, true)])
    #expect(CaptureStore(&report).summary(folder: "x") == "Captures: none")
  }
}
