import Foundation
import Testing

/// What other modules see says what it does: every `public` declaration, and every `package` one whose name stands in
/// another module that imports its own, has a doc comment.
///
/// Not counted: enum cases; initialisers that only assign; overrides; and what a protocol asks for by that name, where
/// the declaration around it names the protocol, or extends it.
@Suite struct DocumentationTests {
  @Test func whatOthersSeeSaysWhatItDoes() throws {
    for declarations in Self.undocumented(in: Repository.sources, reach: try House.ofTheRepository().table.reach) {
      for place in declarations.value { Issue.record("\(place.path):\(place.line) \(place.name) has no doc comment") }
    }
  }

  /// Witnesses of protocols that are not ours.
  private static let known: [String: Set<String>] = [
    "Hashable": ["==", "hash"], "Equatable": ["=="], "Comparable": ["<", "=="],
    "CustomStringConvertible": ["description"],
    "CustomDebugStringConvertible": ["debugDescription"], "Codable": ["encode", "CodingKeys"], "Encodable": ["encode"],
    "Sequence": ["makeIterator", "Element"], "IteratorProtocol": ["next", "Element"],
    "Collection": ["startIndex", "endIndex", "index", "count"], "RawRepresentable": ["rawValue"],
    "OptionSet": ["rawValue"], "RandomNumberGenerator": ["next"], "Identifiable": ["id"],
    "CaseIterable": ["allCases"], "LocalizedError": ["errorDescription"],
  ]

  /// By module, in the order of files and lines. `reach` says which modules a module sees.
  private static func undocumented(
    in files: [Repository.File], reach: [String: Set<String>]
  ) -> [String: [Declaration]] {
    let byModule = Dictionary(grouping: files) { file in
      let folders = file.path.split(separator: "/").dropFirst().dropLast().map(String.init)
      return folders.first { reach[$0] != nil } ?? folders.first ?? ""
    }
    let declarations = byModule.mapValues { $0.flatMap(Declaration.all) }
    let words = byModule.mapValues { files in
      Set(
        files.flatMap { $0.lines.flatMap { $0.split { !$0.isLetter && !$0.isNumber && $0 != "_" } } }.map(String.init))
    }
    var requirements = known
    for declaration in declarations.values.joined() {
      if let name = declaration.requirementOf { requirements[name, default: []].insert(declaration.name) }
    }
    var found: [String: [Declaration]] = [:]
    for (module, all) in declarations {
      let users = reach.filter { $0.key != module && $0.value.contains(module) }.keys
      let counted = all.filter { declaration in
        !declaration.isDocumented && !declaration.isMemberwise
          && !declaration.inherited.contains { requirements[$0]?.contains(declaration.name) == true }
          && (declaration.isPublic || users.contains { words[$0]?.contains(declaration.name) == true })
      }
      if !counted.isEmpty { found[module] = counted }
    }
    return found
  }

  @Test func countsWhatOthersSeeAndNothingElse() {
    let own = Repository.File(
      path: "Sources/Low/A.swift",
      lines: [
        "/// A value.", "package struct Value: Hashable, Shape {", "  package let bare: Int",
        "  package let unused: Int",
        "  /// Said.", "  @inlinable package func said() {}", "  package init(bare: Int) {", "    self.bare = bare",
        "  }",
        "  package init() {", "    prepare()", "  }", "  package var area: Int { 0 }",
        "  package static func == (a: Self, b: Self) -> Bool { true }", "  let inside = 0", "}",
        "package protocol Shape {",
        "  var area: Int { get }", "}", "public enum Kind {", "  case one", "  package func area() {}", "}",
        "extension Shape {", "  package var area: Int { 1 }", "}",
      ])
    let other = Repository.File(
      path: "Sources/High/B.swift", lines: ["import Low", "let a = Value(bare: 1).said() + area, Shape"])
    let found = Self.undocumented(in: [own, other], reach: ["Low": [], "High": ["Low"]])
    #expect(found.keys.sorted() == ["Low"])
    #expect(found["Low"]?.map(\.line) == [3, 10, 17, 18, 20, 22])
    #expect(Self.undocumented(in: [own, other], reach: ["Low": [], "High": []])["Low"]?.map(\.line) == [20])
  }
}
