import ArgumentParser
import CaseReduction
import HostTools
import RunComparison
import ScenarioModel
import ScenarioRunner
import SuiteRunner
import TerminalText

/// Says what kind of trouble a failing case is.
struct ClassifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "classify",
    abstract: "Repeats a failing case and says whether it is deterministic, flaky, order-dependent, or the host slow.",
    discussion: """
      The case is repeated alone and beside others, on an idle and on a busied machine; a simulated one, which comes \
      out the same with its seed, also with other seeds. Nothing turns green by being repeated.

      Exit codes: 1 classified, 2 wrong usage, 3 a scenario file is wrong, 4 cases could not be run, 5 the case was as \
      expected in its run, or shows nothing that can be followed.
      """)

  @OptionGroup var cases: CaseOptions

  @Option(help: "Repetitions under each circumstance.")
  var repetitions = Repetitions.usual

  func validate() throws { try Repetitions.check(repetitions) }

  func run() throws {
    let chosen = try cases.failing()
    let stop = StopFlag()
    let interrupts = InterruptWatch(flag: stop)
    defer { interrupts.end() }
    do {
      let company = try CaseClassifier.company(of: cases.library.library().scenarios)
      let first = chosen[0]
      let classifier = CaseClassifier(
        repetitions: repetitions, profile: first.profile, company: company,
        programs: [try cases.entry(of: first)].compactMap(\.self), scope: try cases.library.scope(), stop: stop)
      let printer = ClassificationPrinter(classifier: classifier)
      guard try printer.print(first.scenario, first.variant, first.world, first.seed, known: nil) else {
        Console.error(
          "\(first.name) shows nothing to classify in up to \(ClassificationPrinter.maxLooks) runs: each was as "
            + "expected, or failed in a way that can't be followed.")
        throw LabExit.nothingRan.error
      }
      throw LabExit.deviation.error
    } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.subjectNotDriven.error
    }
  }
}

/// How often a case is repeated under each circumstance.
enum Repetitions {
  static let usual = 10

  static func check(_ repetitions: Int) throws {
    guard (2...1000).contains(repetitions) else {
      throw ValidationError("--repetitions must be between 2 and 1000.")
    }
  }
}

/// Classifies cases and prints what they are.
struct ClassificationPrinter {
  /// Runs in which a finding is looked for that is not known.
  static let maxLooks = 20

  let classifier: CaseClassifier

  /// Prints what kind of trouble the case is; false: it shows no finding.
  ///
  /// - Parameter known: the finding, if the case has been run; nil: it is run until it shows one.
  func print(
    _ scenario: Scenario, _ variant: Variant, _ world: WorldName, _ seed: UInt64, known: FindingIdentity?
  ) throws -> Bool {
    guard let finding = try known ?? classifier.finding(scenario, variant, world, seed, most: Self.maxLooks) else {
      return false
    }
    let repeated = try classifier.classify(scenario, variant: variant, world: world, seed: seed, finding: finding)
    Console.print(Console.styled(Console.visible("\(scenario.id) [\(variant.name), \(world.rawValue)]"), .strong))
    Console.print("    \(Console.visible(finding.text))")
    Console.print("  \(Console.styled(repeated.text, .caution))")
    for line in repeated.lines { Console.print("    \(Console.quotation(line))") }
    if world == .simulated {
      let rate = try classifier.seeds(scenario, variant: variant, seed: seed, count: 100, finding: finding)
      Console.print("    with other seeds: \(rate.text)")
    }
    return true
  }
}
