import Foundation
import ScenarioModel
import TestSupport
import Testing

@testable import HostTools

/// Processes and whatever they start: nothing is left behind, nothing blocks, nothing is lost in silence.
@Suite struct ChildGroupTests {
  private func run(
    _ script: String, limit: Duration? = .seconds(60), log: String? = nil, logLimit: Int = 1 << 20,
    onLine: (ChildLine) -> Void = { _ in }
  ) throws -> ChildResult {
    let plan = ChildPlan(
      executable: "/bin/sh", arguments: ["-c", script], limit: limit, grace: .milliseconds(500), log: log,
      logLimit: logLimit)
    return try ChildGroup(plan, deathPipe: try ParentDeathPipe()).run(onLine)
  }

  @Test func linesOfBothOutputsComeInTheirOrderWithTimesThatNeverFall() throws {
    var lines: [ChildLine] = []
    let result = try run("echo one; echo two >&2; echo three; printf four; exit 3") { lines.append($0) }
    #expect(lines.map(\.text) == ["one", "two", "three", "four"])
    #expect(zip(lines, lines.dropFirst()).allSatisfy { $0.time <= $1.time })
    #expect(result.end == .exited(3))
    #expect(!result.isOverdue && !result.isStopped)
    #expect(result.peakMemory > 0)
  }

  @Test func aSignalIsTold() throws {
    let result = try run("kill -9 $$")
    #expect(result.end == .signalled(SIGKILL))
    #expect(result.end.code == 137)
  }

  @Test func whatTheLeaderLeavesBehindIsEnded() throws {
    var child: pid_t = 0
    let result = try run("sleep 600 & echo $!; exit 0") { child = pid_t($0.text) ?? 0 }
    #expect(result.end == .exited(0))
    #expect(child > 0)
    #expect(Processes.isGone(child), "\(child) still runs")
  }

  @Test func theLimitEndsTheWholeGroup() throws {
    var child: pid_t = 0
    let result = try run("trap '' INT TERM; sleep 600 & echo $!; while :; do sleep 600; done", limit: .seconds(1)) {
      child = pid_t($0.text) ?? 0
    }
    #expect(result.isOverdue)
    #expect(result.end == .signalled(SIGKILL))
    #expect(result.wall < .seconds(30))
    #expect(Processes.isGone(child))
  }

  @Test func whoIsAskedToEndMaySayHisLastWord() throws {
    var lines: [String] = []
    let script = "trap 'echo last; exit 0' INT; echo ready; while :; do sleep 0.05; done"
    let plan = ChildPlan(executable: "/bin/sh", arguments: ["-c", script])
    let child = ChildGroup(plan, deathPipe: try ParentDeathPipe())
    let result = try child.run { line in
      lines.append(line.text)
      child.stop()
    }
    #expect(lines == ["ready", "last"])
    #expect(result.isStopped)
    #expect(result.end == .exited(0))
  }

  @Test func whoDoesNotEndWhenAskedIsEnded() throws {
    let plan = ChildPlan(
      executable: "/bin/sh", arguments: ["-c", "trap '' INT; echo ready; while :; do sleep 0.05; done"],
      grace: .milliseconds(300))
    let child = ChildGroup(plan, deathPipe: try ParentDeathPipe())
    let result = try child.run { _ in child.stop() }
    #expect(result.isStopped)
    #expect(result.end == .signalled(SIGKILL))
  }

  @Test func aStopWaitsForWhoIsAboutToEndAnyway() throws {
    let script = "trap 'exit 9' INT; echo crash; sleep 0.5; echo kept; exit 77"
    let child = ChildGroup(
      ChildPlan(executable: "/bin/sh", arguments: ["-c", script]), deathPipe: try ParentDeathPipe())
    var lines: [String] = []
    let result = try child.run(isFinishing: { lines.contains("crash") }) { line in
      lines.append(line.text)
      child.stop()
    }
    #expect(lines == ["crash", "kept"])
    #expect(result.end == .exited(77))
    #expect(!result.isStopped)
  }

  @Test func aStopBeforeTheStartIsKept() throws {
    let child = ChildGroup(ChildPlan(executable: "/bin/sleep", arguments: ["600"]), deathPipe: try ParentDeathPipe())
    child.stop()
    #expect(try child.run().isStopped)
  }

  @Test func oneFlagEndsAllThatShareIt() throws {
    let (stop, deathPipe) = (StopFlag(), try ParentDeathPipe())
    let sleep = ChildPlan(executable: "/bin/sh", arguments: ["-c", "echo ready; exec sleep 600"])
    let first = ChildGroup(sleep, deathPipe: deathPipe, stop: stop)
    #expect(try first.run { _ in stop.set() }.isStopped)
    #expect(try ChildGroup(sleep, deathPipe: deathPipe, stop: stop).run().isStopped)
    let quick = ChildPlan(executable: "/bin/sh", arguments: ["-c", "exit 0"])
    #expect(try !ChildGroup(quick, deathPipe: deathPipe).run().isStopped)
  }

  @Test func endlessOutputFillsNeitherMemoryNorDisk() throws {
    let log = try Scratch()
    var lines = 0
    let result = try run("yes", limit: .seconds(1), log: log.path("log"), logLimit: 10_000) { _ in lines += 1 }
    #expect(lines > 10_000)
    #expect(result.isOverdue)
    #expect(result.logProblem?.contains("cut at 10,000 bytes") == true, "\(result.logProblem ?? "")")
    #expect(try Data(contentsOf: URL(fileURLWithPath: log.path("log"))).count <= 10_000)
  }

