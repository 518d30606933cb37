import ArgumentParser
import CampaignRunner
import Foundation
import FuzzHarness
import HostTools
import ScenarioModel
import ScenarioYAML
import TerminalText

/// Searches the library for inputs that break its promises.
struct FuzzCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fuzz", abstract: "Searches for inputs that break a promise, and keeps what it finds.",
    discussion: """
      Every target is a program below Fuzz/ that takes any bytes and holds the code under test to a promise; \
      `socketlab fuzz list` shows them. A campaign writes its report to reports/fuzz/NAME.

      Exit codes: 0 nothing found and all gates passed, 1 a finding, a gate that failed or an interruption, 2 wrong \
      usage, 3 a file that can't be understood, 4 a target could not be built or run, 5 nothing ran.
      """,
    subcommands: [
      FuzzListCommand.self, FuzzBuildCommand.self, FuzzRunCommand.self, FuzzReplayCommand.self,
      FuzzTriageCommand.self, FuzzMinimiseCommand.self, FuzzPromoteCommand.self, FuzzPruneCommand.self,
      FuzzCoverageCommand.self, FuzzCompareCommand.self, FuzzMergeCommand.self, FuzzDecodeCommand.self,
      FuzzEncodeCommand.self, ZooCommand.self,
    ])
}

extension FuzzTarget.Lane: ExpressibleByArgument {}

/// What all commands about fuzz targets have in common.
struct FuzzOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A folder with binaries that were built elsewhere; nothing is built then.", valueName: "folder"))
  var binaries: String?

  @Option(help: "The folder for working corpora, logs and artifacts.")
  var scratch = ".build/fuzz-out"

  @Option(help: "The folder with the committed corpora, seeds, dictionaries and regressions.")
  var fuzz = "Fuzz"

  var layout: FuzzLayout {
    var layout = FuzzLayout()
    layout.binaries = binaries
    layout.scratch = scratch
    layout.fuzz = fuzz
    return layout
  }

  static func requireCampaignName(_ name: String) throws {
    guard !FuzzCampaigns.isName(name) else { return }
    throw ValidationError("\(name) can't be a campaign's name: letters, digits, dots and dashes, and not `latest`.")
  }

  /// The target of that name; another name is wrong usage.
  static func target(_ name: String) throws -> FuzzTarget {
    let short = name.hasPrefix("fuzz_") ? String(name.dropFirst("fuzz_".count)) : name
    if let target = FuzzTarget.named(short) { return target }
    let names = FuzzTarget.all.map(\.name)
    let suggestion = DidYouMean.suggestion(for: short, among: names).map { " Did you mean \($0)?" } ?? ""
    throw ValidationError("There is no fuzz target \(name).\(suggestion) `socketlab fuzz list` shows all.")
  }

  /// The targets of those names, in order, each once; none named: all that have the lane.
  static func targets(_ names: [String], _ lane: FuzzTarget.Lane?) throws -> [FuzzTarget] {
    guard !names.isEmpty else {
      return FuzzTarget.all.filter { target in lane.map { target.lanes.contains($0) } ?? true }
    }
    var targets: [FuzzTarget] = []
    for target in try names.map(target) where !targets.contains(target) {
      if let lane, !target.lanes.contains(lane) {
        let lanes = target.lanes.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("The target \(target.name) has no lane \(lane.rawValue); it has \(lanes).")
      }
      targets.append(target)
    }
    return targets
  }
}

extension FuzzSession {
  /// Runs the body of a command; what the lab itself can't do is said, and has its exit code.
  func orExit(_ body: () throws -> Void) throws {
    do { try body() } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.subjectNotDriven.error
    }
  }
}

/// What verbs are told that look at targets one after another, each with all its inputs.
struct ExaminedTargets: ParsableArguments {
  @OptionGroup var options: FuzzOptions

  @Argument(help: "Targets; none: all that have the lane.")
  var targets: [String] = []

  @Option(help: "cov (coverage only, the quickest), asan (AddressSanitizer) or tsan (ThreadSanitizer).")
  var lane = FuzzTarget.Lane.cov

  /// Builds each target and hands it over.
  func each(_ body: (FuzzTarget, FuzzExaminer) throws -> Void) throws {
    let targets = try FuzzOptions.targets(self.targets, lane)
    let session = try FuzzSession(layout: options.layout)
    defer { session.end() }
    let examiner = FuzzExaminer(layout: options.layout, deathPipe: session.deathPipe)
    try session.orExit {
      try session.whileStoppable({ examiner.stop() }) {
        for target in targets where !session.isInterrupted {
          try session.prepare(target, lane)
          try body(target, examiner)
        }
      }
    }
  }
}

/// Shows the fuzz targets.
struct FuzzListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "Shows the fuzz targets.")

  @Flag(help: "Names only.")
  var names = false

  func run() {
    for target in FuzzTarget.all {
      guard !names else {
        Console.print(target.name)
        continue
      }
      let name = target.name.padding(toLength: 12, withPad: " ", startingAt: 0)
      Console.print("\(Console.styled(name, .strong))\(target.promise)")
      let lanes = target.lanes.map { lane in
        lane.rawValue + (target.goals[lane].map { " (goal \(QuantityText.count($0))/s)" } ?? "")
      }
      let scenarios = target.tellsScenarios ? "; findings are told as scenarios" : ""
      let facts =
        "up to \(QuantityText.count(target.maxLength)) bytes; lanes \(lanes.joined(separator: ", "))\(scenarios)"
      Console.print(String(repeating: " ", count: 12) + Console.styled(facts, .quiet))
    }
  }
}

/// Builds fuzz targets.
struct FuzzBuildCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "build", abstract: "Builds fuzz targets, and proves that they see the library.",
    discussion: "A program whose modules carry no coverage counters would search blindly and say nothing.")

  @OptionGroup var options: FuzzOptions

  @Argument(help: "Targets; none: all that have the lane.")
  var targets: [String] = []

  @Option(help: "cov (coverage only, the quickest), asan (AddressSanitizer) or tsan (ThreadSanitizer).")
  var lane = FuzzTarget.Lane.asan

  @Flag(help: "Prints the counters of every module.")
  var modules = false

  func run() throws {
    let targets = try FuzzOptions.targets(self.targets, lane)
    let session = try FuzzSession(layout: options.layout)
    defer { session.end() }
    session.buildTogether(targets, lane)
    var isSound = true
    for target in targets where !session.isInterrupted {
      do {
        let proof = try session.build(target, lane)
        let own = proof.modules.filter(\.isOwn)
        if modules {
          for module in own {
            let name = module.name.padding(toLength: 20, withPad: " ", startingAt: 0)
            Console.print(
              "  \(name) \(QuantityText.count(module.counters, "counter"))"
                + (lane == .cov ? "" : ", \(QuantityText.count(module.sanitizerCalls, "sanitizer function"))"))
          }
        }
        guard proof.faults.isEmpty else {
          isSound = false
          for fault in proof.faults { Console.error("\(target.product): \(fault).") }
          continue
        }
        let counters = own.map(\.counters).reduce(0, +)
        Console.print(
          "\(Console.styled("✓", .good)) \(options.layout.binary(target, lane))  "
            + "\(QuantityText.count(counters)) counters in \(QuantityText.count(own.count, "module"))")
      } catch let failure as LabFailure {
        isSound = false
        Console.error(failure.message)
      }
    }
    if !isSound || session.isInterrupted { throw LabExit.subjectNotDriven.error }
  }
}
