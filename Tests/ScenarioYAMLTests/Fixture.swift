import ScenarioModel
import ScenarioYAML

/// Whole files from parts of one.
enum Fixture {
  private static let base: [(key: String, text: String)] = [
    ("title", "title: A sample"),
    ("requirements", "requirements: [RD-ANY-01]"),
    ("peer", "peer:\n  - accept\n  - send: \"HELLO\""),
    ("subject", "subject:\n  - connect\n  - read: { tag: 1 }"),
    ("expect", "expect:\n  - didConnect\n  - didRead: { tag: 1 }"),
  ]

  /// The fragment with what a file needs besides; a fragment with a title is a whole file already.
  static func file(_ fragment: String) -> String {
    let keys = fragment.split(separator: "\n").compactMap { line in
      line.first?.isLetter == true ? line.split(separator: ":").first.map(String.init) : nil
    }
    if keys.contains("title") { return fragment }
    let replaced = ["peers": "peer", "subjects": "subject"]
    let given = Set(keys + keys.compactMap { replaced[$0] })
    let rest = base.filter { !given.contains($0.key) }.map(\.text).joined(separator: "\n")
    return rest + "\n" + fragment
  }

  static func read(_ text: String) -> ScenarioReader.Result {
    ScenarioReader.read(text, id: "area/sample") { $0 == "data/bytes.bin" ? [0, 255, 10] : nil }
  }

  /// A fragment's diagnostics as `line:column code`, lines counted in the fragment.
  static func remarks(_ fragment: String) -> [String] {
    let file = file(fragment)
    let lines = file.split(separator: "\n", omittingEmptySubsequences: false).count
    let offset = lines - fragment.split(separator: "\n", omittingEmptySubsequences: false).count
    return read(file).diagnostics.map { "\($0.position.line - offset):\($0.position.column) \($0.code)" }
  }
}

/// A scenario as text without positions, for comparison.
func dump(_ scenario: Scenario?) -> String {
  guard var scenario else { return "nothing" }
  let worlds = scenario.worlds.map(\.rawValue).sorted().joined(separator: "+")
  scenario.worlds = []
  scenario.endingPosition = nil
  scenario.controlPosition = nil
  return worlds + " " + "\(scenario)".replacing(/SourcePosition\(line: \d+, column: \d+\)/, with: "")
}
