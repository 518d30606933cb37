import Foundation
import Testing

/// How the lab behaves at the limits of what it is given: descriptors, files, time.
@Suite struct LabLimitTests {
  @Test func withFewDescriptorsFewerCasesRunAtATime() throws {
    let suite = try ScratchSuite([
      "read/line.yaml": ScratchSuite.passing, "read/again.yaml": ScratchSuite.passing,
      "read/once-more.yaml": ScratchSuite.passing,
    ])
    // The soft limit is ours to raise.
    let raised = try suite.shell("ulimit -S -n 64; \"$LAB\" run --world loopback --jobs 3")
    #expect(raised.status == 0 && raised.error.isEmpty, "\(raised.error)")
    let reduced = try suite.shell("ulimit -n 64; \"$LAB\" run --world loopback --jobs 3")
    #expect(reduced.status == 0, "\(reduced.output)")
    #expect(reduced.error.contains("Note: 1 loopback case at a time instead of 3: only 64 descriptors may be open"))
    let refused = try suite.shell("ulimit -n 40; \"$LAB\" run --world loopback")
    #expect(refused.status == 4, "\(refused.output)")
    #expect(refused.error.contains("Nothing ran: only 40 descriptors may be open; raise the limit with ulimit -n"))
    #expect(!refused.output.contains("error"))
    #expect(try suite.shell("ulimit -n 40; \"$LAB\" run --world simulated").status == 0)
    // Of both worlds one is left; what could not run is said once.
    let half = try suite.shell("ulimit -n 40; \"$LAB\" run")
    #expect(half.status == 0, "\(half.output)")
    #expect(half.output.contains("3 cases skipped: only 40 descriptors may be open"), "\(half.output)")
  }

  /// Ctrl-C after a thousand cases of four, nearly all of which hang on one that may not have run: none is an error.
  @Test func anInterruptionMakesNoErrors() throws {
    let suite = try Self.suite(of: 4_000) { $0 < 10 || $0 == 3_999 ? "" : "control: area-39/line-3999\n" }
    let process = Process()
    process.executableURL = SocketLabProgram.url
    process.arguments = ["run", "--world", "simulated"]
    process.currentDirectoryURL = suite.folder
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    // The first line of progress.
    var text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    process.interrupt()
    text += String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 1, "\(text)")
    #expect(!text.contains("error"), "\(text)")
    #expect(text.contains("interrupted"), "\(text)")
  }

  /// `timeout` signals the program, and then its group with the program in it: that is one wish.
  @Test func aTimeLimitFromOutsideLosesNoReport() throws {
    let suite = try Self.suite(of: 1)
    let run = try suite.shell("timeout 2 \"$LAB\" run --world simulated --repeat 100000 --quiet")
    #expect(run.status == 124, "\(run.output)")
    #expect(run.output.contains("interrupted"), "\(run.output)")
    #expect(run.output.contains("Reports: "), "\(run.output)")
  }

  /// A terminal that is closed, or a connection that is lost. The signal must not be one that a test's thread blocks.
  @Test func aTerminalThatGoesAwayLosesNoReport() throws {
    let suite = try Self.suite(of: 1)
    let run = #""$LAB" run --world simulated --repeat 1000000 --quiet & sleep 2; kill -HUP $!; "#
    let ended = try suite.shell("env --default-signal=HUP \(run) wait $!")
    #expect(ended.status == 1, "\(ended.output)")
    #expect(ended.output.contains("interrupted") && ended.output.contains("Reports: "), "\(ended.output)")
    // As by nohup.
    let kept = try suite.shell("trap '' HUP; \(run) sleep 1; kill -0 $! && echo goes on; kill -TERM $!; wait $!")
    #expect(kept.status == 1 && kept.output.contains("goes on"), "\(kept.output)")
    #expect(kept.output.contains("Reports: "), "\(kept.output)")
  }

  /// What was printed is not all that there is, and who looks at the exit code alone is told.
  @Test func whatStandardOutputDoesNotTakeIsNoSuccess() throws {
    let suite = try Self.suite(of: 1)
    let complaint = "Standard output can't be written: No space left on device. What was to stand there is lost.\n"
    for (command, code) in [
      ("list", 4), ("--version", 4), ("run --help", 4), ("run --world simulated", 4), ("list --bogus", 2),
      ("run --min-cases 9 --world simulated", 5),
    ] {
      let result = try suite.shell("\"$LAB\" \(command) >/dev/full")
      #expect(Int(result.status) == code, "\(command): \(result.error)")
      #expect(result.error.ranges(of: complaint).count == (code == 2 ? 0 : 1), "\(command): \(result.error)")
    }
    let long = try suite.shell("ulimit -f 1; env --default-signal=XFSZ \"$LAB\" run --help >help")
    #expect(long.status == 4 && long.error.contains("can't be written: File too large."), "\(long.error)")
    // A reader that leaves has what it wanted.
    #expect(try suite.shell("trap '' PIPE; \"$LAB\" list > >(:); sleep 0").error.isEmpty)
  }

  /// A table that goes where the text goes, with a name of its own.
  @Test func whatIsWrittenToStandardOutputByNameStandsThere() throws {
    let suite = try Self.suite(of: 1)
    #expect(try suite.run(["run", "--world", "simulated"]).status == 0)
    let command = #"ln -s /proc/self/fd/1 out; "$LAB" trend --json out >all; [ -L out ] && tail -n 1 all"#
    let result = try suite.shell(command)
    #expect(result.status == 0 && result.output == "}\n", "\(result.output) \(result.error)")
    let all = try String(contentsOf: suite.folder.appendingPathComponent("all"), encoding: .utf8)
    let lines = all.split(separator: "\n")
    #expect(lines.contains("{") && lines.first != "{", "\(all)")
    let piped = try suite.shell(#""$LAB" trend --json out | tail -n 1; [ -L out ]"#)
    #expect(piped.status == 0 && piped.output == "}\n", "\(piped.output) \(piped.error)")
  }

  // MARK: - Growth

  /// So many small files, a hundred in a folder.
  private static func suite(of count: Int, _ addition: (Int) -> String = { _ in "" }) throws -> ScratchSuite {
    try ScratchSuite(
      Dictionary(
        uniqueKeysWithValues: (0..<count).map {
          ("area-\($0 / 100)/line-\($0).yaml", ScratchSuite.passing + addition($0))
        }))
  }

  private static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let duration = try ContinuousClock().measure(body)
    return Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
  }

  /// Every file names a control of its own that does not exist: a guess for each compares it with all others.
  @Test func guessesAreFew() throws {
    let suite = try Self.suite(of: 2_000) { "control: area-\($0 / 100)/lime-\($0)\n" }
    let check = try Self.seconds {
      let result = try suite.run(["check"])
      #expect(result.status == 3)
      #expect(result.error.contains("Did you mean area-0/line-0?"))
      #expect(result.error.contains("The control area-19/lime-1999 is no scenario"))
    }
    let plain = try Self.suite(of: 2_000)
    let reading = try Self.seconds {
      let status = try plain.run(["check"]).status
      #expect(status == 0)
    }
    #expect(check < reading * 4 + 1, "\(check) s, \(reading) s without guesses")
  }
}
