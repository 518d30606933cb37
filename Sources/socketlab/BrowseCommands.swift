import ArgumentParser
import CoverageRunner
import Foundation
import HostTools
import ScenarioFiles
import ScenarioModel
import ScenarioRunner
import ScenarioYAML
import TerminalText

/// Lists scenarios.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the scenarios.")

  enum Format: String, ExpressibleByArgument, CaseIterable { case text, ids }

  @OptionGroup var library: LibraryOptions
  @OptionGroup var selection: SelectionOptions

  @Option(help: "text: ids and titles; ids: ids only, for scripts.")
  var format = Format.text

  func run() throws {
    let (library, ids) = try self.library.choice(selection.names)
    let wanted = SuiteSelection(ids: ids, filters: selection.filter, tags: selection.tag)
    let scenarios = wanted.chosen(of: library.scenarios).map { library.scenarios[$0] }
    let width = scenarios.map(\.id.count).max() ?? 0
    for scenario in scenarios {
      guard format == .text else {
        Console.print(Console.visible(scenario.id))
        continue
      }
      let id = scenario.id.padding(toLength: width, withPad: " ", startingAt: 0)
      let worlds =
        scenario.worlds.count == 1 ? Console.styled("  (\(scenario.worlds.first!.rawValue) only)", .quiet) : ""
      Console.print("\(Console.styled(Console.visible(id), .strong))  \(Console.visible(scenario.title))\(worlds)")
    }
    if format == .text { Console.print(Console.styled(QuantityText.count(scenarios.count, "scenario"), .quiet)) }
    let wrong = library.entries(named: ids).filter(\.hasErrors)
    if !wrong.isEmpty {
      Console.error("\(QuantityText.count(wrong.count, "file")) with errors not listed; see `socketlab check`.")
    }
  }
}

/// Shows one scenario, or one requirement.
struct ShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Shows one scenario: what it is about, its variants, its source.",
    discussion: "A requirement such as RD-DELIM-04 is shown with its sentence and what witnesses it.")

  @OptionGroup var library: LibraryOptions
  @OptionGroup var places: WitnessOptions

  @Argument(help: "The scenario's id, or the path of its file; or the id of a requirement.")
  var id: String

  func run() throws {
    guard try !showsRequirement() else { return }
    let (library, ids) = try self.library.choice([id])
    guard let entry = ids.first.flatMap({ library[$0] }), ids.count == 1 else {
      let cases = library.entries(named: ids)
      guard let table = cases.first, cases.allSatisfy({ $0.table == ids.first }) else {
        throw ValidationError("\(id) is a folder of scenarios. `socketlab list \(id)` shows them.")
      }
      Console.print(Console.styled("\(QuantityText.count(cases.count, "case")) in one file", .strong))
      Console.print("  file          \(Console.visible(table.path))")
      for entry in cases { Console.print("  \(Console.visible("\(entry.id)  \(entry.scenario?.title ?? "")"))") }
      return Self.printSource(table)
    }
    guard let scenario = entry.scenario else {
      DiagnosticOutput.print(entry)
      throw LabExit.badScenario.error
    }
    Console.print(Console.styled(Console.visible(scenario.title), .strong))
    Console.print("  file          \(Console.visible(entry.path))")
    Console.print("  requirements  \(scenario.requirements.joined(separator: ", "))")
    if !scenario.tags.isEmpty { Console.print("  tags          \(scenario.tags.joined(separator: ", "))") }
    let worlds = WorldName.allCases.filter(scenario.worlds.contains).map(\.rawValue).joined(separator: ", ")
    Console.print("  worlds        \(worlds)\(scenario.worldsReason.map { " — \(Console.visible($0))" } ?? "")")
    Console.print("  variants      \(scenario.variants.map(\.name).joined(separator: ", "))")
    if let control = scenario.control { Console.print("  control       \(control)") }
    Self.printSource(entry)
  }

  /// Whether the id has the form of a requirement's; scenarios have areas before their names. Shows it then.
  private func showsRequirement() throws -> Bool {
    let wanted = id.uppercased()
    guard wanted.wholeMatch(of: /[A-Z]+(-[A-Z]+)?-[0-9]+/) != nil, !PathText.exists(id),
      let register = try library.register()
    else { return false }
    guard let text = RequirementText(wanted, in: register) else {
      let guess = register.nearest(to: wanted).map { " Did you mean \($0)?" } ?? ""
      throw ValidationError("There is no requirement \(wanted).\(guess) `socketlab coverage` shows all.")
    }
    let coverage = try places.survey.coverage(
      register, library.library(), kills: library.kills(register),
      note: { Console.error("Note: \($0)") })
    for line in text.lines(coverage[wanted], lastRun: coverage.lastRun) { Console.print(line) }
    return true
  }

  private static func printSource(_ entry: ScenarioLibrary.Entry) {
    Console.print("")
    for (index, line) in entry.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let number = String(index + 1)
      let gutter = String(repeating: " ", count: max(0, 4 - number.count)) + number
      Console.print("\(Console.styled(gutter, .quiet))  \(line)")
    }
  }
}

/// Reads scenario files without running them.
struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Reads scenario files, without running them, and shows everything that is wrong.")

  @OptionGroup var library: LibraryOptions

  @Argument(help: "Scenario ids or folders of them, or paths of any files or folders; none: all.")
  var names: [String] = []

  func run() throws {
    let (library, ids) = try self.library.choice(names)
    let entries = library.checked(ids)
    if try self.library.register() == nil {
      Console.error("Note: there is no folder \(self.library.requirements), so ids of requirements are not looked up.")
    }
    for link in library.links {
      Console.error("Note: \(link) is a link to a folder and was not followed; name it to have it checked.")
    }
    // The cases of a file share its remarks.
    var files: [ScenarioLibrary.Entry] = []
    for entry in entries {
      if let place = files.indices.last, entry.table != nil, files[place].table == entry.table {
        files[place].diagnostics += entry.diagnostics.filter { !files[place].diagnostics.contains($0) }
      } else {
        files.append(entry)
      }
    }
    for file in files { DiagnosticOutput.print(file) }
    guard !files.isEmpty else {
      Console.error("There are no scenario files in \(library.folder).")
      throw LabExit.nothingRan.error
    }
    let remarks = files.flatMap(\.diagnostics)
    let errors = remarks.filter { $0.severity == .error }.count
    let warnings = remarks.count - errors
    Console.print(
      "\(QuantityText.count(files.count, "file")) checked: \(QuantityText.count(errors, "error")), "
        + QuantityText.count(warnings, "warning"))
    if errors > 0 { throw LabExit.badScenario.error }
  }
}

/// Explains a diagnostic code.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Explains a code that `check` printed, such as missing-unit.")

  @Argument(help: "The code.")
  var code: String

  func run() throws {
    guard let lint = LintCode(rawValue: code) else {
      let guess = DidYouMean.suggestion(for: code, among: LintCode.allCases.map(\.rawValue))
      let codes = LintCode.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError(
        "There is no code \(code).\(guess.map { " Did you mean \($0)?" } ?? "") The codes are: \(codes).")
    }
    Console.print(lint.explanation)
  }
}
