import Foundation
import Glibc
import Testing

/// Workers that end while they run a case: the run goes on, and says what happened to whom.
@Suite(.timeLimit(.minutes(2))) struct WorkerTests {
  /// A case that takes its time, and one behind it.
  private static let files = [
    "slow/a.yaml": ScratchSuite.passing.replacingOccurrences(
      of: "  - accept\n", with: "  - accept\n  - wait: 900ms\n"
    ).replacingOccurrences(of: "ending:", with: "limit: 1500ms\nending:"),
    "slow/b.yaml": ScratchSuite.passing,
  ]

  /// Runs the suite, and does something to its first worker once that has begun.
  private func run(
    _ files: [String: String] = Self.files, jobs: Int = 1, arguments: [String] = [],
    harming harm: @escaping @Sendable (pid_t) -> Void
  ) throws -> (SocketLabProgram.Result, report: [String: Any]) {
    let suite = try ScratchSuite(files)
    let folder = suite.folder.lastPathComponent
    let watch = Thread { Workers.first(of: folder).map(harm) }
    watch.start()
    let result = try suite.run(["run", "--world", "loopback", "--jobs", "\(jobs)"] + arguments)
    let data = try Data(contentsOf: suite.folder.appendingPathComponent("reports/latest/report.json"))
    return (result, try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any]))
  }

  private func cases(_ report: [String: Any]) -> [String: [String: Any]] {
    let cases = report["cases"] as? [[String: Any]] ?? []
    return Dictionary(cases.map { ($0["scenario"] as? String ?? "", $0) }, uniquingKeysWith: { first, _ in first })
  }

  @Test(arguments: [(SIGSEGV, "SIGSEGV"), (SIGABRT, "SIGABRT"), (SIGKILL, "SIGKILL, perhaps for want of memory")])
  func aWorkerThatEndsIsTheVerdictOfItsCase(_ signal: Int32, _ cause: String) throws {
    let (result, report) = try run { kill($0, signal) }
    #expect(result.status == 1, "\(result.output) \(result.error)")
    #expect(result.output.contains("✗ slow/a [ipv4, loopback]  crash"), "\(result.output)")
    #expect(result.output.contains(cause), "\(result.output)")
    let cases = cases(report)
    #expect(cases["slow/a"]?["verdict"] as? String == "crash")
    #expect(cases["slow/b"]?["verdict"] as? String == "passed")
    let backtrace = cases["slow/a"]?["backtrace"] as? [String] ?? []
    #expect(signal == SIGKILL || !backtrace.isEmpty)
  }

  /// All that were under way are run again, and none waits for another: the run takes less time than they do together.
  @Test func casesThatRunBesideOneThatEndsTheirWorkerCostLittle() throws {
    // The waits are what the comparison is about; starting workers takes longer on a busy machine.
    let slow = try #require(Self.files["slow/a.yaml"])
      .replacing("wait: 900ms", with: "wait: 2900ms").replacing("limit: 1500ms", with: "limit: 3500ms")
    let files = Dictionary(uniqueKeysWithValues: (0..<6).map { ("slow/a\($0).yaml", slow) })
    let (result, report) = try run(files, jobs: 6) { kill($0, SIGSEGV) }
    #expect(result.status == 1, "\(result.output) \(result.error)")
    let cases = cases(report)
    #expect(cases.values.allSatisfy { $0["verdict"] as? String == "crash" }, "\(result.output)")
    #expect(result.output.contains("alone none of them does that again"), "\(result.output)")
    let spent = cases.values.compactMap { $0["duration_ms"] as? Double }
    #expect(spent.count == 6)
    let run = try #require((report["run"] as? [String: Any])?["duration_ms"] as? Double)
    #expect(run < spent.reduce(0, +), "\(run) ms, \(spent)")
  }

  @Test func aWorkerThatStandsStillHasHung() throws {
    let (result, report) = try run(arguments: ["--hang-timeout", "1"]) { kill($0, SIGSTOP) }
    #expect(result.status == 1, "\(result.output) \(result.error)")
    #expect(cases(report)["slow/a"]?["verdict"] as? String == "hang", "\(result.output)")
    #expect(cases(report)["slow/b"]?["verdict"] as? String == "passed")
  }

  @Test func aWorkerWithoutARunRefuses() throws {
    let result = try SocketLabProgram.run(["worker"])
    #expect(result.status == 2)
    #expect(result.error.contains("socketlab run"), "\(result.error)")
  }
}

/// Processes below this one.
private enum Workers {
  /// The first worker of the run in that folder that has begun to run cases; nil: none comes.
  static func first(of folder: String) -> pid_t? {
    for _ in 0..<3_000 {
      for process in processes() where text("\(process)/cmdline").split(separator: "\0").last == "worker" {
        let place = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")) ?? ""
        // It has its threads once it knows what to do when it is ended.
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").count) ?? 0
        if place.hasSuffix(folder), threads >= 4 { return process }
      }
      usleep(2_000)
    }
    return nil
  }

  private static func processes() -> [pid_t] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { pid_t($0) }
  }

  private static func text(_ path: String) -> String {
    FileManager.default.contents(atPath: "/proc/\(path)").map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
