import ScenarioModel
import ScenarioYAML

extension ScenarioLibrary {
  /// The entries of these names with everything that is wrong with them, what only the library shows included: controls
  /// that do not exist, and controls that must fail.
  package func checked(_ names: [String]) -> [Entry] {
    var entries = entries(named: names)
    var guesses = ControlGuesses(self)
    for index in entries.indices {
      guard let scenario = entries[index].scenario, let control = scenario.control else { continue }
      let position = scenario.controlPosition ?? SourcePosition(line: 1, column: 1)
      if self[control] == nil {
        entries[index].diagnostics.append(
          Diagnostic(
            code: LintCode.missingFile.rawValue, position: position,
            message: "The control \(control) is no scenario of this suite.",
            help: guesses.guess(for: control).map { "Did you mean \($0)?" }))
      } else if self[control]?.scenario?.canary == true {
        entries[index].diagnostics.append(
          Diagnostic(
            code: LintCode.conflictingKeys.rawValue, position: position,
            message: "The control \(control) is a canary: it must fail, and a control that fails vouches for nothing.",
            help: "Take a scenario that passes wherever the lab and the machine are sound."))
      }
    }
    return entries
  }
}

/// Suggestions for names of controls that don't exist. Each guess compares with every id of the suite, so each name is
/// guessed once, and at most `most` names are.
private struct ControlGuesses {
  private static let most = 20

  private let names: [String]
  private var guesses: [String: String?] = [:]

  init(_ library: ScenarioLibrary) { names = library.names }

  mutating func guess(for control: String) -> String? {
    if let known = guesses[control] { return known }
    guard guesses.count < Self.most else { return nil }
    let guess = DidYouMean.suggestion(for: control, among: names)
    guesses[control] = guess
    return guess
  }
}
