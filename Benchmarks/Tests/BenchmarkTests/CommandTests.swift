import Foundation
import Testing

/// The program as a person meets it.
@Suite struct CommandTests {
  struct Outcome {
    var code: Int32
    var output, errors: String
  }

  static func run(_ arguments: [String], program: String = Program.path) throws -> Outcome {
    let process = Process()
    let (output, errors) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return Outcome(code: process.terminationStatus, output: text, errors: complaint)
  }

  @Test(arguments: [
    (["run", "--only", "ehco-1"], "Did you mean echo-1?"), (["run", "--only", "zzzzzzzzzzzz"], "bench list"),
    (["run", "--rounds", "0"], "--rounds"), (["run", "--time", "0"], "--time"), (["run", "--time", "nan"], "--time"),
    (["serve", "echo", "nobody"], "nobody"), (["serve", "echo", "c", "--depth", "0"], "depth"),
    (["serve", "echo", "nio", "--without", "polling"], "SwiftNIO"),
    (["load", "echo", "--port", "1", "--connections", "0"], "connections"), (["fly"], "fly"),
  ])
  func wrongUsageIsExplained(arguments: [String], words: String) throws {
    let outcome = try Self.run(arguments)
    #expect(outcome.code == 64)
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
  }

  @Test func aFolderThatCannotBeWrittenIsNoticedAtOnce() throws {
    let outcome = try Self.run(["run", "--only", "echo-1", "--output", "/proc/nowhere"])
    #expect(outcome.code == 70)
    #expect(outcome.errors.contains("/proc/nowhere") && outcome.errors.contains("--output"))
  }

  @Test func noServerAtThePortIsTold() throws {
    let outcome = try Self.run(["load", "echo", "--port", "1", "--time", "0.1"])
    #expect(outcome.code == 70)
    #expect(outcome.errors.contains("port 1: connecting"))
  }

  @Test func listsEverything() throws {
    let outcome = try Self.run(["list"])
    #expect(outcome.code == 0)
    for id in ["echo-1", "simulated", "line-length", "idle"] { #expect(outcome.output.contains("\(id)  ")) }
  }

  @Test func writesItsReports() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let outcome = try Self.run(["run", "--quick", "--only", "search-2", "--output", folder.path])
    #expect(outcome.code == 0 || outcome.code == 1)
    #expect(outcome.output.contains("search-2"))
    for name in ["benchmarks.json", "benchmarks.md", "index.html"] {
      let size = try FileManager.default.attributesOfItem(atPath: folder.appendingPathComponent(name).path)[.size]
      #expect((size as? Int ?? 0) > 100, "\(name)")
    }
  }

  @Test func tooFewFilesAreSaidAndFewerConnectionsMeasured() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let command = "ulimit -n 400; exec \(Program.path) run --quick --only connections --output \(folder)"
    let outcome = try Self.run(["-c", command], program: "/bin/bash")
    #expect(outcome.code == 0 || outcome.code == 1, "\(outcome.errors)")
    #expect(outcome.output.contains("300 connections were measured instead of 1000"))
  }

  /// However the harness ends, its servers end.
  @Test(arguments: [SIGINT, SIGTERM, SIGKILL])
  func leavesNoServersBehind(signal: Int32) throws {
    let process = Process()
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    process.executableURL = URL(fileURLWithPath: Program.path)
    process.arguments = ["run", "--only", "echo-1", "--time", "60", "--output", folder.path]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    let server = try #require(Self.wait { Self.servers(of: process.processIdentifier).first })
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    #expect(Self.wait { Self.isAlive(server) ? nil : true } == true)
  }

  private static func servers(of pid: Int32) -> [Int32] {
    let text = try? String(contentsOfFile: "/proc/\(pid)/task/\(pid)/children", encoding: .utf8)
    return (text ?? "").split(whereSeparator: \.isWhitespace).compactMap { Int32($0) }.filter { child in
      let command = try? String(contentsOfFile: "/proc/\(child)/cmdline", encoding: .utf8)
      return command?.contains("serve") == true
    }
  }

  /// A zombie is dead; whoever adopted it buries it.
  private static func isAlive(_ pid: Int32) -> Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8) else { return false }
    return !status.contains("State:\tZ") && !status.contains("State:\tX")
  }

  /// Asks until there is an answer, for at most ten seconds.
  private static func wait<Value>(for answer: () -> Value?) -> Value? {
    let end = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < end {
      if let value = answer() { return value }
      var pause = timespec(tv_sec: 0, tv_nsec: 5_000_000)
      nanosleep(&pause, nil)
    }
    return nil
  }
}
