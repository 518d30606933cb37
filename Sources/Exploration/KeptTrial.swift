import CaseReduction
import ScenarioModel
import ScenarioYAML

/// A finding as a scenario file, with its story in comments.
package enum KeptTrial {
  /// The text of the file. `origin` says how the exploration came to it, `command` how it is shown again.
  package static func text(
    _ reduced: TrialReduction.Reduced, of trial: ExploredTrial, in world: WorldName, id: String, origin: String,
    command: String
  ) -> String {
    var scenario = reduced.best.scenario
    scenario.id = id
    scenario.title = line(scenario.title)
    scenario.worlds = [world]
    // A schedule is one of simulated time.
    if world != .simulated { scenario.schedule = nil }
    scenario.worldsReason = scenario.worldsReason ?? "that is where it was found"
    // No schema lies beside the file.
    let lines = ScenarioWriter.yaml(scenario).split(separator: "\n", omittingEmptySubsequences: false)
      .drop { $0.hasPrefix("# yaml-language-server:") }
    var comments = [origin, story(of: trial, reduced), judge(of: trial)]
    comments += ["It shows: \(line(reduced.text))", "Seed \(reduced.best.seed), \(reduced.best.size.text)."]
    comments.append("Again: \(command)")
    return (comments.map { "# \($0)"[...] } + lines).joined(separator: "\n")
  }

  private static func story(of trial: ExploredTrial, _ reduced: TrialReduction.Reduced) -> String {
    let changes = reduced.changes.isEmpty ? "" : ", with " + reduced.changes.joined(separator: ", ")
    return switch trial.origin {
    case .drawn: "A program drawn at random."
    case .program(let id): "The program that \(id) tells\(changes)."
    case .scenario(let id):
      reduced.changes.isEmpty ? "\(id) shows it as it stands." : "\(id)\(changes)."
    }
  }

  private static func judge(of trial: ExploredTrial) -> String {
    switch trial.judgement {
    case .model: "What is expected is what the reference model foretells."
    case .expectations: "What is expected is what the committed scenario expects."
    case .laws: "Nothing is expected but what must hold in every case."
    }
  }

  /// One line of printable text, not too long.
  private static func line(_ text: String) -> String {
    String(String(text.unicodeScalars.map { $0.value < 0x20 ? " " : Character($0) }).prefix(200))
  }
}
