import ArgumentParser
import HostTools
import RunReports
import ScenarioModel
import ScenarioYAML
import SubjectPrograms
import SuiteRunner
import TerminalText

/// Which cases are meant: those of an earlier run, or one that is named in full, as `run` prints it.
struct CaseOptions: ParsableArguments {
  /// A case that can be run.
  struct Choice {
    var scenario: Scenario
    /// Of its file.
    var path: String
    var variant: Variant
    var world: WorldName
    var seed: UInt64
    var profile: Profile
    /// The program that it is played with; nil: the library that comes with the lab.
    var program: CaseSubjectOptions.Program?

    var name: String { "\(scenario.id) [\(variant.name), \(world.rawValue)]" }
  }

  @OptionGroup var library: LibraryOptions
  @OptionGroup var subjects: CaseSubjectOptions

  @Argument(
    help: """
      The case: a scenario's id, a path of its file, or a full name: \
      'read/delimiters-may-be-any-bytes [ipv4, simulated]'.
      """)
  var name: String

  @Option(help: "The run that it failed in: latest, a dated folder's name, or a path to a folder or report.json.")
  var of = "latest"

  @Option(help: "The case of this world; with it no run is looked into.")
  var world: WorldName?

  @Option(help: "The case with this seed.")
  var seed: UInt64?

  @Option(help: "The case in the variant of this name.")
  var variant: String?

  @Option(
    help: "Which reading of the sources the subject is held to: documented or upstream. None: that of the run.")
  var profile: Profile?

  @Option(help: "Where reports are.")
  var output = LabHome.place("reports")

  /// The cases that were not as expected in the run, or the one that is named. At least one.
  func failing() throws -> [Choice] {
    let choices = try found()
    if choices[0].profile != .documented { ReproCommand.keep("--profile", choices[0].profile.rawValue) }
    return choices
  }

  private func found() throws -> [Choice] {
    if let world { return [try named(in: world)] }
    let digest = try EarlierRun.report(of, in: output)
    let ids = (try? library.choice([name]).ids) ?? []
    let cases = try subjects.cases(of: digest).filter {
      $0.name == name || $0.scenario == name || ids.contains($0.scenario)
    }
    .filter { (seed ?? $0.seed) == $0.seed && (variant ?? $0.variant) == $0.variant }
    guard !cases.isEmpty else {
      throw ValidationError(
        "The run \(of) has no such case of \(name)\(subjects.words). Its report lists them all; --world names a case "
          + "that no run has.")
    }
    let red = cases.filter { !$0.isAsExpected }
    guard !red.isEmpty else {
      Console.error("\(name) went as expected in the run \(of): there is nothing to look into.")
      throw LabExit.nothingRan.error
    }
    return try red.map { earlier in
      let (scenario, path) = try self.scenario(earlier.scenario)
      let program = try subjects.program(of: earlier, in: digest)
      guard let variant = scenario.variant(named: earlier.variant, of: program) else {
        throw ValidationError("The scenario \(earlier.scenario) has no variant \(earlier.variant) any more.")
      }
      return Choice(
        scenario: scenario, path: path, variant: variant, world: earlier.world, seed: earlier.seed,
        profile: profile ?? digest.profile, program: program)
    }
  }

  /// The subject that the case is played with, started; nil: the library that comes with the lab. A case that the
  /// program can't be asked ends the command with `nothingRan`.
  func entry(of choice: Choice) throws -> SubjectEntry? {
    guard let entry = try choice.program?.entry() else { return nil }
    guard let reason = entry.refusal(of: choice.scenario, choice.variant, scope: try library.scope()) else {
      return entry
    }
    Console.error("\(choice.name) can't be asked of \(entry.name): \(reason).")
    throw LabExit.nothingRan.error
  }

  private func named(in world: WorldName) throws -> Choice {
    let (scenario, path) = try self.scenario(name)
    let program = try subjects.named()
    if program != nil, world != .loopback {
      throw ValidationError("Programs are played over loopback only: say --world loopback.")
    }
    let variants = program.map { scenario.variants(of: $0.program.name) } ?? scenario.variants
    guard let variant = variant.map({ scenario.variant(named: $0, of: program) }) ?? variants.first else {
      throw ValidationError(
        "\(name) has no variant \(variant ?? ""). Its variants are: \(variants.map(\.name).joined(separator: ", "))."
          + (program == nil ? " A program's are those of --subject." : ""))
    }
    guard scenario.worlds.contains(world) else {
      throw ValidationError("\(name) is not played in the world \(world.rawValue).")
    }
    return Choice(
      scenario: scenario, path: path, variant: variant, world: world, seed: seed ?? 1,
      profile: profile ?? .documented, program: program)
  }

  private func scenario(_ name: String) throws -> (Scenario, path: String) {
    let (library, ids) = try self.library.choice([name])
    guard let id = ids.first, ids.count == 1, let entry = library[id] else {
      throw ValidationError("\(name) is not one scenario. `socketlab list \(name)` shows what there is.")
    }
    guard let scenario = entry.scenario else {
      DiagnosticOutput.print(entry)
      throw LabExit.badScenario.error
    }
    return (scenario, entry.path)
  }
}
