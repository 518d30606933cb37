import ArgumentParser
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

  @Option(help: "cov (coverage only, the quickest), asan (AddressSanitizer) or tsan (ThreadSanitizer).")
  var lane = FuzzTarget.Lane.asan

  @Option(help: "The folder with the scenario files.")
  var scenarios = "Scenarios"

  func validate() throws {
    if let name, name.wholeMatch(of: /[a-z0-9][a-z0-9.-]{0,80}/) == nil {
      throw ValidationError("\(name) can't be a name: small letters, digits, dots and dashes.")
    }
  }

  func run() throws {
    let target = try FuzzOptions.targets([self.target], lane)[0]
    var layout = options.layout
    layout.scenarios = scenarios
    let session = try FuzzSession(layout: layout)
    defer { session.end() }
    let examiner = FuzzExaminer(layout: layout, leash: session.leash)
    try session.orExit {
      let input = try FuzzFiles.input(at: file)
      var known = try KnownFindings(path: layout.known)
      try session.prepare(target, lane)
      let replay = try session.whileStoppable({ examiner.stop() }) { try examiner.replay([input], target, lane) }
      if let problem = replay.problem { throw LabFailure("\(input) could not be run: \(problem).") }
      let content = try FuzzFiles.read(input)
      let key = replay.crash.map { examiner.key(target, $0) }
      let earlier = known.entries.first { entry in
        entry.target == target.name && (entry.file == name || isSame(content, layout, target, entry))
      }
      guard let text = key?.text ?? earlier?.key else {
        throw LabFailure("\(input) shows nothing, and is not among the known findings; nothing was changed.")
      }
      let entry = KnownFindings.Entry(
        target: target.name, file: name ?? earlier?.file ?? key?.id ?? "input", key: text,
        status: key == nil ? .fixed : .open, note: note.isEmpty ? earlier?.note ?? "" : note)
      let place = "\(layout.regressions(target))/\(entry.file)"
      if FuzzFiles.exists(place), (try? FuzzFiles.read(place)) != content {
        throw LabFailure("\(place) holds something else already; nothing was changed. Choose another --name.")
      }
      try FuzzFiles.makeFolder(layout.regressions(target))
      try FuzzFiles.write(content, to: place)
      known.set(entry)
      try known.write(to: layout.known)
      Console.print("\(place)  \(entry.status.rawValue): \(entry.key)")
      let violation = replay.crash.flatMap { $0.kind == .violation ? Violation($0.subject, $0.detail) : nil }
      try tellScenario(content, target, entry, violation, layout: layout)
    }
  }

  private func isSame(
    _ content: [UInt8], _ layout: FuzzLayout, _ target: FuzzTarget, _ entry: KnownFindings.Entry
  ) -> Bool { (try? FuzzFiles.read("\(layout.regressions(target))/\(entry.file)")) == content }

  /// Where the input can be said as a scenario, it becomes one of the suite's.
  private func tellScenario(
    _ content: [UInt8], _ target: FuzzTarget, _ entry: KnownFindings.Entry, _ violation: Violation?, layout: FuzzLayout
  ) throws {
    guard target.tellsScenarios else { return }
    let name = entry.file.replacingOccurrences(of: "_", with: "-")
    let text: String
    switch FuzzScenario.text(content, target, id: "found/\(name)", violation: violation) {
    case .success(let told): text = told
    case .failure(let failure): return Console.print("No scenario: \(failure.message).")
    }
    let place = "\(layout.scenarios)/found/\(name).yaml"
    guard !FuzzFiles.exists(place) else { return Console.print("\(place) is there already") }
    try FuzzFiles.makeFolder("\(layout.scenarios)/found")
    try FuzzFiles.write(text.utf8, to: place)
    Console.print("\(place)  try it: ./lab run found/\(name) --world simulated")
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

  @OptionGroup var options: FuzzOptions

  @Argument(help: "Targets; none: all that have the lane.")
  var targets: [String] = []

  @Option(help: "cov (coverage only, the quickest), asan (AddressSanitizer) or tsan (ThreadSanitizer).")
  var lane = FuzzTarget.Lane.cov

  func run() throws {
    let targets = try FuzzOptions.targets(self.targets, lane)
    let session = try FuzzSession(layout: options.layout)
    defer { session.end() }
    let examiner = FuzzExaminer(layout: options.layout, leash: session.leash)
    try session.orExit {
      try session.whileStoppable({ examiner.stop() }) {
        for target in targets where !session.isInterrupted {
          try session.prepare(target, lane)
          _ = try WorkingCorpus.prepare(target, layout: options.layout)
          let before = CorpusFacts.of([options.layout.corpus(target)])
          let after = try examiner.prune(target, lane)
          let name = target.name.padding(toLength: 12, withPad: " ", startingAt: 0)
          Console.print(
            "\(name)\(Wording.count(before.files)) → \(Wording.count(after.files, "file")), "
              + "\(Wording.count(before.bytes)) → \(Wording.count(after.bytes)) bytes")
        }
      }
    }
  }
}
