import ArgumentParser
import HostTools
import RunReports
import ScenarioFiles
import ScenarioModel
import ScenarioRunner
import SubjectAdapters
import SuiteRunner
import TerminalText

/// Runs a case of an earlier run again.
struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Runs a case of an earlier run again, with its variant, world and seed.",
    discussion: """
      In the simulated world the trace must come out the same, or something has changed since. Exit codes are those of \
      `run`.
      """)

  @OptionGroup var library: LibraryOptions
  @OptionGroup var subjects: CaseSubjectOptions

  @Argument(
    help: ArgumentHelp(
      "The run: latest, a dated folder's name, or a path to a folder or report.json.", valueName: "run"))
  var folder: String

  @Argument(
    help: """
      The case: a scenario's id, a path of its file, or a full name: \
      'read/delimiters-may-be-any-bytes [ipv4, simulated]'.
      """)
  var name: String

  @Option(help: "Where reports are.")
  var output = LabHome.place("reports")

  @Flag(
    help: ArgumentHelp(
      """
      Walks through the first of the cases event by event: n next, p previous, g go to a number, q quit. Without a \
      terminal all events are printed.
      """))
  var step = false

  func run() throws {
    do { try replay() } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.subjectNotDriven.error
    }
  }

  private func replay() throws {
    let digest = try EarlierRun.report(folder, in: output)
    let ofSubject = try subjects.cases(of: digest)
    var cases = ofSubject.filter { $0.name == name || $0.scenario == name }
    if cases.isEmpty, let ids = try? library.choice([name]).ids { cases = ofSubject.filter { [$0.scenario] == ids } }
    guard let first = cases.first else {
      throw ValidationError("The run has no case \(name)\(subjects.words). Its report lists them all.")
    }
    let (library, ids) = try self.library.choice([first.scenario])
    guard let file = ids.first.flatMap({ library[$0] }) else {
      throw ValidationError("\(first.scenario) is no scenario any more.")
    }
    guard let scenario = file.scenario else {
      DiagnosticOutput.print(file)
      throw LabExit.badScenario.error
    }
    var programs: [String: SubjectEntry] = [:]
    let scope = try self.library.scope()
    let jitter = HostProbe.jitter()
    var isAsExpected = true
    for earlier in cases {
      let program = try subjects.program(of: earlier, in: digest)
      guard let variant = scenario.variant(named: earlier.variant, of: program) else {
        throw ValidationError("The scenario has no variant \(earlier.variant) any more.")
      }
      if let program, programs[program.program.name] == nil { programs[program.program.name] = try program.entry() }
      let entry = program.flatMap { programs[$0.program.name] }
      let planned = PlannedCase(scenario: 0, variant: variant, world: earlier.world, seed: earlier.seed)
      let executor = SuiteExecutor(
        scenarios: [scenario],
        options: .init(
          jobs: 1, profile: digest.profile, jitter: jitter, keepsTraces: true,
          programs: [entry].compactMap(\.self)))
      let refusal = entry?.refusal(of: scenario, variant, scope: scope)
      let played =
        try refusal.map { CaseResult(unsupported: planned, of: scenario, because: $0) }
        ?? executor.run(planned)
      guard let result = played else { throw LabExit.nothingRan.error }
      if !result.isAsExpected { isAsExpected = false }
      show(result, earlier: earlier, file)
      guard step else { continue }
      let script = CaseScript(scenario, profile: digest.profile)
      let tolerance = result.world == .simulated ? Tolerance.simulated : .loopback(jitter: jitter)
      StepWalk.show(StepText(TraceWalk(script, result, tolerance: tolerance), path: file.path))
      break
    }
    if !isAsExpected { throw LabExit.deviation.error }
  }

  private func show(_ result: CaseResult, earlier: CaseDigest, _ file: ScenarioLibrary.Entry) {
    if result.isAsExpected {
      let name = Console.styled(Console.visible(result.name), .strong)
      Console.print("\(Console.styled("✓", .good)) \(name)  \(result.verdict.label)")
    } else {
      Console.print(CaseText.describe(result, path: file.path))
    }
    var remark = "    then \(earlier.verdict.label), now \(result.verdict.label)"
    if result.world == .simulated {
      remark += earlier.traceHash == result.traceHash ? "; the same trace" : "; the trace differs"
    }
    if let hash = earlier.scenarioHash, hash != ContentHash(of: file.bytes).text {
      remark += "; its file has changed since"
    }
    Console.print(Console.styled(remark, .quiet))
  }
}
