import HostTools
import ScenarioFiles
import ScenarioModel
import ScenarioRunner

// What a person should know of the chosen files before anything runs.
extension SuiteRun {
  /// Remarks that are told one by one; how many more there are is told.
  private static let maxRemarks = 5

  /// Refuses files with errors among the chosen ones; what only deserves a remark is told. Throws a `Refusal`.
  static func refuseWrongFiles(_ library: ScenarioLibrary, names: [String], note: (String) -> Void) throws {
    let chosen = library.entries(named: names)
    let wrong = chosen.filter(\.hasErrors)
    guard wrong.isEmpty else { throw Refusal.wrongFiles(wrong) }
    let others = library.entries.filter(\.hasErrors).count
    if others > 0 { note("\(QuantityText.count(others, "other scenario file")) with errors; see `socketlab check`.") }
    var seen: Set<String> = []
    let warnings = chosen.filter { seen.insert($0.path).inserted }.flatMap { entry in
      entry.diagnostics.map { "\(entry.path):\($0.position.line):\($0.position.column): \($0.message) (\($0.code))" }
    }
    warnings.prefix(maxRemarks).forEach(note)
    if warnings.count > maxRemarks { note("\(warnings.count - maxRemarks) more warnings; see `socketlab check`.") }
  }

  /// Refuses a run of scenarios that are played in other worlds only; where some are, it is told which. Throws a
  /// `Refusal`.
  static func refuseOtherWorlds(
    _ scenarios: [Scenario], chosen: [Int], worlds: Set<WorldName>, isNamed: Bool, note: (String) -> Void
  ) throws {
    let silent = chosen.map { scenarios[$0] }.filter { $0.worlds.isDisjoint(with: worlds) }
    guard !silent.isEmpty else { return }
    let remarks = silent.map { scenario in
      let played = scenario.worlds.map(\.rawValue).sorted().joined(separator: ", ")
      return "\(scenario.id) is played in another world (\(played))\(scenario.worldsReason.map { ": \($0)" } ?? "")"
    }
    guard silent.count < chosen.count else { throw Refusal.otherWorlds(Array(remarks.prefix(maxRemarks))) }
    // Of a whole suite many are, and nobody has asked for one of them.
    guard isNamed else { return }
    remarks.prefix(maxRemarks).forEach(note)
    if remarks.count > maxRemarks { note("So are \(remarks.count - maxRemarks) more.") }
  }
}

// What is asked of subjects that are programs of their own.
extension SuiteRun {
  /// What the programs are asked. Throws a `Refusal` if nothing of what was asked for is in the plan.
  static func programPlan(
    _ options: Options, like cases: [PlannedCase], of scenarios: [Scenario], selection: SuiteSelection, seeds: [UInt64]
  ) throws -> ProgramPlan {
    let hasOwn = options.playsReference && !selection.chosen(of: scenarios).isEmpty
    guard !options.programs.isEmpty else {
      guard hasOwn else { throw refusal(of: selection, scenarios) }
      return ProgramPlan([], like: [], of: scenarios, scope: options.scope)
    }
    var every = selection
    every.variants = nil
    let all =
      selection.variants == nil
      ? cases : SuitePlan(scenarios, selection: every, worlds: options.worlds, seeds: seeds).cases
    let chosen = Set(every.chosen(of: scenarios))
    guard !chosen.isEmpty else { throw Refusal.nothingChosen }
    let plan = ProgramPlan(
      options.programs, like: all, of: scenarios, fitting: selection.variants, among: chosen, scope: options.scope)
    guard selection.variants == nil || hasOwn || !plan.cases.isEmpty else {
      throw refusal(of: selection, scenarios, programs: options.programs, isLibraryPlayed: options.playsReference)
    }
    return plan
  }

  /// Why the library that comes with the lab, though it was named beside programs, is asked nothing: a variant may have
  /// the name of one of them in its own. nil: it is asked something, or was not named.
  static func unasked(_ options: Options, _ selection: SuiteSelection, of scenarios: [Scenario]) -> RunShortfall? {
    guard options.playsReference, !options.programs.isEmpty, let variants = selection.variants,
      selection.chosen(of: scenarios).isEmpty
    else { return nil }
    return RunShortfall(.askedNothing, "\(subject) was asked nothing: none of its variants fits \(variants)")
  }

  /// Why nothing of what was asked for is in the plan. A program's variants are named as a person may ask for them,
  /// without the program.
  private static func refusal(
    of selected: SuiteSelection, _ scenarios: [Scenario], programs: [SubjectEntry] = [], isLibraryPlayed: Bool = true
  ) -> Refusal {
    var others = selected
    others.variants = nil
    let variants = others.chosen(of: scenarios).flatMap { scenarios[$0].variants }
    let ofPrograms = programs.flatMap { entry in variants.map { $0.of(program: entry.program.name).withoutProgram } }
    let names = Set(((isLibraryPlayed ? variants : []) + ofPrograms).map(\.name)).sorted()
    guard let glob = selected.variants, !names.isEmpty else { return .nothingChosen }
    return .usage("There is no variant \(glob). The variants are: \(names.joined(separator: ", ")).")
  }
}
