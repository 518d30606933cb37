import ArgumentParser
import CampaignRunner
import Foundation
import FuzzCampaign
import FuzzHarness
import HostTools
import ScenarioModel
import TerminalText

/// Runs inputs through a target.
struct FuzzReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Runs inputs through a target and says what each shows.",
    discussion: "A folder stands for the files below it. Exit code 1 if an input shows something.")

  @OptionGroup var options: FuzzOptions

  @Argument(help: "The target.")
  var target: String

  @Argument(help: "Inputs: files, and folders of them.")
  var files: [String]

  @Option(help: "cov (coverage only, the quickest), asan (AddressSanitizer) or tsan (ThreadSanitizer).")
  var lane = FuzzTarget.Lane.asan

  @Option(help: "How often each input is run.")
  var times = 1

  @Flag(help: "Prints the whole output of the first run that shows something.")
  var log = false

  func validate() throws {
    guard (1...100_000).contains(times) else { throw ValidationError("--times must be between 1 and 100000.") }
  }

  func run() throws {
    let target = try FuzzOptions.targets([self.target], lane)[0]
    let session = try FuzzSession(layout: options.layout)
    defer { session.end() }
    let examiner = FuzzExaminer(layout: options.layout, deathPipe: session.deathPipe)
    var isClean = true
    var isWhole = true
    try session.orExit {
      let inputs = try files.flatMap { try HostFiles.inputs(at: $0) }
      guard !inputs.isEmpty else { throw LabFailure("There is no input in \(files.joined(separator: ", ")).") }
      try session.prepare(target, lane)
      try session.whileStoppable({ examiner.stop() }) {
        if times == 1, inputs.count > 1 {
          let shown = try examiner.sweep(inputs, target, lane)
          for (input, replay) in shown { tell(input, replay, replay.crash == nil ? 0 : 1, target, examiner) }
          Console.print(
            "\(QuantityText.count(inputs.count, "input")), \(QuantityText.count(shown.count)) show something")
          isClean = shown.allSatisfy { $0.replay.crash == nil }
          isWhole = shown.allSatisfy { $0.replay.problem == nil }
          return
        }
        for input in inputs where !session.isInterrupted {
          let (replay, often) = try replay(input, target, examiner)
          tell(input, replay, often, target, examiner)
          if often > 0 { isClean = false }
          if replay.problem != nil { isWhole = false }
        }
      }
    }
    if !isClean { throw LabExit.deviation.error }
    if !isWhole || session.isInterrupted { throw LabExit.subjectNotDriven.error }
  }

  /// The first run that shows something, or the last one, and how many did.
  private func replay(
    _ input: String, _ target: FuzzTarget, _ examiner: FuzzExaminer
  ) throws -> (replay: FuzzExaminer.Replay, often: Int) {
    var first = try examiner.replay([input], target, lane)
    var often = first.crash == nil ? 0 : 1
    for _ in 1..<max(times, 1) where first.problem == nil && !examiner.isStopRequested {
      let replay = try examiner.replay([input], target, lane)
      if replay.crash != nil { often += 1 }
      if first.crash == nil { first = replay }
    }
    return (first, often)
  }

  private func tell(
    _ input: String, _ replay: FuzzExaminer.Replay, _ often: Int, _ target: FuzzTarget, _ examiner: FuzzExaminer
  ) {
    if let problem = replay.problem {
      return Console.error("\(Console.styled("!", .caution)) \(input): \(problem)")
    }
    guard let crash = replay.crash else {
      let often = times > 1 ? " in \(QuantityText.count(times, "run"))" : ""
      return Console.print("\(Console.styled("✓", .good)) \(input)  nothing found\(often)")
    }
    Console.print("\(Console.styled("✗", .bad)) \(input)\(times > 1 ? "  \(often) of \(times)" : "")")
    for line in FuzzText.crash(crash, examiner.key(target, crash), stack: examiner.stack(crash)) { Console.print(line) }
    if log { for line in replay.excerpt.lines { Console.print(line) } }
  }
}

/// Makes an input smaller.
struct FuzzMinimiseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "minimise", abstract: "Looks for a smaller input that shows the same finding.",
    discussion: "The result is run again: what shows another finding is not taken.", aliases: ["minimize"])

  @OptionGroup var options: FuzzOptions

  @Argument(help: "The target.")
  var target: String

  @Argument(help: "The input.")
  var file: String

  @Option(help: "cov (coverage only, the quickest), asan (AddressSanitizer) or tsan (ThreadSanitizer).")
  var lane = FuzzTarget.Lane.asan

  @Option(help: "Seconds to spend.")
  var time = 30

  @Option(help: "Where the smaller input goes; beside the input, with .min at its end, if not given.")
  var output: String?

  func validate() throws {
    guard (1...100_000).contains(time) else { throw ValidationError("--time must be at least 1 second.") }
  }

  func run() throws {
    let target = try FuzzOptions.targets([self.target], lane)[0]
    let session = try FuzzSession(layout: options.layout)
    defer { session.end() }
    let examiner = FuzzExaminer(layout: options.layout, deathPipe: session.deathPipe)
    try session.orExit {
      let input = try HostFiles.input(at: file)
      try session.prepare(target, lane)
      try session.whileStoppable({ examiner.stop() }) {
        let replay = try examiner.replay([input], target, lane)
        guard let crash = replay.crash else {
          throw LabFailure("\(file) shows nothing\(replay.problem.map { ": \($0)" } ?? ""), so nothing can be kept.")
        }
        let key = examiner.key(target, crash)
        guard let smaller = try examiner.minimise(input, target, lane, seconds: time, key: key) else {
          Console.print("Nothing smaller shows \(key.text) (\(QuantityText.count(HostFiles.size(input), "byte"))).")
          return
        }
        let place = output ?? "\(file).min"
        try HostFiles.write(smaller, to: place)
        let (size, former) = (QuantityText.count(smaller.count, "byte"), QuantityText.count(HostFiles.size(input)))
        Console.print("\(place): \(size) instead of \(former)")
        Console.print("  \(key.text)")
      }
    }
  }
}

/// Says which code a target's inputs reach.
struct FuzzCoverageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coverage", abstract: "Says which code all inputs of a target reach, by file, and what they never do.")

  @OptionGroup var examined: ExaminedTargets

  @Flag(help: "Lists the functions that were never entered.")
  var functions = false

  @Option(help: "Only files whose path contains this.")
  var file: String?

  func run() throws {
    try examined.each { target, examiner in
      guard let table = try examiner.coverage(target, examined.lane) else {
        throw LabFailure("\(target.name) tells no coverage: its log has none.")
      }
      for line in FuzzText.coverage(target, table, only: file, functions: functions) { Console.print(line) }
    }
  }
}