  @Test func aLineWithoutEndIsCut() throws {
    var longest = 0
    _ = try run("head -c 1000000 /dev/zero | tr '\\0' x") { longest = max(longest, $0.text.utf8.count) }
    #expect(longest == 1 << 16)
  }

  @Test func theStatusOfAChildThatSomethingElseHasCollectedIsUnknownAndNoSuccess() throws {
    let (child, output) = try Spawning.start(ChildPlan(executable: "/bin/false"), leaving: [:])
    defer { close(output) }
    var status: Int32 = 0
    #expect(waitpid(child, &status, 0) == child)
    var result = ChildResult()
    Spawning.collect(child, into: &result)
    #expect(result.end == .unknown)
    #expect(result.end.code == 255)
  }

  @Test func bytesThatAreNoTextAreNoTrouble() throws {
    var lines: [String] = []
    _ = try run("printf '\\377\\376\\n'; echo after") { lines.append($0.text) }
    #expect(lines.last == "after")
  }

  @Test func aFullDiskIsToldAndTheRunGoesOn() throws {
    var lines: [String] = []
    let result = try run("echo one; echo two", log: "/dev/full") { lines.append($0.text) }
    #expect(lines == ["one", "two"])
    #expect(result.logProblem?.contains("No space left on device") == true, "\(result.logProblem ?? "")")
    #expect(result.end == .exited(0))
  }

  @Test func aLogThatCanNotBeOpenedIsTold() throws {
    let result = try run("echo one", log: "/nonexistent/log")
    #expect(result.logProblem?.contains("No such file or directory") == true)
  }

  @Test func logLinesAreStamped() throws {
    let scratch = try Scratch()
    _ = try run("echo one", log: scratch.path("log"))
    let text = try String(contentsOfFile: scratch.path("log"), encoding: .utf8)
    #expect(text.wholeMatch(of: /[0-9]+\.[0-9]{3} one\n/) != nil, "\(text)")
  }

  @Test func aProgramThatIsNotThereIsAnError() throws {
    let child = ChildGroup(ChildPlan(executable: "/nonexistent/fuzz_scanner"), deathPipe: try ParentDeathPipe())
    #expect(throws: LabFailure.self) { try child.run() }
  }

  @Test func aChildHasTheReadingEndAndNoMore() throws {
    let deathPipe = try ParentDeathPipe()
    var facts = stat()
    #expect(fstat(deathPipe.reading, &facts) == 0)
    var lines: [String] = []
    let plan = ChildPlan(executable: "/bin/sh", arguments: ["-c", "ls -l /proc/self/fd"])
    _ = try ChildGroup(plan, deathPipe: deathPipe).run { lines.append($0.text) }
    let ends = lines.filter { $0.hasSuffix("pipe:[\(facts.st_ino)]") }
    #expect(ends.count == 1, "\(lines)")
    #expect(ends.first?.contains(" \(ParentDeathPipe.descriptor) -> ") == true)
  }

  @Test func aProgramThatDoesNotWatchThePipeEndsWithItsParent() throws {
    let deathPipe = try ParentDeathPipe()
    let scratch = try Scratch()
    // The group is not ended by its parent here: only the pipe can do it.
    let script = "echo $$ >\(scratch.path("pid")); exec sleep 600"
    let plan = ChildPlan(executable: "/bin/sh", arguments: ["-c", script]).watchedByShell
    let group = ChildGroup(plan, deathPipe: deathPipe)
    let ended = DispatchSemaphore(value: 0)
    let thread = Thread {
      _ = try? group.run()
      ended.signal()
    }
    thread.start()
    #expect(Processes.eventually { (try? Data(contentsOf: URL(fileURLWithPath: scratch.path("pid"))))?.last == 10 })
    deathPipe.closeWritingEnd()
    #expect(ended.wait(timeout: .now() + 30) == .success)
    let child = try pid_t(String(contentsOfFile: scratch.path("pid"), encoding: .utf8).dropLast()) ?? 0
    #expect(child > 0 && Processes.isGone(child))
  }

  @Test func aProgramThatDoesNotWatchThePipeKeepsItsOutputAndCode() throws {
    var lines: [String] = []
    let plan = ChildPlan(executable: "/bin/sh", arguments: ["-c", "echo out; ls /proc/self/fd/3; exit 7"])
      .watchedByShell
    let result = try ChildGroup(plan, deathPipe: try ParentDeathPipe()).run { lines.append($0.text) }
    #expect(lines.first == "out")
    #expect(result.end == .exited(7))
  }

  @Test func manyAtATimeKeepTheirOutputsApart() async throws {
    let deathPipe = try ParentDeathPipe()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<16 {
        group.addTask {
          var lines: [String] = []
          let plan = ChildPlan(
            executable: "/bin/sh", arguments: ["-c", "for i in 1 2 3; do echo \(number).$i; done; exit \(number)"])
          let result = try ChildGroup(plan, deathPipe: deathPipe).run { lines.append($0.text) }
          #expect(lines == (1...3).map { "\(number).\($0)" })
          #expect(result.end == .exited(Int32(number)))
        }
      }
      try await group.waitForAll()
    }
  }
}
