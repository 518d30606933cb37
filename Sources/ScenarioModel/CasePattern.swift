/// Which cases are meant, as people write it: `read/line`, `read`, `read/*delimiter* [ipv4-*, simulated]`.
///
/// The first part fits ids of scenarios: an id, a file of cases, a folder, or a glob. The part in brackets, which may
/// be left out, is written as reports write the rest of a case's name: a glob over variants, and a world or `*`.
package struct CasePattern: Hashable, Sendable {
  /// What is wrong with a pattern, as the rest of a sentence that begins with it.
  package struct Failure: Error, Hashable, Sendable {
    /// `has no ] at its end`
    package var problem: String
  }

  /// As it was written.
  package let text: String
  private let name: String
  private let scenario: Glob
  private let variant: Glob?
  /// nil: any.
  private let world: WorldName?

  /// Throws what is wrong with the text.
  package init(_ text: String) throws(Failure) {
    self.text = text
    var name = text[...]
    var variant: Glob?
    var world: WorldName?
    if let start = text.firstIndex(of: "[") {
      name = text[..<start]
      guard text.last == "]" else { throw Failure(problem: "has no ] at its end") }
      let parts = text[text.index(after: start)...].dropLast().split(separator: ",", omittingEmptySubsequences: false)
        .map(Self.trimmed)
      guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }) else {
        throw Failure(problem: "has something other than a variant and a world in its brackets")
      }
      variant = Glob(parts[0])
      if parts.count == 2, parts[1] != "*" {
        guard let named = WorldName(rawValue: parts[1]) else {
          let worlds = WorldName.allCases.map(\.rawValue).joined(separator: ", ")
          throw Failure(problem: "names the world \(parts[1]), and there are \(worlds) and *")
        }
        world = named
      }
    }
    self.name = Self.trimmed(name)
    guard !self.name.isEmpty else { throw Failure(problem: "names no scenario") }
    scenario = Glob(self.name)
    (self.variant, self.world) = (variant, world)
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    return String(text)
  }

  /// Whether any case of the scenario may be meant.
  package func covers(scenario id: String) -> Bool {
    if id == name || scenario.matches(id) { return true }
    let folder = name.hasSuffix("/") ? String(name.dropLast()) : name
    return id.hasPrefix("\(folder)/") || id.hasPrefix("\(folder)#")
  }

  /// Whether the case is meant.
  package func covers(scenario id: String, variant name: String, world place: WorldName) -> Bool {
    (world ?? place) == place && (variant?.matches(name) ?? true) && covers(scenario: id)
  }
}
