import Foundation

/// What ARCHITECTURE.md says of the modules: the table of what there is and what it imports, and the table of the
/// arrows that are forbidden for ever.
struct ModuleTable: Sendable {
  struct Row {
    let name: String
    /// The tower, or what else of the house the module belongs to: `subject`, `lab`, `both`, `fuzz`, …
    let part: String
    /// Modules as the sources import them; a function with its module: `Glibc.memchr`.
    let imports: [String]
  }

  /// Nothing in `from` may reach anything in `to`. Both hold names of modules or parts; an empty `from` is everything.
  struct Ban {
    let from: [String]
    let to: [String]
  }

  let rows: [Row]
  let bans: [Ban]

  init(rows: [Row], bans: [Ban]) {
    self.rows = rows
    self.bans = bans
  }

  init(_ lines: [String]) {
    rows = Self.cells(below: "| Module | Part |", in: lines).map { cells in
      Row(
        name: Self.names(in: cells[0])[0], part: cells[1],
        imports: cells[3] == "–" ? [] : cells[3].components(separatedBy: ", "))
    }
    bans = Self.cells(below: "| From | To |", in: lines).map { cells in
      Ban(from: cells[0] == "every module" ? [] : Self.names(in: cells[0]), to: Self.names(in: cells[1]))
    }
  }

  /// The modules of the package that each of them imports.
  var arrows: [String: Set<String>] {
    let own = Set(rows.map(\.name))
    return Dictionary(rows.map { ($0.name, own.intersection($0.imports)) }) { $0.union($1) }
  }

  /// What each module reaches, directly or by way of others; itself too, if there is a cycle.
  var reach: [String: Set<String>] {
    let arrows = arrows
    return arrows.mapValues { direct in
      var reached: Set<String> = []
      var ahead = Array(direct)
      while let next = ahead.popLast() {
        if reached.insert(next).inserted { ahead += arrows[next] ?? [] }
      }
      return reached
    }
  }

  /// Modules by the name of a module or of a part.
  func modules(named names: [String]) -> [String] {
    rows.filter { names.contains($0.name) || names.contains($0.part) }.map(\.name)
  }

  /// The cells of a Markdown table's rows, from the line after the ruler to the table's end.
  private static func cells(below header: String, in lines: [String]) -> [[String]] {
    guard let start = lines.firstIndex(where: { $0.hasPrefix(header) }) else { return [] }
    return lines.dropFirst(start + 2).prefix { $0.hasPrefix("|") }.map { line in
      line.dropFirst().dropLast().components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  private static func names(in cell: String) -> [String] {
    cell.matches(of: /`([^`]+)`/).map { String($0.output.1) }
  }
}

/// The targets that Package.swift declares by name, and what each depends on.
struct Manifest {
  /// Names of the package's targets, and of the products of other packages.
  let dependencies: [String: Set<String>]
  /// Modules without a line of Swift.
  let systemLibraries: Set<String>

  init(_ lines: [String]) {
    let text = lines.filter { !$0.drop { $0 == " " }.hasPrefix("//") }.joined(separator: "\n")
    let named = text.matches(of: /let (\w+) = Target\.Dependency\.product\(name: "(\w+)"/)
    let products = Dictionary(named.map { (String($0.output.1), String($0.output.2)) }) { first, _ in first }
    var dependencies: [String: Set<String>] = [:]
    var systemLibraries: Set<String> = []
    for target in text.matches(of: /(\w+)\(\s*(?:name: )?"(\w+)"/) {
      let kind = String(target.output.1)
      guard ["library", "judge", "target", "executableTarget", "systemLibrary"].contains(kind) else { continue }
      // A product is declared by `.library(name:`; a target of ours by `library(`.
      if kind == "library", text[..<target.range.lowerBound].last == "." { continue }
      if kind == "systemLibrary" { systemLibraries.insert(String(target.output.2)) }
      let call = Self.argumentList(text[target.range.lowerBound...])
      guard kind != "systemLibrary", let open = call.firstIndex(of: "["), let close = call.firstIndex(of: "]") else {
        dependencies[String(target.output.2)] = []
        continue
      }
      let words = call[open..<close].matches(of: /"?\w+"?/).map { String($0.output) }
      dependencies[String(target.output.2)] = Set(
        words.map { $0.hasPrefix("\"") ? String($0.dropFirst().dropLast()) : products[$0] ?? $0 })
    }
    self.dependencies = dependencies
    self.systemLibraries = systemLibraries
  }

  /// A call up to the parenthesis that closes it.
  private static func argumentList(_ text: Substring) -> Substring {
    var depth = 0
    for index in text.indices {
      if text[index] == "(" { depth += 1 }
      if text[index] == ")" {
        depth -= 1
        if depth == 0 { return text[...index] }
      }
    }
    return text
  }
}
