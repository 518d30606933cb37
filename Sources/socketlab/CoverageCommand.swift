import ArgumentParser
import CoverageRunner
import Foundation
import HostTools
import MutationRunner
import Requirements
import ScenarioFiles
import ScenarioModel
import TerminalText

/// `socketlab coverage`: every requirement with what witnesses it.
struct CoverageCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "coverage", abstract: "Shows every requirement with the scenarios and tests that witness it.",
    discussion: """
      What nothing witnesses comes first, then what failed in the last run, then what is seen in one world only. The \
      musts without a witness are on record in \(RequirementRegister.folder)/\(OpenRequirements.Lack.witness.file), \
      the requirements without a witness that kills a mutant in \(OpenRequirements.Lack.kill.file), and the citations \
      of scenarios that kill none in \(IdleCitations.file); all three may only get shorter. What no subject can break \
      (`permits`) needs no mutant, and is counted apart.

      With --idle-citations, the citations that kill no mutant on record instead, in order: a line for each, with the \
      reason on record. The table that --json writes has them, too.

      With --replay, one derived mutant of each citation in \(KillRecord.name) is played again: exit code 1 if a \
      scenario does not object to it any more.

      With --floor, the catalogue of misbehaviours in \(RequirementRegister.folder)/misbehaviours.yaml instead, with \
      what no scenario does; exit code 1 if one has neither a scenario nor a reason.

      Exit codes: 0 the records say what is, 1 a requirement has lost its last witness, a citation its last mutant, \
      or one on record has got one, or a mutant breaks what is said to permit everything, 2 wrong usage, 3 the \
      register or a scenario file is wrong.
      """)

  @OptionGroup var library: LibraryOptions
  @OptionGroup var places: WitnessOptions

  @Argument(help: "Requirements or areas, such as RD-DELIM-04 or TLS; none: all.")
  var names: [String] = []

  @Option(help: "Also writes the whole table to this file, as JSON.")
  var json: String?

  @Option(help: "Also writes the whole table to this file, as a page.")
  var html: String?

  @Flag(help: "Lists the citations that kill no mutant on record.")
  var idleCitations = false

  @Flag(help: "Takes off the records what lacks nothing any more.")
  var record = false

  @Flag(help: "Plays a derived mutant of each citation on record again.")
  var replay = false

  @Flag(help: "Shows which misbehaviours of peers no scenario does, and why.")
  var floor = false

  func run() throws {
    let library = try self.library.library()
    guard let register = try self.library.register() else {
      throw ValidationError("There is no folder \(self.library.requirements). Name it with --requirements.")
    }
    let wanted = try names.map { try Self.area(or: $0.uppercased(), in: register) }
    let wrong = library.entries.filter(\.hasErrors)
    guard wrong.isEmpty else {
      for entry in wrong { DiagnosticOutput.print(entry) }
      throw LabExit.badScenario.error
    }
    guard !floor else { return try showFloor(register, library) }
    let kills = try self.library.kills(register)
    let coverage = places.survey.coverage(register, library, kills: kills) { Console.error("Note: \($0)") }
    do {
      guard !idleCitations else { return try listIdle(coverage, register, of: wanted) }
      let text = CoverageText(coverage, register)
      for line in text.lines(of: wanted) { Console.print(line) }
      try Self.writing {
        try Self.writing { if let json { try HostFiles.write(try coverage.json(), to: json) } }
        if let html { try Self.writePage(coverage, register, to: html) }
      }
      guard wanted.isEmpty else { return }
      for line in CoverageText.lines(ofContradicted: coverage.contradicted) { Console.print(line) }
      var isBroken = try !coverage.contradicted.isEmpty || !agrees(coverage, register)
      if replay, let kills { isBroken = !stands(kills, register, library) || isBroken }
      if isBroken { throw LabExit.deviation.error }
    } catch let failure as LabFailure {
      throw ValidationError(failure.message)
    }
  }

  /// Holds the coverage to the records, or makes them shorter; false: one does not hold.
  private func agrees(_ coverage: RequirementCoverage, _ register: RequirementRegister) throws -> Bool {
    let records = records(register)
    var holds = true
    for (lack, open) in [(OpenRequirements.Lack.witness, coverage.openMusts), (.kill, coverage.unproven)]
    where lack == .witness || coverage.hasKills {
      let outcome = try records.hold(open, lacking: lack)
      let lines = CoverageText.lines(
        of: outcome.difference, lacking: lack, in: register, path: outcome.path, isMended: record)
      for line in lines { Console.print(line) }
      if outcome.isWritten {
        Console.print("\(outcome.path): \(QuantityText.count(open.count, "open requirement"))")
      }
      holds = outcome.holds && holds
    }
    guard coverage.hasKills else { return holds }
    let idle = try records.hold(coverage.idleCitations)
    for line in CoverageText.lines(of: idle.difference, path: idle.path, isMended: record) { Console.print(line) }
    if idle.isWritten {
      Console.print("\(idle.path): \(QuantityText.count(coverage.idleCitations.count, "idle citation"))")
    }
    return idle.holds && holds
  }

  private func records(_ register: RequirementRegister) -> CoverageRecords {
    CoverageRecords(in: library.requirements, of: register, isUpdated: record)
  }

  /// Whether the citations on record still object to the derived mutants that they are on record for.
  private func stands(
    _ kills: KillRecord, _ register: RequirementRegister, _ library: ScenarioLibrary
  ) -> Bool {
    let (lost, played) = CitationRun.replay(
      kills, register, library, jobs: ProcessInfo.processInfo.activeProcessorCount)
    let citations = QuantityText.count(played, "citation")
    guard !lost.isEmpty else {
      Console.print("Played again: \(citations) object to a derived mutant, as on record.")
      return true
    }
    for citation in lost {
      let mutant = kills[citation].first(where: KillRecord.isDerived) ?? ""
      Console.print(
        Console.styled("✗ \(citation.witness) does not object to “\(mutant)” of \(citation.requirement) any more", .bad)
      )
    }
    Console.print("\(lost.count) of \(citations) on record. Bring the record up to date: ./lab fuzz zoo --derived")
    return false
  }

  private func listIdle(
    _ coverage: RequirementCoverage, _ register: RequirementRegister, of wanted: [String]
  ) throws {
    let record = try records(register).idleCitations()
    for citation in coverage.idleCitations
    where wanted.isEmpty || wanted.contains(citation.requirement)
      || wanted.contains(register[citation.requirement]?.area ?? "")
    {
      let reason = record?.reasons[citation].map { "  # \($0)" } ?? ""
      Console.print("\(citation.requirement) \(citation.witness)\(reason)")
    }
    if let json { try HostFiles.write(try coverage.json(), to: json) }
  }

  private func showFloor(_ register: RequirementRegister, _ library: ScenarioLibrary) throws {
    let floor = MisbehaviourFloor(
      register.misbehaviours,
      scenarios: library.entries.compactMap { entry in entry.scenario.map { (entry.id, $0.tags) } })
    for line in floor.lines { Console.print(line) }
    guard floor.count(.forgotten) == 0 else { throw LabExit.deviation.error }
  }

  /// What a name of the command means; throws for one that nothing has.
  private static func area(or name: String, in register: RequirementRegister) throws -> String {
    let areas = register.areas.map(\.id)
    guard register[name] == nil, !areas.contains(name) else { return name }
    let guess = register.nearest(to: name).map { " Did you mean \($0)?" } ?? ""
    throw ValidationError(
      "There is no requirement and no area \(name).\(guess) The areas are: \(areas.joined(separator: ", ")).")
  }

  /// A file that can't be written ends the command with `subjectNotDriven`.
  private static func writing(_ body: () throws -> Void) throws {
    do { try body() } catch let failure as LabFailure {
      Console.error(failure.message)
      throw LabExit.subjectNotDriven.error
    }
  }

  /// The page's links go from its own folder.
  static func writePage(
    _ coverage: RequirementCoverage, _ register: RequirementRegister, to path: String
  ) throws {
    let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
    let folder = PathText.real(parent) ?? parent
    let here = PathText.workingFolder
    let page = CoveragePage(coverage, register) { file in
      let shown = PathText.shown(file.hasPrefix("/") ? file : "\(here)/\(file)", from: folder)
      return shown.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? shown
    }
    try HostFiles.write(page.bytes, to: path)
  }
}

/// Where witnesses are looked for, besides the scenarios.
struct WitnessOptions: ParsableArguments {
  @Option(help: "The folder with the Swift tests.")
  var tests = LabHome.place("Tests")

  @Option(help: "Where the reports of runs are; the last one says what became of each witness.")
  var reports = LabHome.place("reports")

  var survey: WitnessSurvey { WitnessSurvey(tests: tests, reports: reports) }
}
