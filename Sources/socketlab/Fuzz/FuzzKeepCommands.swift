import ArgumentParser
import CampaignRunner
import Foundation
import FuzzCampaign
import FuzzHarness
import HostTools
import ScenarioModel
import TerminalText

/// Keeps a finding in the repository.
struct FuzzPromoteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "promote", abstract: "Keeps a finding in the repository, where the tests run it from then on.",
    discussion: """
      The input goes to Fuzz/regressions/TARGET/NAME, with an entry in Fuzz/regressions/known.json: open while it \
      shows something, fixed when it does not any more. Run it again after the defect is mended, and the entry follows.
      """)

  @OptionGroup var options: FuzzOptions

  @Argument(help: "The target.")
  var target: String

  @Argument(help: "The input: a file, or a finding's folder in a campaign, whose smallest input is taken.")
  var file: String

  @Option(help: "What it is called from now on; from what it shows if not given.")
  var name: String?

  @Option(help: "What is wrong, in a line.")
  var note = ""

  @Option(
    help: """
      cov (coverage only, the quickest), asan (AddressSanitizer) or tsan (ThreadSanitizer); the one in which the input \
      is known to show something, or asan, if not given.
      """)
  var lane: FuzzTarget.Lane?

  @Option(help: "The folder with the scenario files.")
  var scenarios = "Scenarios"

  func validate() throws {
    if let name, name.wholeMatch(of: /[a-z0-9][a-z0-9.-]{0,80}/) == nil {
      throw ValidationError("\(name) can't be a name: small letters, digits, dots and dashes.")
    }
  }

  func run() throws {
    let target = try FuzzOptions.targets([self.target], lane ?? .asan)[0]
    var layout = options.layout
    layout.scenarios = scenarios
    let session = try FuzzSession(layout: layout)
    defer { session.end() }
    let examiner = FuzzExaminer(layout: layout, deathPipe: session.deathPipe)
    try session.orExit {
      let input = try HostFiles.input(at: file)
      let lane = try self.lane ?? Promotion.lane(of: input, name: name, target, layout: layout) ?? .asan
      try session.prepare(target, lane)
      // That it passes once says nothing of what shows now and then.
      let replay = try session.whileStoppable({ examiner.stop() }) {
        try examiner.replayUntilShown(input, target, lane).replay
      }
      guard !session.isInterrupted else { throw LabFailure("Interrupted; nothing was changed.") }
      if let problem = replay.problem { throw LabFailure("\(input) could not be run: \(problem).") }
      let promotion = Promotion(
        target: target, layout: layout, key: replay.crash.map { examiner.key(target, $0) }, lane: lane,
        violation: replay.crash.flatMap { $0.kind == .violation ? Violation($0.subject, $0.detail) : nil })
      let kept = try promotion.keep(input, name: name, note: note)
      Console.print("\(kept.place)  \(kept.entry.status.rawValue): \(kept.entry.key)")
      switch try promotion.tellScenario(of: kept) {
      case .none: break
      case .impossible(let why): Console.print("No scenario: \(why).")
      case .existing(let place): Console.print("\(place) is there already")
      case .made(let place, let id): Console.print("\(place)  try it: ./lab run \(id) --world simulated")
      }
    }
  }
}

/// Makes the committed corpus small.
struct FuzzPruneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune", abstract: "Puts the fewest inputs that reach everything into the committed corpus.",
    discussion: """
      What the committed and the working corpus reach beyond the seeds and the regressions goes to Fuzz/corpus/TARGET. \
      Seeds and regressions are read and never changed.
      """)

  @OptionGroup var examined: ExaminedTargets

  func run() throws {
    try examined.each { target, examiner in
      _ = try WorkingCorpus.prepare(target, layout: examiner.layout)
      let before = CorpusFacts.of([examiner.layout.corpus(target)])
      let after = try examiner.prune(target, examined.lane)
      let name = target.name.padding(toLength: 12, withPad: " ", startingAt: 0)
      Console.print(
        "\(name)\(QuantityText.count(before.files)) → \(QuantityText.count(after.files, "file")), "
          + "\(QuantityText.count(before.bytes)) → \(QuantityText.count(after.bytes)) bytes")
    }
  }
}
