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
