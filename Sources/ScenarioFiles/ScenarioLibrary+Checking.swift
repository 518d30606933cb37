import ScenarioModel
import ScenarioYAML

extension ScenarioLibrary {
  /// The entries of these names with everything that is wrong with them, what only the library shows included: controls
  /// that do not exist.
  package func checked(_ names: [String]) -> [Entry] {
    var entries = entries(named: names)
    var guesses = ControlGuesses(self)
    for index in entries.indices {
      guard let scenario = entries[index].scenario, let control = scenario.control, self[control] == nil else {
        continue
      }
      entries[index].diagnostics.append(
        Diagnostic(
          code: LintCode.missingFile.rawValue,
          position: scenario.controlPosition ?? SourcePosition(line: 1, column: 1),
          message: "The control \(control) is no scenario of this suite.",
          help: guesses.guess(for: control).map { "Did you mean \($0)?" }))
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
